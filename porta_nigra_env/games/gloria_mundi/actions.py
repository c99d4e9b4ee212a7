"""The action ids: one micro-decision each.  Their spans are the same for every component file."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.arrays.layout import Part, Spans, offsets
from porta_nigra_env.games.gloria_mundi.components.names import (
    BASES,
    MAX_DUE,
    NUM_BASIC,
    NUM_CARDS,
    NUM_PLACES,
    STONES,
)

#: Amounts of a stone that a payment may have, from 0.
NUM_AMOUNTS: Final = MAX_DUE + 1

ACTIONS: Final = Spans(
    [
        Part("play", (len(BASES),), "this base card from the hand"),
        Part("use", (NUM_CARDS,), "carry out a building card, in the order of the component file"),
        Part("base", (NUM_CARDS,), "the base card below it produces instead"),
        Part("done", (1,), "no exclusive card; all cards left produce; not again; buy nothing"),
        Part("again", (1,), "give and receive once more"),
        Part("give", (len(STONES),), "one stone of a choice given"),
        Part("discard", (NUM_CARDS,), "give up this building card"),
        Part("take", (len(STONES),), "one stone of a choice, or of the tribute"),
        Part("buy", (NUM_PLACES,), "the card on this place of the forum, in sliding order"),
        Part("on", (len(BASES),), "the base type that it will lie on"),
        Part("pay", (NUM_BASIC, NUM_AMOUNTS), "so many stones of a basic kind in the payment: kind, amount"),
        Part("tribute", (1,), "pay the tribute of the next empty space"),
        Part("goth", (1,), "let the Goth move"),
        Part("lose_bare", (len(BASES),), "lose a bare base card"),
        Part("lose", (NUM_CARDS,), "lose a building card and the base card below it"),
        Part("wall", (NUM_CARDS,), "lose a wall instead of the base card below it"),
    ]
)

#: The first id of every span, by name.
ID: Final = offsets(ACTIONS)
NUM_ACTIONS: Final = ACTIONS.size
#: 64-bit words of a legality bit set.
NUM_WORDS: Final = -(-NUM_ACTIONS // 64)
