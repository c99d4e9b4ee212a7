"""Gymnasium's vector environment: one learner's seat in many games."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

import porta_nigra_env  # noqa: F401  # registers the environment
from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch_inputs import check_autoreset
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.vector import SeatVectorEnv
from porta_nigra_env.games.porta_nigra.game import State
from tests.envs.probes import LOWEST, WATCHFUL, LowestAgent
from tests.envs.recorded import game_of


def lowest(view: View) -> int:
    """`LOWEST` for `SeatEnv`."""
    return int(view.action_mask.argmax())


def choices(masks: Any, rng: np.random.Generator) -> Any:
    """A random legal action for each row of masks; 0 without one."""
    return np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


@pytest.mark.parametrize(
    ("name", "mode", "options"),
    [
        ("two", "same_step", {"seat": 0}),
        ("kuhn", "next_step", {"opponents": WATCHFUL, "reward": "points", "mask_in": "observation"}),
        ("three", "same_step", {"seat": "rotate", "opponents": ["random", LOWEST], "reward": "points"}),
        ("three", "next_step", {"seat": 2, "opponents": {0: LowestAgent(), 1: None}, "reward": "margin"}),
        ("four", "same_step", {"mask_in": "observation", "mask_dtype": "bool"}),
        ("other-three", "next_step", {"seat": "rotate", "opponents": lowest, "reward": "points", "mask_dtype": "bool"}),
        ("kuhn", "same_step", {"seat": 1, "opponents": LOWEST, "reward": "points"}),
    ],
)
def test_it_equals_gymnasiums_vector_of_seat_envs(name: str, mode: str, options: dict[str, Any]) -> None:
    """It equals a `SyncVectorEnv` of `SeatEnv` for all options, in later games too."""
    game, autoreset = game_of(name), check_autoreset(mode)
    vector = SeatVectorEnv(game, 4, autoreset_mode=mode, **options)
    single = SyncVectorEnv([lambda: SeatEnv(game, **options) for _ in range(4)], autoreset_mode=autoreset)
    for space in ("single_observation_space", "observation_space", "action_space"):
        assert getattr(vector, space) == getattr(single, space)
    results: list[Any] = [env.reset(seed=20) for env in (vector, single)]
    rng, games, shared = np.random.default_rng(1), np.zeros(4), ("seat", "scores", "places")
    while games.min() < 2:
        (seen, *_, info), (expected, *_, expected_info) = results
        np.testing.assert_equal(seen, expected)
        keys = [key for key in ("action_mask", *shared) if key in expected_info]
        np.testing.assert_equal([info[key] for key in keys], [expected_info[key] for key in keys])
        actions = choices(vector.action_masks(), rng)
        results = [env.step(actions) for env in (vector, single)]
        (_, gained, ended, cut, info), (_, wanted, expected_ended, _, expected_info) = results
        assert gained.tolist() == wanted.astype(np.float32).tolist()
        assert np.array_equal(ended, expected_ended)
        assert not cut.any()
        assert ("final_info" in info) == ("final_info" in expected_info)
        for row in np.flatnonzero(ended) if mode == "same_step" else []:
            np.testing.assert_equal(info["final_obs"][row], expected_info["final_obs"][row])
            for key in shared:
                np.testing.assert_equal(info["final_info"][key][row], expected_info["final_info"][key][row])
            assert not info["final_info"]["illegal_action"][row]
        games += ended


def test_without_copies_arrays_last_for_one_step() -> None:
    env = porta_nigra_v0.vector_env(3, seat=0, copy=False)
    other = porta_nigra_v0.vector_env(3, seat=0)
    seen, _ = env.reset(seed=1)
    other.reset(seed=1)
    rng = np.random.default_rng(2)
    for _ in range(100):
        kept = seen.copy()
        actions = choices(env.action_masks(), rng)
        after = env.step(actions)[0]
        assert np.array_equal(seen, kept)
        assert np.array_equal(after, other.step(actions)[0])
        seen = after


def test_infos_belong_to_the_caller() -> None:
    env, other = (porta_nigra_v0.vector_env(3, seat=0) for _ in range(2))
    _, info = env.reset(seed=1)
    other.reset(seed=1)
    for _ in range(3):
        actions = info["action_mask"].argmax(axis=1)
        for array in info.values():
            array[:] = 1
        info = env.step(actions)[4]
        np.testing.assert_equal(info, other.step(actions)[4])


def test_an_illegal_action_ends_its_episode_or_is_refused() -> None:
    env = porta_nigra_v0.vector_env(3, seat="rotate", reward="points", autoreset_mode="same_step")
    _, info = env.reset(seed=5)
    rng = np.random.default_rng(2)
    actions = choices(info["action_mask"], rng)
    actions[1] = int(np.argmin(info["action_mask"][1]))
    _, gained, ended, _, after = env.step(actions)
    assert ended.tolist() == [False, True, False]
    assert gained.tolist() == [0, -1, 0]
    assert after["final_info"]["illegal_action"].tolist() == [False, True, False]
    strict = porta_nigra_v0.vector_env(3, seat="rotate", illegal_action="raise")
    strict.reset(seed=5)
    with pytest.raises(IllegalActionError, match="row 1"):
        strict.step(actions)


def test_unmasked_sampling_does_not_break_it() -> None:
    env = gymnasium.make_vec("PortaNigra-v0", num_envs=16)
    env.reset(seed=1)
    env.action_space.seed(1)
    illegal = 0
    for _ in range(30):
        illegal += int(env.step(env.action_space.sample())[2].sum())
    assert illegal > 200


def test_seeds_masks_and_positions_of_reset() -> None:
    env = porta_nigra_v0.vector_env(3, seat=0)
    first, _ = env.reset(seed=[4, 5, 6])
    second, _ = env.reset(seed=4)
    assert np.array_equal(first, second)
    third, _ = env.reset(seed=[None, None, None])
    assert not np.array_equal(second, third)
    position = State.new(2, 9)
    seen, _ = env.reset(options={"position": position, "reset_mask": np.array([False, True, False])})
    assert np.array_equal(seen[[0, 2]], third[[0, 2]])
    if position.current_player == 0:
        assert np.array_equal(seen[1], position.observation(0))
    with pytest.raises(ValueError, match="unknown option 'seat'"):
        env.reset(options={"seat": 1})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seat": "every"}, "seat must be 'rotate', 'random' or a seat"),
        ({"seat": 2}, "seat"),
        ({"render_mode": "video"}, "render_mode"),
        ({"num_envs": 0}, "num_envs"),
        ({"opponents": "nobody"}, "there is no player 'nobody'"),
        ({"illegal_action": "ignore"}, "illegal_action"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SeatVectorEnv(game_of("two"), **{"num_envs": 2, **options})
