"""The last phase of a turn: tribute, or the Goth moves (G29-G32)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.names import GLORY, GOTH, NUM_BASIC, PAY_TRIBUTE
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.payment import amount_options, asked_kind, pay_rest
from porta_nigra_env.games.gloria_mundi.rules.raid import end_turn, open_loss
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS
from porta_nigra_env.games.gloria_mundi.state import TRIBUTE_BITS

TRIBUTE_MASK = (1 << TRIBUTE_BITS) - 1


@jit
def next_empty(state: State) -> int:
    """The first space ahead of the Goth without stones (G29)."""
    return int(state["goth"]) + int(state["num_tribute"]) + 1


@jit
def can_pay_tribute(constants: Constants, state: State, seat: int) -> bool:
    """Whether the next empty space is a province whose tribute she can pay."""
    space = next_empty(state)
    if space > int(constants["provinces"]):
        return False
    missing = 0
    for kind in range(NUM_BASIC):
        missing += max(0, int(constants["symbols"][space, kind]) - int(state["stones"][seat, kind]))
    return bool(missing <= int(state["stones"][seat, GLORY]))


@jit
def open_goth(constants: Constants, state: State) -> None:
    """Tribute or not; he moves unasked where none can be paid (G29)."""
    seat = int(state["active_player"])
    if not can_pay_tribute(constants, state, seat):
        march(constants, state)
        return
    state["phase"] = GOTH
    state["current_player"] = seat
    state["options"] = 0


@jit
def step_goth(constants: Constants, state: State, seat: int, action: int) -> None:
    """Tribute, or the Goth moves."""
    if action == ID.goth:
        march(constants, state)
        return
    state["phase"] = PAY_TRIBUTE
    state["options"] = amount_options(constants, state, seat)


@jit
def step_tribute(constants: Constants, state: State, seat: int, action: int) -> None:
    """An amount of the tribute; the last one lays it down and ends the turn (G30)."""
    kind = asked_kind(state)
    state["paid"][kind] = action - ID.pay - NUM_AMOUNTS * kind
    if kind + 1 < NUM_BASIC:
        state["options"] = amount_options(constants, state, seat)
        return
    pay_rest(constants, state, seat)
    stones = 0
    for basic in range(NUM_BASIC):
        stones |= int(state["paid"][basic]) << (TRIBUTE_BITS * basic)
    state["tribute"][next_empty(state)] = stones
    state["num_tribute"] += 1
    end_turn(constants, state)


@jit
def stones_on(constants: Constants, state: State, space: int, kind: int) -> int:
    """How many stones of a kind lie on a province with tribute."""
    tribute = int(state["tribute"][space])
    if kind < NUM_BASIC:
        return (tribute >> (TRIBUTE_BITS * kind)) & TRIBUTE_MASK
    stones = 0
    for basic in range(NUM_BASIC):
        stones += int(constants["symbols"][space, basic]) - ((tribute >> (TRIBUTE_BITS * basic)) & TRIBUTE_MASK)
    return stones


@jit
def reached_space(constants: Constants, state: State) -> int:
    """Where the Goth would go: to the last tribute ahead, one space without any, or to Rome (G31)."""
    tributes = int(state["num_tribute"])
    if next_empty(state) > int(constants["provinces"]):
        return int(constants["provinces"]) + 1
    return int(state["goth"]) + max(tributes, 1)


@jit
def march(constants: Constants, state: State) -> None:
    """The Goth moves; the tribute on his way becomes common (G37), every symbol demands a base card (G32)."""
    before, reached = int(state["goth"]), reached_space(constants, state)
    for space in range(before + 1, next_empty(state)):
        for kind in range(NUM_KINDS):
            state["raid_stones"][kind] += stones_on(constants, state, space, kind)
        state["tribute"][space] = 0
    for base in range(NUM_BASES):
        state["demanded"][base] = int(constants["symbols_to"][reached, base]) - int(
            constants["symbols_to"][before, base]
        )
    state["goth"] = reached
    state["num_tribute"] = 0
    open_loss(constants, state, int(state["active_player"]))
