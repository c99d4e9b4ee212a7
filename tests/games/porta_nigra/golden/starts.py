"""The starts of the golden games: random and eager players at every number of seats, other components."""

from __future__ import annotations

from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.lockstep import POLICIES
from tests.games.porta_nigra.rules.positions import OTHER
from tests.golden.games import starts

STARTS = starts(State, POLICIES, State.game_class.seats, ("eager_3_players_other_components_seed_3", 3, 3, OTHER))
