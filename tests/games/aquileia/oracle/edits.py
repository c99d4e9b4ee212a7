"""Odd positions: edits that take a game where play seldom or never gets.

The rules hold in any lawful position, so the lock-step tests put games there.  An edit that would break the contract's
conditions does nothing, so any list of edits gives a lawful position, and a shrinking test may drop any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tests.games.aquileia.oracle.referee.board import KINDS, Board
from tests.lockstep.trial import Edit

Position = dict[str, Any]

CONTESTS: Final = ("arena_cards", "arena_dice", "stadium_cards")


def _seat(position: Position, a: int) -> int:
    return int(a % position["num_players"])


def _followers(position: Position, seat: int) -> int:
    return list(position["spaces"].values()).count(seat)


def _nothing_left(position: Position, board: Board, seat: int) -> bool:
    whole = board.constants["followers_per_player"]
    return seat in position["advantage"] and _followers(position, seat) >= whole


def _settle(position: Position, board: Board) -> None:
    """Remove the passes of players without pieces."""
    position["passed"] = [seat for seat in position["passed"] if not _nothing_left(position, board, seat)]


# ------------------------------------------------------------------------------------------------ any phase


def points(position: Position, board: Board, a: int, b: int) -> None:
    """The same VP for several players."""
    for seat in range(position["num_players"]):
        if (a >> seat) & 1:
            position["players"][seat]["vp"] = b % 50


def riches(position: Position, board: Board, a: int, b: int) -> None:
    """More coins of all kinds."""
    coins = position["players"][_seat(position, a)]["coins"]
    for kind in KINDS:
        coins[kind] += (1, 3, 40)[b % 3]


def few_slaves(position: Position, board: Board, a: int, b: int) -> None:
    """Nearly all slave cards in the players' hands: 0 to 2 are left in the pile, 0 to 2 on the discard."""
    if position["phase"] == "servi":
        return  # a purchase is pending
    piles, place = position["slaves"], b
    while len(piles["draw"]) > a % 3:
        position["players"][_seat(position, place)]["slaves"][piles["draw"].pop()] += 1
        place += 1
    for face in piles["discard"]:
        while sum(piles["discard"].values()) > b % 3 and piles["discard"][face]:
            piles["discard"][face] -= 1
            position["players"][_seat(position, place)]["slaves"][face] += 1
            place += 1


def few_equi(position: Position, board: Board, a: int, b: int) -> None:
    """Nearly all equi cards in the players' hands: 0 to 2 are left in the pile, 0 to 2 on the discard."""
    piles, place = position["equi"], b
    while len(piles["draw"]) > a % 3:
        position["players"][_seat(position, place)]["equi"][piles["draw"].pop()] += 1
        place += 1
    for face in piles["discard"]:
        while sum(piles["discard"].values()) > b % 3 and piles["discard"][face]:
            piles["discard"][face] -= 1
            position["players"][_seat(position, place)]["equi"][face] += 1
            place += 1


def spent(position: Position, board: Board, a: int, b: int) -> None:
    """The piles onto their discards: the next card is drawn from a rebuilt pile."""
    for deck in ("slaves", "equi")[a % 2 :]:
        piles = position[deck]
        keep = b % 2  # the first card of the pile stays
        for face in piles["draw"][keep:]:
            piles["discard"][face] += 1
        piles["draw"] = piles["draw"][:keep]


def known(position: Position, board: Board, a: int, b: int) -> None:
    """Some cards of the hands known, others not (A6)."""
    for seat, player in enumerate(position["players"]):
        for i, face in enumerate(player["equi"]):
            player["equi_known"][face] = min(player["equi"][face], (a + seat + i * b) % 3)


def start_elsewhere(position: Position, board: Board, a: int, b: int) -> None:
    """Another turn order."""
    if not position["phase"].endswith("_prize"):  # the first of a tie could be another
        position["starting_player"] = _seat(position, a)


# ------------------------------------------------------------------------------------------------ contests, auction


def even(position: Position, board: Board, a: int, b: int) -> None:
    """All contestants as strong as the strongest: the crests decide."""
    if position["phase"] in CONTESTS:
        strength = position["contest"]["strength"]
        for seat in strength:
            strength[seat] = max(strength.values())


