"""What the ability of a coloured building card does: a left side is given, a right side is received (G12-G21).

The functions that carry out a part of an ability answer whether the game waits: True while a choice is open, or when
the game is over; False when the card is finished.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components.names import DISCARD, GIVE, OVER, REPEAT, STEPS, TAKE
from porta_nigra_env.games.gloria_mundi.components.schema import (
    GAIN_CHOICE,
    GAIN_LAURELS,
    GAIN_NAMED,
    ONCE,
    PAY_CARD,
    PAY_CHOICE,
    PAY_NOTHING,
    PAY_STONES,
    PER_BUILDING,
    PER_STONE,
)
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
def times(t: Any, s: Any, seat: int, card: int) -> int:
    """How often the right side is received: once, or by what the card counts (G18)."""
    per = int(t["per"][card])
    if per == ONCE:
        return 1
    if per == PER_BUILDING:
        return size_of(buildings_of(s, seat))
    if per >= PER_STONE:
        return int(s["stones"][seat, per - PER_STONE])
    return base_cards(s, seat, per)


@jit
def can_give(t: Any, s: Any, seat: int, card: int) -> bool:
    """Whether the whole left side can be given (G12)."""
    form = int(t["pay_form"][card])
    if form == PAY_CARD:
        return buildings_of(s, seat) & ~(1 << card) != 0
    choice = 0
    for kind in range(NUM_KINDS):
        stones = int(s["stones"][seat, kind])
        if stones < int(t["pay"][card, kind]):
            return False
        if (int(t["pay_kinds"][card]) >> kind) & 1:
            choice += stones
    return bool(choice >= int(t["pay_count"][card]))


@jit
def usable(t: Any, s: Any, seat: int, cards: int) -> int:
    """Those of her cards left that do something (G12)."""
    found = cards & int(t["free"])
    left = np.uint64(cards & ~int(t["free"]))
    while left != np.uint64(0):
        card = bits.lowest(left)
        left &= left - np.uint64(1)
        does = times(t, s, seat, card) > 0 if t["pay_form"][card] == PAY_NOTHING else can_give(t, s, seat, card)
        if does:
            found |= 1 << card
    return found


@jit
def gain_named(t: Any, s: Any, seat: int, card: int, count: int) -> None:
    """The right side so many times: all stones, then all steps (G21)."""
    for kind in range(NUM_KINDS):
        gain_stones(s, seat, kind, count * int(t["gain"][card, kind]))
    gain_steps(t, s, seat, count * int(t["gain"][card, STEPS]))


@jit
def give_options(t: Any, s: Any, seat: int) -> int:
    """The kinds of which a stone may be given (G16)."""
    return int(t["pay_kinds"][int(s["card"])]) & kinds_in_stock(s, seat)


@jit
def discard_options(s: Any, seat: int) -> int:
    """The other building cards of her display (G17)."""
    return buildings_of(s, seat) & ~(1 << int(s["card"]))


@jit
def use_card(t: Any, s: Any, seat: int, card: int) -> bool:
    """Carry out a card once, from its left side on."""
    s["card"] = card
    form = int(t["pay_form"][card])
    if form == PAY_CARD:
        s["phase"] = DISCARD
        s["options"] = discard_options(s, seat)
        return True
    if form == PAY_CHOICE:
        s["phase"] = GIVE
        s["give_left"] = t["pay_count"][card]
        s["options"] = give_options(t, s, seat)
        return True
    if form == PAY_STONES:
        for kind in range(NUM_KINDS):
            spend_stones(s, seat, kind, int(t["pay"][card, kind]))
    return receive(t, s, seat, card, -1)


@jit
def receive(t: Any, s: Any, seat: int, card: int, given: int) -> bool:
    """The right side; `given` is the card given up, if any."""
    form = int(t["gain_form"][card])
    if form == GAIN_CHOICE:
        s["phase"] = TAKE
        s["take_left"] = t["gain_count"][card]
        s["options"] = int(t["gain_kinds"][card])
        return True
    if form == GAIN_NAMED:
        gain_named(t, s, seat, card, times(t, s, seat, card))
    elif form == GAIN_LAURELS:
        gain_steps(t, s, seat, int(t["laurels"][given]))
    else:
        for kind in range(NUM_KINDS):
            gain_stones(s, seat, kind, int(t["price"][given, kind]))
    return finish_time(t, s, seat, card)


@jit
def finish_time(t: Any, s: Any, seat: int, card: int) -> bool:
    """The card has been carried out once: with the X it may be again (G14)."""
    if s["phase"] == OVER:
        return True
    if t["repeat"][card] != 0 and can_give(t, s, seat, card):
        s["phase"] = REPEAT
        s["options"] = 0
        return True
    s["card"] = -1
    return False


@jit
def step_repeat(t: Any, s: Any, seat: int, action: int) -> bool:
    """Once more, or not."""
    if action == ID.again:
        return use_card(t, s, seat, int(s["card"]))
    s["card"] = -1
    return False


@jit
def step_give(t: Any, s: Any, seat: int, action: int) -> bool:
    """One stone of the left side (G16)."""
    spend_stones(s, seat, action - ID.give, 1)
    s["give_left"] -= 1
    if s["give_left"] > 0:
        s["options"] = give_options(t, s, seat)
        return True
    return receive(t, s, seat, int(s["card"]), -1)


@jit
def step_discard(t: Any, s: Any, seat: int, action: int) -> bool:
    """Another card for the left side; if it was left, the base card below produces (G17)."""
    given = action - ID.discard
    base = discard_building(s, seat, given)
    s["bare"][seat, base] += 1
    if (int(s["left"]) >> given) & 1:
        s["left"] = int(s["left"]) & ~(1 << given)
        gain_stones(s, seat, base, 1)
    return receive(t, s, seat, int(s["card"]), given)


@jit
def step_take(t: Any, s: Any, seat: int, action: int) -> bool:
    """One stone of the right side (G16)."""
    gain_stones(s, seat, action - ID.take, 1)
    s["take_left"] -= 1
    if s["take_left"] > 0:
        return True
    return finish_time(t, s, seat, int(s["card"]))
