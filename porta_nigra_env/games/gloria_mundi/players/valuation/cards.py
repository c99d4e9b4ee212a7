"""What building cards bring: when they are used, and in all the turns to come."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
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
def turns_to_come(t: Any, s: Any, player: int, w: Any) -> tuple[float, float, float, float]:
    """How many turns are expected, and in how many of them each base type is played."""
    farms = cities = peaces = 0
    for seat in range(int(s["num_players"])):
        farms += int(s["hand"][seat, 0])
        cities += int(s["hand"][seat, 1])
        peaces += int(s["hand"][seat, 2])
    hands = farms + cities + peaces
    if hands == 0:
        return 0.0, 0.0, 0.0, 0.0
    turns = min(float(hands), w[PACE] * (int(t["provinces"]) + 1 - next_empty(s)))
    return turns, turns * farms / hands, turns * cities / hands, turns * peaces / hands


@jit
def gain_worth(t: Any, s: Any, seat: int, card: int, count: float, w: Any) -> float:
    """The named gains of a card so many times."""
    worth = steps_worth(t, s, seat, int(count * int(t["gain"][card, STEPS])), w) if t["gain"][card, STEPS] > 0 else 0.0
    for kind in range(NUM_KINDS):
        if t["gain"][card, kind] > 0:
            worth += stones_worth(s, seat, kind, count * int(t["gain"][card, kind]), w)
    return float(worth)


@jit
def use_worth(t: Any, s: Any, seat: int, card: int, w: Any) -> float:
    """What a card that is no exclusive one brings when it is used once now; a card to be given up is not counted."""
    worth = 0.0
    form = int(t["gain_form"][card])
    if form == GAIN_NAMED:
        worth += gain_worth(t, s, seat, card, float(times(t, s, seat, card)), w)
    elif form == GAIN_CHOICE:
        worth += choice_worth(s, seat, int(t["gain_kinds"][card]), int(t["gain_count"][card]), w)
    form = int(t["pay_form"][card])
    if form == PAY_STONES:
        for kind in range(NUM_KINDS):
            worth += stones_worth(s, seat, kind, -float(t["pay"][card, kind]), w)
    elif form == PAY_CHOICE:
        worth += choice_worth(s, seat, int(t["pay_kinds"][card]), -int(t["pay_count"][card]), w)
    return float(worth)


@jit
def given_worth(t: Any, s: Any, seat: int, card: int, given: int, w: Any) -> float:
    """What the right side of a card gives for another one that is given up."""
    form = int(t["gain_form"][card])
    if form == GAIN_LAURELS:
        return steps_worth(t, s, seat, int(t["laurels"][given]), w)
    if form in (GAIN_NAMED, GAIN_CHOICE):
        return 0.0
    worth = 0.0
    for kind in range(NUM_KINDS):
        worth += stones_worth(s, seat, kind, float(t["price"][given, kind]), w)
    return worth


@jit
def later_worth(t: Any, s: Any, seat: int, card: int, base: int, turns: Any, w: Any) -> float:
    """What a card on this base type adds to the turns to come, beyond the stone of the base card below."""
    if w[LATER] == 0.0:
        return 0.0
    if (int(t["red"]) >> card) & 1:
        return float(w[WALLS] * turns[0]) if (int(t["walls"]) >> card) & 1 else 0.0
    played = turns[1] if base == FARM else turns[3] if base == PEACE else turns[2]
    stone = stock_worth(base, 1.0, w)
    if (int(t["exclusive"]) >> card) & 1:
        cards = base_cards(s, seat, base)
        worth = gain_worth(t, s, seat, card, float(cards), w) - stone * cards
    elif t["pay_form"][card] == PAY_CARD:
        worth = 0.0
    else:
        worth = use_worth(t, s, seat, card, w)
        for symbol in range(NUM_BASES):
            if (int(t["on_goth"][symbol]) >> card) & 1:
                worth *= symbol_share(t, s, symbol)
        worth *= 1.0 + w[AGAIN] * int(t["repeat"][card])
    return float(w[LATER] * played * max(0.0, worth - stone))


@jit
def symbol_share(t: Any, s: Any, symbol: int) -> float:
    """On how many of the spaces ahead of the Goth a symbol is."""
    shown = spaces = 0
    for space in range(int(s["goth"]), int(t["provinces"]) + 1):
        spaces += 1
        shown += (int(t["symbol_set"][space]) >> symbol) & 1
    return shown / max(1, spaces)


@jit
def activation_worth(t: Any, s: Any, seat: int, base: int, more: int, w: Any) -> float:
    """What a player gains when a base type is played; `more` base cards of it are laid down before."""
    cards = base_cards(s, seat, base) + more
    produced = stones_worth(s, seat, base, float(cards), w)
    stone = produced / cards if cards > 0 else 0.0
    worth, alone = produced, 0.0
    goth = int(s["goth"])
    left = np.uint64(int(s["covered"][seat, base]) & ~int(t["red"]))
    while left != np.uint64(0):
        card = bits.lowest(left)
        left &= left - np.uint64(1)
        if (int(t["exclusive"]) >> card) & 1:
            alone = max(alone, gain_worth(t, s, seat, card, float(cards - 1), w))
        elif t["pay_form"][card] != PAY_CARD and can_give(t, s, seat, card) and works(t, card, goth):
            worth += max(0.0, use_worth(t, s, seat, card, w) - stone)
    return max(worth, alone)


@jit
def works(t: Any, card: int, goth: int) -> bool:
    """Whether the Goth stands where the card needs him, if it does."""
    for symbol in range(NUM_BASES):
        if (int(t["on_goth"][symbol]) >> card) & 1:
            return bool((int(t["symbol_set"][goth]) >> symbol) & 1)
    return True
