"""The constants: a component file compiled into one numpy record, the first argument of every kernel function.

The kernel reads all numbers of the game from this record. Several component sets work side by side in one process, and
another set needs no recompilation.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from porta_nigra_env.games.aquileia.actions import KINDS_OF_ACTIONS
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.observation import NUM_PARTS

_K = len(names.KINDS)

#: Most groups of at least two alike spaces (A13).
MAX_ALIKE: Final = (names.MAX_ARENA_SPACES + 2 * names.MAX_SIDE_SPACES) // 2

_FIRST_IDS: Final = [
    field
    for kind in KINDS_OF_ACTIONS[1:]
    for field in (
        # play_slave: by slaves - 1; -1 for a card that the file lacks
        [("play_slave", np.int32, (names.MAX_SLAVES,)), ("play_equi_start", np.int32)]
        if kind.name == "play"
        else [(kind.first_id, np.int32)]
    )
]

#: Arrays hold the lists of the file from the front; the rest is 0 unless a comment says otherwise.
CONSTANTS: Final = np.dtype(
    [
        # sets as bit masks: bit s for space s, bit b for building b
        ("area_spaces", np.int64, (len(names.AREAS),)),  # spaces of each area
        ("alike", np.int64, (MAX_ALIKE,)),  # groups of at least two alike spaces (A13)
        ("coin_space", np.int64, (_K,)),  # the Portus space of each kind, 0 without one
        ("within", np.int64, (_K, names.MAX_COST + 1)),  # buildings by most coins of a kind
        ("within_slaves", np.int64, (names.MAX_COST + 1,)),  # buildings by most slaves
        ("villas", np.int64, (names.MAX_COLOURS,)),  # villas of each colour
        ("active", np.int64),  # workshops and money houses
        ("num_alike", np.int32),
        ("rounds", np.int32),
        ("followers_per_player", np.int32),
        ("houses_per_player", np.int32),
        ("dolus_red_dice", np.int32),
        ("contest_red_dice", np.int32),
        ("latro_red_dice", np.int32),
        ("blue_dice", np.int32),
        ("start", np.int32, (_K,)),  # stock of each player
        ("die", np.int32, (_K,)),  # sides of a die, by kind
        # spaces, in acting order
        ("num_spaces", np.int32),
        ("area_start", np.int32, (len(names.AREAS) + 1,)),  # first space of each area, and the end
        ("space_area", np.int32, (names.MAX_SPACES,)),  # index into names.AREAS, -1 behind the end
        ("space_strength", np.int32, (names.MAX_SPACES,)),  # arena, gold, silver
        ("space_coin", np.int32, (names.MAX_SPACES,)),  # servi: kind of the price; portus: kind of the coin; else -1
        ("space_most", np.int32, (names.MAX_SPACES,)),  # servi: most cards; forum: most buildings
        ("space_value", np.int32, (names.MAX_SPACES,)),  # forum: 1 if a building's value is scored at once
        # mercatus
        ("pecunia_vp", np.int32),
        ("equi_price", np.int32, (_K,)),
        ("num_exchanges", np.int32),
        ("exchange_give", np.int32, (names.MAX_EXCHANGES,)),  # kind
        ("exchange_give_coins", np.int32, (names.MAX_EXCHANGES,)),
        ("exchange_get", np.int32, (names.MAX_EXCHANGES,)),  # kind
        ("exchange_get_coins", np.int32, (names.MAX_EXCHANGES,)),
        # arena and stadium
        ("arena_coin", np.int32),  # kind of the prizes, which also counts on the dice
        ("arena_prizes", np.int32, (3,)),
        ("vp_per_strength", np.int32),
        ("stadium_prizes", np.int32, (3,)),
        # cards
        ("num_slave_cards", np.int32),
        ("slave_copies", np.int32, (names.MAX_SLAVES,)),  # by slaves - 1
        ("num_equi_cards", np.int32),
        ("num_equi_faces", np.int32),
        ("equi_copies", np.int32, (names.MAX_EQUI_FACES,)),
        ("equi_group", np.int32, (names.MAX_EQUI_FACES,)),  # index into names.EQUI_GROUPS, -1 behind the end
        ("equi_strength", np.int32, (names.MAX_EQUI_FACES,)),
        ("num_colours", np.int32),
        ("num_stadium_faces", np.int32),  # colours, then laurels
        ("stadium_copies", np.int32, (names.MAX_STADIUM_CARDS,)),
        ("laurel_vp", np.int32, (names.MAX_STADIUM_CARDS,)),  # by stadium card type, 0 for colours
        ("num_theatre_cards", np.int32),
        ("theatre_copies", np.int32, (names.MAX_THEATRE_CARDS,)),  # 1 for each card
        ("theatre_colours", np.int32, (names.MAX_THEATRE_CARDS, 2)),  # -1 behind the end
        # buildings
        ("num_buildings", np.int32),
        ("building_kind", np.int32, (names.MAX_BUILDINGS,)),  # index into names.BUILDING_KINDS, -1 behind the end
        ("building_colour", np.int32, (names.MAX_BUILDINGS,)),  # of a villa, else -1
        ("building_value", np.int32, (names.MAX_BUILDINGS,)),
        ("building_cost", np.int32, (names.MAX_BUILDINGS, _K)),  # coins
        ("building_slaves", np.int32, (names.MAX_BUILDINGS,)),
        ("building_vp", np.int32, (names.MAX_BUILDINGS,)),  # of a workshop, each activation
        ("building_pays", np.int32, (names.MAX_BUILDINGS, _K)),  # of a money house, each activation
        # first action ids, see `actions`
        ("num_buys", np.int32),
        *_FIRST_IDS,
        ("at", np.int32, (NUM_PARTS,)),  # offsets in the privileged vector (`observation.PART`)
        ("digest", np.uint8, (32,)),  # SHA-256 of the canonical component data
    ]
)
