"""Odd but lawful positions: small edits of a position dict, each of which keeps every invariant.

Play by random or sensible players hardly ever meets an empty reserve, a player without coins, a full row or a fifteenth
element.  These edits put games there.  An edit that would break an invariant does nothing, so any list of edits gives a
lawful position, and a shrinking test may drop any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.lockstep.trial import Edit

Position = dict[str, Any]

COLOURS = ("black", "blue", "red", "yellow", "white")


def _spots(position: Position) -> list[tuple[str, str, int]]:
    """All spots as (building, row, index)."""
    return [
        (building, row, i)
        for building, rows in position["spots"].items()
        for row, spots in rows.items()
        for i in range(len(spots))
    ]


def elements_of(position: Position, seat: int) -> int:
    """Return the number of a player's elements."""
    return sum(
        spot is not None and spot["owner"] == seat
        for rows in position["spots"].values()
        for spots in rows.values()
        for spot in spots
    )


def hoard(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """Bricks of the reserve into a personal supply; one brick is left, or the early end would be due."""
    player = position["players"][a % position["num_players"]]
    bricks = min(b % 12, position["reserve"] - 1)
    if bricks > 0:
        player["bricks"][COLOURS[a % 5]] += bricks
        position["reserve"] -= bricks


def drain(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """Nearly all bricks of the reserve into the personal supplies, evenly over players and colours; 0 to 3 are left."""
    left = a % 4 if sum(position["market"].values()) > 0 else max(1, a % 4)
    place = b
    while position["reserve"] > left:
        position["players"][place % position["num_players"]]["bricks"][COLOURS[place % 5]] += 1
        position["reserve"] -= 1
        place += 1


def sell_out(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """With an empty reserve: nearly all bricks of the market into personal supplies."""
    if position["reserve"] == 0:
        place = b
        while sum(position["market"].values()) > 1 + a % 3:
            colour = COLOURS[place % 5]
            if position["market"][colour] > 0:
                position["market"][colour] -= 1
                position["players"][place % position["num_players"]]["bricks"][colour] += 1
            place += 1


def purse(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """Sesterces of a player: often none or very few."""
    position["players"][a % position["num_players"]]["sesterces"] = (0, 1, 2, 5, 40, 200)[b % 6]


def tokens(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """Torch and influence tokens of a player."""
    player = position["players"][a % position["num_players"]]
    player["torches"] = (0, 1, 6)[b % 3]
    player["influence"] = (0, 2, 5, 40)[b // 3 % 4]


def points(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """The same VP for several players, so that the youngest of them matters."""
    for seat in range(position["num_players"]):
        if (a >> seat) & 1:
            position["players"][seat]["vp"] = b % 40


def romans(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """All but a few of a player's free Romans into the reserve, or all of them out of it."""
    player = position["players"][a % position["num_players"]]
    free = player["romans"] + player["romans_reserve"]
    player["romans"] = min(free, (0, 1, 2, free)[b % 4])
    player["romans_reserve"] = free - player["romans"]


def element(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """An element out of nothing but reserve bricks and a free Roman; never the last Roman, never the last brick."""
    spots = _spots(position)
    building, row, i = spots[b % len(spots)]
    seat = a % position["num_players"]
    player = position["players"][seat]
    if position["spots"][building][row][i] is not None or player["romans"] + player["romans_reserve"] < 2:
        return
    if player["quarter"] is None:
        return
    if building == "porta_nigra":
        constants = data["constants"]
        low, high = constants["porta_nigra_min_height"], constants["porta_nigra_max_height"]
        height = low + (a // 4) % (high - low + 1)
    else:
        height = data["spots"][building][row][i][1]
    if position["reserve"] - height < 1:
        return
    position["reserve"] -= height
    position["spots"][building][row][i] = {"owner": seat, "height": height}
    player["romans" if player["romans"] else "romans_reserve"] -= 1


def many_elements(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """Elements on the cheapest spots until a player is one or two short of the last Roman."""
    seat = a % position["num_players"]
    total = data["constants"]["romans_per_player"]
    for i in range(len(_spots(position))):
        if elements_of(position, seat) >= total - 1 - b % 2:
            return
        element(position, data, seat, 20 + i)  # from the amphitheatre's low rows on


def ages(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """Another order of ages."""
    position["youngest_first"] = (
        position["youngest_first"][a % position["num_players"] :]
        + (position["youngest_first"][: a % position["num_players"]])
    )


def late(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """The last round, or the one before it."""
    last = data["constants"]["rounds"][str(position["num_players"])]
    position["round"] = max(1, last - a % 2)


def last_cards(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """All draw piles onto the discard piles: the round ends when the hands are played."""
    for player in position["players"]:
        player["discard"] += player["draw"]
        player["draw"] = []


def last_turns(position: Position, data: dict[str, Any], a: int, b: int) -> None:
    """The last turn of the round: players before the current one have no card left, the others have one."""
    last_cards(position, data, a, b)
    players, seat = position["num_players"], position["starting_player"]
    kept = 0
    for _ in range(players):
        player = position["players"][seat]
        if seat == position["current_player"]:
            kept = 0 if position["phase"] == "main" else 1
        player["discard"] += player["hand"][kept:]
        player["hand"] = player["hand"][:kept]
        if seat == position["current_player"]:
            kept = 1
        seat = (seat + 1) % players


EDITS: dict[str, Callable[[Position, dict[str, Any], int, int], None]] = {
    edit.__name__: edit
    for edit in (
        hoard, drain, sell_out, purse, tokens, points, romans, element, many_elements, ages, late, last_cards,
        last_turns,
    )
}  # fmt: skip


def edited(position: Position, data: dict[str, Any], edits: Sequence[Edit]) -> Position:
    """The position after all edits (changed in place).  Only between turns or within one, and before an early end."""
    if position["phase"] in ("choose_card", "main") and position["early_end"] is None:
        # A player without a builder must not have discarded or built, so cards and elements wait for all builders.
        placed = all(player["quarter"] is not None for player in position["players"])
        for name, a, b in edits:
            if placed or not name.startswith("last"):
                EDITS[name](position, data, a, b)
    return position
