"""Starts of the golden games: several policies with 2, 4 and 6 seats, and other components."""

from __future__ import annotations

import random
from collections.abc import Callable

from porta_nigra_env.core.game import state
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.policies import OTHER, POLICIES
from tests.golden.games import Start


def _start(name: str, players: int, seed: int, components: str = "standard") -> tuple[str, Start]:
    def policy() -> Callable[[state.State], str]:
        rng = random.Random(name)
        choose = POLICIES[name.partition("_")[0]]
        return lambda position: choose(position.legal_actions(), rng)

    return name, Start(lambda: State.new(players, seed, components), policy)


#: Start and policy of the game, by file name.
STARTS: dict[str, Start] = dict(
    [
        *(
            _start(f"{policy}_{players}_players_seed_{seed}", players, seed)
            for policy, seed in (("random", 1), ("eager", 2))
            for players in (2, 4, 6)
        ),
        # It ends in Africa; random play at six seats with an empty hand, the others in Rome.
        _start("raider_2_players_seed_6", 2, 6),
        _start("raider_4_players_seed_3", 4, 3),
        _start("raider_6_players_seed_3", 6, 3),
        _start("eager_3_players_other_components_seed_4", 3, 4, OTHER),
    ]
)
