"""Dispatch by phase: which chapter knows the options, the legal actions and the effect of the pending decision."""

from __future__ import annotations

from typing import Final

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.gloria_mundi.actions import FIRST, ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components import names
from porta_nigra_env.games.gloria_mundi.components.names import NUM_CARDS
from porta_nigra_env.games.gloria_mundi.rules.activation import (
    activation_options,
    add_activation_actions,
    step_activation,
    step_play,
)
from porta_nigra_env.games.gloria_mundi.rules.buying import buy_options, place_options, step_buy, step_pay, step_place
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.forum import play_options
from porta_nigra_env.games.gloria_mundi.rules.goth import step_goth, step_tribute
from porta_nigra_env.games.gloria_mundi.rules.payment import amount_options, asked_kind
from porta_nigra_env.games.gloria_mundi.rules.raid import (
    lose_options,
    reclaim_options,
    step_loss,
    step_reclaim,
    wall_options,
)
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES

#: The most bits that options have.
MOST_OPTIONS: Final = NUM_BASES + NUM_CARDS


@jit
def pending_options(constants: Constants, state: State) -> int:
    """Return the options of the pending decision, derived from all other fields of the record."""
    phase, seat = int(state["phase"]), int(state["current_player"])
    if phase == names.PLAY:
        return play_options(state, seat)
    if names.EXCLUSIVE <= phase <= names.TAKE:
        return activation_options(constants, state, seat, phase)
    if phase == names.BUY:
        return buy_options(constants, state, seat)
    if phase == names.PLACE:
        return place_options(constants, state, seat)
    if phase in (names.PAY, names.PAY_TRIBUTE):
        return amount_options(constants, state, seat)
    if phase == names.LOSE:
        return lose_options(state, seat)
    return reclaim_options(state) if phase == names.RECLAIM else 0


@jit
def first_id(state: State) -> int:
    """Return the action id that bit 0 of the options stands for."""
    phase = int(state["phase"])
    if phase in (names.PAY, names.PAY_TRIBUTE):
        return int(ID.pay) + NUM_AMOUNTS * asked_kind(state)
    return int(FIRST[phase])


@jit
def legal_record(constants: Constants, state: State, words: Words) -> None:
    """Write the legal action ids as bits of `words`, uint64 (NUM_WORDS,); none when the game is over."""
    for i in range(words.shape[0]):
        words[i] = np.uint64(0)
    phase = int(state["phase"])
    if phase == names.OVER:
        return
    bits.put(words, first_id(state), int(state["options"]), MOST_OPTIONS)
    if names.EXCLUSIVE <= phase <= names.TAKE:
        add_activation_actions(state, words, phase)
    elif phase == names.BUY:
        bits.add(words, ID.done)
    elif phase == names.GOTH:
        bits.add(words, ID.tribute)
        bits.add(words, ID.goth)
    elif phase == names.LOSE:
        bits.put(words, ID.wall, wall_options(constants, state), NUM_CARDS)


@jit
def is_forced(constants: Constants, state: State) -> bool:
    """Return whether the pending decision has one legal action: its only option (G5).

    Chapters ask for EXCLUSIVE, ACTIVATE, BUY, REPEAT and GOTH only if an action besides the options is legal.
    """
    phase, options = int(state["phase"]), int(state["options"])
    if options == 0 or options & (options - 1) != 0:
        return False
    if phase == names.LOSE:
        return wall_options(constants, state) == 0
    return phase not in (names.EXCLUSIVE, names.ACTIVATE, names.BUY)


@jit
def only_action(state: State) -> int:
    """Return the action of a forced decision."""
    return first_id(state) + bits.lowest(np.uint64(int(state["options"])))


@jit
def carry_out(constants: Constants, state: State, action: int) -> None:
    """Carry out one legal action and stop at the next decision, forced or not."""
    phase, seat = int(state["phase"]), int(state["current_player"])
    if phase == names.PLAY:
        step_play(constants, state, seat, action)
    elif names.EXCLUSIVE <= phase <= names.TAKE:
        step_activation(constants, state, seat, action, phase)
    elif phase == names.BUY:
        step_buy(constants, state, seat, action)
    elif phase == names.PLACE:
        step_place(constants, state, seat, action)
    elif phase == names.PAY:
        step_pay(constants, state, seat, action)
    elif phase == names.GOTH:
        step_goth(constants, state, seat, action)
    elif phase == names.PAY_TRIBUTE:
        step_tribute(constants, state, seat, action)
    elif phase == names.LOSE:
        step_loss(constants, state, seat, action)
    else:
        step_reclaim(constants, state, seat, action)


@jit
def settle(constants: Constants, state: State) -> None:
    """Carry out forced decisions until a player has a choice or the game is over (G5)."""
    while is_forced(constants, state):
        carry_out(constants, state, only_action(state))


@jit
def step_record(constants: Constants, state: State, action: int) -> None:
    """Carry out a legal action and the forced decisions after it."""
    carry_out(constants, state, action)
    settle(constants, state)


# The phases of an activation are consecutive; a covered base card follows the bare ones among ids and options.
assert names.PLAY < names.EXCLUSIVE < names.TAKE < names.BUY
assert ID.lose == ID.lose_bare + NUM_BASES
