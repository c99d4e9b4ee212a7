"""RLlib with two runners on this machine.  `make rllib` runs this in the environment that Ray needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.clients import measured
from training.rllib_ppo import SHARED, Arguments, MaskedEnv, completed, configured, main, settings

SMALL = ["--train-batch", "256", "--minibatch", "128", "--width", "16", "--env-runners", "2", "--envs-per-runner", "2"]


def test_two_runners_and_a_continuation(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--iterations", "2", "--out", str(folder)]) == 0
    # As a kill between the two renames of a checkpoint leaves it.
    (folder / "checkpoint").rename(folder / "checkpoint.old")
    # And one between the line of an iteration and its checkpoint, in the middle of the line after it.
    with open(folder / "metrics.jsonl", "a") as out:
        out.write('{"iteration": 3, "decisions": 0, "entropy": 9}\n{"itera')
    assert main([*SMALL, "--iterations", "3", "--out", str(folder)]) == 0
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [1, 2, 3]
    assert all(line["decisions"] >= 256 * line["iteration"] for line in lines)
    # About ten of 290 actions are legal: a network that saw no mask would have an entropy of 5.7.
    assert all(line["entropy"] < 3 for line in lines)


def test_masks_and_rewards_are_those_of_the_environment() -> None:
    env = MaskedEnv({"game": "porta_nigra", "players": 3, "reward": "outcome"})
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
        (["--players", "1"], "--players must be out of 2, 3, 4"),
        (["--reward", "gold"], "--reward must be one of outcome"),
        (["--env-runners", "-1"], "--env-runners must be at least 0"),
        (["--minibatch", "0"], "--minibatch must be at least 1"),
        (["--minibatch", "512"], "--minibatch must be at most a learner's part of --train-batch (256), not 512"),
        (["--learners", "4"], "--minibatch must be at most a learner's part of --train-batch (64), not 128"),
        (["--learners", "-1"], "--learners must be at least 0"),
        (["--gpus-per-learner", "-1"], "--gpus-per-learner must be at least 0"),
        (["--gae-lambda", "0"], "--gae-lambda must be in (0, 1], not 0"),
    ],
)
def test_wrong_arguments(options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--out", str(tmp_path / "run"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_run_with_other_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = settings(completed(Arguments(train_batch=256, minibatch=128, width=16)))
    (tmp_path / "config.json").write_text(json.dumps(kept | {"players": 4}))
    assert main([*SMALL, "--out", str(tmp_path)]) == 2
    assert "players is 4, here it is 2" in capsys.readouterr().err


def test_a_run_of_another_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = settings(completed(Arguments(train_batch=256, minibatch=128, width=16)))
    for name in ("game", "observations", "actions", "tables"):
        (tmp_path / "config.json").write_text(json.dumps(kept | {name: "another"}))
        assert main([*SMALL, "--out", str(tmp_path)]) == 2
        assert f"config.json: {name} is 'another', here it is" in capsys.readouterr().err


def test_learners_share_an_iteration() -> None:
    config = configured(Arguments(learners=2, gpus_per_learner=0.5, train_batch=8192))
    assert (config.num_learners, config.num_gpus_per_learner) == (2, 0.5)
    assert config.train_batch_size_per_learner == 4096


def test_advantages_have_the_lambda_that_is_asked_for() -> None:
    assert configured(Arguments()).lambda_ == 0.95
    assert configured(Arguments(gae_lambda=0.8)).lambda_ == 0.8


def test_policy_and_values_share_their_body() -> None:
    """Of the module that Ray builds, since it ignores an argument of that name elsewhere."""
    arguments = completed(Arguments(width=16))
    env = MaskedEnv({"game": arguments.game, "players": arguments.players, "reward": arguments.reward})
    spec = configured(arguments).rl_module_spec.rl_module_specs[SHARED]
    assert spec.model_config.vf_share_layers
    agent = env.possible_agents[0]
    spec.observation_space, spec.action_space = env.observation_spaces[agent], env.action_spaces[agent]
    bodies = {name.partition(".net.")[0] for name, _ in spec.build().named_parameters()}
    assert bodies == {"encoder.encoder", "pi", "vf"}


def test_the_lines_of_the_page_about_other_libraries_work() -> None:
    assert measured("RLlib")["decisions"] >= 1024
