"""Gymnasium's vector environment: one learner's seat in many games."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import porta_nigra_env  # noqa: F401  # registers the environment
from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.vector import SeatVectorEnv
from porta_nigra_env.games.porta_nigra.game import State
from tests.envs.probes import LOWEST, WATCHFUL, LowestAgent
from tests.envs.recorded import game_of


def lowest(view: View) -> int:
    """`LOWEST` for `SeatEnv`."""
    return int(view.action_mask.argmax())


def choices(masks: Any, rng: np.random.Generator) -> Any:
    """A random legal action for each row of masks."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize(
    ("name", "seat", "opponents", "reward"),
    [
        ("two", 0, "random", "outcome"),
        ("kuhn", "random", WATCHFUL, "points"),
        ("three", "rotate", ["random", LOWEST], "points"),
        ("three", 2, {0: LowestAgent(), 1: None}, "margin"),
        ("four", "random", None, "outcome"),
        ("other-three", "rotate", lowest, "points"),
        ("kuhn", "random", "random", "outcome"),
        ("kuhn", 1, LOWEST, "points"),
    ],
)
def test_it_equals_gymnasiums_vector_of_seat_envs(name: str, seat: Any, opponents: Any, reward: str) -> None:
    """It equals a `SyncVectorEnv` of `SeatEnv` for all opponents, in later games too."""
    game = game_of(name)
    vector = SeatVectorEnv(game, 4, seat=seat, opponents=opponents, reward=reward)
    single = SyncVectorEnv(
        [lambda: SeatEnv(game, seat, opponents, reward) for _ in range(4)], autoreset_mode=AutoresetMode.SAME_STEP
    )
    assert vector.single_observation_space == single.single_observation_space
    assert vector.observation_space == single.observation_space
    assert vector.action_space == single.action_space
    seen, info = vector.reset(seed=20)
    expected, expected_info = single.reset(seed=20)
    rng = np.random.default_rng(1)
    games = np.zeros(4)
    while games.min() < 2:
        assert np.array_equal(seen, expected)
        for key in ("action_mask", "seat"):
            assert np.array_equal(info[key], expected_info[key])
            assert info[f"_{key}"].all()
        assert seen.dtype == expected.dtype
        actions = choices(info["action_mask"], rng)
        seen, gained, ended, cut, info = vector.step(actions)
        expected, expected_gained, expected_ended, expected_cut, expected_info = single.step(actions)
        assert gained.tolist() == expected_gained.astype(np.float32).tolist()
        assert np.array_equal(ended, expected_ended)
        assert not cut.any()
        assert not expected_cut.any()
        for row in np.flatnonzero(ended):
            assert np.array_equal(info["final_obs"][row], expected_info["final_obs"][row])
            assert info["final_info"]["seat"][row] == expected_info["final_info"]["seat"][row]
            assert info["_final_obs"][row]
            assert not info["final_info"]["illegal_action"][row]
        games += ended


def test_make_vec_makes_it() -> None:
    env = gymnasium.make_vec("PortaNigra-v0", num_envs=5, num_players=3, seat=2, reward="margin")
    assert isinstance(env.unwrapped, SeatVectorEnv)
    assert env.num_envs == 5
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, info = env.reset(seed=1)
    assert seen in env.observation_space
    assert (info["seat"] == 2).all()
    env.close()


def test_gymnasiums_statistics_of_episodes() -> None:
    env = RecordEpisodeStatistics(porta_nigra_v0.vector_env(8, num_players=2, seat="rotate", reward="points"))
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(2)
    ends = 0
    while ends < 4:
        _, _, ended, _, info = env.step(choices(info["action_mask"], rng))
        for row in np.flatnonzero(ended):
            assert info["episode"]["r"][row] == info["final_info"]["scores"][row, info["final_info"]["seat"][row]]
            assert info["final_info"]["length"][row] > info["episode"]["l"][row]
            ends += 1


def test_arrays_belong_to_the_caller() -> None:
    env = porta_nigra_v0.vector_env(3, seat=0)
    seen, info = env.reset(seed=1)
    kept = (seen.copy(), info["action_mask"].copy())
    rng = np.random.default_rng(2)
    for _ in range(4):
        _, _, _, _, after = env.step(choices(env.action_masks(), rng))
    assert np.array_equal(seen, kept[0])
    assert np.array_equal(info["action_mask"], kept[1])
    assert not np.array_equal(after["action_mask"], kept[1])


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


def test_next_step_and_disabled() -> None:
    rng = np.random.default_rng(2)
    later = porta_nigra_v0.vector_env(1, seat=0, autoreset_mode="next_step")
    never = porta_nigra_v0.vector_env(1, seat=0, autoreset_mode="disabled")
    _, info = later.reset(seed=1)
    never.reset(seed=1)
    ended = np.zeros(1, dtype=bool)
    while not ended[0]:
        actions = choices(info["action_mask"], rng)
        seen, gained, ended, _, info = later.step(actions)
        results = never.step(actions)
        assert np.array_equal(seen, results[0])
        assert np.array_equal(gained, results[1])
        assert np.array_equal(ended, results[2])
    # The last observation is the learner's, the masks are empty, and there is nothing "final".
    assert seen[0, never.games.game.observations["seat"].start] == 1
    assert not info["action_mask"].any()
    assert "final_obs" not in info
    first, gained, ended, _, _ = later.step(np.array([0]))
    assert not gained.any()
    assert not ended.any()
    again, _ = never.reset(options={"reset_mask": np.array([True])})
    assert np.array_equal(first, again)


def test_an_illegal_action_ends_its_episode_or_is_refused() -> None:
    env = porta_nigra_v0.vector_env(3, seat="rotate", reward="points")
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
    assert illegal > 400


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


def test_batched_agents_play_the_other_seats() -> None:
    inside = porta_nigra_v0.vector_env(4, num_players=3, opponents=LOWEST)
    outside = porta_nigra_v0.vector_env(4, num_players=3, opponents=LowestAgent())
    assert np.array_equal(inside.reset(seed=3)[0], outside.reset(seed=3)[0])
    rng = np.random.default_rng(2)
    for _ in range(100):
        actions = choices(inside.action_masks(), rng)
        for one, other in zip(inside.step(actions)[:3], outside.step(actions)[:3], strict=True):
            assert np.array_equal(one, other)


def test_boards() -> None:
    env = porta_nigra_v0.vector_env(2, seat="rotate", render_mode="ansi")
    env.reset(seed=1)
    boards = env.render()
    assert boards is not None
    assert [text.count("hand") for text in boards]
    assert env.games.board(0, int(env.games.learners[0])) == boards[0]
    with porta_nigra_v0.vector_env(2) as other, pytest.warns(UserWarning, match="render"):
        assert other.render() is None


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
