"""One decision, and all that happens by itself up to the next one (G5)."""

from __future__ import annotations

from typing import Any

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
def carry_out(t: Any, s: Any, action: int) -> None:
    """One legal action, up to the next decision point, however many actions are legal there."""
    phase, seat = int(s["phase"]), int(s["current_player"])
    if phase == PLAY:
        step_play(t, s, seat, action)
    elif EXCLUSIVE <= phase <= TAKE:
        step_activation(t, s, seat, action, phase)
    elif phase == BUY:
        step_buy(t, s, seat, action)
    elif phase == PLACE:
        step_place(t, s, seat, action)
    elif phase == PAY:
        step_pay(t, s, seat, action)
    elif phase == GOTH:
        step_goth(t, s, seat, action)
    elif phase == PAY_TRIBUTE:
        step_tribute(t, s, seat, action)
    elif phase == LOSE:
        step_loss(t, s, seat, action)
    else:
        step_reclaim(t, s, seat, action)


@jit
def settle(t: Any, s: Any) -> None:
    """Carry out decisions with one legal action until somebody has a choice, or the game is over (G5)."""
    while is_forced(t, s):
        carry_out(t, s, only_action(s))


@jit
def step_record(t: Any, s: Any, action: int) -> None:
    """Carry out a legal action, and all that happens by itself up to the next decision."""
    carry_out(t, s, action)
    settle(t, s)


# The phases of an activation stand together.
assert PLAY < EXCLUSIVE < TAKE < BUY
