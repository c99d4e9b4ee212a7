"""Self-play PPO: it learns what is known to be right, and a run that was cut off goes on as if it had not been."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from filelock import FileLock
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.networks.network import load_network, read_tensors, write_tensors
from agents.networks.neural import NetworkAgent
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.checkpoint import CheckpointError
from porta_nigra_env.players.network import Shape
from tests.games.porta_nigra.components.test_load import OTHER
from tests.toys.kuhn.game import Kuhn
from tests.toys.kuhn.strategy import exploitability, strategy, worth
from training.ppo import Options, Training, main
from training.run import trainer
from training.run.folder import CHECKPOINT, CONFIG, CURVE, EVALUATIONS, LOCK, METRICS, NETWORK, read_lines
from training.run.options import use_bfloat16

#: Small enough for seconds.
SMALL = [
    "--num-envs",
    "16",
    "--num-steps",
    "16",
    "--minibatch-size",
    "64",
    "--width",
    "16",
    "--deals",
    "2",
    "--evaluate",
    "greedy",
]
SMALL += ["--evaluations", "1", "--threads", "1", "--precision", "float32", "--device", "cpu"]


def small(folder: Path, *more: str) -> int:
    return main([*SMALL, "--out", str(folder), *more])


@pytest.mark.long
def test_self_play_comes_near_the_value_of_kuhn_poker() -> None:
    arguments = Options(
        total_timesteps=4_000_000, num_envs=1024, num_steps=16, minibatch_size=4096, width=64, learning_rate=1e-4, ent_coef=0.3,
        reward="margin", evaluate=(), threads=1, precision="float32", device="cpu", seed=2, keep_fraction=1.0, update_epochs=4,
    )  # fmt: skip
    training = Training(arguments, [Kuhn()])
    while training.progress < 1.0:
        training.iterate()
    bets = strategy(NetworkAgent("ppo", Kuhn(), training.learner.network).policy)
    assert worth(bets) == pytest.approx(-1 / 18, abs=0.02)
    # A strategy that always bets has 0.33; with this seed 0.04 was seen, with another one 0.06.
    assert exploitability(bets) < 0.1


# -- a run


def weights(folder: Path) -> dict[str, Any]:
    return {name: tensor.numpy() for name, tensor in read_tensors(folder / NETWORK)[0].items()}


def assert_equal(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


def test_a_run_follows_from_its_seed(tmp_path: Path) -> None:
    runs = {name: ["--total-timesteps", "2048", "--seed", seed] for name, seed in (("a", "5"), ("b", "5"), ("c", "6"))}
    for name, more in runs.items():
        assert small(tmp_path / name, *more) == 0
    assert_equal(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert any((weights(tmp_path / "a")[name] != array).any() for name, array in weights(tmp_path / "c").items())


def test_what_a_run_leaves(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert small(folder, "--total-timesteps", "1024", "--players", "2", "3", "4") == 0
    lines = read_lines(folder / METRICS)
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4]
    assert all(np.isfinite(value) for line in lines for value in line.values())
    (evaluation,) = read_lines(folder / EVALUATIONS)
    assert list(evaluation["shares"]) == [f"greedy, {players} players" for players in (2, 3, 4)]
    assert (folder / CURVE).read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / CONFIG).read_text())["algorithm"] == "ppo"
    assert list((folder / "tensorboard").iterdir())
    # One network for all of them.
    for players in (2, 3, 4):
        load_network(folder / NETWORK, PortaNigra(players))


@pytest.mark.parametrize(
    ("pool", "critic"),
    [pytest.param(0.0, "shared", marks=pytest.mark.long), (0.5, "shared"), (0.0, "privileged")],
)
def test_going_on_equals_a_run_without_a_break(pool: float, critic: str, tmp_path: Path) -> None:
    arguments = Options(
        total_timesteps=2048, num_envs=16, num_steps=64, minibatch_size=64, width=16, evaluate=(), threads=1, precision="float32",
        device="cpu", pool_fraction=pool, pool_interval=2, pool_size=2, critic=critic,
    )  # fmt: skip
    whole, first, second = (Training(arguments, [PortaNigra(2), PortaNigra(3)]) for _ in range(3))
    for _ in range(6):
        whole.iterate()
    for _ in range(3):
        first.iterate()
    first.save(tmp_path / CHECKPOINT)
    second.load(tmp_path / CHECKPOINT)
    for _ in range(3):
        second.iterate()
    for name, tensor in whole.learner.network.state_dict().items():
        assert torch.equal(tensor, second.learner.network.state_dict()[name]), name
    assert (second.iteration, second.steps) == (whole.iteration, whole.steps)


@pytest.mark.parametrize("critic", ["shared", "privileged"])
def test_the_way_of_a_graphics_processor_is_the_same(critic: str) -> None:
    """Without compiled code, as on a device of another kind, an iteration learns the same but for rounding."""
    arguments = Options(
        total_timesteps=1024, num_envs=8, num_steps=64, minibatch_size=128, width=16, evaluate=(), threads=1, precision="float32",
        device="cpu", critic=critic, update_epochs=1,
    )  # fmt: skip
    one, other = (Training(arguments, [PortaNigra(2)]) for _ in range(2))
    other.learner.compiled, other.learner.chunk = False, 1 << 62
    start = {name: tensor.clone() for name, tensor in one.learner.model.state_dict().items()}
    found, expected = other.iterate(), one.iterate()
    for name in ("policy_loss", "value_loss", "entropy", "kl", "clipped"):
        assert found[name] == pytest.approx(expected[name], rel=1e-2, abs=1e-4), name
    weights = other.learner.model.state_dict()
    for name, tensor in one.learner.model.state_dict().items():
        # What rounding leaves is small beside what was learned.
        moved = float((tensor - start[name]).abs().max())
        assert float((tensor - weights[name]).abs().max()) <= 0.05 * moved + 1e-7, name


def killed_now_and_then(folder: Path, kills: int, decisions: int) -> None:
    """A run that is killed at random moments, first before its first checkpoint, and resumed, to its end."""
    rng = random.Random(1)
    command = [sys.executable, "-m", "training.ppo"]
    before = 0

    def begun() -> subprocess.Popen[bytes]:
        resume = (folder / CHECKPOINT).exists()
        # Killed before the first iteration was done, it starts again in its folder.
        line = (
            ["--resume", str(folder)] if resume else [*SMALL, "--total-timesteps", str(decisions), "--out", str(folder)]
        )
        return subprocess.Popen([*command, *line], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def there(kill: int) -> bool:
        # It has to get somewhere before it is killed, or this would never end.
        return (folder / CONFIG).exists() if kill == 0 else len(read_lines(folder / METRICS)) > before

    for kill in range(kills + 1):
        process = begun()
        deadline = time.monotonic() + 120
        while not there(kill) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        if kill:
            time.sleep(rng.random() * 0.3)
        process.kill()
        process.wait()
        before = read_tensors(folder / CHECKPOINT)[1]["iteration"] if (folder / CHECKPOINT).exists() else 0
    assert begun().wait() == 0


def check_killed(tmp_path: Path, kills: int, decisions: int) -> None:
    killed_now_and_then(tmp_path / "killed", kills, decisions)
    assert small(tmp_path / "whole", "--total-timesteps", str(decisions)) == 0
    assert_equal(weights(tmp_path / "killed"), weights(tmp_path / "whole"))
    iterations = [line["iteration"] for line in read_lines(tmp_path / "killed" / METRICS)]
    assert iterations == list(range(1, decisions // 256 + 1))


def test_a_run_that_was_killed_loses_nothing_but_the_iteration_it_was_in(tmp_path: Path) -> None:
    check_killed(tmp_path, 1, 8192)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_run_that_was_killed_twenty_times(tmp_path: Path) -> None:
    check_killed(tmp_path, 20, 262_144)


# -- what cannot be done


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--players", "5"], "--players must be out of 2, 3, 4"),
        (["--reward", "money"], "reward must be one of"),
        (["--minibatch-size", "1000000"], r"--minibatch-size must be at most num_envs \* num_steps"),
        (["--minutes", "0"], "--minutes must be positive, not 0"),
        (["--total-timesteps", "-1"], "--total-timesteps must be at least 0, not -1"),
        (["--minutes", "3", "--total-timesteps", "300"], "--minutes and --total-timesteps: give only one of them"),
        (["--components", "nowhere.toml"], "nowhere.toml"),
        (["--gae-lambda", "1.5"], r"--gae-lambda must be in \(0, 1\]"),
        (["--precision", "int8"], "--precision must be"),
        (["--threads", "-1"], "--threads must be at least 0"),
        (["--blocks", "-1"], "--blocks must be at least 0"),
        (["--device", "tpu"], "--device must be"),
        (["--evaluate", "nobody"], "there is no agent 'nobody'"),
        (["--evaluate", "cheating-mcts"], "sees the true state"),
        (["--pool-fraction", "0.5", "--pool-agents", "cheating-mcts"], "sees the true state"),
        (["--game", "chess"], "--game: there is no game 'chess'"),
        (["--seed", "-1"], r"--seed must be in \[0, "),
        (["--seed", str(2**63 - 1)], r"--seed must be in \[0, "),
        (["--pool-size", "3"], "--pool-size: only for games against a pool; set --pool-fraction"),
        (["--pool-agents", "random"], "--pool-agents: only for games against a pool"),
        (["--critic", "harsh"], "--critic must be shared or privileged"),
        (["--pool-fraction", "2"], r"--pool-fraction must be in \[0, 1\]"),
        (["--start", "nowhere.safetensors"], "there is no such file"),
        (["--pool-networks", "nowhere.safetensors"], "--pool-networks: only for games against a pool"),
        (["--learning-rate", "inf"], "--learning-rate must be positive"),
    ],
)
def test_wrong_arguments(options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert small(tmp_path / "run", *options) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "run").exists()


def test_a_run_that_was_cut_off_before_its_first_checkpoint_starts_again(tmp_path: Path) -> None:
    folder, whole = tmp_path / "run", tmp_path / "whole"
    for one in (folder, whole):
        assert small(one, "--total-timesteps", "256", "--threads", "1") == 0
    for name in (CHECKPOINT, NETWORK, "curve.png"):
        (folder / name).unlink()
    assert small(folder, "--total-timesteps", "256", "--threads", "1") == 0
    assert (folder / NETWORK).read_bytes() == (whole / NETWORK).read_bytes()
    lines = [len(read_lines(one / METRICS)) for one in (folder, whole)]
    assert lines[0] == lines[1]


def test_two_processes_do_not_write_to_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert small(folder, "--total-timesteps", "256") == 0
    with FileLock(folder / LOCK):
        assert main(["--resume", str(folder), "--total-timesteps", "512"]) == 2
    assert "another process is training there" in capsys.readouterr().err
    assert main(["--resume", str(folder), "--total-timesteps", "512"]) == 0


def test_an_interrupted_run_tells_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(self: Training) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Training, "evaluate", interrupted)
        assert small(tmp_path / "run", "--total-timesteps", "256") == 130
    assert f"resume with python -m training.ppo --resume {tmp_path / 'run'}" in capsys.readouterr().err
    assert main(["--resume", str(tmp_path / "run")]) == 0


def test_a_run_keeps_its_device_and_precision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"

    def kept(file: Path = folder / CONFIG) -> list[str]:
        arguments = json.loads(file.read_text())["arguments"]
        return [arguments[name] for name in ("device", "precision")]

    # As on a machine with matrix units, then on one without.
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True)
    assert small(folder, "--total-timesteps", "256", "--device", "auto", "--precision", "auto") == 0
    assert kept() == ["cuda" if torch.cuda.is_available() else "cpu", "bfloat16"]
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    assert main(["--resume", str(folder), "--total-timesteps", "512"]) == 0
    assert kept()[1] == "bfloat16"
    assert main(["--resume", str(folder), "--total-timesteps", "768", "--precision", "float32", "--device", "cpu"]) == 0
    assert kept() == ["cpu", "float32"]
    # A run of a version that kept "auto" settles when it goes on.
    config = json.loads((folder / CONFIG).read_text())
    config["arguments"] |= {"device": "auto", "precision": "auto"}
    (folder / CONFIG).write_text(json.dumps(config))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert main(["--resume", str(folder), "--total-timesteps", "1024"]) == 0
    assert kept() == ["cpu", "float32"]
    # Where the device is missing, the message says what to do.
    config["arguments"] |= {"device": "cuda", "total_timesteps": 1024}
    (folder / CONFIG).write_text(json.dumps(config))
    capsys.readouterr()
    assert main(["--resume", str(folder), "--total-timesteps", "1280"]) == 2
    assert "--device: there is no CUDA device here; --device cpu" in capsys.readouterr().err
    assert main(["--resume", str(folder), "--total-timesteps", "1280", "--device", "cpu"]) == 0


def test_bfloat16_only_where_the_device_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for real in (True, False):
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True, real=real: real)
        assert use_bfloat16("auto", "cuda") == real
        assert use_bfloat16("bfloat16", "cuda")
        assert not use_bfloat16("float32", "cuda")
    for amx, avx512 in ((True, False), (False, True), (False, False)):
        monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda amx=amx: amx)
        monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda avx512=avx512: avx512)
        assert use_bfloat16("auto", "cpu") == (amx or avx512)


def test_time_left_is_told_from_what_this_process_has_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = []

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: object, **more: object) -> None:
            super().__init__(*args, **more)
            first.append(self.n)

    monkeypatch.setattr(trainer, "tqdm", Bar)
    folder = tmp_path / "run"
    assert small(folder, "--total-timesteps", "512") == 0
    assert main(["--resume", str(folder), "--total-timesteps", "2048"]) == 0
    assert first == [0, 25.0]


def test_points_of_tensorboard_stand_above_decisions(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing import event_accumulator  # type: ignore[import-untyped]

    folder = tmp_path / "run"
    assert small(folder, "--total-timesteps", "512") == 0
    assert main(["--resume", str(folder), "--total-timesteps", "1024"]) == 0
    board = event_accumulator.EventAccumulator(str(folder / "tensorboard"))
    board.Reload()
    assert [point.step for point in board.Scalars("entropy")] == [256, 512, 768, 1024]
    assert [point.step for point in board.Scalars("win_share/greedy, 2 players")] == [512, 1024]


def test_a_run_that_is_lengthened_is_measured_on_its_way(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert small(folder, "--total-timesteps", "512", "--evaluations", "4") == 0
    assert main(["--resume", str(folder), "--total-timesteps", "4096"]) == 0
    measured = [line["steps"] for line in read_lines(folder / EVALUATIONS)]
    assert measured[-1] >= 4096
    assert len([count for count in measured if 512 < count < 4096]) == 3


def test_a_run_goes_on_without_the_networks_it_began_with(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert small(first, "--total-timesteps", "256") == 0
    network = first / NETWORK
    more = ["--start", str(network), "--pool-networks", str(network), "--pool-fraction", "0.5"]
    assert small(second, "--total-timesteps", "256", *more) == 0
    network.unlink()
    assert main(["--resume", str(second), "--total-timesteps", "512"]) == 0
    assert json.loads((second / CONFIG).read_text())["arguments"]["rivals"] == [str(network)]


def test_what_goes_on_has_the_shape_of_what_it_began_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert small(tmp_path / "first", "--total-timesteps", "256", "--blocks", "2", "--layer-norm") == 0
    more = ["--total-timesteps", "256", "--start", str(tmp_path / "first" / NETWORK)]
    assert small(tmp_path / "second", *more) == 0
    wanted = Shape.of(PortaNigra(2), width=16, blocks=2, normed=True)
    assert [load_network(tmp_path / name / NETWORK).shape for name in ("first", "second")] == [wanted] * 2
    assert small(tmp_path / "third", *more, "--blocks", "3") == 2
    assert "--blocks: the network of --start has 2, not 3" in capsys.readouterr().err
    assert not (tmp_path / "third").exists()


def test_a_rival_has_to_play_at_every_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert small(tmp_path / "first", "--total-timesteps", "256") == 0
    more = ["--pool-networks", str(tmp_path / "first" / NETWORK), "--pool-fraction", "0.5", "--players", "2", "3"]
    assert small(tmp_path / "second", "--total-timesteps", "256", *more) == 2
    assert "it was trained for 2 players, not for 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options", [["--seed", "1"], ["--threads=0"], ["--learning_rate", "0.0005"], ["--cuda-graphs"]]
)
def test_a_run_that_goes_on_does_not_leave_out_what_it_is_told(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert small(folder, "--total-timesteps", "256", "--seed", "7") == 0
    before = (folder / CONFIG).read_bytes()
    assert main(["--resume", str(folder), "--total-timesteps", "512", *options]) == 2
    option = options[0].partition("=")[0].replace("_", "-")
    assert f"error: {option}: the default value has no effect next to --resume" in capsys.readouterr().err
    assert (folder / CONFIG).read_bytes() == before


def test_weights_that_are_no_numbers_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert small(folder, "--total-timesteps", "256") == 0
    kept, iterate = (folder / CHECKPOINT).read_bytes(), Training.iterate

    def broken(training: Training) -> dict[str, Any]:
        figures = iterate(training)
        with torch.no_grad():
            training.network.get_parameter("policy.bias")[0] = np.nan
        return figures

    with monkeypatch.context() as patch:
        patch.setattr(Training, "iterate", broken)
        assert main(["--resume", str(folder), "--total-timesteps", "4096"]) == 1
    assert "it has diverged; begin another run with a lower --learning-rate" in capsys.readouterr().err
    assert (folder / CHECKPOINT).read_bytes() == kept
    assert main(["--resume", str(folder), "--total-timesteps", "4096"]) == 0


@pytest.mark.parametrize("reward", ["points", "outcome"])
def test_a_run_with_another_reward_takes_over_choices_only(tmp_path: Path, reward: str) -> None:
    """Values of points would be wrong by their size for results, and their scale would take a hundred iterations."""
    assert small(tmp_path / "first", "--total-timesteps", "512", "--reward", "points") == 0
    file = tmp_path / "first" / NETWORK
    arguments = Options(
        num_envs=16, num_steps=256, minibatch_size=64, width=16, threads=1, evaluate=(), precision="float32", device="cpu",
        reward=reward, start=file,
    )  # fmt: skip
    training = Training(arguments, [PortaNigra(2)])
    before, after = load_network(file).state_dict(), training.network.state_dict()
    assert {name for name, one in before.items() if not torch.equal(one, after[name])} == (
        {"value.weight", "value.bias", "value_scale"} if reward == "outcome" else set()
    )
    training.iterate()
    assert (float(training.network.value_scale) > 2.0) == (reward == "points")


def test_rivals_are_met_before_the_learner_joins_the_pool_and_after(tmp_path: Path) -> None:
    assert small(tmp_path / "first", "--total-timesteps", "256") == 0
    network = tmp_path / "first" / NETWORK
    arguments = Options(
        num_envs=16, num_steps=16, minibatch_size=64, width=16, threads=1, evaluate=(), precision="float32", device="cpu", pool_fraction=0.5,
        pool_agents=(), pool_networks=(network,), pool_size=2, pool_interval=1, seed=9,
    )  # fmt: skip
    training = Training(arguments, [PortaNigra(2)])
    rival = load_network(network).state_dict()["policy.weight"]
    training.iterate()
    assert training.pool.present == 1
    for _ in range(3):
        training.iterate()
    assert torch.equal(training.pool.past[0].network.state_dict()["policy.weight"], rival)
    assert training.pool.present == 2
    assert not torch.equal(training.pool.past[1].network.state_dict()["policy.weight"], rival)
    # Without anybody else the learner meets itself.
    empty = Training(replace(arguments, pool_networks=()), [PortaNigra(2)])
    assert empty.pool.present == 1
    empty.iterate()


@pytest.mark.parametrize("reward", ["margin", "points"])
def test_a_run_for_points(reward: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    # Long enough for games to end.
    assert (
        small(folder, "--num-steps", "256", "--total-timesteps", "8192", "--reward", reward, "--critic", "privileged")
        == 0
    )
    lines = read_lines(folder / METRICS)
    assert len(lines) == 2
    assert all(np.isfinite(value) for line in lines for value in line.values())
    assert load_network(folder / NETWORK).reward == reward
    assert lines[-1]["value_scale"] > 2, "points, not results"


@pytest.mark.parametrize("reward", ["outcome", "points"])
def test_a_new_scale_leaves_values_as_they_are(reward: str) -> None:
    arguments = Options(
        num_envs=8, num_steps=16, minibatch_size=64, width=16, threads=1, evaluate=(), precision="float32", device="cpu", reward=reward,
        critic="privileged",
    )  # fmt: skip
    training = Training(arguments, [PortaNigra(3)])
    training.iterate()
    learner, inputs = training.learner, training.collector.inputs()

    def values() -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            outputs = learner.forward(learner.model, inputs, slice(None))
        return outputs.values * learner.network.value_scale, outputs.critic_values * learner.network.value_scale

    before, targets = values(), training.estimates.targets.copy() * float(learner.network.value_scale)
    scale = float(learner.network.value_scale)
    training.estimates.targets[:] = targets
    training._rescale(np.array([30.0, 40.0], dtype=np.float32))
    assert float(learner.network.value_scale) == pytest.approx(0.95 * scale + 0.05 * (1250**0.5))
    for found, expected in zip(values(), before, strict=True):
        assert float(expected.abs().max()) > 0
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        training.estimates.targets * float(learner.network.value_scale), targets, rtol=1e-5, atol=1e-6
    )


def test_the_critic_values_seats_in_the_order_of_play() -> None:
    """Its outputs are those of seats 0 to 3; what is learned from stands from the mover on, around her own table."""
    arguments = Options(
        players=(2, 3, 4), num_envs=24, num_steps=64, minibatch_size=64, width=8, threads=1, evaluate=(), precision="float32",
        device="cpu", critic="privileged",
    )  # fmt: skip
    training = Training(arguments, [PortaNigra(players) for players in arguments.players])
    collector, learner = training.collector, training.learner
    assert learner.model.critic is not None
    head = learner.model.critic[-1]
    assert isinstance(head, torch.nn.Linear)
    with torch.no_grad():
        # Seat s is worth s + 1, whatever there is to see.
        head.weight.zero_()
        head.bias.copy_(torch.arange(1.0, 5.0))
    collector.play(learner.decide, training.rng)
    data = collector.data
    met = set()
    for step, row in np.ndindex(data.movers.shape):
        mover, players = int(data.movers[step, row]), int(data.players[row])
        expected = [(mover + place) % players + 1.0 for place in range(players)]
        assert data.values[step, row, :players].tolist() == expected
        met.add((mover, players))
    assert met == {(mover, players) for players in (2, 3, 4) for mover in range(players)}


def test_games_of_two_three_and_four_side_by_side() -> None:
    """Targets of the winner's place are the negative of the loser's at two; places that nobody has are not learned."""
    arguments = Options(
        players=(2, 3, 4), num_envs=48, num_steps=256, minibatch_size=64, width=8, threads=1, evaluate=(), precision="float32",
        device="cpu", gae_lambda=1.0,
    )  # fmt: skip
    training = Training(arguments, [PortaNigra(players) for players in arguments.players])
    training.collector.play(training.learner.decide, training.rng)
    training.estimate()
    counts = np.broadcast_to(training.collector.data.players, training.collector.data.movers.shape)
    for place in range(4):
        assert not training.estimates.known[..., place][counts <= place].any()
        assert training.estimates.known[..., place][counts > place].mean() > 0.2
    # With a lambda of one, targets are results where the game ended, and results of two players add up to nothing.
    over = np.flip(np.maximum.accumulate(np.flip(training.collector.data.ended, axis=0), axis=0), axis=0)
    two = over & (counts == 2)
    assert two.any()
    assert training.estimates.targets[two][:, :2].sum(axis=1) == pytest.approx(0.0, abs=1e-4)
    assert np.abs(training.estimates.targets[two][:, 0]).max() > 0


def test_advantages_of_each_number_of_players_are_of_one_size() -> None:
    """What is won at four players is less than at two, and no less worth learning."""
    arguments = Options(
        players=(2, 4), num_envs=32, num_steps=256, minibatch_size=64, width=8, threads=1, evaluate=(), precision="float32",
        device="cpu", seed=4,
    )  # fmt: skip
    training = Training(arguments, [PortaNigra(players) for players in arguments.players])
    training.collector.play(training.learner.decide, training.rng)
    training.estimate()
    known, players = training.estimates.known[..., 0] != 0, training.collector.data.players
    for count in arguments.players:
        kept = training.estimates.advantages[:, players == count][known[:, players == count]]
        assert kept.mean() == pytest.approx(0.0, abs=1e-4)
        assert kept.std() == pytest.approx(1.0, abs=1e-3)


def test_other_components(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run with a component file of one's own, and a network that is bound to it."""
    assert small(tmp_path / "run", "--total-timesteps", "256", "--components", str(OTHER)) == 0
    assert main(["--resume", str(tmp_path / "run"), "--total-timesteps", "512"]) == 0
    load_network(tmp_path / "run" / NETWORK, PortaNigra(2, OTHER))
    with pytest.raises(CheckpointError, match="here it is"):
        load_network(tmp_path / "run" / NETWORK, PortaNigra(2))


