"""Odd positions: edits that take a game where play seldom or never gets.

The rules hold in every safe position, so the lock-step tests put games there.  An edit that leads to a position which
`from_dict` refuses is undone.  So any list of edits gives a valid position, and a shrinking test may drop any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from porta_nigra_env.core.positions.position import PositionError
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.oracle.referee import BASES, STONES, Board, Position, Referee, copied
from tests.games.gloria_mundi.oracle.referee.cards import BASIC
from tests.lockstep.trial import Edit


def _player(p: Position, a: int) -> dict[str, Any]:
    player: dict[str, Any] = p["players"][a % p["num_players"]]
    return player


# ------------------------------------------------------------------------------------------------ stones and steps


def stones(p: Position, board: Board, a: int, b: int) -> None:
    """Stock of a player: nothing, one stone, one kind, a few of all, many of all."""
    kind = STONES[b // 6 % 4]
    few = {stone: (b >> place) % 3 for place, stone in enumerate(STONES)}
    _player(p, a)["stones"] = [
        dict.fromkeys(STONES, 0),
        dict.fromkeys(STONES, 0) | {kind: 1},
        dict.fromkeys(STONES, 0) | {kind: 2 + b // 24},
        few,
        dict.fromkeys(STONES, 12),
        few | {kind: 9_999 - b // 24},
    ][b % 6]


def steps(p: Position, board: Board, a: int, b: int) -> None:
    """The same number of steps for several players, often few before Africa."""
    far = (board.escape - 1 - b // 2 % 4) if b % 2 else b // 2
    for seat, player in enumerate(p["players"]):
        if (a >> seat) & 1:
            player["steps"] = max(0, min(far, board.escape - 1))


def even(p: Position, board: Board, a: int, b: int) -> None:
    """Several players equally far with equally many stones."""
    for seat, player in enumerate(p["players"]):
        if (a >> seat) & 1:
            player["stones"] = dict(zip(STONES, (b % 4, b // 4 % 4, b // 16, seat % 2), strict=True))
            player["stones"]["glory"] += 1 - seat % 2


# ------------------------------------------------------------------------------------------------ building cards


def _take_away(p: Position, name: str) -> bool:
    """A card out of fire, forum, deck or a display; from the deck another one takes its place."""
    for player in p["players"]:
        if name in player["buildings"]:
            player["bare"][player["buildings"].pop(name)] += 1
            return True
    if name in p["deck"]:
        if not p["fire"]:
            return False
        place = p["deck"].index(name)
        p["deck"] = [*p["deck"][:place], p["fire"][0], *p["deck"][place + 1 :]]
        p["fire"] = p["fire"][1:]
        return True
    if name in p["fire"]:
        p["fire"] = [other for other in p["fire"] if other != name]
        return True
    place = next(place for place, other in p["forum"].items() if other == name)
    p["forum"][place] = None
    return True


def _lay(p: Position, board: Board, a: int, name: str) -> None:
    """A card onto a base card of a player, if one is bare and it can be had."""
    player = _player(p, a)
    bases = [base for base in board.cards[name].lies_on if player["bare"][base]]
    if bases and name not in player["buildings"] and _take_away(p, name):
        base = max(bases, key=player["bare"].__getitem__)
        player["bare"][base] -= 1
        player["buildings"][name] = base


def cover(p: Position, board: Board, a: int, b: int) -> None:
    """Any one building card for a player."""
    _lay(p, board, a, list(board.cards)[b % len(board.cards)])


def builders(p: Position, board: Board, a: int, b: int) -> None:
    """Several builders for a player."""
    names = [name for name, card in board.cards.items() if card.type == "builder"]
    for number, name in enumerate(names):
        if (b >> number % 6) & 1:
            _lay(p, board, a, name)


def walls(p: Position, board: Board, a: int, b: int) -> None:
    """Several walls for a player."""
    names = [name for name, card in board.cards.items() if card.type == "wall"]
    for number, name in enumerate(names):
        if (b >> number % 6) & 1:
            _lay(p, board, a, name)


def coloured(p: Position, board: Board, a: int, b: int) -> None:
    """Several coloured cards of one type for a player."""
    names = [name for name, card in board.cards.items() if card.type == BASES[b % 3]]
    for number in range(5):
        if names:
            _lay(p, board, a, names[(b // 3 * 5 + number) % len(names)])


def exclusives(p: Position, board: Board, a: int, b: int) -> None:
    """Exclusive cards and cards that ask for the Goth, for a player."""
    for number, card in enumerate(board.cards.values()):
        if (card.exclusive or "goth" in card.ability) and (b >> number % 6) & 1:
            _lay(p, board, a, card.name)


def eaters(p: Position, board: Board, a: int, b: int) -> None:
    """Cards that take other cards, and something for them to take."""
    names = [name for name, card in board.cards.items() if "pay_card" in card.ability]
    for number in range(4):
        if names:
            _lay(p, board, a, names[(b + number) % len(names)])
    cover(p, board, a, b)
    cover(p, board, a, 2 * b + 1)


def uncover(p: Position, board: Board, a: int, b: int) -> None:
    """A building card to the fire."""
    player = _player(p, a)
    if player["buildings"]:
        name = sorted(player["buildings"])[b % len(player["buildings"])]
        _take_away(p, name)
        p["fire"] = sorted([*p["fire"], name], key=board.order.__getitem__)


def top_card(p: Position, board: Board, a: int, b: int) -> None:
    """Another card next on the deck."""
    if p["deck"]:
        place = (a * 64 + b) % len(p["deck"])
        p["deck"] = [p["deck"][place], *p["deck"][:place], *p["deck"][place + 1 :]]


def forum(p: Position, board: Board, a: int, b: int) -> None:
    """Gaps in the forum, or cards out of the fire into gaps."""
    for number, place in enumerate(board.places[1:]):
        if (a >> number) & 1:
            name = p["forum"][place]
            if name is not None and b % 2:
                p["fire"], p["forum"][place] = sorted([*p["fire"], name], key=board.order.__getitem__), None
            elif name is None and not b % 2 and p["fire"]:
                *p["fire"], p["forum"][place] = p["fire"]


# ------------------------------------------------------------------------------------------------ base cards


def found_again(p: Position, board: Board, a: int, b: int) -> None:
    """Base cards that a player has lost come back, bare."""
    player, dealt = _player(p, a), board.hands(p["num_players"])
    for base in BASES[b % 3 :]:
        owned = player["hand"][base] + player["bare"][base] + list(player["buildings"].values()).count(base)
        player["bare"][base] += dealt[base] - owned


def lost(p: Position, board: Board, a: int, b: int) -> None:
    """Bare base cards of a type are lost, as many as the Goth can have demanded."""
    base, dealt = BASES[b % 3], board.hands(p["num_players"])[BASES[b % 3]]
    gone = p["raid"]["demanded"][base] if p["raid"] else 0
    for player in p["players"]:
        owned = player["hand"][base] + player["bare"][base] + list(player["buildings"].values()).count(base)
        gone += dealt - owned
    room = sum(board.symbols(space)[base] for space in range(1, p["goth"] + 1)) - gone
    player = _player(p, a)
    player["bare"][base] -= min(player["bare"][base], max(0, room))


def swap(p: Position, board: Board, a: int, b: int) -> None:
    """Base cards of two types change places between hand and display."""
    player, one, other = _player(p, a), BASES[b % 3], BASES[(b + 1 + b // 3 % 2) % 3]
    for _ in range(1 + b // 6 % 4):
        if player["hand"][one] and player["bare"][other]:
            player["hand"][one] -= 1
            player["bare"][one] += 1
            player["hand"][other] += 1
            player["bare"][other] -= 1


def late(p: Position, board: Board, a: int, b: int) -> None:
    """Some rounds later: base cards have been played, cards have gone to the fire."""
    for _ in range(1 + a % 12):
        if len(p["deck"]) <= p["num_players"] or not all(any(player["hand"].values()) for player in p["players"]):
            return
        p["turn"] += p["num_players"]
        p["fire"] = sorted([*p["fire"], *p["deck"][: p["num_players"]]], key=board.order.__getitem__)
        p["deck"] = p["deck"][p["num_players"] :]
        for player in p["players"]:
            base = max(BASES, key=player["hand"].__getitem__)
            player["hand"][base] -= 1
            player["bare"][base] += 1


# ------------------------------------------------------------------------------------------------ the Goth


def goth(p: Position, board: Board, a: int, b: int) -> None:
    """The Goth elsewhere, often few provinces before Rome; no tribute."""
    p["tribute"] = []
    p["goth"] = (board.rome - 1 - b // 2 % 6) if b % 2 else a
    p["goth"] = max(0, min(p["goth"], board.rome - 1))


def tribute(p: Position, board: Board, a: int, b: int) -> None:
    """Tribute on some provinces ahead, partly of glory; or on all of them."""
    first = p["goth"] + 1
    count = min(board.rome - first, board.rome if b % 4 == 0 else 1 + a % 8)
    p["tribute"] = [_lying(board.symbols(first + number), b // 4 + number) for number in range(count)]


def _lying(symbols: dict[str, int], b: int) -> dict[str, int]:
    lying = dict.fromkeys(STONES, 0)
    for stone, base in zip(BASIC, BASES, strict=True):
        for _ in range(symbols[base]):
            lying["glory" if b % 3 == 0 else stone] += 1
            b += 1
    return lying


def raid(p: Position, board: Board, a: int, b: int) -> None:
    """Other base cards are demanded, and other tribute is shared."""
    if p["raid"] is not None:
        demanded = {base: (a >> 2 * place) % 4 for place, base in enumerate(BASES)}
        p["raid"] = {
            "demanded": demanded if p["phase"] == "lose" else p["raid"]["demanded"],
            "stones": {stone: (b >> place) % 3 for place, stone in enumerate(STONES)},
        }


# ------------------------------------------------------------------------------------------------ the decision


def asked(p: Position, board: Board, a: int, b: int) -> None:
    """Another player is asked, where that need not be the active one."""
    if p["phase"] != "over":
        p["current_player"] = a % p["num_players"]


def dealt_with(p: Position, board: Board, a: int, b: int) -> None:
    """Cards that are left have been dealt with."""
    if p["phase"] != "exclusive" and p["activation"] is not None:
        left = p["activation"]["left"]
        p["activation"]["left"] = [name for number, name in enumerate(left) if not (a >> number) & 1]


def counted(p: Position, board: Board, a: int, b: int) -> None:
    """Fewer or more stones are still to be given or taken."""
    if p["phase"] in ("give", "take"):
        p["activation"][f"{p['phase']}_left"] = 1 + b % 9


EDITS: Final[dict[str, Callable[[Position, Board, int, int], None]]] = {
    edit.__name__: edit
    for edit in (
        stones, steps, even, cover, builders, walls, coloured, exclusives, eaters, uncover, top_card, forum,
        found_again, lost, swap, late, goth, tribute, raid, asked, dealt_with, counted,
    )
}  # fmt: skip


def edited(position: Position, referee: Referee, edits: Sequence[Edit]) -> Position:
    """Return the position after all edits that leave it valid; before the end only."""
    for _, _, after in edits_tried(position, referee, edits):
        position = after
    return position


def edits_tried(
    position: Position, referee: Referee, edits: Sequence[Edit]
) -> Iterator[tuple[str, Position, Position]]:
    """Yield (edit, before, after) of each edit; `after` is `before` where the edit is undone."""
    if position["phase"] == "over":
        return
    for name, a, b in edits:
        after = copied(position)
        EDITS[name](after, referee.board, a, b)
        try:
            State.from_dict(after)
        except PositionError:
            after = position
        yield name, position, after
        position = after
