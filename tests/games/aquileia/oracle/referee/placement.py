"""The placement (A11 to A17)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.games.aquileia.oracle.referee.board import KINDS, SIDES, Space
from tests.games.aquileia.oracle.referee.table import Table

#: The field `dice` without any roll.
NO_DICE: dict[str, type] = {
    "dolus": list, "arena": dict, "arena_blue": list, "stadium": dict, "stadium_blue": list, "latro": list,
}  # fmt: skip


def followers_left(t: Table, seat: int) -> int:
    """Followers that are not on the board."""
    total: int = t.board.constants["followers_per_player"]
    return total - sum(1 for holder in t.p["spaces"].values() if holder == seat)


def has_a_piece(t: Table, seat: int) -> bool:
    """A17: a follower or the crest is left."""
    return seat not in t.p["advantage"] or followers_left(t, seat) > 0


def choices(t: Table) -> Iterator[str]:
    """Yield the legal actions of the asked seat."""
    own = [t.board.spaces[name] for name, holder in t.p["spaces"].items() if holder == t.seat]
    if len(own) < t.board.constants["followers_per_player"]:
        shut = _shut(t, own)
        for name, space in t.board.spaces.items():
            if name not in t.p["spaces"] and (space.area, space.kind) not in shut and _is_first_alike(t, name):
                yield f"place {name}"  # A16: even if its action may turn out impossible
    if t.seat not in t.p["advantage"]:  # A12: as optional as a follower, at any turn
        yield "place crest"
    yield "pass"  # A11, A17: always, be it alone


def _shut(t: Table, own: list[Space]) -> set[tuple[str, str]]:
    """Return (area, kind) of the spaces closed to the asked seat, which holds the spaces `own`."""
    sides = {space.kind for space in own if space.area == "stadium"}
    shut = {("stadium", side) for side in SIDES if sides - {side}}  # A14: one side only
    has_one = any(space.area == "portus" for space in own)  # A14: one coin space a player
    coins = t.me["coins"]
    return shut | {("portus", kind) for kind in KINDS if has_one or coins[kind] == 0}  # A15: a coin of its kind


def _is_first_alike(t: Table, name: str) -> bool:
    """A13: of spaces alike only the first free one is offered."""
    alike = t.board.like[name]
    return len(alike) == 1 or next(other for other in alike if other not in t.p["spaces"]) == name


def answer(t: Table, action: str) -> bool:
    """Carry out a choice and ask the next seat; False when the placement is over."""
    if action == "pass":
        t.p["passed"] = sorted([*t.p["passed"], t.seat])  # A11: for the round
    elif action == "place crest":
        t.p["advantage"].append(t.seat)
    else:
        space = t.board.spaces[action.removeprefix("place ")]
        t.p["spaces"][space.name] = t.seat
        if space.area == "portus":  # A15: the coin leaves the stock and lies under the follower
            t.pay(t.seat, {space.kind: 1})
            lying = [*t.p["portus_coins"], space.kind]
            t.p["portus_coins"] = [other.kind for other in t.board.coin_spaces if other.kind in lying]
    following = t.clockwise(t.seat)
    for seat in [*following[1:], following[0]]:  # A17: clockwise, the same seat last
        if seat not in t.p["passed"] and has_a_piece(t, seat):
            return t.ask("place", seat)
    t.p["passed"] = []
    t.p["dice"] = {roll: kind() for roll, kind in NO_DICE.items()}  # last round's dice are taken up
    return False