def test_folders_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert small(folder, "--total-timesteps", "256") == 0
    capsys.readouterr()
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    def fails(message: str, *options: str) -> None:
        assert main(list(options)) == 2
        assert re.search(message, capsys.readouterr().err)
        assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before

    fails("is not empty", *SMALL, "--out", str(folder))
    # Folders of others are left alone, also those whose files have the same names.
    for name, content in (("letter.txt", "dear reader"), (CONFIG, "{}"), (METRICS, "0.5")):
        foreign = tmp_path / f"with {name}"
        (foreign / "tensorboard").mkdir(parents=True)
        (foreign / name).write_text(content)
        fails("is not empty", *SMALL, "--out", str(foreign))
        assert (foreign / name).read_text() == content
        assert (foreign / "tensorboard").exists()
    # So is a run of which only the records are left.
    records = tmp_path / "records"
    shutil.copytree(folder, records)
    (records / METRICS).write_text((folder / METRICS).read_text() * 2)
    for name in (CHECKPOINT, NETWORK, CURVE):
        (records / name).unlink()
    fails("is not empty", *SMALL, "--out", str(records))
    fails("there is no run to resume", "--resume", str(tmp_path / "elsewhere"))
    fails("the run counts steps", "--resume", str(folder), "--minutes", "5")
    fails(
        "only --minutes, --total-timesteps, --threads, --device, --precision, --collectors, --address may change",
        "--resume",
        str(folder),
        "--width",
        "32",
    )

    fails("--address is that of a Ray cluster", "--resume", str(folder), "--collectors", "2", "--address", "auto")

    file = folder / CHECKPOINT
    data = bytearray(file.read_bytes())
    data[-5] ^= 1
    for damaged, message in ((bytes(data), "checksum"), (b"nonsense", "not a checkpoint"), (b"", "not a checkpoint")):
        file.write_bytes(damaged)
        before[file] = damaged
        fails(message, "--resume", str(folder))
    tensors, described = read_tensors(folder / NETWORK)
    described["made_for"]["observations"] = "0123456789abcdef"
    write_tensors(file, tensors, described)
    before[file] = file.read_bytes()
    fails("observations is '0123456789abcdef', here it is", "--resume", str(folder))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 8, "rate": 5e-4}, "this version has no option 'rate'"),
        ({"num_envs": "many"}, "Expected `int`, got `str` - at `$.envs`"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_runs_of_other_versions_are_refused_by_name(
    arguments: object, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / CONFIG).write_text(json.dumps({"algorithm": "ppo", "arguments": arguments}))
    assert main(["--resume", str(tmp_path)]) == 2
    assert f"{tmp_path / CONFIG}: {message}" in capsys.readouterr().err


def test_illegal_actions_have_no_probability(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert small(folder, "--total-timesteps", "1024") == 0
    game = PortaNigra(2)
    network = load_network(folder / NETWORK, game)
    # Weights that say anything at all.
    network.state_dict()["policy.weight"].mul_(1000.0)
    agent = NetworkAgent("trained", game, network)
    env = BatchEnv(game, 64)
    env.reset(seed=1)
    for _ in range(50):
        for view in env.views(range(4)):
            shares = agent.policy(view)
            assert shares.sum() == pytest.approx(1.0, abs=1e-5)
            assert not shares[view.action_mask == 0].any()
        env.step(env.random_actions())
