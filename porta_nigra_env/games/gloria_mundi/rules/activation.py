"""Playing a base card, and what it activates in all displays (G9-G11, G19, G20)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components.names import (
    ACTIVATE,
    DISCARD,
    EXCLUSIVE,
    GIVE,
    OVER,
    REPEAT,
)
from porta_nigra_env.games.gloria_mundi.rules.abilities import (
    gain_named,
    step_discard,
    step_give,
    step_repeat,
    step_take,
    usable,
    use_card,
)
from porta_nigra_env.games.gloria_mundi.rules.buying import open_buying
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.table import base_cards, following, gain_stones, size_of


@jit
def step_play(t: Any, s: Any, seat: int, action: int) -> None:
    """The base card of the turn; then all players activate its type, the active one first (G9)."""
    base = action - ID.play
    s["hand"][seat, base] -= 1
    s["bare"][seat, base] += 1
    s["played"] = base
    open_activation(t, s, seat)


@jit
def open_activation(t: Any, s: Any, seat: int) -> None:
    """From this seat on the next player who has something to choose; after the last one the active player may buy."""
    while not activates(t, s, seat):
        seat = following(s, seat)
        if seat == int(s["active_player"]):
            open_buying(t, s)
            return


@jit
def resting(t: Any, s: Any) -> int:
    """Cards that get no activation of their own: the base card below produces (G11)."""
    goth = int(s["goth"])
    cards = int(t["red"]) | int(t["exclusive"])
    for base in range(t["on_goth"].shape[0]):
        if (int(t["symbol_set"][goth]) >> base) & 1 == 0:
            cards |= int(t["on_goth"][base])
    return cards


@jit
def cards_left(t: Any, s: Any, seat: int) -> int:
    """The cards of the played type that get an activation of their own."""
    return int(s["covered"][seat, s["played"]]) & ~resting(t, s)


@jit
def exclusive_options(t: Any, s: Any, seat: int) -> int:
    """Her exclusive cards of the played type, if there is another base card of it (G11)."""
    base = int(s["played"])
    cards = int(s["covered"][seat, base]) & int(t["exclusive"])
    return cards if cards != 0 and base_cards(s, seat, base) > 1 else 0


@jit
def activates(t: Any, s: Any, seat: int) -> bool:
    """The activations of a seat, up to the first choice; False if there is none."""
    options = exclusive_options(t, s, seat)
    if options == 0:
        return produces(t, s, seat)
    s["phase"] = EXCLUSIVE
    s["current_player"] = seat
    s["left"] = cards_left(t, s, seat)
    s["options"] = options
    return True


@jit
def produces(t: Any, s: Any, seat: int) -> bool:
    """Production unasked, then the cards left; False if nothing is to be chosen (G11)."""
    base = int(s["played"])
    left = cards_left(t, s, seat)
    gain_stones(s, seat, base, base_cards(s, seat, base) - size_of(left))
    s["left"] = left
    return chooses(t, s, seat)


@jit
def chooses(t: Any, s: Any, seat: int) -> bool:
    """A choice among the cards left, if there is one; a single one that cannot be used lets its base produce."""
    left = int(s["left"])
    options = usable(t, s, seat, left)
    if options == 0 and left & (left - 1) == 0:
        gain_stones(s, seat, int(s["played"]), size_of(left))
        s["left"] = 0
        return False
    s["phase"] = ACTIVATE
    s["current_player"] = seat
    s["options"] = options
    return True


@jit
def step_exclusive(t: Any, s: Any, seat: int, action: int) -> bool:
    """An exclusive card, and nothing else of the type; or none (G19)."""
    if action == ID.done:
        return produces(t, s, seat)
    s["left"] = 0
    gain_named(t, s, seat, action - ID.use, base_cards(s, seat, int(s["played"])) - 1)
    return bool(s["phase"] == OVER)


@jit
def step_activate(t: Any, s: Any, seat: int, action: int) -> bool:
    """A card is used, its base produces instead, or all that are left do."""
    left = int(s["left"])
    if action == ID.done:
        gain_stones(s, seat, int(s["played"]), size_of(left))
        s["left"] = 0
        return False
    if action >= ID.base:
        s["left"] = left & ~(1 << (action - ID.base))
        gain_stones(s, seat, int(s["played"]), 1)
        return chooses(t, s, seat)
    card = action - ID.use
    s["left"] = left & ~(1 << card)
    return use_card(t, s, seat, card) or chooses(t, s, seat)


@jit
def step_card(t: Any, s: Any, seat: int, action: int, phase: int) -> bool:
    """A choice within the card being carried out; when that is finished, the next one."""
    if phase == REPEAT:
        waits = step_repeat(t, s, seat, action)
    elif phase == GIVE:
        waits = step_give(t, s, seat, action)
    elif phase == DISCARD:
        waits = step_discard(t, s, seat, action)
    else:
        waits = step_take(t, s, seat, action)
    return waits or chooses(t, s, seat)


@jit
def step_activation(t: Any, s: Any, seat: int, action: int, phase: int) -> None:
    """A decision in an activation; when the seat's activations are complete, the next seat's."""
    if phase == EXCLUSIVE:
        waits = step_exclusive(t, s, seat, action)
    elif phase == ACTIVATE:
        waits = step_activate(t, s, seat, action)
    else:
        waits = step_card(t, s, seat, action, phase)
    if waits:
        return
    seat = following(s, seat)
    if seat == int(s["active_player"]):
        open_buying(t, s)
    else:
        open_activation(t, s, seat)
