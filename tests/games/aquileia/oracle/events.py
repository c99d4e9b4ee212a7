"""Rare events of a game, recognised from two positions and the action between them.

A comparison of games in which nothing rare happens proves little; the lock-step runs count these and fail if one of
them was never met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.games.aquileia.oracle.referee.board import Board, Space

Position = dict[str, Any]

#: Every event, with the ruling it exercises.
EVENTS: Final = {
    "passed with the crest left": "A11",
    "crest placed after the last follower": "A12",
    "second of two like spaces": "A13",
    "last coin of its kind laid down": "A15",
    "asked to pass alone": "A17",
    "same seat asked to place again": "A17",
    "no coin at Pecunia": "A20",
    "no bronze or no card at Equi": "A20",
    "nothing to buy at Servi": "A20",
    "two coins of a kind at Dolus": "A21",
    "exchange without points": "A23",
    "received coin not given again": "A24",
    "exchange ended by itself": "A24",
    "second card from the rebuilt pile": "A25",
    "no second card": "A25",
    "fewer slave cards than coins": "A26",
    "slave cards across a rebuilt pile": "A26",
    "blue dice without fight and race": "A27",
    "fighter asked for nothing but done": "A29",
    "contestant without a card not asked": "A29",
    "last card played": "A29",
    "no blue dice thrown": "A30",
    "racer asked for nothing but done": "A33",
    "tie between crests": "A31",
    "tie between a crest and none": "A31",
    "tie without crests": "A31",
    "single fighter": "A32",
    "second scores her own strength": "A32",
    "no slave card to win": "A32",
    "slave card won from the rebuilt pile": "A51",
    "race with four blue dice": "A34",
    "blue dice used up in the fight": "A34",
    "owner of the blue dice does not race": "A34",
    "fourth in a contest": "A35",
    "single racer keeps the open card": "A36",
    "single racer keeps the drawn card": "A36",
    "no racer": "A36",
    "no follower at all": "A36",
    "nobody has a coin for the auction": "A37",
    "nobody opens the auction": "A37",
    "last one opens and pays the auctioneer": "A37",
    "auctioneer raises again and pays the bank": "A38",
    "bidder out unasked": "A38",
    "opener out unasked": "A37",
    "whole stock bid": "A40",
    "asked to build without a house": "A41",
    "value of a money house scored": "A42",
    "one slave due: the single": "A44",
    "one slave due: a double": "A44",
    "two slaves due: the double": "A44",
    "two slaves due: two singles": "A44",
    "three slaves due: one of each": "A44",
    "three slaves due: two doubles": "A44",
    "three slaves due: three singles": "A44",
    "second building": "A46",
    "thief takes her own coin": "A47",
    "two dice alike take one coin": "A47",
    "nothing to steal": "A47",
    "robbed without a building": "A48",
    "robbed without a coin": "A48",
    "unrobbed without a building": "A48",
    "robbed pays again": "A48",
    "nobody placed a crest": "A50",
    "gap in the row and no card left": "A50",
    "row filled from the rebuilt pile": "A51",
    "gap in the row at the end": "A53",
    "theatre card between equal villas": "A54",
    "theatre card for its second colour": "A54",
    "several winners": "A55",
}


class Step:
    """An action with the followers on the board before it."""

    def __init__(self, board: Board, before: Position, action: str, after: Position) -> None:
        self.board, self.before, self.action, self.after = board, before, action, after
        self.seat: int = before["current_player"]
        self.old: dict[str, Any] = before["players"][self.seat]
        self.stood: dict[str, int] = dict(before["spaces"])
        self.lying: list[str] = list(before["portus_coins"])
        verb, _, name = action.partition(" ")
        if verb == "place" and name != "crest":
            self.stood[name] = self.seat
            if board.spaces[name].area == "portus":
                self.lying.append(board.spaces[name].kind)
        self.left = [(board.spaces[name], seat) for name, seat in self.stood.items() if name not in after["spaces"]]
        self.round_ended = after["round"] > before["round"] or after["phase"] == "over"

    def gone(self, area: str, asked: str | None = None) -> Iterator[tuple[Space, int]]:
        """Return the spaces of an area whose followers went home in this step, with their seats."""
        for space, seat in self.left:
            if space.area == area and not (self.before["phase"] == asked and space == self.acting()):
                yield space, seat

    def acting(self) -> Space:
        """The space that acted before the step."""
        return next(space for name, space in self.board.spaces.items() if name in self.before["spaces"])

    def begins(self, phase: str) -> bool:
        """Return True if this phase has begun in this step."""
        return bool(self.after["phase"] == phase != self.before["phase"])

    def has(self, seat: int, *kinds: str) -> bool:
        """Return True if a seat owns a building of these kinds."""
        buildings = self.after["buildings"].items()
        return any(owner == seat and self.board.buildings[name]["kind"] in kinds for name, owner in buildings)


def _placement(s: Step, events: Counter[str]) -> None:
    if s.before["phase"] != "place":
        return
    verb, _, name = s.action.partition(" ")
    followers = list(s.before["spaces"].values()).count(s.seat)
    whole = s.board.constants["followers_per_player"]
    crest = s.seat not in s.before["advantage"]
    if s.action == "pass":
        events["passed with the crest left"] += crest
        events["asked to pass alone"] += not crest and followers < whole and _closed(s)
    elif name == "crest":
        events["crest placed after the last follower"] += followers == whole
    elif verb == "place":
        space = s.board.spaces[name]
        events["second of two like spaces"] += s.board.like[name][0] != name
        events["last coin of its kind laid down"] += space.area == "portus" and s.old["coins"][space.kind] == 1
    if s.after["phase"] == "place" and not s.round_ended:
        events["same seat asked to place again"] += s.after["current_player"] == s.seat
    elif s.after["phase"] != "place" or s.round_ended:
        events["no follower at all"] += not s.stood


def _closed(s: Step) -> bool:
    """No space is open to the asked seat: the free ones are on the other side, or coin spaces it cannot take."""
    own = [s.board.spaces[name] for name, seat in s.before["spaces"].items() if seat == s.seat]
    for name, space in s.board.spaces.items():
        if name in s.before["spaces"]:
            continue
        sides = {other.kind for other in own if other.area == "stadium"}
        barred = space.area == "stadium" and sides not in (set(), {space.kind})
        paid = any(other.area == "portus" for other in own) or s.old["coins"].get(space.kind, 0) == 0
        if not barred and not (space.area == "portus" and paid):
            return False
    return True


def _mercatus(s: Step, events: Counter[str]) -> None:
    for _ in s.gone("dolus"):
        faces = s.after["dice"]["dolus"]
        events["two coins of a kind at Dolus"] += len(set(faces)) < len(faces)
    for _ in s.gone("pecunia", asked="pecunia"):
        events["no coin at Pecunia"] += 1
    for _ in s.gone("equi", asked="equi"):
        events["no bronze or no card at Equi"] += 1
    for _ in s.gone("servi", asked="servi"):
        events["nothing to buy at Servi"] += 1
    for _ in s.gone("potentia"):
        events["blue dice without fight and race"] += s.after["blue_dice"] is None
    phase, piles = s.before["phase"], s.before["slaves"]
    if phase == "pecunia" and s.action != "done":
        _exchange(s, events)
    if phase == "equi" and s.action == "buy 1" and s.acting().number == 0 and not s.before["equi"]["draw"]:
        left = any(s.before["equi"]["discard"].values())
        events["second card from the rebuilt pile" if left else "no second card"] += 1
    if phase == "servi":
        space, cards = s.acting(), len(piles["draw"]) + sum(piles["discard"].values())
        events["fewer slave cards than coins"] += cards < min(space.most, s.old["coins"][space.kind])
        if s.action != "pass":
            events["slave cards across a rebuilt pile"] += len(piles["draw"]) < int(s.action.split()[1])


def _exchange(s: Step, events: Counter[str]) -> None:
    state = s.before["exchange"]
    events["exchange without points"] += state["last"] is not None
    events["exchange ended by itself"] += s.after["phase"] != "pecunia" or s.after["current_player"] != s.seat
    named = [f"{give} {get}" for give, _, get, _ in s.board.exchanges]
    first = 0 if state["last"] is None else named.index(state["last"])
    for give, given, _, _ in s.board.exchanges[first:]:
        stock = s.old["coins"][give]
        events["received coin not given again"] += stock >= given > stock - state["received"][give]


def _contests(s: Step, events: Counter[str]) -> None:
    before, after, phase = s.before, s.after, s.before["phase"]
    if phase in ("arena_cards", "stadium_cards"):
        held = [face for face, count in {**s.old["slaves"], **s.old["equi"]}.items() if count]
        if phase == "stadium_cards":
            held = [face for face in held if face not in s.board.slaves]
        fights = phase == "arena_cards"
        side = next((space.kind for space in _own(s, "stadium")), "")
        faces = s.board.fighting if fights else s.board.racing[side]
        if not set(held) & set(faces):
            events["fighter asked for nothing but done" if fights else "racer asked for nothing but done"] += 1
        cards = sum({**s.old["slaves"], **s.old["equi"]}[face] for face in held)
        events["last card played"] += s.action != "done" and cards == 1
    if phase == "arena_dice":
        events["no blue dice thrown"] += s.action == "dice 0"
    for area in ("arena", "stadium"):
        entered = after["phase"].startswith(f"{area}_") and not phase.startswith(f"{area}_")
        if entered:
            for seat in after["contest"]["strength"]:
                player = after["players"][int(seat)]
                cards = sum(player["equi"].values()) + (sum(player["slaves"].values()) if area == "arena" else 0)
                events["contestant without a card not asked"] += cards == 0
        if s.begins(f"{area}_prize"):
            _ties(after, events)
            events["fourth in a contest"] += len(after["contest"]["strength"]) > 3
    if phase == "arena_prize":
        _arena_prize(s, events)
    if s.begins("stadium_prize"):
        _blue_dice_in_the_race(s, events)
    if phase == "stadium_prize" and len(before["contest"]["strength"]) == 1:
        events[f"single racer keeps the {s.action.removeprefix('keep ')} card"] += 1
    past = after["stadium"]["past"]
    if len(past) > len(before["stadium"]["past"]):
        events["no racer"] += past[-1]["first"] is None


def _own(s: Step, area: str) -> list[Space]:
    spaces = [s.board.spaces[name] for name, seat in s.before["spaces"].items() if seat == s.seat]
    return [space for space in spaces if space.area == area]


def _ties(p: Position, events: Counter[str]) -> None:
    contestants = [(strength, int(seat) in p["advantage"]) for seat, strength in p["contest"]["strength"].items()]
    for strength in {strength for strength, _ in contestants}:
        crests = [placed for other, placed in contestants if other == strength]
        events["tie between crests"] += crests.count(True) > 1
        events["tie between a crest and none"] += len(set(crests)) > 1
        events["tie without crests"] += crests.count(False) > 1


def _arena_prize(s: Step, events: Counter[str]) -> None:
    strength, piles = s.before["contest"]["strength"], s.before["slaves"]
    single = len(strength) == 1
    events["single fighter"] += single
    if s.action == "take slave" and not single:
        second = max(points for seat, points in strength.items() if int(seat) != s.seat)
        events["second scores her own strength"] += second < strength[str(s.seat)]
    if (s.action == "take slave" or not single) and not piles["draw"]:
        left = any(piles["discard"].values())
        events["slave card won from the rebuilt pile" if left else "no slave card to win"] += 1


def _blue_dice_in_the_race(s: Step, events: Counter[str]) -> None:
    blue = s.before["blue_dice"]
    for _, seat in s.gone("potentia"):
        blue = {"owner": seat, "left": s.board.constants["blue_dice"]}
    if blue is None:
        return
    races = str(blue["owner"]) in s.after["contest"]["strength"]
    thrown = len(s.after["dice"]["stadium_blue"])
    events["owner of the blue dice does not race"] += not races
    events["race with four blue dice"] += races and thrown == s.board.constants["blue_dice"]
    events["blue dice used up in the fight"] += races and thrown == 0


def _auction(s: Step, events: Counter[str]) -> None:
    for _ in s.gone("theatrum", asked="auction"):
        events["nobody has a coin for the auction"] += 1
    auction = s.before["auction"]
    if auction is None:
        if s.begins("auction"):
            events["opener out unasked"] += len(s.after["auction"]["out"]) > 0
        return
    won = s.after["theatre"]["won"].get(auction["card"])
    opened = auction["bidder"] is not None or s.action != "pass"
    if won is None:
        events["bidder out unasked" if opened else "opener out unasked"] += (
            len(set(s.after["auction"]["out"]) - {*auction["out"], s.seat}) > 0
        )
        return
    if not opened:
        events["nobody opens the auction"] += 1
        return
    bid = Counter(auction["bid"])
    bid.update([s.action.removeprefix("bid ")] if s.action != "pass" else [])
    events["bidder out unasked"] += s.action != "pass" and auction["bidder"] is not None
    last = auction["bidder"] is None and len(auction["out"]) == s.before["num_players"] - 1
    events["last one opens and pays the auctioneer"] += last and won != auction["auctioneer"]
    events["auctioneer raises again and pays the bank"] += won == auction["auctioneer"] and bid.total() > 1
    stock = s.before["players"][won]["coins"]
    events["whole stock bid"] += all(stock[kind] == bid[kind] for kind in stock)


def _forum(s: Step, events: Counter[str]) -> None:
    if s.before["phase"] != "forum":
        return
    houses = list(s.before["buildings"].values()).count(s.seat)
    events["asked to build without a house"] += houses == s.board.constants["houses_per_player"]
    if s.action == "pass":
        return
    building = s.board.buildings[s.action.removeprefix("build ")]
    space = s.board.components["forum"]["spaces"][s.acting().number]
    events["value of a money house scored"] += building["kind"] == "money_house" and bool(space.get("value"))
    events["second building"] += s.before["builds_left"] < space["builds"]
    held, left = s.old["slaves"], s.after["players"][s.seat]["slaves"]
    paid = {face: held[face] - left[face] for face in held}
    due, singles, doubles = building["cost"].get("slaves", 0), paid.get("slave_1", 0), paid.get("slave_2", 0)
    held_singles, held_doubles = held.get("slave_1", 0), held.get("slave_2", 0)
    what = (due, singles, doubles)
    events["one slave due: the single"] += what == (1, 1, 0) and held_doubles > 0
    events["one slave due: a double"] += what == (1, 0, 1)
    events["two slaves due: the double"] += what == (2, 0, 1) and held_singles > 1
    events["two slaves due: two singles"] += what == (2, 2, 0)
    events["three slaves due: one of each"] += what == (3, 1, 1) and held_doubles > 1 and held_singles > 2
    events["three slaves due: two doubles"] += what == (3, 0, 2)
    events["three slaves due: three singles"] += what == (3, 3, 0)


def _portus(s: Step, events: Counter[str]) -> None:
    lying = list(s.lying)
    for _, thief in s.gone("latro"):
        faces = s.after["dice"]["latro"]
        stolen = set(faces) & set(lying)
        events["thief takes her own coin"] += any(s.stood.get(f"portus_{kind}") == thief for kind in stolen)
        events["two dice alike take one coin"] += len(stolen) == 1 and len(set(faces)) < len(faces)
        events["nothing to steal"] += not stolen
        lying = [kind for kind in lying if kind not in faces]
    for space, seat in s.gone("portus", asked="portus"):
        activates = s.has(seat, "workshop", "money_house")
        if space.kind in lying:
            events["unrobbed without a building"] += not activates
        else:
            events["robbed without a coin" if activates else "robbed without a building"] += 1
    events["robbed pays again"] += s.action == "activate"


def _clean_up(s: Step, events: Counter[str]) -> None:
    if not s.round_ended:
        return
    gap = None in s.after["equi"]["row"]
    if s.after["phase"] == "over":
        events["gap in the row at the end"] += gap
        return
    crest = s.before["advantage"] or s.action == "place crest"
    events["nobody placed a crest"] += not crest
    events["gap in the row and no card left"] += gap
    bought = s.before["phase"] == "equi"
    rebuilt = any(s.before["equi"]["discard"].values()) and not any(s.after["equi"]["discard"].values())
    events["row filled from the rebuilt pile"] += rebuilt and not bought


AREAS: Final[tuple[Callable[[Step, Counter[str]], None], ...]] = (
    _placement, _mercatus, _contests, _auction, _forum, _portus, _clean_up,
)  # fmt: skip


def count_events(before: Position, action: str, after: Position, board: Board, events: Counter[str]) -> None:
    """Add the events between two positions of one game."""
    step = Step(board, before, action, after)
    for count in AREAS:
        count(step, events)


def count_result(position: Position, scores: list[dict[str, Any]], board: Board, events: Counter[str]) -> None:
    """Add the events of a game's end."""
    for card, owner in position["theatre"]["won"].items():
        one, two = (
            sum(
                board.buildings[name]["value"]
                for name, seat in position["buildings"].items()
                if seat == owner and board.buildings[name].get("colour") == colour
            )
            for colour in board.theatre[card]
        )
        events["theatre card between equal villas"] += one == two > 0
        events["theatre card for its second colour"] += two > one
    totals = [line["total"] for line in scores]
    events["several winners"] += totals.count(max(totals)) > 1
