"""The state of one game as a flat record.

A batch of games is a 1-D array of `STATE`; a single game is a batch of one.  A record holds no references: equality,
hash and file format are those of its bytes.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    COLOURS,
    ICONS,
    MAX_FINAL_VALUES,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_BUILDING_CARDS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
)

#: Version of the environment: raised whenever rules, observations or action ids change.
VERSION: Final = 0

_P, _C, _B = MAX_PLAYERS, len(COLOURS), len(BUILDINGS)

#: Random streams of a game (`core.arrays.rng`): the supply pile, one deck per seat, and the setup.
SUPPLY_STREAM: Final = 0
DECK_STREAM: Final = 1
SETUP_STREAM: Final = 5
NUM_STREAMS: Final = 6

#: Purposes of seeds (`core.arrays.rng.seed_key`): one seed gives unrelated numbers to each purpose.
GAME_PURPOSE: Final = 1
DETERMINIZE_PURPOSE: Final = 2

#: Largest number of sesterces, torch tokens, influence tokens and victory points a position may give a player.
LARGEST_AMOUNT: Final = 9_999

# Fields are ordered by width, so there is no padding.  Indices are those of components.names; -1 means "none" or
# "empty".
#
# A pile array holds two lists.  The open list grows from the front.  The draw pile lies at the end, next card first.
# The cells between are -1.  An opened card therefore never meets the draw pile:
#
#     supply_cards   [discard ........ | ...... draw]      (no gap: all ten are always in one of the two)
#     honour_cards   [display ... | -1 -1 | ... draw]
#     action_cards   [discard ... | -1 -1 | ... draw]      (the gap is the hand and the card in play)
STATE: Final = np.dtype(
    [
        ("key", np.int64, (2,)),  # random key, 32 bits each; zeros in a redacted state
        ("occupied", np.int64),  # bit s: spot s holds an element
        ("counters", np.int32, (NUM_STREAMS,)),  # numbers taken from each random stream
        ("sesterces", np.int32, (_P,)),
        ("vp", np.int32, (_P,)),  # on the marker, without the final scoring
        ("torches", np.int32, (_P,)),  # torch tokens
        ("influence", np.int32, (_P,)),
        ("hand", np.int16, (_P,)),  # bit k: action card k is in hand; 0 where unknown in a redacted state
        ("num_players", np.int8),
        ("phase", np.int8),
        ("current_player", np.int8),  # seat to act; -1 when over
        ("round", np.int8),  # from 1
        ("starting_player", np.int8),
        ("youngest_first", np.int8, (_P,)),  # seats by age (R6), -1 beyond num_players
        ("reserve", np.int8),  # bricks
        ("market", np.int8, (_C,)),
        ("supply_cards", np.int8, (NUM_SUPPLY_CARDS,)),  # pile array of discard and draw
        ("num_supply_draw", np.int8),
        ("building_cards", np.int8, (NUM_BUILDING_CARDS,)),  # pile array; a card is building * 5 + colour
        ("num_building_display", np.int8),
        ("num_building_draw", np.int8),
        ("honour_cards", np.int8, (NUM_HONOUR_CARDS,)),  # pile array; a card is its kind
        ("num_honour_display", np.int8),
        ("num_honour_draw", np.int8),
        ("spot_owner", np.int8, (NUM_SPOTS,)),
        ("spot_height", np.int8, (NUM_SPOTS,)),  # bricks in the element, 0 when empty
        ("romans", np.int8, (_P,)),  # in the play area
        ("romans_reserve", np.int8, (_P,)),
        ("bricks", np.int8, (_P, _C)),  # personal supply
        ("quarter", np.int8, (_P,)),  # building next to the master builder, -1 before it is placed
        ("num_hand", np.int8, (_P,)),
        ("action_cards", np.int8, (_P, NUM_ACTION_CARDS)),  # pile array of discard and draw
        ("num_action_discard", np.int8, (_P,)),
        ("num_action_draw", np.int8, (_P,)),
        ("buildings_owned", np.int8, (_P, _B)),  # building cards, substitutes included (R25)
        ("finals_owned", np.int8, (_P, MAX_FINAL_VALUES)),  # final scoring cards by index into final_vp
        ("built", np.int8, (_P, _B)),  # bricks a player has in a building
        ("card_in_play", np.int8),
        ("icons_left", np.int8, (len(ICONS),)),
        ("markers_left", np.int8),
        ("honour_bought", np.int8),
        ("early_player", np.int8),  # seat that triggered the early end (R29), -1 before
        ("final_turns", np.int8, (_P,)),  # seats that still have a final turn, next first
        ("num_final_turns", np.int8),
        ("split_tens", np.int8),  # chosen tens between split_tens and split_units, else -1
    ]
)
