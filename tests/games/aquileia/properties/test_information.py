"""Observations hide secrets, determinization redraws them, and totals from secret cards stay secret (A54)."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from porta_nigra_env import aquileia_v0
from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games.aquileia.game import Aquileia, State
from tests.games.aquileia.policies import eager_policy
from tests.games.aquileia.rules.positions import Table
from tests.games.determinizations import played

States = npt.NDArray[np.void]


def positions(players: int, every: int) -> Iterator[tuple[Aquileia, States]]:
    """Yield positions of an eager game at a fixed stride, its end included."""
    rng = random.Random(players)
    return played(State.new(players, seed=players), lambda legal: eager_policy(legal, rng), every)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_an_observation_distinguishes_views(players: int) -> None:
    """Equal observations have equal views, apart from the irrelevant past."""
    by_observation: dict[bytes, object] = {}
    for game, states in positions(players, 3 if COMPILED else 29):
        for player in range(players):
            view = View(game, states, 0, player)
            position = view.position()
            matters = {key: value for key, value in position.items() if key not in ("dice", "stadium")}
            seats = position.pop("players")
            turned = [seats[(player + place) % players] for place in range(players)]
            kept = (
                matters["phase"],
                matters["round"],
                turned,
                matters["equi"],
                matters["slaves"],
                matters["theatre"]["draw"],
            )
            assert by_observation.setdefault(view.observation.tobytes(), kept) == kept


def secret_laurel(kept: str) -> State:
    """Seats 0 and 1 have raced for a laurel; the others do not know who has it."""
    return Table(players=4).past("laurel_10", "white", 0, 1, kept).state()


def test_totals_rest_on_secret_cards_and_nothing_given_does_A54() -> None:
    """A54: two worlds with different totals, and everything that a player is given is equal."""
    first, second = secret_laurel("open"), secret_laurel("drawn")
    totals = [state.game.totals(state.states).tolist() for state in (first, second)]
    assert totals == [[10, 0, 0, 0], [0, 10, 0, 0]]
    views = [View(state.game, state.states, 0, 2) for state in (first, second)]
    assert views[0].observation.tobytes() == views[1].observation.tobytes()
    assert views[0].state.tobytes() == views[1].state.tobytes()
    assert views[0].position() == views[1].position()
    assert views[0].board() == views[1].board()
    points = np.zeros((2, 4), dtype=np.int32)
    for row, state in enumerate((first, second)):
        state.game.kernel.points(state.game.constants, state.states, 0, points[row])
    assert points[0].tolist() == points[1].tolist() == [0, 0, 0, 0]
    totals_seen = {tuple(first.game.totals(first.determinize(2, seed).states).tolist()) for seed in range(40)}
    assert totals_seen >= {(10, 0, 0, 0), (0, 10, 0, 0)}


@pytest.mark.parametrize("reward", ["outcome", "margin", "points"])
def test_rewards_of_a_running_game_tell_nothing_secret_A54(reward: str) -> None:
    """A54: the environment of two worlds gives the same step by step; "points" follows the marker."""
    steps = []
    for kept in ("open", "drawn"):
        env = aquileia_v0.raw_env(num_players=4, reward=reward)
        env.reset(seed=1)
        env.states[:] = secret_laurel(kept).states
        env.states["key"] = 5
        env.step(0)
        given = {agent: (env.rewards[agent], env.infos[agent]) for agent in env.agents}
        steps.append((repr(given), env.observe(env.possible_agents[2])["observation"].tobytes()))
    assert steps[0] == steps[1]
