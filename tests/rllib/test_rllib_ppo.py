"""RLlib with two runners on this machine.  `make rllib` runs this in the environment that Ray needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from training.rllib_ppo import MaskedEnv, main

SMALL = ["--train-batch", "256", "--minibatch", "128", "--width", "16", "--env-runners", "2", "--envs-per-runner", "2"]


def test_two_runners_and_a_continuation(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--iterations", "2", "--out", str(folder)]) == 0
    # As a kill between the two renames of a checkpoint leaves it.
    (folder / "checkpoint").rename(folder / "checkpoint.old")
    assert main([*SMALL, "--iterations", "3", "--out", str(folder)]) == 0
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [1, 2, 3]
    assert all(line["decisions"] >= 256 * line["iteration"] for line in lines)
    # About ten of 290 actions are legal: a network that saw no mask would have an entropy of 5.7.
    assert all(line["entropy"] < 3 for line in lines)


def test_masks_and_rewards_are_those_of_the_environment() -> None:
    env = MaskedEnv({"players": 3, "reward": "outcome"})
    seen, _ = env.reset(seed=5)
    gained = dict.fromkeys(env.possible_agents, 0.0)
    over = False
    while not over:
        ((agent, one),) = seen.items()
        assert env.observation_spaces[agent].contains(one)
        seen, rewards, terminated, _, _ = env.step({agent: int(one["action_mask"].argmax())})
        for name, reward in rewards.items():
            gained[name] += reward
        over = terminated["__all__"]
    assert sum(gained.values()) == pytest.approx(0.0)
    assert max(gained.values()) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--players", "1"], "--players must be 2, 3 or 4"),
        (["--reward", "gold"], "--reward must be outcome"),
        (["--env-runners", "-1"], "--env-runners must be at least 0"),
        (["--minibatch", "0"], "--minibatch must be at least 1"),
        (["--minibatch", "512"], "--minibatch must be at most --train-batch (256)"),
    ],
)
def test_wrong_arguments(options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--out", str(tmp_path / "run"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_run_with_other_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text('{"players": 4}')
    assert main([*SMALL, "--out", str(tmp_path)]) == 2
    assert "players is 4, asked for is 2" in capsys.readouterr().err
