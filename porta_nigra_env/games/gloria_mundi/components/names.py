"""The vocabulary of Gloria Mundi: the names that component files, positions and actions are written in.

Indices into these tuples are what state arrays and tables hold.  Building cards have the names of the component file,
in its order.
"""

from __future__ import annotations

from typing import Final

#: Stones, in the order of everything that counts them; the first three are the basic ones.
STONES: Final = ("food", "gold", "peace", "glory")
FOOD, GOLD, PEACE_STONE, GLORY = range(4)
NUM_BASIC: Final = 3
BASIC: Final = STONES[:NUM_BASIC]
#: What an ability can bring: stones, and steps on the escape track.
GAINS: Final = (*STONES, "steps")
STEPS: Final = 4

#: Types of base cards and symbols of provinces; each produces, and demands as tribute, the basic stone of its index.
BASES: Final = ("farm", "city", "peace")
FARM, CITY, PEACE = range(3)
#: The letter of each as a province's symbol.
LETTERS: Final = ("F", "C", "P")

#: Types of building cards: the coloured ones by the base they lie on, then the red ones.
TYPES: Final = (*BASES, "builder", "wall")
BUILDER, WALL = 3, 4

#: Kinds of abilities as files call them.
KINDS: Final = ("produce", "give", "have", "fulfil", "replace", "wall")

PHASES: Final = (
    "play", "exclusive", "activate", "repeat", "give", "discard", "take", "buy", "place", "pay", "goth", "pay_tribute",
    "lose", "reclaim", "over",
)  # fmt: skip
(
    PLAY, EXCLUSIVE, ACTIVATE, REPEAT, GIVE, DISCARD, TAKE, BUY, PLACE, PAY, GOTH, PAY_TRIBUTE, LOSE, RECLAIM, OVER,
) = range(15)  # fmt: skip

#: What ends a game (G39).
ENDS: Final = ("rome", "hand", "africa", "deck")
ROME, HAND, AFRICA, DECK = range(4)

#: The numbers of players there may be.
SEATS: Final = (2, 3, 4, 5, 6)
MAX_PLAYERS: Final = 6

# How much of everything a component file may have: arrays of states and tables have room for so much.
NUM_CARDS: Final = 57
NUM_PLACES: Final = 6
MAX_PROVINCES: Final = 60
#: Spaces of the Goth's track: his start, the provinces, Rome.
MAX_SPACES: Final = MAX_PROVINCES + 2
#: Symbols of a province, and so the stones of a tribute.
MAX_SYMBOLS: Final = 3
MAX_STEPS: Final = 99
#: Base cards of a type that a player is dealt, and stones and base cards at the start.
MAX_DEALT: Final = 99
MAX_START: Final = 99
#: An extra, the stones of a kind in a price, laurel steps, and a count in an ability.
MAX_EXTRA: Final = 9
MAX_PRICE: Final = 9
MAX_LAUREL: Final = 9
MAX_COUNT: Final = 9
#: Stones of a price and the largest extra together; amounts of a payment run from 0 to this.
MAX_DUE: Final = 15
