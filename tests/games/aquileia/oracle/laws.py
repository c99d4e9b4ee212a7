"""What holds of every position (the contract's list of refusals), and of every coin that comes or goes.

`complaints` is what `from_dict` refuses, written down a second time; `unaccounted` is a ledger of the bank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from tests.games.aquileia.oracle.alone import totals
from tests.games.aquileia.oracle.referee import KEYS, Position, Referee
from tests.games.aquileia.oracle.referee.board import KINDS, amounts
from tests.lockstep.differences import UNRULED

#: The areas whose spaces act in a phase.
AREA: Final = {
    "pecunia": "pecunia",
    "equi": "equi",
    "servi": "servi",
    "arena_cards": "arena",
    "arena_dice": "arena",
    "arena_prize": "arena",
    "stadium_cards": "stadium",
    "stadium_prize": "stadium",
    "auction": "theatrum",
    "forum": "forum",
    "portus": "portus",
}
CONTESTS: Final = ("arena_cards", "arena_dice", "arena_prize", "stadium_cards", "stadium_prize")
#: Phases in which area III of the round is over.
AFTER_THE_RACE: Final = ("auction", "forum", "portus", "over")


def complaints(referee: Referee, p: Position) -> list[str]:
    """Everything that is wrong with a position; empty for a lawful one."""
    found = list(_frame(referee, p))
    if not found:  # the rest reads fields that the first part has looked at
        found = [*_cards(referee, p), *_pieces(referee, p), *_stadium(referee, p), *_dice(referee, p)]
        found += [*_fields_of_phases(referee, p), *_asked(referee, p)]
    return found


def _frame(referee: Referee, p: Position) -> Iterator[str]:
    constants = referee.board.constants
    if set(p) - UNRULED != KEYS:
        yield f"keys: {sorted((set(p) - UNRULED) ^ KEYS)}"
        return
    if p["num_players"] not in constants["players"] or len(p["players"]) != p["num_players"]:
        yield f"num_players: {p['num_players']}"
    if not 1 <= p["round"] <= constants["rounds"] or (p["phase"] == "over" and p["round"] != constants["rounds"]):
        yield f"round: {p['round']}"
    if (p["phase"] == "over") != (p["current_player"] is None):
        yield "current_player: null exactly when over"
    if p["phase"] not in ("place", "over", *AREA):
        yield f"phase: {p['phase']}"


def _cards(referee: Referee, p: Position) -> Iterator[str]:
    slaves, equi = Counter(p["slaves"]["draw"]), Counter(p["equi"]["draw"])
    slaves.update(p["slaves"]["discard"])
    equi.update(p["equi"]["discard"])
    equi.update(card for card in p["equi"]["row"] if card is not None)
    for seat, player in enumerate(p["players"]):
        slaves.update(player["slaves"])
        equi.update(player["equi"])
        numbers = [*player["slaves"].values(), *player["equi"].values(), *player["coins"].values(), player["vp"]]
        if min(numbers) < 0 or min(player["equi_known"].values()) < 0:
            yield f"players[{seat}]: below 0"
        if not Counter(player["equi_known"]) <= Counter(player["equi"]):
            yield f"players[{seat}].equi_known: above equi"
    stadium = Counter([card for card in [p["stadium"]["open"], *p["stadium"]["draw"]] if card is not None])
    for entry in p["stadium"]["past"]:
        stadium.update([entry["open"], entry["drawn"]])
    theatre = Counter([*p["theatre"]["draw"], *p["theatre"]["won"]])
    theatre.update([p["auction"]["card"]] if p["auction"] else [])
    for name, cards in (("slaves", slaves), ("equi", equi), ("stadium", stadium), ("theatre", theatre)):
        if +cards != referee.decks()[name] or min(cards.values()) < 0:
            yield f"{name}: not the deck (A2)"
    row = p["equi"]["row"]
    if len(row) != len(referee.board.components["mercatus"]["equi"]):
        yield "equi.row: another length"
    cards_left = len(p["equi"]["draw"]) + sum(p["equi"]["discard"].values())
    if p["phase"] in ("place", "pecunia") and None in row and cards_left > 0:
        yield "equi.row: a gap with cards left (A50)"
    if len(p["theatre"]["won"]) + (p["auction"] is not None) > p["round"] - (p["phase"] not in AFTER_THE_RACE):
        yield "theatre: more cards than rounds"


def _pieces(referee: Referee, p: Position) -> Iterator[str]:
    board, seats = referee.board, range(p["num_players"])
    for seat in seats:
        own = [board.spaces[name] for name, holder in p["spaces"].items() if holder == seat]
        if len(own) > board.constants["followers_per_player"]:
            yield f"spaces: {len(own)} followers of seat {seat}"
        if len({space.kind for space in own if space.area == "stadium"}) > 1:
            yield f"spaces: seat {seat} on both sides (A14)"
        if sum(space.area == "portus" for space in own) > 1:
            yield f"spaces: seat {seat} on two coin spaces (A14)"
        if list(p["buildings"].values()).count(seat) > board.constants["houses_per_player"]:
            yield f"buildings: more than the houses of seat {seat} (A41)"
        if seat in p["passed"] and len(own) == board.constants["followers_per_player"] and seat in p["advantage"]:
            yield f"passed: seat {seat} has nothing left"
    lying = [space.kind for space in board.coin_spaces if space.kind in p["portus_coins"]]
    under = [space.kind for space in board.coin_spaces if space.name in p["spaces"]]
    if p["portus_coins"] != lying or not set(lying) <= set(under):
        yield "portus_coins: not in order, or under nobody"
    if p["phase"] != "portus" and lying != under:
        yield "portus_coins: not under every follower"
    for field in ("advantage", "passed"):
        if len(set(p[field])) < len(p[field]) or not set(p[field]) <= set(seats):
            yield f"{field}: {p[field]}"
    if p["passed"] != sorted(p["passed"]) or (p["passed"] and p["phase"] != "place"):
        yield f"passed: {p['passed']}"


def _stadium(referee: Referee, p: Position) -> Iterator[str]:
    over = p["phase"] in AFTER_THE_RACE
    if len(p["stadium"]["past"]) != p["round"] - (not over):
        yield "stadium.past: not one entry for each race"
    if (p["stadium"]["open"] is None) != over:
        yield "stadium.open: null from the end of area III to the clean-up"
    for entry in p["stadium"]["past"]:
        first, second, kept = entry["first"], entry["second"], entry["first_kept"]
        if (first is None) != (kept is None) or (second is not None and first in (None, second)):
            yield f"stadium.past: {entry}"


def _dice(referee: Referee, p: Position) -> Iterator[str]:
    constants, rolls = referee.board.constants, p["dice"]
    sizes = [("dolus", rolls["dolus"], {0, constants["dolus_red_dice"]})]
    sizes += [("latro", rolls["latro"], {0, constants["latro_red_dice"]})]
    for area in ("arena", "stadium"):
        sizes.append((area, rolls[f"{area}_blue"], set(range(constants["blue_dice"] + 1))))
        sizes += [(area, faces, {constants["contest_red_dice"]}) for faces in rolls[area].values()]
    for name, faces, allowed in sizes:
        if len(faces) not in allowed or sorted(faces, key=KINDS.index) != faces:
            yield f"dice.{name}: {faces}"


def _fields_of_phases(referee: Referee, p: Position) -> Iterator[str]:
    phase = p["phase"]
    for field, given in (
        ("contest", phase in CONTESTS),
        ("auction", phase == "auction"),
        ("exchange", phase == "pecunia"),
        ("builds_left", phase == "forum"),
    ):
        if (p[field] is not None) != given:
            yield f"{field}: given or null in the wrong phase"
    blue = p["blue_dice"]
    if blue is not None:
        whole = referee.board.constants["blue_dice"]
        if phase not in CONTESTS[:4] or not 0 <= blue["left"] <= whole:
            yield f"blue_dice: {blue} in {phase}"
        fights = phase == "arena_prize" and str(blue["owner"]) in p["contest"]["strength"]
        if blue["left"] != whole and not (fights or phase == "stadium_cards"):
            yield f"blue_dice.left: {blue['left']} in {phase}"
    if p["contest"] is not None:
        found: Counter[str] = Counter()
        for name, seat in p["spaces"].items():
            if referee.board.spaces[name].area == AREA[phase]:
                found[str(seat)] += referee.board.spaces[name].strength
        strength = p["contest"]["strength"]
        if set(strength) != set(found) or any(strength[seat] < found[seat] for seat in found):
            yield f"contest.strength: {strength}"
        if p["contest"]["last"] is not None and not phase.endswith("_cards"):
            yield "contest.last: no card is asked for"


def _asked(referee: Referee, p: Position) -> Iterator[str]:
    """The acting space, its holder, and whether this seat would be asked."""
    phase, seat, board = p["phase"], p["current_player"], referee.board
    acting = next((space for name, space in board.spaces.items() if name in p["spaces"]), None)
    if phase == "over":
        if acting is not None:
            yield "spaces: not empty though the game is over"
        return
    if phase == "place":
        followers = list(p["spaces"].values()).count(seat)
        if seat in p["passed"] or (followers == board.constants["followers_per_player"] and seat in p["advantage"]):
            yield f"current_player: {seat} is not asked to place"
        return
    if acting is None or acting.area != AREA[phase]:
        yield f"spaces: {acting} acts in {phase}"
        return
    if phase in ("pecunia", "equi", "servi", "forum", "portus") and p["spaces"][acting.name] != seat:
        yield f"current_player: {seat} does not stand on {acting.name}"
    me = p["players"][seat]
    if phase in ("pecunia", "servi", "auction") and len(referee.legal_actions(p)) < 2:
        yield f"current_player: {seat} has no choice in {phase}"
    price = amounts(board.components["mercatus"]["equi_price"])
    poor = any(me["coins"][kind] < price[kind] for kind in KINDS)
    if phase == "equi" and (poor or p["equi"]["row"][acting.number] is None):
        yield "current_player: no card or no price at Equi"
    if phase in CONTESTS and str(seat) not in p["contest"]["strength"]:
        yield f"current_player: {seat} does not take part"
    if phase.endswith("_cards") and not any(
        [*me["equi"].values(), *(me["slaves"].values() if phase == "arena_cards" else [])]
    ):
        yield f"current_player: {seat} has no card"
    if phase == "arena_dice" and (p["blue_dice"] is None or p["blue_dice"]["owner"] != seat):
        yield f"current_player: {seat} has no blue dice"
    if phase.endswith("_prize") and ranked(p)[0] != seat:
        yield f"current_player: {seat} is not the first"
    yield from {"auction": _auction, "pecunia": _exchange, "portus": _portus}.get(phase, _nothing)(referee, p)
    if phase == "forum" and not 1 <= p["builds_left"] <= acting.most:
        yield f"builds_left: {p['builds_left']}"


def _nothing(referee: Referee, p: Position) -> Iterator[str]:
    yield from ()


def _auction(referee: Referee, p: Position) -> Iterator[str]:
    auction, seat, seats = p["auction"], p["current_player"], p["num_players"]
    opener = auction["auctioneer"] if auction["bidder"] is None else auction["bidder"]
    between = [(opener + step) % seats for step in range(auction["bidder"] is not None, (seat - opener) % seats)]
    if p["spaces"].get("theatrum") != auction["auctioneer"]:
        yield "auction.auctioneer: does not stand there"
    if (auction["bidder"] is None) != (sum(auction["bid"].values()) == 0):
        yield "auction.bidder: null exactly before an opening"
    if auction["out"] != sorted(set(auction["out"])) or seat in (*auction["out"], auction["bidder"]):
        yield f"auction.out: {auction['out']}"
    if not set(between) <= set(auction["out"]) or (auction["bidder"] is None and set(between) != set(auction["out"])):
        yield f"current_player: {seat} is not the next to bid"
    if auction["bidder"] is not None:
        stock = p["players"][auction["bidder"]]["coins"]
        if auction["bidder"] in auction["out"] or any(stock[kind] < auction["bid"][kind] for kind in KINDS):
            yield "auction.bidder: is out or has not got the bid"


def _exchange(referee: Referee, p: Position) -> Iterator[str]:
    received, last, stock = p["exchange"]["received"], p["exchange"]["last"], p["players"][p["current_player"]]["coins"]
    if any(received[kind] > stock[kind] for kind in KINDS):
        yield "exchange.received: above the stock"
    if (last is None) != (sum(received.values()) == 0) or (last and received[last.split()[1]] == 0):
        yield "exchange.last: does not fit what was received"


def _portus(referee: Referee, p: Position) -> Iterator[str]:
    acting = next(space for name, space in referee.board.spaces.items() if name in p["spaces"])
    own = [name for name, owner in p["buildings"].items() if owner == p["current_player"]]
    if acting.kind in p["portus_coins"] or p["players"][p["current_player"]]["coins"][acting.kind] < 1:
        yield "current_player: not robbed, or without the coin"
    if all(referee.board.buildings[name]["kind"] == "villa" for name in own):
        yield "current_player: nothing to activate"


# ------------------------------------------------------------------------------------------------ coins


def ranked(p: Position) -> list[int]:
    """The order of a contest (A31)."""
    places = {seat: place for place, seat in enumerate(p["advantage"])}
    seats, start = p["num_players"], p["starting_player"]
    keys = [
        (-strength, places.get(int(seat), seats), (int(seat) - start) % seats, int(seat))
        for seat, strength in p["contest"]["strength"].items()
    ]
    return [key[-1] for key in sorted(keys)]


def unaccounted(referee: Referee, before: Position, action: str, after: Position) -> Counter[str]:
    """Coins that came or went in a step without the rules saying so, by kind; all 0 for a lawful step."""
    change = Counter(totals(after))
    change.subtract(totals(before))
    change.subtract(_by_choice(referee, before, action))
    change.subtract(_by_itself(referee, before, action, after))
    if (
        before["phase"] == "auction"
        and after["theatre"]["won"].get(before["auction"]["card"]) == before["auction"]["auctioneer"]
    ):
        change.update(before["auction"]["bid"])  # the auctioneer's own bid goes to the bank
        change.update([action.removeprefix("bid ")] if action.startswith("bid ") else [])
    return change


def _by_choice(referee: Referee, before: Position, action: str) -> Counter[str]:
    """Coins out of the bank by an action's own effect."""
    board, flow = referee.board, Counter[str]()
    acting = next((space for name, space in board.spaces.items() if name in before["spaces"]), None)
    verb, *words = action.split()
    if verb == "exchange":
        _, given, _, got = next(e for e in board.exchanges if [e[0], e[2]] == words)
        flow.update({words[0]: -given, words[1]: got})
    elif verb == "buy" and acting is not None:
        price = amounts(board.components["mercatus"]["equi_price"]) if acting.area == "equi" else {acting.kind: 1}
        flow.subtract({kind: amount * int(words[0]) for kind, amount in price.items()})
    elif verb == "build":
        flow.subtract(amounts(board.buildings[words[0]]["cost"]))
    elif verb == "activate" and acting is not None:
        flow.subtract([acting.kind])
        flow.update(_payout(referee, before, before["current_player"]))
    return flow


