"""Environments with several component sets, and with component numbers in observations."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from pettingzoo.test import api_test

from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.batch_options import Settings
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.toys.nim.game import Nim

SETS = ("standard", "varied:1", "varied:2")


def play(env: BatchEnv, steps: int = 60, seed: int = 3) -> list[npt.NDArray[Any]]:
    """Play random steps; return copies of observations, rewards and states."""
    env.reset(seed=seed)
    for _ in range(steps):
        env.step(env.random_actions())
    return [array.copy() for array in (env.observations, env.rewards, env.states, env.action_masks)]


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_of_several_sets_play_as_batches_of_one(threads: int) -> None:
    mixed = porta_nigra_v0.batch_env(9, 3, components=SETS, threads=threads)
    shown = play(mixed)
    for number, name in enumerate(SETS):
        rows = slice(3 * number, 3 * number + 3)
        alone = play(porta_nigra_v0.batch_env(3, 3, components=name), seed=3 + 3 * number)
        for whole, part in zip(shown, alone, strict=True):
            assert whole[rows].tobytes() == part.tobytes()
        assert mixed.game_of(rows.start) == PortaNigra(3, name)
        assert mixed.board(rows.start) == PortaNigra(3, name).board(mixed.states[rows.start : rows.start + 1])
    privileged = mixed.privileged()
    assert privileged[:, : mixed.game.observations.size].any(axis=1).all()


@pytest.mark.parametrize("observations", ["float32", "float16", "uint8"])
@pytest.mark.parametrize("double_buffer", [False, True])
def test_numbers_follow_the_observation(observations: str, double_buffer: bool) -> None:
    options: dict[str, Any] = {"observations": observations, "double_buffer": double_buffer, "components": SETS}
    plain = play(porta_nigra_v0.batch_env(6, 2, **options))[0]
    env = porta_nigra_v0.batch_env(6, 2, observe_components=True, **options)
    wide = play(env)[0]
    size = env.game.observations.size
    assert np.array_equal(wide[:, :size], plain)
    for row in range(6):
        numbers = env.game_of(row).component_numbers()
        assert numbers is not None
        wanted = numbers.raw if observations == "uint8" else numbers.vector.astype(observations)
        assert np.array_equal(wide[row, size:], wanted)
    assert not np.array_equal(wide[0, size:], wide[5, size:])


def test_final_observations_have_the_numbers() -> None:
    options: dict[str, Any] = {"seat": 0, "components": SETS[1:]}
    envs = [porta_nigra_v0.batch_env(4, 2, observe_components=wide, **options) for wide in (True, False)]
    for env in envs:
        play(env, 300)
    size = envs[0].game.observations.size
    assert envs[1].final_observations.any(axis=1).all()
    assert np.array_equal(envs[0].final_observations[:, :size], envs[1].final_observations)
    assert np.array_equal(envs[0].final_observations[:, size:], envs[0].observations[:, size:])


def test_single_games_show_the_numbers() -> None:
    numbers = PortaNigra(2, "varied:4").component_numbers()
    assert numbers is not None
    env = porta_nigra_v0.raw_env(2, "varied:4", observe_components=True)
    env.reset(seed=1)
    agent = env.agent_selection
    observation = env.observe(agent)["observation"]
    assert np.array_equal(observation[-numbers.layout.size :], numbers.vector)
    assert env.observation_space(agent).contains(env.observe(agent))
    seat = gymnasium.make("PortaNigra-v0", components="varied:4", observe_components=True)
    first, _ = seat.reset(seed=1)
    assert seat.observation_space.contains(first)
    assert np.array_equal(first[-numbers.layout.size :], numbers.vector)
    vector = porta_nigra_v0.vector_env(2, components="varied:4", observe_components=True)
    both, _ = vector.reset(seed=1)
    assert vector.observation_space.contains(both)
    assert np.array_equal(both[0], first)
    api_test(porta_nigra_v0.env(2, "varied:4", observe_components=True, mask_in="info"), num_cycles=20)


def test_snapshots_keep_the_sets() -> None:
    env = porta_nigra_v0.batch_env(4, 2, components=SETS[1:])
    play(env)
    data, states = env.snapshot(), env.states.copy()
    play(env, seed=9)
    env.restore(data)
    assert env.states.tobytes() == states.tobytes()
    with pytest.raises(ValueError, match="tables is"):
        porta_nigra_v0.batch_env(4, 2, components=SETS[:2]).restore(data)


def test_refusals_name_the_option() -> None:
    with pytest.raises(ValueError, match="components: 2 games cannot share 3 component sets"):
        porta_nigra_v0.batch_env(2, components=SETS)
    with pytest.raises(ValueError, match="observe_components: nim has no component numbers"):
        BatchEnv(Nim(), 2, observe_components=True)
    with pytest.raises(ValueError, match="other actions or observations"):
        BatchEnv([PortaNigra(2), PortaNigra(3)], 2)
    with pytest.raises(ValueError, match="varied:x: 'x' is no seed"):
        PortaNigra(2, "varied:x")
    for options in ({"game": PortaNigra(2), "observe_components": True}, {"game": [PortaNigra(2), PortaNigra(2)]}):
        with pytest.raises(ValueError, match="a batch on a GPU has one component set and does not show it"):
            Settings(num_envs=2, compiled=True, **options)
    with pytest.raises(ValueError, match="not a compiled policy"):
        porta_nigra_v0.batch_env(3, components=SETS, seat=0, opponents=lambda view: view.legal_ids()[0])
    env = porta_nigra_v0.batch_env(3, components=SETS)
    env.reset(seed=1)
    for refused in (env.views, lambda: env.load(env.states), lambda: env.snapshot([0])):
        with pytest.raises(ValueError, match="several component sets"):
            refused()
