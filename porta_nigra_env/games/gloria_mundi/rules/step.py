"""One decision, and all that happens by itself up to the next one (G5)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import (
    BUY,
    EXCLUSIVE,
    GOTH,
    LOSE,
    PAY,
    PAY_TRIBUTE,
    PLACE,
    PLAY,
    TAKE,
)
from porta_nigra_env.games.gloria_mundi.rules.activation import step_activation, step_play
from porta_nigra_env.games.gloria_mundi.rules.buying import step_buy, step_pay, step_place
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.goth import step_goth, step_tribute
from porta_nigra_env.games.gloria_mundi.rules.options import is_forced, only_action
from porta_nigra_env.games.gloria_mundi.rules.raid import step_loss, step_reclaim


@jit
def carry_out(constants: Constants, state: State, action: int) -> None:
    """One legal action, up to the next decision point, however many actions are legal there."""
    phase, seat = int(state["phase"]), int(state["current_player"])
    if phase == PLAY:
        step_play(constants, state, seat, action)
    elif EXCLUSIVE <= phase <= TAKE:
        step_activation(constants, state, seat, action, phase)
    elif phase == BUY:
        step_buy(constants, state, seat, action)
    elif phase == PLACE:
        step_place(constants, state, seat, action)
    elif phase == PAY:
        step_pay(constants, state, seat, action)
    elif phase == GOTH:
        step_goth(constants, state, seat, action)
    elif phase == PAY_TRIBUTE:
        step_tribute(constants, state, seat, action)
    elif phase == LOSE:
        step_loss(constants, state, seat, action)
    else:
        step_reclaim(constants, state, seat, action)


@jit
def settle(constants: Constants, state: State) -> None:
    """Carry out decisions with one legal action until somebody has a choice, or the game is over (G5)."""
    while is_forced(constants, state):
        carry_out(constants, state, only_action(state))


@jit
def step_record(constants: Constants, state: State, action: int) -> None:
    """Carry out a legal action, and all that happens by itself up to the next decision."""
    carry_out(constants, state, action)
    settle(constants, state)


# The phases of an activation stand together.
assert PLAY < EXCLUSIVE < TAKE < BUY
