"""The action ids: one micro-decision each.  Their spans are the same for every component file."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, offsets
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

ACTIONS: Final = Layout(
    [
        FieldSpec("play", (len(BASES),), "this base card from the hand"),
        FieldSpec("use", (NUM_CARDS,), "carry out a building card, in the order of the component file"),
        FieldSpec("base", (NUM_CARDS,), "the base card below it produces instead"),
        FieldSpec("done", (1,), "no exclusive card; all cards left produce; not again; buy nothing"),
        FieldSpec("again", (1,), "give and receive once more"),
        FieldSpec("give", (len(STONES),), "one stone of a choice given"),
        FieldSpec("discard", (NUM_CARDS,), "give up this building card"),
        FieldSpec("take", (len(STONES),), "one stone of a choice, or of the tribute"),
        FieldSpec("buy", (NUM_PLACES,), "the card on this place of the forum, in sliding order"),
        FieldSpec("on", (len(BASES),), "the base type that it will lie on"),
        FieldSpec("pay", (NUM_BASIC, NUM_AMOUNTS), "so many stones of a basic kind in the payment: kind, amount"),
        FieldSpec("tribute", (1,), "pay the tribute of the next empty space"),
        FieldSpec("goth", (1,), "let the Goth move"),
        FieldSpec("lose_bare", (len(BASES),), "lose a bare base card"),
        FieldSpec("lose", (NUM_CARDS,), "lose a building card and the base card below it"),
        FieldSpec("wall", (NUM_CARDS,), "lose a wall instead of the base card below it"),
    ]
)

#: The first id of every span, by name.
ID: Final = offsets(ACTIONS)
NUM_ACTIONS: Final = ACTIONS.size
#: 64-bit words of a legality bit set.
NUM_WORDS: Final = -(-NUM_ACTIONS // 64)
