"""What building cards bring: when they are used, and in all the turns to come."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import FARM, PEACE, STEPS
from porta_nigra_env.games.gloria_mundi.components.schema import (
    GAIN_CHOICE,
    GAIN_LAURELS,
    GAIN_NAMED,
    PAY_CARD,
    PAY_CHOICE,
    PAY_STONES,
)
from porta_nigra_env.games.gloria_mundi.players.valuation.stocks import (
    choice_worth,
    steps_worth,
    stock_worth,
    stones_worth,
)
from porta_nigra_env.games.gloria_mundi.players.valuation.weights import (
    AGAIN,
    LATER,
    PACE,
    WALLS,
    jit,
)
from porta_nigra_env.games.gloria_mundi.rules.abilities import can_give, times
from porta_nigra_env.games.gloria_mundi.rules.goth import next_empty
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS, base_cards


@jit
def turns_to_come(constants: Constants, state: State, player: int, w: Any) -> tuple[float, float, float, float]:
    """How many turns are expected, and in how many of them each base type is played."""
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
def gain_worth(constants: Constants, state: State, seat: int, card: int, count: float, w: Any) -> float:
    """The named gains of a card so many times."""
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
def use_worth(constants: Constants, state: State, seat: int, card: int, w: Any) -> float:
    """What a card that is no exclusive one brings when it is used once now; a card to be given up is not counted."""
    worth = 0.0
    form = int(constants["gain_form"][card])
    if form == GAIN_NAMED:
        worth += gain_worth(constants, state, seat, card, float(times(constants, state, seat, card)), w)
    elif form == GAIN_CHOICE:
        worth += choice_worth(state, seat, int(constants["gain_kinds"][card]), int(constants["gain_count"][card]), w)
    form = int(constants["pay_form"][card])
    if form == PAY_STONES:
        for kind in range(NUM_KINDS):
            worth += stones_worth(state, seat, kind, -float(constants["pay"][card, kind]), w)
    elif form == PAY_CHOICE:
        worth += choice_worth(state, seat, int(constants["pay_kinds"][card]), -int(constants["pay_count"][card]), w)
    return float(worth)


@jit
def given_worth(constants: Constants, state: State, seat: int, card: int, given: int, w: Any) -> float:
    """What the right side of a card gives for another one that is given up."""
    form = int(constants["gain_form"][card])
    if form == GAIN_LAURELS:
        return steps_worth(constants, state, seat, int(constants["laurels"][given]), w)
    if form in (GAIN_NAMED, GAIN_CHOICE):
        return 0.0
    worth = 0.0
    for kind in range(NUM_KINDS):
        worth += stones_worth(state, seat, kind, float(constants["price"][given, kind]), w)
    return worth


@jit
def later_worth(constants: Constants, state: State, seat: int, card: int, base: int, turns: Any, w: Any) -> float:
    """What a card on this base type adds to the turns to come, beyond the stone of the base card below."""
    if w[LATER] == 0.0:
        return 0.0
    if (int(constants["red"]) >> card) & 1:
        return float(w[WALLS] * turns[0]) if (int(constants["walls"]) >> card) & 1 else 0.0
    played = turns[1] if base == FARM else turns[3] if base == PEACE else turns[2]
    stone = stock_worth(base, 1.0, w)
    if (int(constants["exclusive"]) >> card) & 1:
        cards = base_cards(state, seat, base)
        worth = gain_worth(constants, state, seat, card, float(cards), w) - stone * cards
    elif constants["pay_form"][card] == PAY_CARD:
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
    """On how many of the spaces ahead of the Goth a symbol is."""
    shown = spaces = 0
    for space in range(int(state["goth"]), int(constants["provinces"]) + 1):
        spaces += 1
        shown += (int(constants["symbol_set"][space]) >> symbol) & 1
    return shown / max(1, spaces)


@jit
def activation_worth(constants: Constants, state: State, seat: int, base: int, more: int, w: Any) -> float:
    """What a player gains when a base type is played; `more` base cards of it are laid down before."""
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
            constants["pay_form"][card] != PAY_CARD
            and can_give(constants, state, seat, card)
            and works(constants, card, goth)
        ):
            worth += max(0.0, use_worth(constants, state, seat, card, w) - stone)
    return max(worth, alone)


@jit
def works(constants: Constants, card: int, goth: int) -> bool:
    """Whether the Goth stands where the card needs him, if it does."""
    for symbol in range(NUM_BASES):
        if (int(constants["on_goth"][symbol]) >> card) & 1:
            return bool((int(constants["symbol_set"][goth]) >> symbol) & 1)
    return True
