"""The starts of the golden games: random and eager players at every number of seats, other components."""

from __future__ import annotations

from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.policies import POLICIES
from tests.games.aquileia.rules.positions import OTHER
from tests.golden.games import starts

STARTS = starts(State, POLICIES, State.game_class.seats, ("eager_4_players_other_components_seed_3", 4, 3, OTHER))
