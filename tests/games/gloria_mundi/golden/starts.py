"""Starts of the golden games: several policies with 2, 4 and 6 seats, and other components."""

from __future__ import annotations

from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.policies import OTHER, POLICIES
from tests.golden.games import starts

STARTS = starts(
    State,
    POLICIES,
    (2, 4, 6),
    # It ends in Africa; random play at six seats with an empty hand, the others in Rome.
    ("raider_2_players_seed_6", 2, 6, "standard"),
    ("raider_4_players_seed_3", 4, 3, "standard"),
    ("raider_6_players_seed_3", 6, 3, "standard"),
    ("eager_3_players_other_components_seed_4", 3, 4, OTHER),
)
