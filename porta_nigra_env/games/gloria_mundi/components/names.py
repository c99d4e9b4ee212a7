"""Names of Gloria Mundi in component files, positions and actions.

States and constants hold indices into these tuples.  Building cards have the names and the order of the component file.
"""

from __future__ import annotations

from typing import Final

#: Stones; the first three are the basic ones.
STONES: Final = ("food", "gold", "peace", "glory")
FOOD, GOLD, PEACE_STONE, GLORY = range(4)
NUM_BASIC: Final = 3
BASIC: Final = STONES[:NUM_BASIC]
#: Gains of an ability: stones, and steps on the escape track.
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

#: Kinds of abilities.
KINDS: Final = ("produce", "give", "have", "fulfil", "replace", "wall")

PHASES: Final = (
    "play", "exclusive", "activate", "repeat", "give", "discard", "take", "buy", "place", "pay", "goth", "pay_tribute",
    "lose", "reclaim", "over",
)  # fmt: skip
(
    PLAY, EXCLUSIVE, ACTIVATE, REPEAT, GIVE, DISCARD, TAKE, BUY, PLACE, PAY, GOTH, PAY_TRIBUTE, LOSE, RECLAIM, OVER,
) = range(15)  # fmt: skip

#: Ends of a game (G39).
ENDS: Final = ("rome", "hand", "africa", "deck")
ROME, HAND, AFRICA, DECK = range(4)

#: Numbers of players.
SEATS: Final = (2, 3, 4, 5, 6)
MAX_PLAYERS: Final = 6

# Limits of component files, and sizes of the arrays of states and constants.
NUM_CARDS: Final = 57
NUM_PLACES: Final = 6
MAX_PROVINCES: Final = 60
#: Spaces of the Goth's track: start, provinces, Rome.
MAX_SPACES: Final = MAX_PROVINCES + 2
#: Symbols of a province, and stones of a tribute.
MAX_SYMBOLS: Final = 3
MAX_STEPS: Final = 99
#: Base cards of a type dealt to a player; stones and base cards at the start.
MAX_DEALT: Final = 99
MAX_START: Final = 99
#: An extra, the stones of a kind in a price, laurel steps, and a count in an ability.
MAX_EXTRA: Final = 9
MAX_PRICE: Final = 9
MAX_LAUREL: Final = 9
MAX_COUNT: Final = 9
#: Stones of a price and the largest extra together; amounts of a payment run from 0 to this.
MAX_DUE: Final = 15