def _by_itself(referee: Referee, before: Position, action: str, after: Position) -> Counter[str]:
    """Coins out of the bank by what happens without a question."""
    board, flow = referee.board, Counter[str]()
    stood = dict(before["spaces"])
    lying = set(before["portus_coins"])
    if action.startswith("place ") and action != "place crest":
        name = action.removeprefix("place ")
        stood[name] = before["current_player"]
        lying |= {space.kind for space in board.coin_spaces if space.name == name}
    gone = [board.spaces[name] for name in stood if name not in after["spaces"]]
    if any(space.area == "dolus" for space in gone):
        flow.update(after["dice"]["dolus"])
    if any(space.area == "latro" for space in gone):
        lying -= set(after["dice"]["latro"])
    for space in gone:
        if space.area == "portus" and space.kind in lying:
            flow.subtract([space.kind])
            flow.update(_payout(referee, after, stood[space.name]))
    if after["phase"].endswith("_prize"):  # every contest waits for its first
        area = AREA[after["phase"]]
        for seat, coins in zip(ranked(after), board.components[area]["prizes"], strict=False):
            side = next(
                space.kind for name, space in board.spaces.items() if _holds(after, name, seat, space.area, area)
            )
            flow[side or board.components["arena"]["coin"]] += coins
    return flow


def _holds(p: Position, name: str, seat: int, found: str, area: str) -> bool:
    return found == area and p["spaces"].get(name) == seat


def _payout(referee: Referee, p: Position, seat: int) -> Counter[str]:
    """What all money houses of a seat pay (A49)."""
    flow = Counter[str]()
    for name, owner in p["buildings"].items():
        if owner == seat:
            flow.update(amounts(referee.board.buildings[name].get("pays", {})))
    return flow
