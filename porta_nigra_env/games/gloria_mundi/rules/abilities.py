"""Abilities of coloured building cards: the left side is given, the right side is received (G12-G21).

Functions that carry out a part of an ability return whether the game waits: True while a choice is open or when the
game is over, False when the card is finished.
"""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components import schema
from porta_nigra_env.games.gloria_mundi.components.names import DISCARD, GIVE, OVER, REPEAT, STEPS, TAKE
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.table import (
    NUM_KINDS,
    base_cards,
    buildings_of,
    discard_building,
    gain_steps,
    gain_stones,
    kinds_in_stock,
    size_of,
    spend_stones,
)


@jit
def times(constants: Constants, state: State, seat: int, card: int) -> int:
    """Return how often the right side is received: once, or the number that the card counts (G18)."""
    per = int(constants["per"][card])
    if per == schema.ONCE:
        return 1
    if per == schema.PER_BUILDING:
        return size_of(buildings_of(state, seat))
    if per >= schema.PER_STONE:
        return int(state["stones"][seat, per - schema.PER_STONE])
    return base_cards(state, seat, per)


@jit
def can_give(constants: Constants, state: State, seat: int, card: int) -> bool:
    """Return whether the whole left side can be given (G12)."""
    form = int(constants["pay_form"][card])
    if form == schema.PAY_CARD:
        return buildings_of(state, seat) & ~(1 << card) != 0
    choice = 0
    for kind in range(NUM_KINDS):
        stones = int(state["stones"][seat, kind])
        if stones < int(constants["pay"][card, kind]):
            return False
        if (int(constants["pay_kinds"][card]) >> kind) & 1:
            choice += stones
    return bool(choice >= int(constants["pay_count"][card]))


@jit
def usable(constants: Constants, state: State, seat: int, cards: int) -> int:
    """Return the cards of a set that can be used (G12)."""
    cards_found = cards & int(constants["free"])
    left = np.uint64(cards & ~int(constants["free"]))
    while left != np.uint64(0):
        card = bits.lowest(left)
        left &= left - np.uint64(1)
        does_something = (
            times(constants, state, seat, card) > 0
            if constants["pay_form"][card] == schema.PAY_NOTHING
            else can_give(constants, state, seat, card)
        )
        if does_something:
            cards_found |= 1 << card
    return cards_found


@jit
def gain_named(constants: Constants, state: State, seat: int, card: int, count: int) -> None:
    """Gain a named right side `count` times: all stones, then all steps (G21)."""
    for kind in range(NUM_KINDS):
        gain_stones(state, seat, kind, count * int(constants["gain"][card, kind]))
    gain_steps(constants, state, seat, count * int(constants["gain"][card, STEPS]))


@jit
def give_options(constants: Constants, state: State, seat: int) -> int:
    """Return the kinds of stones that may be given (G16)."""
    return int(constants["pay_kinds"][int(state["card"])]) & kinds_in_stock(state, seat)


@jit
def discard_options(state: State, seat: int) -> int:
    """Return the other building cards of the display (G17)."""
    return buildings_of(state, seat) & ~(1 << int(state["card"]))


@jit
def use_card(constants: Constants, state: State, seat: int, card: int) -> bool:
    """Carry out a card once, beginning with its left side."""
    state["card"] = card
    form = int(constants["pay_form"][card])
    if form == schema.PAY_CARD:
        state["phase"] = DISCARD
        state["options"] = discard_options(state, seat)
        return True
    if form == schema.PAY_CHOICE:
        state["phase"] = GIVE
        state["give_left"] = constants["pay_count"][card]
        state["options"] = give_options(constants, state, seat)
        return True
    if form == schema.PAY_STONES:
        for kind in range(NUM_KINDS):
            spend_stones(state, seat, kind, int(constants["pay"][card, kind]))
    return receive(constants, state, seat, card, -1)


@jit
def receive(constants: Constants, state: State, seat: int, card: int, given: int) -> bool:
    """Receive the right side; `given` is the card given up, or -1."""
    form = int(constants["gain_form"][card])
    if form == schema.GAIN_CHOICE:
        state["phase"] = TAKE
        state["take_left"] = constants["gain_count"][card]
        state["options"] = int(constants["gain_kinds"][card])
        return True
    if form == schema.GAIN_NAMED:
        gain_named(constants, state, seat, card, times(constants, state, seat, card))
    elif form == schema.GAIN_LAURELS:
        gain_steps(constants, state, seat, int(constants["laurels"][given]))
    else:
        for kind in range(NUM_KINDS):
            gain_stones(state, seat, kind, int(constants["price"][given, kind]))
    return finish_time(constants, state, seat, card)


@jit
def finish_time(constants: Constants, state: State, seat: int, card: int) -> bool:
    """Ask for a repetition if the X is printed and the left side can be given again, else finish the card (G14)."""
    if state["phase"] == OVER:
        return True
    if constants["repeat"][card] != 0 and can_give(constants, state, seat, card):
        state["phase"] = REPEAT
        state["options"] = 0
        return True
    state["card"] = -1
    return False


@jit
def step_repeat(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Carry out the card again, or finish it."""
    if action == ID.again:
        return use_card(constants, state, seat, int(state["card"]))
    state["card"] = -1
    return False


@jit
def step_give(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Give one stone of the left side (G16)."""
    spend_stones(state, seat, action - ID.give, 1)
    state["give_left"] -= 1
    if state["give_left"] > 0:
        state["options"] = give_options(constants, state, seat)
        return True
    return receive(constants, state, seat, int(state["card"]), -1)


@jit
def step_discard(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Give up another card; if it was still left, the base card below it produces (G17)."""
    given = action - ID.discard
    base = discard_building(state, seat, given)
    state["bare"][seat, base] += 1
    if (int(state["left"]) >> given) & 1:
        state["left"] = int(state["left"]) & ~(1 << given)
        gain_stones(state, seat, base, 1)
    return receive(constants, state, seat, int(state["card"]), given)


@jit
def step_take(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Take one stone of the right side (G16)."""
    gain_stones(state, seat, action - ID.take, 1)
    state["take_left"] -= 1
    if state["take_left"] > 0:
        return True
    return finish_time(constants, state, seat, int(state["card"]))
