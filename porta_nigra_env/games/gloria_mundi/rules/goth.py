"""The last phase of a turn: tribute, or the march of the Goth (G29-G32)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components.names import GLORY, GOTH, NUM_BASIC, PAY_TRIBUTE
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.payment import amount_options, fix_amount
from porta_nigra_env.games.gloria_mundi.rules.raid import end_turn, open_loss
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS, ask
from porta_nigra_env.games.gloria_mundi.state import TRIBUTE_BITS

TRIBUTE_MASK = (1 << TRIBUTE_BITS) - 1


@jit
def next_empty(state: State) -> int:
    """Return the first space ahead of the Goth without stones (G29)."""
    return int(state["goth"]) + int(state["num_tribute"]) + 1


@jit
def can_pay_tribute(constants: Constants, state: State, seat: int) -> bool:
    """Return whether the next empty space is a province whose tribute the seat can pay."""
    space = next_empty(state)
    if space > int(constants["provinces"]):
        return False
    missing = 0
    for kind in range(NUM_BASIC):
        missing += max(0, int(constants["symbols"][space, kind]) - int(state["stones"][seat, kind]))
    return bool(missing <= int(state["stones"][seat, GLORY]))


@jit
def open_goth(constants: Constants, state: State) -> None:
    """Ask the active player whether to pay tribute; the Goth moves unasked if it cannot be paid (G29)."""
    seat = int(state["active_player"])
    if not can_pay_tribute(constants, state, seat):
        march(constants, state)
        return
    ask(state, GOTH, seat, 0)


@jit
def step_goth(constants: Constants, state: State, seat: int, action: int) -> None:
    """Choose between tribute and the march of the Goth."""
    if action == ID.goth:
        march(constants, state)
        return
    state["phase"] = PAY_TRIBUTE
    state["options"] = amount_options(constants, state, seat)


@jit
def step_tribute(constants: Constants, state: State, seat: int, action: int) -> None:
    """Fix an amount of the tribute; after the last one the stones lie on the province and the turn ends (G30)."""
    if not fix_amount(constants, state, seat, action):
        return
    stones = 0
    for basic in range(NUM_BASIC):
        stones |= int(state["paid"][basic]) << (TRIBUTE_BITS * basic)
    state["tribute"][next_empty(state)] = stones
    state["num_tribute"] += 1
    end_turn(constants, state)


@jit
def stones_on(constants: Constants, state: State, space: int, kind: int) -> int:
    """Return the number of stones of a kind on a province with tribute."""
    tribute = int(state["tribute"][space])
    if kind < NUM_BASIC:
        return (tribute >> (TRIBUTE_BITS * kind)) & TRIBUTE_MASK
    stones = 0
    for basic in range(NUM_BASIC):
        stones += int(constants["symbols"][space, basic]) - ((tribute >> (TRIBUTE_BITS * basic)) & TRIBUTE_MASK)
    return stones


@jit
def reached_space(constants: Constants, state: State) -> int:
    """Return the space that a march ends on: the last tribute ahead, else the next space, or Rome (G31)."""
    tributes = int(state["num_tribute"])
    if next_empty(state) > int(constants["provinces"]):
        return int(constants["provinces"]) + 1
    return int(state["goth"]) + max(tributes, 1)


@jit
def march(constants: Constants, state: State) -> None:
    """Move the Goth: tribute on the way becomes common (G37), every symbol demands a base card (G32)."""
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
