"""The last phase of a turn: tribute, or the Goth moves (G29-G32)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.gloria_mundi.actions import ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.names import GLORY, GOTH, NUM_BASIC, PAY_TRIBUTE
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.payment import amount_options, asked_kind, pay_rest
from porta_nigra_env.games.gloria_mundi.rules.raid import end_turn, open_loss
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS
from porta_nigra_env.games.gloria_mundi.state import TRIBUTE_BITS

TRIBUTE_MASK = (1 << TRIBUTE_BITS) - 1


@jit
def next_empty(s: Any) -> int:
    """The first space ahead of the Goth without stones (G29)."""
    return int(s["goth"]) + int(s["num_tribute"]) + 1


@jit
def can_pay_tribute(t: Any, s: Any, seat: int) -> bool:
    """Whether the next empty space is a province whose tribute she can pay."""
    space = next_empty(s)
    if space > int(t["provinces"]):
        return False
    missing = 0
    for kind in range(NUM_BASIC):
        missing += max(0, int(t["symbols"][space, kind]) - int(s["stones"][seat, kind]))
    return bool(missing <= int(s["stones"][seat, GLORY]))


@jit
def open_goth(t: Any, s: Any) -> None:
    """Tribute or not; he moves unasked where none can be paid (G29)."""
    seat = int(s["active_player"])
    if not can_pay_tribute(t, s, seat):
        march(t, s)
        return
    s["phase"] = GOTH
    s["current_player"] = seat
    s["options"] = 0


@jit
def step_goth(t: Any, s: Any, seat: int, action: int) -> None:
    """Tribute, or the Goth moves."""
    if action == ID.goth:
        march(t, s)
        return
    s["phase"] = PAY_TRIBUTE
    s["options"] = amount_options(t, s, seat)


@jit
def step_tribute(t: Any, s: Any, seat: int, action: int) -> None:
    """An amount of the tribute; the last one lays it down and ends the turn (G30)."""
    kind = asked_kind(s)
    s["paid"][kind] = action - ID.pay - NUM_AMOUNTS * kind
    if kind + 1 < NUM_BASIC:
        s["options"] = amount_options(t, s, seat)
        return
    pay_rest(t, s, seat)
    stones = 0
    for basic in range(NUM_BASIC):
        stones |= int(s["paid"][basic]) << (TRIBUTE_BITS * basic)
    s["tribute"][next_empty(s)] = stones
    s["num_tribute"] += 1
    end_turn(t, s)


@jit
def stones_on(t: Any, s: Any, space: int, kind: int) -> int:
    """How many stones of a kind lie on a province with tribute."""
    tribute = int(s["tribute"][space])
    if kind < NUM_BASIC:
        return (tribute >> (TRIBUTE_BITS * kind)) & TRIBUTE_MASK
    stones = 0
    for basic in range(NUM_BASIC):
        stones += int(t["symbols"][space, basic]) - ((tribute >> (TRIBUTE_BITS * basic)) & TRIBUTE_MASK)
    return stones


@jit
def reached_space(t: Any, s: Any) -> int:
    """Where the Goth would go: to the last tribute ahead, one space without any, or to Rome (G31)."""
    tributes = int(s["num_tribute"])
    if next_empty(s) > int(t["provinces"]):
        return int(t["provinces"]) + 1
    return int(s["goth"]) + max(tributes, 1)


@jit
def march(t: Any, s: Any) -> None:
    """The Goth moves; the tribute on his way becomes common (G37), every symbol demands a base card (G32)."""
    before, reached = int(s["goth"]), reached_space(t, s)
    for space in range(before + 1, next_empty(s)):
        for kind in range(NUM_KINDS):
            s["raid_stones"][kind] += stones_on(t, s, space, kind)
        s["tribute"][space] = 0
    for base in range(NUM_BASES):
        s["demanded"][base] = int(t["symbols_to"][reached, base]) - int(t["symbols_to"][before, base])
    s["goth"] = reached
    s["num_tribute"] = 0
    open_loss(t, s, int(s["active_player"]))
