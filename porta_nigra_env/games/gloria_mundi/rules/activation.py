"""Playing a base card, and the activations in all displays that follow (G9-G11, G19, G20)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components.names import (
    ACTIVATE,
    DISCARD,
    EXCLUSIVE,
    GIVE,
    NUM_CARDS,
    OVER,
    REPEAT,
    TAKE,
)
from porta_nigra_env.games.gloria_mundi.rules.abilities import (
    discard_options,
    gain_named,
    give_options,
    step_discard,
    step_give,
    step_repeat,
    step_take,
    usable,
    use_card,
)
from porta_nigra_env.games.gloria_mundi.rules.buying import open_buying
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.table import ask, base_cards, following, gain_stones, size_of


@jit
def step_play(constants: Constants, state: State, seat: int, action: int) -> None:
    """Play the base card of the turn; all players activate its type, the active player first (G9)."""
    base = action - ID.play
    state["hand"][seat, base] -= 1
    state["bare"][seat, base] += 1
    state["played"] = base
    open_activation(constants, state, seat)


@jit
def open_activation(constants: Constants, state: State, seat: int) -> None:
    """Ask the next player who has a choice, from this seat on; after the last player, the active player may buy."""
    while not activates(constants, state, seat):
        seat = following(state, seat)
        if seat == int(state["active_player"]):
            open_buying(constants, state)
            return


@jit
def resting(constants: Constants, state: State) -> int:
    """Return the cards without an activation: the base card below them produces (G11)."""
    goth = int(state["goth"])
    cards = int(constants["red"]) | int(constants["exclusive"])
    for base in range(constants["on_goth"].shape[0]):
        if (int(constants["symbol_set"][goth]) >> base) & 1 == 0:
            cards |= int(constants["on_goth"][base])
    return cards


@jit
def cards_left(constants: Constants, state: State, seat: int) -> int:
    """Return a seat's cards of the played type that get an activation."""
    return int(state["covered"][seat, state["played"]]) & ~resting(constants, state)


@jit
def exclusive_options(constants: Constants, state: State, seat: int) -> int:
    """Return a seat's exclusive cards of the played type, if it has another base card of the type (G11)."""
    base = int(state["played"])
    cards = int(state["covered"][seat, base]) & int(constants["exclusive"])
    return cards if cards != 0 and base_cards(state, seat, base) > 1 else 0


@jit
def activates(constants: Constants, state: State, seat: int) -> bool:
    """Begin the activations of a seat and return whether it is asked."""
    options = exclusive_options(constants, state, seat)
    if options == 0:
        return produces(constants, state, seat)
    state["left"] = cards_left(constants, state, seat)
    ask(state, EXCLUSIVE, seat, options)
    return True


@jit
def produces(constants: Constants, state: State, seat: int) -> bool:
    """Produce, then ask about the cards left; return whether the seat is asked (G11)."""
    base = int(state["played"])
    left = cards_left(constants, state, seat)
    gain_stones(state, seat, base, base_cards(state, seat, base) - size_of(left))
    state["left"] = left
    return chooses(constants, state, seat)


@jit
def chooses(constants: Constants, state: State, seat: int) -> bool:
    """Ask about the cards left and return whether there is a choice; a last card without use lets its base produce."""
    left = int(state["left"])
    options = usable(constants, state, seat, left)
    if options == 0 and left & (left - 1) == 0:
        gain_stones(state, seat, int(state["played"]), size_of(left))
        state["left"] = 0
        return False
    ask(state, ACTIVATE, seat, options)
    return True


@jit
def activation_options(constants: Constants, state: State, seat: int, phase: int) -> int:
    """Return the options of a phase of an activation."""
    if phase == EXCLUSIVE:
        return exclusive_options(constants, state, seat)
    if phase == ACTIVATE:
        return usable(constants, state, seat, int(state["left"]))
    if phase == GIVE:
        return give_options(constants, state, seat)
    if phase == DISCARD:
        return discard_options(state, seat)
    return int(constants["gain_kinds"][int(state["card"])]) if phase == TAKE else 0


@jit
def add_activation_actions(state: State, words: Words, phase: int) -> None:
    """Add the legal actions besides the options: `done`, `again`, and `base` while two cards are left."""
    left = int(state["left"])
    if phase == REPEAT:
        bits.add(words, ID.done)
        bits.add(words, ID.again)
    elif phase in (EXCLUSIVE, ACTIVATE):
        bits.add(words, ID.done)
        if phase == ACTIVATE and left & (left - 1) != 0:
            bits.put(words, ID.base, left, NUM_CARDS)


@jit
def step_exclusive(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Use an exclusive card and no other card of the type, or decline it (G19)."""
    if action == ID.done:
        return produces(constants, state, seat)
    state["left"] = 0
    gain_named(constants, state, seat, action - ID.use, base_cards(state, seat, int(state["played"])) - 1)
    return bool(state["phase"] == OVER)


@jit
def step_activate(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Use a card, let its base card produce instead, or let the base cards of all cards left produce."""
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
    """Continue the card being carried out; after it, ask about the next card."""
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
    """Carry out a decision of an activation; after the last one of a seat, begin those of the next seat."""
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
