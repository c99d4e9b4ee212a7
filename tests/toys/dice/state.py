"""The state record, the actions and the observations."""

from __future__ import annotations

from typing import Final

import numpy as np

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout

MAX_PLAYERS: Final = 6
ROUNDS, COINS, HIGHEST_BID, THROWS, SIDES, MOST = 3, 6, 3, 3, 6, 10

STATE: Final = np.dtype(
    [
        ("key", np.int64, (2,)),
        ("counters", np.int32, (3,)),  # by stream
        ("num_players", np.int8),
        ("current_player", np.int8),  # -1 when over
        ("round", np.int8),  # 1 to ROUNDS
        ("pot", np.int8),  # 0 when over
        ("coins", np.int8, (MAX_PLAYERS,)),
        ("pot_points", np.int8, (MAX_PLAYERS,)),
        ("cup_points", np.int8, (MAX_PLAYERS,)),
        ("bids", np.int8, (MAX_PLAYERS,)),  # -1 if not made, or unknown in a redacted state
        ("cup", np.int8, (MAX_PLAYERS,)),  # 0 when over, or unknown in a redacted state
        ("thrown", np.int8, (MAX_PLAYERS, THROWS)),  # beside the cup, 0 if not thrown
    ]
)

ACTIONS: Final = (*(f"bid {coins}" for coins in range(HIGHEST_BID + 1)), "throw", "stop")
ACTION_LAYOUT: Final = Layout(
    [FieldSpec("bid", (HIGHEST_BID + 1,), "coins in the fist"), FieldSpec("turn", (2,), "throw a die, or stop")]
)
THROW_ID: Final = ACTION_LAYOUT["turn"].start
STOP_ID: Final = THROW_ID + 1

OBSERVATION: Final = Layout(
    [
        FieldSpec("players", (MAX_PLAYERS - 1,), "one-hot: number of players - 2"),
        FieldSpec("seat", (MAX_PLAYERS,), "one-hot: the observer's"),
        FieldSpec("turn", (MAX_PLAYERS,), "one-hot: current player, counted from the observer on"),
        FieldSpec("bidding", (1,), "1 during the bids"),
        FieldSpec("round", (1,), "number of the round", scale=ROUNDS),
        FieldSpec("pot", (1,), "eyes of its die", scale=SIDES),
        FieldSpec("cup", (1,), "eyes of the observer's die", scale=SIDES),
        FieldSpec("coins", (MAX_PLAYERS,), "by seat from the observer on", scale=COINS),
        FieldSpec("points", (MAX_PLAYERS,), "the same", scale=ROUNDS * (SIDES + MOST)),
        FieldSpec("bids", (MAX_PLAYERS,), "the same; one more than the bid, 0 where unknown", scale=HIGHEST_BID + 1),
        FieldSpec("thrown", (MAX_PLAYERS, THROWS), "the same: eyes of the dice beside the cup", scale=SIDES),
    ]
)
PRIVILEGED: Final = Layout(
    [
        *(field.spec for field in OBSERVATION),
        FieldSpec("all_cups", (MAX_PLAYERS,), "eyes by seat", scale=SIDES),
        FieldSpec("all_bids", (MAX_PLAYERS,), "one more than the bid, by seat", scale=HIGHEST_BID + 1),
    ]
)
