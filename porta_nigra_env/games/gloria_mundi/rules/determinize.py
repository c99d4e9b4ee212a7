"""Hidden information: the order of the deck, and nothing else (G43, G44)."""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import shuffle_draw
from porta_nigra_env.core.arrays.rng import seed_key
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import NUM_CARDS
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.state import DECK_STREAM, DETERMINIZE_PURPOSE, NUM_STREAMS


@jit
def cards_in_deck(state: State) -> int:
    """What the deck contains: everybody has seen all the rest (G44)."""
    cards = 0
    for place in range(NUM_CARDS - int(state["num_deck"]), NUM_CARDS):
        cards |= 1 << int(state["deck"][place])
    return cards


@jit
def redact_record(state: State, player: int) -> None:
    """Sort the deck and clear the random key: the same for every player."""
    state["key"][0] = 0
    state["key"][1] = 0
    for stream in range(NUM_STREAMS):
        state["counters"][stream] = 0
    cards = cards_in_deck(state)
    place = NUM_CARDS - int(state["num_deck"])
    for card in range(NUM_CARDS):
        if (cards >> card) & 1:
            state["deck"][place] = card
            place += 1


@jit
def determinize_record(constants: Constants, state: State, player: int, seed: int) -> None:
    """A uniformly random order of the deck, with fresh randomness for the future."""
    redact_record(state, player)
    seed_key(state["key"], state["counters"], seed, DETERMINIZE_PURPOSE)
    shuffle_draw(state["key"], state["counters"], DECK_STREAM, state["deck"], int(state["num_deck"]))
