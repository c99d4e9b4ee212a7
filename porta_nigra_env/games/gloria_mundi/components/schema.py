"""The compiled form of a component file: the record `constants`, the first argument of every kernel function.

All numbers of the game are in this record, so one process can use several component sets without recompiling.  An
ability is split into its left side, its right side and its multiplier; no card has custom code.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from porta_nigra_env.games.gloria_mundi.components import names

_B, _S, _C = len(names.BASES), len(names.STONES), names.NUM_CARDS

#: Left sides: nothing; named stones; a choice of stones; another building card.
PAY_NOTHING, PAY_STONES, PAY_CHOICE, PAY_CARD = range(4)
#: Right sides: named stones and steps; a choice of stones; laurel steps, or price, of the card given up.
GAIN_NAMED, GAIN_CHOICE, GAIN_LAURELS, GAIN_PRICE = range(4)
#: Multipliers of a right side (G18, G19): 1; the base cards of type b are multiplier b; the building cards in the
#: display; the stones of kind k in stock are PER_STONE + k.
ONCE: Final = -1
PER_BUILDING: Final = _B
PER_STONE: Final = PER_BUILDING + 1

# In sets of kinds bit k is stone k; in sets of base types bit b is type b; in sets of cards bit c is card c.
CONSTANTS: Final = np.dtype(
    [
        # sets of cards
        ("walls", np.int64),
        ("builders", np.int64),
        ("red", np.int64),  # both
        ("exclusive", np.int64),  # G19
        ("on_goth", np.int64, (_B,)),  # G20, by the symbol they ask for
        ("free", np.int64),  # coloured cards that can always be used once they are left: produce, and G20 (G12)
        ("extra", np.int16, (names.NUM_PLACES,)),  # by place of the forum, in sliding order
        ("forum_start_cards", np.int16),
        ("escape_steps", np.int16),
        ("provinces", np.int16),
        ("start_stones", np.int16, (_S,)),
        ("start_display", np.int16, (_B,)),
        ("hands", np.int16, (names.MAX_PLAYERS + 1, _B)),  # dealt to each, start_display included; by number of players
        # by space of the Goth's track, 0 the start; zeros from Rome on
        ("symbols", np.int16, (names.MAX_SPACES, _B)),
        ("symbols_to", np.int16, (names.MAX_SPACES, _B)),  # on all provinces up to this space, inclusive
        ("symbol_set", np.int16, (names.MAX_SPACES,)),  # base types
        # building cards
        ("card_type", np.int8, (_C,)),  # index into names.TYPES
        ("lies_on", np.int8, (_C,)),  # set of base types that it may lie on
        ("price", np.int8, (_C, _S)),
        ("printed", np.int8, (_C, 1 << _S)),  # stones of the price by the set of their kinds
        ("laurels", np.int8, (_C,)),  # laurel steps
        # abilities of coloured cards
        ("pay_form", np.int8, (_C,)),  # PAY_NOTHING ...
        ("pay", np.int8, (_C, _S)),  # PAY_STONES: stones of each kind, else 0
        ("pay_kinds", np.int8, (_C,)),  # PAY_CHOICE: set of kinds, else 0
        ("pay_count", np.int8, (_C,)),  # PAY_CHOICE: stones in all, else 0
        ("gain_form", np.int8, (_C,)),  # GAIN_NAMED ...
        ("gain", np.int8, (_C, len(names.GAINS))),  # GAIN_NAMED: of each of names.GAINS, else 0
        ("gain_kinds", np.int8, (_C,)),  # GAIN_CHOICE: set of kinds, else 0
        ("gain_count", np.int8, (_C,)),  # GAIN_CHOICE: stones in all, else 0
        ("per", np.int8, (_C,)),  # GAIN_NAMED of "have": a base type, PER_BUILDING, PER_STONE + stone; else ONCE
        ("repeat", np.int8, (_C,)),  # 1 with the printed X, builders included
        # abilities of builders, else 0
        ("use", np.int8, (_C,)),  # set of kinds that they take
        ("covers", np.int8, (_C,)),  # set of kinds of printed stones that those stand for ("for" in the file)
        ("digest", np.uint8, (32,)),  # SHA-256 of the canonical component data
    ]
)
