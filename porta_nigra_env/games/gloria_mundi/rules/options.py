"""What may be chosen at a decision: the field `options` found anew, and the action ids that it stands for."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.names import (
    ACTIVATE,
    BUY,
    DISCARD,
    EXCLUSIVE,
    GIVE,
    GOTH,
    LOSE,
    NUM_CARDS,
    OVER,
    PAY,
    PAY_TRIBUTE,
    PHASES,
    PLACE,
    PLAY,
    RECLAIM,
    REPEAT,
    TAKE,
)
from porta_nigra_env.games.gloria_mundi.rules.abilities import discard_options, give_options, usable
from porta_nigra_env.games.gloria_mundi.rules.activation import exclusive_options
from porta_nigra_env.games.gloria_mundi.rules.buying import buy_options, place_options
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.forum import play_options
from porta_nigra_env.games.gloria_mundi.rules.payment import amount_options, asked_kind
from porta_nigra_env.games.gloria_mundi.rules.raid import lose_options, reclaim_options
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES

#: The action id of bit 0 of the options, by phase; those of payments are moved on by the kind.
FIRST: Final = (
    ID.play, ID.use, ID.use, ID.done, ID.give, ID.discard, ID.take, ID.buy, ID.on, ID.pay, ID.tribute, ID.pay,
    ID.lose_bare, ID.take, 0,
)  # fmt: skip
#: The most bits that options have.
MOST_OPTIONS: Final = NUM_BASES + NUM_CARDS


@jit
def first_id(state: State) -> int:
    """The action id that bit 0 of the options stands for."""
    phase = int(state["phase"])
    if phase in (PAY, PAY_TRIBUTE):
        return int(ID.pay) + NUM_AMOUNTS * asked_kind(state)
    return int(FIRST[phase])


@jit
def found_options(constants: Constants, state: State) -> int:
    """The options of the pending decision, from everything else in the record."""
    phase, seat = int(state["phase"]), int(state["current_player"])
    if phase == PLAY:
        return play_options(state, seat)
    if phase == EXCLUSIVE:
        return exclusive_options(constants, state, seat)
    if phase == ACTIVATE:
        return usable(constants, state, seat, int(state["left"]))
    if phase == GIVE:
        return give_options(constants, state, seat)
    if phase == DISCARD:
        return discard_options(state, seat)
    if phase == TAKE:
        return int(constants["gain_kinds"][int(state["card"])])
    if phase == BUY:
        return buy_options(constants, state, seat)
    if phase == PLACE:
        return place_options(constants, state, seat)
    if phase in (PAY, PAY_TRIBUTE):
        return amount_options(constants, state, seat)
    if phase == LOSE:
        return lose_options(state, seat)
    return reclaim_options(state) if phase == RECLAIM else 0


@jit
def is_forced(constants: Constants, state: State) -> bool:
    """Whether the decision that stands there has one legal action: its only option (G5).

    Chapters ask for EXCLUSIVE, ACTIVATE, BUY, REPEAT and GOTH only with something beside the options to choose.
    """
    phase, options = int(state["phase"]), int(state["options"])
    if options == 0 or options & (options - 1) != 0:
        return False
    if phase == LOSE:
        return (options >> NUM_BASES) & int(constants["walls"]) == 0
    return phase not in (EXCLUSIVE, ACTIVATE, BUY)


@jit
def only_action(state: State) -> int:
    """The action of a forced decision."""
    return first_id(state) + bits.lowest(np.uint64(int(state["options"])))


@jit
def legal_record(constants: Constants, state: State, words: Any) -> None:
    """The legal action ids as bits of uint64 `words` (NUM_WORDS,); none when the game is over."""
    for i in range(words.shape[0]):
        words[i] = np.uint64(0)
    phase, options = int(state["phase"]), int(state["options"])
    if phase == OVER:
        return
    bits.put(words, first_id(state), options, MOST_OPTIONS)
    if phase == GOTH:
        bits.add(words, ID.tribute)
        bits.add(words, ID.goth)
    elif phase == LOSE:
        bits.put(words, ID.wall, (options >> NUM_BASES) & int(constants["walls"]), NUM_CARDS)
    elif phase == REPEAT:
        bits.add(words, ID.done)
        bits.add(words, ID.again)
    elif phase in (EXCLUSIVE, ACTIVATE, BUY):
        bits.add(words, ID.done)
        left = int(state["left"])
        if phase == ACTIVATE and left & (left - 1) != 0:
            bits.put(words, ID.base, left, NUM_CARDS)


assert len(FIRST) == len(PHASES)
# A covered base card follows the bare ones among the action ids as among the options.
assert ID.lose == ID.lose_bare + NUM_BASES
