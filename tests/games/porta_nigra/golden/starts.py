"""Starts of the golden games: random and eager players at every number of seats, other components."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from porta_nigra_env.core.game import state
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.lockstep import POLICIES
from tests.golden.games import Start

OTHER = str(Path(__file__).parents[1] / "components" / "other.toml")


def _start(name: str, players: int, seed: int, components: str = "standard") -> tuple[str, Start]:
    def policy() -> Callable[[state.State], str]:
        rng = random.Random(name)
        choose = POLICIES[name.partition("_")[0]]
        return lambda position: choose(position.legal_actions(), rng)

    return name, Start(lambda: State.new(players, seed, components), policy)


#: Start by file name.
STARTS: dict[str, Start] = dict(
    [
        *(
            _start(f"{policy}_{players}_players_seed_{seed}", players, seed)
            for policy, seed in (("random", 1), ("eager", 2))
            for players in State.game_class.seats
        ),
        _start("eager_3_players_other_components_seed_3", 3, 3, OTHER),
    ]
)
