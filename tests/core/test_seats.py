"""Seats relative to an observer."""

from __future__ import annotations

import numpy as np
import pytest

from porta_nigra_env.core.arrays.seats import seen_at


@pytest.mark.parametrize("players", [2, 5])
def test_an_observer_is_first_and_the_others_follow_in_turn_order(players: int) -> None:
    for player in range(players):
        for further in range(players):
            seat = np.int8((player + further) % players)
            assert seen_at(seat, player, players) == further