def crests(position: Position, board: Board, a: int, b: int) -> None:
    """Other crests on the advantage track: none to all, from seat `a` on, upwards or downwards."""
    if position["phase"] not in ("place", *CONTESTS):
        return
    players = position["num_players"]
    track = [(a + (step if b % 2 else -step)) % players for step in range(b // 2 % (players + 1))]
    old, position["advantage"] = position["advantage"], track
    if position["phase"] == "place":
        if _nothing_left(position, board, position["current_player"]):
            position["advantage"] = old
        _settle(position, board)


def bidders(position: Position, board: Board, a: int, b: int) -> None:
    """Stocks for an auction: possible bidders have one coin more than the standing bid, the others none."""
    auction = position["auction"]
    if auction is None:
        return
    for seat, player in enumerate(position["players"]):
        more = (a >> seat) & 1
        if seat in (position["current_player"], auction["bidder"]) or more:
            player["coins"] = dict(auction["bid"])
            player["coins"][KINDS[(b + seat) % 3]] += 1
        else:
            player["coins"] = {kind: max(0, auction["bid"][kind] - b % 2) for kind in KINDS}


# ------------------------------------------------------------------------------------------------ placement


def purse(position: Position, board: Board, a: int, b: int) -> None:
    """Stock of a player: nothing, one coin, or a few of one kind."""
    if position["phase"] == "place":
        coins = dict.fromkeys(KINDS, 0)
        coins[KINDS[b % 3]] = (0, 1, 1, 4)[b // 3 % 4]
        position["players"][_seat(position, a)]["coins"] = coins


def broke(position: Position, board: Board, a: int, b: int) -> None:
    """No player has a coin, or a single one has one."""
    if position["phase"] == "place":
        for seat, player in enumerate(position["players"]):
            player["coins"] = dict.fromkeys(KINDS, 0)
            player["coins"][KINDS[b % 3]] = int(seat == a % (position["num_players"] + 1))


def slave_hand(position: Position, board: Board, a: int, b: int) -> None:
    """A hand of 0 to 3 singles and 0 to 3 doubles, as far as there are cards."""
    if position["phase"] != "place":
        return
    player, piles = position["players"][_seat(position, a)], position["slaves"]
    for face, wanted in zip(board.slaves, (b % 4, b // 4 % 4), strict=False):
        piles["discard"][face] += player["slaves"][face]
        player["slaves"][face] = min(wanted, piles["discard"][face])
        piles["discard"][face] -= player["slaves"][face]
        while player["slaves"][face] < wanted and face in piles["draw"]:
            piles["draw"].remove(face)
            player["slaves"][face] += 1


def equi_hand(position: Position, board: Board, a: int, b: int) -> None:
    """A hand of one kind of equi cards: all that lie in the pile or on the discard."""
    if position["phase"] != "place":
        return
    player, piles = position["players"][_seat(position, a)], position["equi"]
    for face in list(board.equi)[b % 3 :: 3]:
        player["equi"][face] += piles["discard"][face] + piles["draw"].count(face)
        piles["discard"][face] = 0
        piles["draw"] = [card for card in piles["draw"] if card != face]


def gaps(position: Position, board: Board, a: int, b: int) -> None:
    """Gaps in the row, once pile and discard are empty."""
    piles = position["equi"]
    if position["phase"] == "place" and not piles["draw"] and not any(piles["discard"].values()):
        for place, card in enumerate(piles["row"]):
            if card is not None and (a >> place) & 1:
                position["players"][_seat(position, b)]["equi"][card] += 1
                piles["row"][place] = None


def houses(position: Position, board: Board, a: int, b: int) -> None:
    """A player has put up the last house, or the one before it."""
    if position["phase"] != "place":
        return
    seat, names = _seat(position, a), list(board.buildings)
    wanted = board.constants["houses_per_player"] - b % 2
    for i in range(len(names)):
        name = names[(b + i) % len(names)]
        if name not in position["buildings"] and list(position["buildings"].values()).count(seat) < wanted:
            position["buildings"][name] = seat


def town(position: Position, board: Board, a: int, b: int) -> None:
    """Nearly all sites are built on, as far as the houses go."""
    if position["phase"] != "place":
        return
    for i, name in enumerate(board.buildings):
        seat = _seat(position, i + a)
        built = list(position["buildings"].values()).count(seat)
        if name not in position["buildings"] and i % 7 != b % 7 and built < board.constants["houses_per_player"]:
            position["buildings"][name] = seat


def late(position: Position, board: Board, a: int, b: int) -> None:
    """The last round, or the one before it; the races skipped had winners, one racer or none."""
    if position["phase"] != "place":
        return
    stadium = position["stadium"]
    while position["round"] < board.constants["rounds"] - a % 2:
        first = None if b % 5 == 0 else _seat(position, b)
        second = None if first is None or b % 3 == 0 else _seat(position, b + 1)
        kept = None if first is None else ("open", "drawn")[b // 2 % 2]
        drawn = stadium["draw"].pop(0)
        stadium["past"].append(
            {"open": stadium["open"], "drawn": drawn, "first": first, "second": second, "first_kept": kept}
        )
        stadium["open"] = stadium["draw"].pop(0)
        position["round"] += 1
        b += 1


def theatre(position: Position, board: Board, a: int, b: int) -> None:
    """Theatre cards of the rounds before, to one or two players."""
    if position["phase"] != "place":
        return
    cards = position["theatre"]
    while len(cards["won"]) < position["round"] - 1 and cards["draw"]:
        cards["won"][cards["draw"].pop(0)] = _seat(position, a + b % 2 * len(cards["won"]))


def follower(position: Position, board: Board, a: int, b: int) -> None:
    """A legal follower on a space; a coin space takes its coin from the bank."""
    if position["phase"] != "place":
        return
    seat, space = _seat(position, a), list(board.spaces.values())[b % len(board.spaces)]
    own = [board.spaces[name] for name, holder in position["spaces"].items() if holder == seat]
    if space.name in position["spaces"] or len(own) >= board.constants["followers_per_player"]:
        return
    if space.area == "stadium" and any(o.area == "stadium" and o.kind != space.kind for o in own):
        return
    if space.area == "portus" and any(o.area == "portus" for o in own):
        return
    position["spaces"][space.name] = seat
    if _nothing_left(position, board, position["current_player"]):
        del position["spaces"][space.name]
        return
    kinds = [other.kind for other in board.coin_spaces if other.name in position["spaces"]]
    position["portus_coins"] = kinds
    _settle(position, board)


def harbour(position: Position, board: Board, a: int, b: int) -> None:
    """A thief and three players on the coin spaces, some of them with a workshop or a money house."""
    if position["phase"] != "place":
        return
    names = list(board.spaces)
    for i, space in enumerate(["latro", *(space.name for space in board.coin_spaces)]):
        follower(position, board, a + (i if b % 3 else max(0, i - 1)), names.index(space))
    for i, (name, building) in enumerate(board.buildings.items()):
        if building["kind"] != "villa" and name not in position["buildings"] and (b >> (i % 5)) & 1:
            seat = _seat(position, i)
            if list(position["buildings"].values()).count(seat) < board.constants["houses_per_player"]:
                position["buildings"][name] = seat


def contests(position: Position, board: Board, a: int, b: int) -> None:
    """All players fight and race, one has the blue dice."""
    if position["phase"] == "place":
        order = [b % 3 + 8, *range(9, 18)]
        for i, space in enumerate(order):
            follower(position, board, a + i, space)


def crowd(position: Position, board: Board, a: int, b: int) -> None:
    """Followers on all spaces except the silver side; one player without coins for a coin space."""
    if position["phase"] != "place":
        return
    me = position["current_player"]
    names = list(board.spaces)
    gold = [name for name in names if board.spaces[name].kind == "gold" and board.spaces[name].area == "stadium"]
    follower(position, board, me, names.index(gold[0]))
    others = [seat for seat in range(position["num_players"]) if seat != me]
    free = [name for name in names if board.spaces[name].area not in ("stadium", "portus")] + gold[1:]
    for i, name in enumerate(free):
        for step in range(len(others)):
            follower(position, board, others[(a + i + step) % len(others)], names.index(name))
        if name not in position["spaces"] and _followers(position, me) < board.constants["followers_per_player"] - 1:
            follower(position, board, me, names.index(name))
    position["players"][me]["coins"] = dict.fromkeys(KINDS, 0)
    if me not in position["advantage"] and _followers(position, me) < board.constants["followers_per_player"]:
        position["advantage"].append(me)


def all_passed(position: Position, board: Board, a: int, b: int) -> None:
    """All others have passed; possibly with an empty board."""
    if position["phase"] == "place":
        if b % 3 == 0:
            position["spaces"], position["portus_coins"] = {}, []
        seats = [seat for seat in range(position["num_players"]) if seat != position["current_player"]]
        position["passed"] = [seat for seat in seats if not _nothing_left(position, board, seat)]


EDITS: Final[dict[str, Callable[[Position, Board, int, int], None]]] = {
    edit.__name__: edit
    for edit in (
        points, riches, few_slaves, few_equi, spent, known, start_elsewhere, even, crests, bidders, purse, broke,
        slave_hand, equi_hand, gaps, houses, town, late, theatre, follower, harbour, contests, crowd, all_passed,
    )
}  # fmt: skip


def edited(position: Position, board: Board, edits: Sequence[Edit]) -> Position:
    """The position after all edits (changed in place); before the end only."""
    if position["phase"] != "over":
        for name, a, b in edits:
            EDITS[name](position, board, a, b)
    return position
