"""The compiled form of a component file: one numpy record, the first argument of every kernel function.

All numbers of the game reach compiled code through this record.  One process can therefore hold several component sets
without compiling again.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    COLOURS,
    GAINS,
    HIGHEST_HEIGHT,
    ICONS,
    MAX_FINAL_VALUES,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_HEIGHTS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
    ROWS,
)

_C, _B, _P = len(COLOURS), len(BUILDINGS), MAX_PLAYERS + 1

#: Arrays indexed by number of players have MAX_PLAYERS + 1 entries; 0 and 1 are unused.  Sets of spots are bit masks:
#: bit s for fixed spot s, and for the Porta Nigra bit (height - LOWEST_HEIGHT) * PORTA_NIGRA_SPOTS + spot.
TABLES: Final = np.dtype(
    [
        # bit masks of spots
        ("fixed_spots_within", np.int64, (_C, HIGHEST_HEIGHT + 1)),  # fixed spots of a colour needing at most k bricks
        ("porta_nigra_within", np.int64, (_C, HIGHEST_HEIGHT + 1)),  # (height, spot) pairs of a colour, height <= k
        ("fixed_spots_of", np.int64, (_B,)),  # fixed spots of a building (none for the Porta Nigra)
        # money and amounts, in sesterces unless stated otherwise
        ("brick_price", np.int32, (_C,)),  # price and value of a brick, strictly rising
        ("way_to_shop", np.int32, (_B, _C)),  # cost of moving from a building's quarter to a shop; white 0 (R16)
        ("way_to_building", np.int32, (_B, _B)),  # cost of moving between quarters, clockwise
        ("quarter_of_shop", np.int32, (_C,)),  # building next to a shop, -1 for white
        ("bricks_total", np.int32),
        ("romans_per_player", np.int32),
        ("start_romans", np.int32),
        ("start_sesterces", np.int32),
        ("start_torches", np.int32),
        ("hand_size", np.int32),
        ("market_refill_below", np.int32),
        ("market_refill_to", np.int32),
        ("building_display", np.int32),
        ("honour_display", np.int32),
        ("influence_cost_roman", np.int32),
        ("influence_cost_build", np.int32),
        ("torch_to_sesterces", np.int32),
        ("reward_every_bricks", np.int32),
        ("porta_nigra_min_height", np.int32),
        ("porta_nigra_max_height", np.int32),
        ("early_end_bonus_vp", np.int32),
        ("rounds", np.int32, (_P,)),
        ("interim_multiplier", np.int32, (_P,)),
        # scoring, victory points
        ("set_vp", np.int32, (_B + 1,)),  # by number of different buildings in a set
        ("vp_per_roman", np.int32),
        ("vp_per_influence", np.int32),
        ("vp_per_torch", np.int32),
        ("vp_per_brick", np.int32),
        ("sesterces_per_vp", np.int32),
        ("row_majority", np.int32, (len(ROWS), 2)),  # first and second rank; zeros for the Porta Nigra's row
        ("height_majority", np.int32, (NUM_HEIGHTS, 2)),  # Porta Nigra, by height - LOWEST_HEIGHT
        # board
        ("rewards", np.int32, (_B, len(GAINS))),
        ("row_gives_card", np.int32, (len(ROWS),)),  # 0 where no building card is given (R22)
        ("spot_colour", np.int32, (NUM_SPOTS,)),
        ("spot_bricks", np.int32, (NUM_SPOTS,)),  # 0 in the Porta Nigra: the builder chooses
        ("spot_vp", np.int32, (NUM_SPOTS,)),  # 0 in the Porta Nigra: bricks x price
        ("spot_building", np.int32, (NUM_SPOTS,)),
        ("spot_row", np.int32, (NUM_SPOTS,)),  # index into names.ROWS
        # cards
        ("supply_shops", np.int32, (NUM_SUPPLY_CARDS, _C)),  # bricks a supply card brings to each shop
        ("card_torches", np.int32, (NUM_ACTION_CARDS,)),
        ("card_icons", np.int32, (NUM_ACTION_CARDS, len(ICONS))),  # count of an icon on a card
        ("card_players", np.int32, (NUM_ACTION_CARDS,)),  # largest number of players a card is used with
        ("num_honours", np.int32),  # kinds of honour cards
        ("honour_copies", np.int32, (NUM_HONOUR_CARDS,)),
        ("honour_cost", np.int32, (NUM_HONOUR_CARDS,)),  # influence tokens
        ("honour_discard_buildings", np.int32, (NUM_HONOUR_CARDS,)),  # 1 where one of each building is discarded (R25)
        ("honour_discard_final", np.int32, (NUM_HONOUR_CARDS,)),  # index into final_vp, -1 for none
        ("honour_final", np.int32, (NUM_HONOUR_CARDS,)),  # index into final_vp of the card gained, -1 for none
        ("honour_substitute", np.int32, (NUM_HONOUR_CARDS,)),  # building, -1 for none
        ("honour_crown", np.int32, (NUM_HONOUR_CARDS,)),  # 1 where a brick crowns a Porta Nigra element (R26)
        ("honour_gains", np.int32, (NUM_HONOUR_CARDS, len(GAINS))),
        ("num_finals", np.int32),
        ("final_vp", np.int32, (MAX_FINAL_VALUES,)),  # ascending values of final scoring cards
        # ids that depend on the component set
        ("tens_start", np.int32),  # first action id of `tens`
        ("digest", np.uint8, (32,)),  # SHA-256 of the canonical component data
    ]
)
