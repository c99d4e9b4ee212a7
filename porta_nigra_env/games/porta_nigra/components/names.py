"""The names used in component files, positions and actions.

State arrays and constants hold indices into these tuples.  Colours stand cheapest first, so a larger index is a dearer
colour.  Rulings R3 and R8 rest on that order; the loader checks the prices.
"""

from __future__ import annotations

from typing import Final

COLOURS: Final = ("black", "blue", "red", "yellow", "white")
BLACK, BLUE, RED, YELLOW, WHITE = range(5)

BUILDINGS: Final = ("basilica", "amphitheatre", "city_wall", "porta_nigra")
BASILICA, AMPHITHEATRE, CITY_WALL, PORTA_NIGRA = range(4)

#: Icons on action cards.  The first five buy their colour, so ``icon == colour`` for those.
ICONS: Final = (
    "buy_black", "buy_blue", "buy_red", "buy_yellow", "buy_white", "buy_any",
    "build", "influence", "torch", "coins_3", "coins_4", "coins_5",
)  # fmt: skip
BUY_ANY, BUILD_ICON, INFLUENCE_ICON, TORCH_ICON, COINS_3, COINS_4, COINS_5 = range(5, 12)
BUY_ICONS: Final = ICONS[:6]
TAKE_ICONS: Final = ICONS[INFLUENCE_ICON:]

#: Rows of building spots as (building, row letter, number of spots); spots are numbered through in this order.
ROWS: Final = (
    ("basilica", "A", 5), ("basilica", "B", 5),
    ("amphitheatre", "A", 5), ("amphitheatre", "B", 5), ("amphitheatre", "C", 5),
    ("city_wall", "A", 10),
    ("porta_nigra", "A", 9),
)  # fmt: skip
#: First spot of each row, and one past the last row.
ROW_STARTS: Final = tuple(sum(size for _, _, size in ROWS[:row]) for row in range(len(ROWS) + 1))
NUM_SPOTS: Final = 44
#: Spots with a printed number of bricks come first; the Porta Nigra's follow.
FIXED_SPOTS: Final = 35
PORTA_NIGRA_SPOTS: Final = 9
PORTA_NIGRA_ROW: Final = 6

#: Gains of rewards and honour cards, in the order of the gain vectors of the constants.  Bricks come last, by colour.
GAINS: Final = ("sesterces", "torches", "influence", "romans", "vp",
                "black_bricks", "blue_bricks", "red_bricks", "yellow_bricks", "white_bricks")  # fmt: skip
GAIN_SESTERCES, GAIN_TORCHES, GAIN_INFLUENCE, GAIN_ROMANS, GAIN_VP, GAIN_BRICKS = range(6)

PHASES: Final = ("place_builder", "choose_card", "main", "crown", "split_tens", "split_units", "appoint", "over")
PLACE_BUILDER, CHOOSE_CARD, MAIN, CROWN_PHASE, SPLIT_TENS, SPLIT_UNITS, APPOINT_PHASE, OVER = range(8)

MAX_PLAYERS: Final = 4
NUM_ACTION_CARDS: Final = 8
NUM_SUPPLY_CARDS: Final = 10
NUM_BUILDING_CARDS: Final = 20
NUM_HONOUR_CARDS: Final = 28

#: Heights of Porta Nigra elements that the action ids provide for; a component file may allow fewer.
LOWEST_HEIGHT: Final = 3
HIGHEST_HEIGHT: Final = 8
NUM_HEIGHTS: Final = HIGHEST_HEIGHT - LOWEST_HEIGHT + 1

#: Largest number of different values of final scoring cards in one component file.
MAX_FINAL_VALUES: Final = 4


def spot_name(spot: int) -> tuple[str, str, int]:
    """Return (building, row letter, number from 1) of a spot index.

    >>> spot_name(0), spot_name(34), spot_name(43)
    (('basilica', 'A', 1), ('city_wall', 'A', 10), ('porta_nigra', 'A', 9))
    """
    first = 0
    for building, row, size in ROWS:
        if spot < first + size:
            return building, row, spot - first + 1
        first += size
    raise IndexError(f"spot {spot} is not in 0..{NUM_SPOTS - 1}")
