"""Playing a base card, and what it activates in all displays (G9-G11, G19, G20)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
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
def step_play(constants: Constants, state: State, seat: int, action: int) -> None:
    """The base card of the turn; then all players activate its type, the active one first (G9)."""
    base = action - ID.play
    state["hand"][seat, base] -= 1
    state["bare"][seat, base] += 1
    state["played"] = base
    open_activation(constants, state, seat)


@jit
def open_activation(constants: Constants, state: State, seat: int) -> None:
    """From this seat on the next player who has something to choose; after the last one the active player may buy."""
    while not activates(constants, state, seat):
        seat = following(state, seat)
        if seat == int(state["active_player"]):
            open_buying(constants, state)
            return


@jit
def resting(constants: Constants, state: State) -> int:
    """Cards that get no activation of their own: the base card below produces (G11)."""
    goth = int(state["goth"])
    cards = int(constants["red"]) | int(constants["exclusive"])
    for base in range(constants["on_goth"].shape[0]):
        if (int(constants["symbol_set"][goth]) >> base) & 1 == 0:
            cards |= int(constants["on_goth"][base])
    return cards


@jit
def cards_left(constants: Constants, state: State, seat: int) -> int:
    """The cards of the played type that get an activation of their own."""
    return int(state["covered"][seat, state["played"]]) & ~resting(constants, state)


@jit
def exclusive_options(constants: Constants, state: State, seat: int) -> int:
    """Her exclusive cards of the played type, if there is another base card of it (G11)."""
    base = int(state["played"])
    cards = int(state["covered"][seat, base]) & int(constants["exclusive"])
    return cards if cards != 0 and base_cards(state, seat, base) > 1 else 0


@jit
def activates(constants: Constants, state: State, seat: int) -> bool:
    """The activations of a seat, up to the first choice; False if there is none."""
    options = exclusive_options(constants, state, seat)
    if options == 0:
        return produces(constants, state, seat)
    state["phase"] = EXCLUSIVE
    state["current_player"] = seat
    state["left"] = cards_left(constants, state, seat)
    state["options"] = options
    return True


@jit
def produces(constants: Constants, state: State, seat: int) -> bool:
    """Production unasked, then the cards left; False if nothing is to be chosen (G11)."""
    base = int(state["played"])
    left = cards_left(constants, state, seat)
    gain_stones(state, seat, base, base_cards(state, seat, base) - size_of(left))
    state["left"] = left
    return chooses(constants, state, seat)


@jit
def chooses(constants: Constants, state: State, seat: int) -> bool:
    """A choice among the cards left, if there is one; a single one that cannot be used lets its base produce."""
    left = int(state["left"])
    options = usable(constants, state, seat, left)
    if options == 0 and left & (left - 1) == 0:
        gain_stones(state, seat, int(state["played"]), size_of(left))
        state["left"] = 0
        return False
    state["phase"] = ACTIVATE
    state["current_player"] = seat
    state["options"] = options
    return True


@jit
def step_exclusive(constants: Constants, state: State, seat: int, action: int) -> bool:
    """An exclusive card, and nothing else of the type; or none (G19)."""
    if action == ID.done:
        return produces(constants, state, seat)
    state["left"] = 0
    gain_named(constants, state, seat, action - ID.use, base_cards(state, seat, int(state["played"])) - 1)
    return bool(state["phase"] == OVER)


@jit
def step_activate(constants: Constants, state: State, seat: int, action: int) -> bool:
    """A card is used, its base produces instead, or all that are left do."""
    left = int(state["left"])
    if action == ID.done:
        gain_stones(state, seat, int(state["played"]), size_of(left))
        state["left"] = 0
        return False
    if action >= ID.base:
        state["left"] = left & ~(1 << (action - ID.base))
        gain_stones(state, seat, int(state["played"]), 1)
        return chooses(constants, state, seat)
    card = action - ID.use
    state["left"] = left & ~(1 << card)
    return use_card(constants, state, seat, card) or chooses(constants, state, seat)


@jit
def step_card(constants: Constants, state: State, seat: int, action: int, phase: int) -> bool:
    """A choice within the card being carried out; when that is finished, the next one."""
    if phase == REPEAT:
        waits = step_repeat(constants, state, seat, action)
    elif phase == GIVE:
        waits = step_give(constants, state, seat, action)
    elif phase == DISCARD:
        waits = step_discard(constants, state, seat, action)
    else:
        waits = step_take(constants, state, seat, action)
    return waits or chooses(constants, state, seat)


@jit
def step_activation(constants: Constants, state: State, seat: int, action: int, phase: int) -> None:
    """A decision in an activation; when the seat's activations are complete, the next seat's."""
    if phase == EXCLUSIVE:
        waits = step_exclusive(constants, state, seat, action)
    elif phase == ACTIVATE:
        waits = step_activate(constants, state, seat, action)
    else:
        waits = step_card(constants, state, seat, action, phase)
    if waits:
        return
    seat = following(state, seat)
    if seat == int(state["active_player"]):
        open_buying(constants, state)
    else:
        open_activation(constants, state, seat)
