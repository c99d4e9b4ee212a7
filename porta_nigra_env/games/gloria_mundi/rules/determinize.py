"""Hidden information: the order of the deck, and nothing else (G43, G44)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import shuffle_draw
from porta_nigra_env.core.arrays.rng import seed_key
from porta_nigra_env.games.gloria_mundi.components.names import NUM_CARDS
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.state import DECK_STREAM, DETERMINIZE_PURPOSE, NUM_STREAMS


@jit
def cards_in_deck(s: Any) -> int:
    """What the deck contains: everybody has seen all the rest (G44)."""
    cards = 0
    for place in range(NUM_CARDS - int(s["num_deck"]), NUM_CARDS):
        cards |= 1 << int(s["deck"][place])
    return cards


@jit
def redact_record(s: Any, player: int) -> None:
    """Sort the deck and clear the random key: the same for every player."""
    s["key"][0] = 0
    s["key"][1] = 0
    for stream in range(NUM_STREAMS):
        s["counters"][stream] = 0
    cards = cards_in_deck(s)
    place = NUM_CARDS - int(s["num_deck"])
    for card in range(NUM_CARDS):
        if (cards >> card) & 1:
            s["deck"][place] = card
            place += 1


@jit
def determinize_record(t: Any, s: Any, player: int, seed: int) -> None:
    """A uniformly random order of the deck, with fresh randomness for the future."""
    redact_record(s, player)
    seed_key(s["key"], s["counters"], seed, DETERMINIZE_PURPOSE)
    shuffle_draw(s["key"], s["counters"], DECK_STREAM, s["deck"], int(s["num_deck"]))
