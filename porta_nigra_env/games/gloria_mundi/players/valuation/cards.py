"""The worth of building cards: in one use, and in all future turns."""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components import schema
from porta_nigra_env.games.gloria_mundi.components.names import FARM, PEACE, STEPS
from porta_nigra_env.games.gloria_mundi.players.valuation.weights import (
    AGAIN,
    LATER,
    PACE,
    WALLS,
    Turns,
    Weights,
    choice_worth,
    jit,
    steps_worth,
    stock_worth,
    stones_worth,
)
from porta_nigra_env.games.gloria_mundi.rules.abilities import can_give, times
from porta_nigra_env.games.gloria_mundi.rules.goth import next_empty
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS, base_cards


@jit
def turns_to_come(constants: Constants, state: State, player: int, w: Weights) -> Turns:
    """Return the expected number of turns, then that of the turns in which each base type is played."""
    farms = cities = peaces = 0
    for seat in range(int(state["num_players"])):
        farms += int(state["hand"][seat, 0])
        cities += int(state["hand"][seat, 1])
        peaces += int(state["hand"][seat, 2])
    hands = farms + cities + peaces
    if hands == 0:
        return 0.0, 0.0, 0.0, 0.0
    turns = min(float(hands), w[PACE] * (int(constants["provinces"]) + 1 - next_empty(state)))
    return turns, turns * farms / hands, turns * cities / hands, turns * peaces / hands


@jit
def gain_worth(constants: Constants, state: State, seat: int, card: int, count: float, w: Weights) -> float:
    """Return the worth of the named gains of a card, `count` times."""
    worth = (
        steps_worth(constants, state, seat, int(count * int(constants["gain"][card, STEPS])), w)
        if constants["gain"][card, STEPS] > 0
        else 0.0
    )
    for kind in range(NUM_KINDS):
        if constants["gain"][card, kind] > 0:
            worth += stones_worth(state, seat, kind, count * int(constants["gain"][card, kind]), w)
    return float(worth)


@jit
def use_worth(constants: Constants, state: State, seat: int, card: int, w: Weights) -> float:
    """Return the worth of one use of a non-exclusive card now, without a card that is given up for it."""
    worth = 0.0
    form = int(constants["gain_form"][card])
    if form == schema.GAIN_NAMED:
        worth += gain_worth(constants, state, seat, card, float(times(constants, state, seat, card)), w)
    elif form == schema.GAIN_CHOICE:
        worth += choice_worth(state, seat, int(constants["gain_kinds"][card]), int(constants["gain_count"][card]), w)
    form = int(constants["pay_form"][card])
    if form == schema.PAY_STONES:
        for kind in range(NUM_KINDS):
            worth += stones_worth(state, seat, kind, -float(constants["pay"][card, kind]), w)
    elif form == schema.PAY_CHOICE:
        worth += choice_worth(state, seat, int(constants["pay_kinds"][card]), -int(constants["pay_count"][card]), w)
    return float(worth)


@jit
def given_worth(constants: Constants, state: State, seat: int, card: int, given: int, w: Weights) -> float:
    """Return the worth of a card's right side for the card `given` up."""
    form = int(constants["gain_form"][card])
    if form == schema.GAIN_LAURELS:
        return steps_worth(constants, state, seat, int(constants["laurels"][given]), w)
    if form in (schema.GAIN_NAMED, schema.GAIN_CHOICE):
        return 0.0
    worth = 0.0
    for kind in range(NUM_KINDS):
        worth += stones_worth(state, seat, kind, float(constants["price"][given, kind]), w)
    return worth


@jit
def later_worth(constants: Constants, state: State, seat: int, card: int, base: int, turns: Turns, w: Weights) -> float:
    """Return the worth a card on a base type adds to future turns, beyond the stone of the base card below."""
    if w[LATER] == 0.0:
        return 0.0
    if (int(constants["red"]) >> card) & 1:
        return float(w[WALLS] * turns[0]) if (int(constants["walls"]) >> card) & 1 else 0.0
    played = turns[1] if base == FARM else turns[3] if base == PEACE else turns[2]
    stone = stock_worth(base, 1.0, w)
    if (int(constants["exclusive"]) >> card) & 1:
        cards = base_cards(state, seat, base)
        worth = gain_worth(constants, state, seat, card, float(cards), w) - stone * cards
    elif constants["pay_form"][card] == schema.PAY_CARD:
        worth = 0.0
    else:
        worth = use_worth(constants, state, seat, card, w)
        for symbol in range(NUM_BASES):
            if (int(constants["on_goth"][symbol]) >> card) & 1:
                worth *= symbol_share(constants, state, symbol)
        worth *= 1.0 + w[AGAIN] * int(constants["repeat"][card])
    return float(w[LATER] * played * max(0.0, worth - stone))


@jit
def symbol_share(constants: Constants, state: State, symbol: int) -> float:
    """Return the fraction of the spaces from the Goth on that show a symbol."""
    shown = spaces = 0
    for space in range(int(state["goth"]), int(constants["provinces"]) + 1):
        spaces += 1
        shown += (int(constants["symbol_set"][space]) >> symbol) & 1
    return shown / max(1, spaces)


@jit
def activation_worth(constants: Constants, state: State, seat: int, base: int, more: int, w: Weights) -> float:
    """Return the gain of a player when a base type is played, with `more` base cards of it in the display."""
    cards = base_cards(state, seat, base) + more
    produced = stones_worth(state, seat, base, float(cards), w)
    stone = produced / cards if cards > 0 else 0.0
    worth, alone = produced, 0.0
    goth = int(state["goth"])
    left = np.uint64(int(state["covered"][seat, base]) & ~int(constants["red"]))
    while left != np.uint64(0):
        card = bits.lowest(left)
        left &= left - np.uint64(1)
        if (int(constants["exclusive"]) >> card) & 1:
            alone = max(alone, gain_worth(constants, state, seat, card, float(cards - 1), w))
        elif (
            constants["pay_form"][card] != schema.PAY_CARD
            and can_give(constants, state, seat, card)
            and works(constants, card, goth)
        ):
            worth += max(0.0, use_worth(constants, state, seat, card, w) - stone)
    return max(worth, alone)


@jit
def works(constants: Constants, card: int, goth: int) -> bool:
    """Return whether the Goth's space has the symbol that the card asks for, if any."""
    for symbol in range(NUM_BASES):
        if (int(constants["on_goth"][symbol]) >> card) & 1:
            return bool((int(constants["symbol_set"][goth]) >> symbol) & 1)
    return True
