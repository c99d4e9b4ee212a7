"""A masked learner of sb3-contrib, on the Gymnasium environment and on the native VecEnv."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

import porta_nigra_env  # noqa: F401  # registers the environment
from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.envs import render
from tests.envs.probes import LOWEST


# The learner's libraries warn at import or on their first use of numpy.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_maskable_ppo_learns_a_little() -> None:
    env = gymnasium.make("PortaNigra-v0", num_players=3, seat="random", illegal_action="raise")
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=1, device="cpu")
    # With illegal_action="raise" one unmasked action would end the test.
    model.learn(64)
    assert model.num_timesteps == 64
    observation, info = env.reset(seed=1)
    masks = get_action_masks(env)
    assert masks.dtype == np.bool_
    action, _ = model.predict(observation, action_masks=masks)
    assert info["action_mask"][action] == 1
    assert env.step(action)[0].shape == observation.shape


def test_the_vec_env_is_the_vector_env() -> None:
    """Step by step the same observations, rewards, ends and masks as the vector environment."""
    options: dict[str, Any] = {"seat": "rotate", "opponents": LOWEST, "reward": "points"}
    env = porta_nigra_v0.sb3_vec_env(4, num_players=3, **options)
    other = porta_nigra_v0.vector_env(4, num_players=3, autoreset_mode="same_step", **options)
    env.seed(7)
    seen: Any = env.reset()
    expected, info = other.reset(seed=7)
    assert [one["seat"] for one in env.reset_infos] == info["seat"].tolist()
    ends = 0
    while ends < 8:
        masks = get_action_masks(env)
        assert masks.dtype == np.bool_
        assert np.array_equal(seen, expected)
        assert np.array_equal(masks, info["action_mask"])
        actions = masks.argmax(axis=1)
        seen, gained, ended, infos = env.step(actions)
        expected, expected_gained, expected_ended, _, info = other.step(actions)
        assert np.array_equal(gained, expected_gained)
        assert np.array_equal(ended, expected_ended)
        for row in range(4):
            if not ended[row]:
                assert infos[row] == {}
                continue
            ends += 1
            assert np.array_equal(infos[row]["terminal_observation"], info["final_obs"][row])
            assert infos[row]["scores"].tolist() == info["final_info"]["scores"][row].tolist()
            for key in ("seat", "length", "illegal_action"):
                assert infos[row][key] == info["final_info"][key][row]


def test_observations_stay_whole_for_one_step() -> None:
    """A learner may store the last observation after the next step."""
    env = porta_nigra_v0.sb3_vec_env(3)
    seen: Any = env.reset()
    for _ in range(200):
        masks = env.env_method("action_masks")
        kept, kept_masks = seen.copy(), masks.copy()
        after = env.step(masks.argmax(axis=1))[0]
        assert np.array_equal(seen, kept)
        assert np.array_equal(masks, kept_masks)
        seen = after


def test_the_vec_env_interface() -> None:
    env = porta_nigra_v0.sb3_vec_env(3, seat=1)
    env.reset()
    assert env.has_attr("action_masks")
    assert not env.has_attr("spec")
    assert env.env_method("action_masks", indices=[2, 0]).shape == (2, 290)
    assert env.env_method("action_masks", indices=1).shape == (1, 290)
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    assert env.get_attr("render_mode", [0]) == [None]
    assert list(env.get_images()) == [None] * 3
    for call in (lambda: env.get_attr("spec"), lambda: env.set_attr("seat", 1), lambda: env.env_method("board")):
        with pytest.raises(AttributeError, match="rows of arrays"):
            call()
    with pytest.raises(ValueError, match="not 'every'"):
        porta_nigra_v0.sb3_vec_env(3, seat="every")
    env.close()


def test_episode_infos_are_those_of_a_monitor() -> None:
    """Episodes that an illegal action ends are included; rewards before a reset are not."""
    options: dict[str, Any] = {"seat": "rotate", "reward": "points"}
    env = porta_nigra_v0.sb3_vec_env(4, **options)
    other = VecMonitor(porta_nigra_v0.sb3_vec_env(4, **options))
    reported = []
    for steps in (3, 150):
        for one in (env, other):
            one.seed(3)
            one.reset()
        for step in range(steps):
            actions = np.zeros(4, dtype=np.int64) if step == 5 else env.action_masks().argmax(axis=1)
            infos, expected = env.step(actions)[3], other.step(actions)[3]
            for info, same in zip(infos, expected, strict=True):
                assert info.keys() == same.keys()
                if "episode" in info:
                    assert info["episode"]["r"] == pytest.approx(same["episode"]["r"])
                    assert info["episode"]["l"] == same["episode"]["l"]
                    assert 0 <= info["episode"]["t"] <= 600
                    reported.append(info)
    assert len(reported) > 4
    assert any(info["illegal_action"] for info in reported)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_learners_report_the_mean_reward_without_a_monitor(tmp_path: Path) -> None:
    env = porta_nigra_v0.sb3_vec_env(16, reward="points")
    model = MaskablePPO("MlpPolicy", env, n_steps=160, batch_size=640, n_epochs=1, seed=1, device="cpu")
    model.set_logger(configure(str(tmp_path), ["json"]))
    model.learn(16 * 160)
    model.logger.close()
    (line,) = (tmp_path / "progress.json").read_text().splitlines()
    # With this reward, points of games by random players.
    assert 0 < json.loads(line)["rollout/ep_rew_mean"] < 150


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_maskable_ppo_learns_on_the_vec_env() -> None:
    """A monitored, normalised run in which one unmasked action would be an error."""
    native = porta_nigra_v0.sb3_vec_env(16, seat="rotate", reward="margin", illegal_action="raise")
    env = VecNormalize(VecMonitor(native), norm_obs=False)
    model = MaskablePPO("MlpPolicy", env, n_steps=160, batch_size=640, n_epochs=1, seed=1, device="cpu")
    model.learn(16 * 160)
    assert model.num_timesteps == 16 * 160
    lengths = [episode["l"] for episode in model.ep_info_buffer or []]
    assert len(lengths) > 5
    assert min(lengths) > 20


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_stable_baselines_makes_it_by_name() -> None:
    """Stable-Baselines3 asks for pictures by default."""
    env = make_vec_env("PortaNigra-v0", n_envs=2, seed=1)
    model = PPO("MlpPolicy", env, n_steps=16, batch_size=16, n_epochs=1, device="cpu")
    model.learn(32)
    assert all(image is not None and image.shape[2] == 3 for image in env.get_images())
    PPO("MlpPolicy", "PortaNigra-v0", n_steps=16, batch_size=16, n_epochs=1, device="cpu").learn(16)


def test_the_vec_env_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    env = porta_nigra_v0.sb3_vec_env(3, render_mode="rgb_array")
    env.reset()
    images = list(env.get_images())
    assert [image.shape for image in images] == [images[0].shape] * 3
    tiled = env.render()
    assert tiled is not None
    assert tiled.size > images[0].size
    seen: list[Any] = []
    monkeypatch.setattr(render.WINDOW, "show", lambda *given: seen.append(given))
    shown = porta_nigra_v0.sb3_vec_env(1, render_mode="human")
    shown.reset()
    shown.step(shown.env_method("action_masks").argmax(axis=1))
    assert len(seen) == 2
    shown.render()
    assert len(seen) == 3


def test_without_stable_baselines_the_error_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['stable_baselines3'] = None\n"
        "from porta_nigra_env import porta_nigra_v0\n"
        "porta_nigra_v0.sb3_vec_env(2)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'porta-nigra-env[sb3]'" in done.stderr


def test_options_are_those_of_the_next_reset() -> None:
    env, position = porta_nigra_v0.sb3_vec_env(3, seat=0), porta_nigra_v0.State.new(num_players=2, seed=8).to_dict()
    env.seed(5)
    plain = env.reset().copy()
    env.seed(5)
    env.set_options([{}, {"position": position}, {}])
    found = env.reset().copy()
    assert env.games.board(1) == porta_nigra_v0.State.from_dict(position).board()
    np.testing.assert_array_equal(found[[0, 2]], plain[[0, 2]])
    assert not np.array_equal(found[1], plain[1])
    # Options last for one reset; a single one is for all games.
    env.seed(5)
    np.testing.assert_array_equal(env.reset(), plain)
    env.set_options({"position": position})
    env.reset()
    assert len({env.games.board(row) for row in range(3)}) == 1


def test_boards_of_chosen_rows() -> None:
    env = porta_nigra_v0.sb3_vec_env(3, seat=0, render_mode="ansi")
    env.seed(5)
    env.reset()
    boards = env.env_method("render")
    assert len(set(boards)) == 3
    assert env.env_method("render", indices=[2, 0]) == [boards[2], boards[0]]
