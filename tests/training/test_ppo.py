"""Self-play PPO: known results, exact resumption, refused options."""

from __future__ import annotations

import builtins
import io
import itertools
import json
import random
import re
import shutil
import subprocess
import sys
import time
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
from tests.games.porta_nigra.components.files import OTHER
from tests.toys.kuhn.game import Kuhn
from tests.toys.kuhn.strategy import exploitability, strategy, worth
from tests.training.small import Refused, assert_resumes, make_training, words
from training.ppo import Training, main
from training.run import trainer
from training.run.folder import CHECKPOINT, CONFIG, CURVE, EVALUATIONS, LOCK, METRICS, NETWORK, read_lines
from training.run.options import use_bfloat16

SMALL = words("--num-envs 16 --num-steps 16 --minibatch-size 64 --width 16 --deals 2 --evaluate greedy")
SMALL += words("--evaluations 1 --threads 1 --precision float32 --device cpu")


def small(folder: Path, steps: int = 256, more: str = "") -> int:
    return main([*SMALL, "--total-timesteps", str(steps), "--out", str(folder), *more.split()])


def resume(folder: Path, steps: int, more: str = "") -> int:
    return main(["--resume", str(folder), "--total-timesteps", str(steps), *more.split()])


def config(folder: Path) -> dict[str, Any]:
    options: dict[str, Any] = json.loads((folder / CONFIG).read_text())["arguments"]
    return options


@pytest.mark.long
def test_self_play_comes_near_the_value_of_kuhn_poker() -> None:
    training = make_training(
        [Kuhn()], total_timesteps=4_000_000, num_envs=1024, minibatch_size=4096, width=64, learning_rate=1e-4,
        ent_coef=0.3, reward="margin", seed=2, keep_fraction=1.0, update_epochs=4,
    )  # fmt: skip
    while training.progress < 1.0:
        training.iterate()
    bets = strategy(NetworkAgent("ppo", Kuhn(), training.learner.network).policy)
    assert worth(bets) == pytest.approx(-1 / 18, abs=0.02)
    # A strategy that always bets has 0.33; this seed had 0.04, another one 0.06.
    assert exploitability(bets) < 0.1


# -- a run


def weights(folder: Path) -> dict[str, Any]:
    return {name: tensor.numpy() for name, tensor in read_tensors(folder / NETWORK)[0].items()}


def assert_equal(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


def test_the_seed_fixes_a_run(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        assert small(tmp_path / name, 2048, f"--seed {seed}") == 0
    assert_equal(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert any((weights(tmp_path / "a")[name] != array).any() for name, array in weights(tmp_path / "c").items())


def test_files_of_a_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert small(folder, 1024, "--players 2 3 4") == 0
    lines = read_lines(folder / METRICS)
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4]
    assert all(np.isfinite(value) for line in lines for value in line.values())
    (evaluation,) = read_lines(folder / EVALUATIONS)
    assert list(evaluation["shares"]) == [f"greedy, {players} players" for players in (2, 3, 4)]
    assert (folder / CURVE).read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / CONFIG).read_text())["algorithm"] == "ppo"
    assert list((folder / "tensorboard").iterdir())
    # One network for all numbers of players.
    for players in (2, 3, 4):
        load_network(folder / NETWORK, PortaNigra(players))


@pytest.mark.parametrize(
    ("pool", "critic"), [pytest.param(0.0, "shared", marks=pytest.mark.long), (0.5, "shared"), (0.0, "privileged")]
)
def test_a_resumed_run_equals_one_without_a_break(pool: float, critic: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"pool_fraction": pool, "pool_interval": 2, "pool_size": 2, "critic": critic}
    games = [PortaNigra(2), PortaNigra(3)]
    assert_resumes(
        lambda: make_training(games, total_timesteps=2048, num_steps=64, **options), tmp_path / CHECKPOINT, 3, 3
    )


@pytest.mark.parametrize("critic", ["shared", "privileged"])
def test_torch_learns_the_same_as_compiled_code(critic: str) -> None:
    one, other = (
        make_training(
            num_envs=8, num_steps=64, minibatch_size=128, total_timesteps=1024, critic=critic, update_epochs=1
        )
        for _ in range(2)
    )
    other.learner.compiled, other.learner.chunk = False, 1 << 62
    start = {name: tensor.clone() for name, tensor in one.learner.model.state_dict().items()}
    found, expected = other.iterate(), one.iterate()
    for name in ("policy_loss", "value_loss", "entropy", "kl", "clipped"):
        assert found[name] == pytest.approx(expected[name], rel=1e-2, abs=1e-4), name
    weights = other.learner.model.state_dict()
    for name, tensor in one.learner.model.state_dict().items():
        # Rounding errors are small relative to the update.
        moved = float((tensor - start[name]).abs().max())
        assert float((tensor - weights[name]).abs().max()) <= 0.05 * moved + 1e-7, name


def run_with_kills(folder: Path, kills: int, steps: int) -> None:
    """Run to the end with random kills, the first before the first checkpoint."""
    rng = random.Random(1)
    before = 0

    def start() -> subprocess.Popen[bytes]:
        line = [*SMALL, "--total-timesteps", str(steps), "--out", str(folder)]
        if (folder / CHECKPOINT).exists():
            line = ["--resume", str(folder)]
        command = [sys.executable, "-m", "training.ppo", *line]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def progressed(kill: int) -> bool:
        # Without progress before each kill the run would never end.
        return (folder / CONFIG).exists() if kill == 0 else len(read_lines(folder / METRICS)) > before

    for kill in range(kills + 1):
        process = start()
        deadline = time.monotonic() + 120
        while not progressed(kill) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        if kill:
            time.sleep(rng.random() * 0.3)
        process.kill()
        process.wait()
        before = read_tensors(folder / CHECKPOINT)[1]["iteration"] if (folder / CHECKPOINT).exists() else 0
    assert start().wait() == 0


@pytest.mark.parametrize(
    ("kills", "steps"), [(1, 4096), pytest.param(20, 262_144, marks=[pytest.mark.long, pytest.mark.timeout(1800)])]
)
def test_a_killed_run_loses_one_iteration_at_most(kills: int, steps: int, tmp_path: Path) -> None:
    run_with_kills(tmp_path / "killed", kills, steps)
    assert small(tmp_path / "whole", steps) == 0
    assert_equal(weights(tmp_path / "killed"), weights(tmp_path / "whole"))
    iterations = [line["iteration"] for line in read_lines(tmp_path / "killed" / METRICS)]
    assert iterations == list(range(1, steps // 256 + 1))


# -- refused options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--players 5", "--players must be out of 2, 3, 4"),
        ("--reward money", "reward must be one of"),
        ("--minibatch-size 1000000", "--minibatch-size must be at most num_envs * num_steps"),
        ("--minutes 0", "--minutes must be positive, not 0"),
        ("--total-timesteps -1", "--total-timesteps must be at least 0, not -1"),
        ("--minutes 3 --total-timesteps 300", "--minutes and --total-timesteps: give only one of them"),
        ("--components nowhere.toml", "nowhere.toml"),
        ("--gae-lambda 1.5", "--gae-lambda must be in (0, 1]"),
        ("--precision int8", "--precision must be"),
        ("--threads -1", "--threads must be at least 0"),
        ("--blocks -1", "--blocks must be at least 0"),
        ("--device tpu", "--device must be"),
        ("--evaluate nobody", "there is no agent 'nobody'"),
        ("--game chess", "--game: there is no game 'chess'"),
        ("--seed -1", "--seed must be in [0, "),
        (f"--seed {2**63 - 1}", "--seed must be in [0, "),
        ("--pool-size 3", "--pool-size: only for games against a pool; set --pool-fraction"),
        ("--pool-agents random", "--pool-agents: only for games against a pool"),
        ("--pool-fraction 0.5 --pool-size 0 --pool-agents", "--pool-agents: name at least one, or set --pool-size"),
        ("--critic harsh", "--critic must be shared or privileged"),
        ("--pool-fraction 2", "--pool-fraction must be in [0, 1]"),
        ("--start nowhere.safetensors", "there is no such file"),
        ("--pool-networks nowhere.safetensors", "--pool-networks: only for games against a pool"),
        ("--learning-rate inf", "--learning-rate must be positive"),
        ("--target-kl -0.1", "--target-kl must be at least 0, not -0.1"),
        ("--value-warmup -1", "--value-warmup must be at least 0, not -1"),
        ("--ent-coef -0.01", "--ent-coef must be at least 0, not -0.01"),
        ("--learning-rate 0", "--learning-rate must be positive, not 0.0"),
        ("--max-grad-norm -0.5", "--max-grad-norm must be positive, not -0.5"),
        ("--final-learning-rate 0", "--final-learning-rate must be in (0, 1], not 0.0"),
        ("--final-ent-coef 2", "--final-ent-coef must be in (0, 1], not 2.0"),
        ("--keep-fraction 0", "--keep-fraction must be in (0, 1]"),
        ("--keep-fraction 1.5", "--keep-fraction must be in (0, 1]"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(main, [*SMALL, *options.split()], message)


def test_a_run_cut_off_before_its_first_checkpoint_starts_again(tmp_path: Path) -> None:
    folder, whole = tmp_path / "run", tmp_path / "whole"
    for one in (folder, whole):
        assert small(one) == 0
    for name in (CHECKPOINT, NETWORK, "curve.png"):
        (folder / name).unlink()
    assert small(folder) == 0
    assert (folder / NETWORK).read_bytes() == (whole / NETWORK).read_bytes()
    lines = [len(read_lines(one / METRICS)) for one in (folder, whole)]
    assert lines[0] == lines[1]


def test_two_processes_do_not_write_to_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert small(folder) == 0
    with FileLock(folder / LOCK):
        assert resume(folder, 512) == 2
    assert "another process is training there" in capsys.readouterr().err
    assert resume(folder, 512) == 0


def test_an_interrupted_run_says_how_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(self: Training) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Training, "evaluate", interrupted)
        assert small(tmp_path / "run") == 130
    assert f"resume with python -m training.ppo --resume {tmp_path / 'run'}" in capsys.readouterr().err
    assert main(["--resume", str(tmp_path / "run")]) == 0


def test_a_run_keeps_its_device_and_precision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"

    def hardware() -> list[str]:
        return [config(folder)[name] for name in ("device", "precision")]

    def rewrite(**values: Any) -> None:
        (folder / CONFIG).write_text(json.dumps({"algorithm": "ppo", "arguments": config(folder) | values}))

    # First with matrix units, then without.
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True)
    assert small(folder, 256, "--device auto --precision auto") == 0
    assert hardware() == ["cuda" if torch.cuda.is_available() else "cpu", "bfloat16"]
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    assert resume(folder, 512) == 0
    assert hardware()[1] == "bfloat16"
    assert resume(folder, 768, "--precision float32 --device cpu") == 0
    assert hardware() == ["cpu", "float32"]
    # Earlier versions kept "auto", which is resolved on resume.
    rewrite(device="auto", precision="auto")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resume(folder, 1024) == 0
    assert hardware() == ["cpu", "float32"]
    rewrite(device="cuda", precision="auto")
    capsys.readouterr()
    assert resume(folder, 1280) == 2
    assert "--device: there is no CUDA device here; use --device cpu" in capsys.readouterr().err
    assert resume(folder, 1280, "--device cpu") == 0


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


def test_progress_of_a_resumed_run_starts_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = []

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: object, **more: object) -> None:
            super().__init__(*args, **more)
            first.append(self.n)

    monkeypatch.setattr(trainer, "tqdm", Bar)
    assert small(tmp_path / "run", 512) == 0
    assert resume(tmp_path / "run", 2048) == 0
    assert first == [0, 25.0]


def test_tensorboard_plots_over_steps(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing import event_accumulator  # type: ignore[import-untyped]

    assert small(tmp_path / "run", 512) == 0
    assert resume(tmp_path / "run", 1024) == 0
    board = event_accumulator.EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    board.Reload()
    assert [point.step for point in board.Scalars("entropy")] == [256, 512, 768, 1024]
    assert [point.step for point in board.Scalars("win_share/greedy, 2 players")] == [512, 1024]


def test_an_extended_run_is_evaluated_on_its_way(tmp_path: Path) -> None:
    assert small(tmp_path / "run", 512, "--evaluations 4") == 0
    assert resume(tmp_path / "run", 4096) == 0
    measured = [line["steps"] for line in read_lines(tmp_path / "run" / EVALUATIONS)]
    assert measured[-1] >= 4096
    assert len([count for count in measured if 512 < count < 4096]) == 3


def test_a_lengthened_run_keeps_its_rates_and_earlier_options(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert small(folder, 1024) == 0
    assert resume(folder, 4096, "--threads 2") == 0
    assert resume(folder, 4352) == 0
    rates = [line["learning_rate"] for line in read_lines(folder / METRICS)]
    assert all(after <= before for before, after in itertools.pairwise(rates))
    # At the end of the shorter run the schedule was at its end.
    assert rates[-1] == rates[4] == pytest.approx(5e-4 * 0.05)
    saved = json.loads((folder / CONFIG).read_text())
    assert saved["arguments"]["total_timesteps"] == 4352
    first = {"iteration": 4, "arguments": {"total_timesteps": 1024, "threads": 1}}
    assert saved["earlier"] == [first, {"iteration": 16, "arguments": {"total_timesteps": 4096}}]


@pytest.mark.parametrize("name", [METRICS, CHECKPOINT, EVALUATIONS])
def test_a_full_disk_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, opened = tmp_path / "run", builtins.open

    def full(file: Any, mode: str = "r", *args: Any, **more: Any) -> Any:
        wanted = name in str(file) and mode != "r"
        return opened("/dev/full" if wanted else file, mode, *args, **more)

    with monkeypatch.context() as patched:
        patched.setattr(builtins, "open", full)
        patched.setattr(io, "open", full)
        assert small(folder, 512) == 2
    told = f"error: {folder / name}: No space left on device; the folder is complete up to its last checkpoint; resume"
    assert told in capsys.readouterr().err


def test_a_run_resumes_without_its_initial_networks(tmp_path: Path) -> None:
    assert small(tmp_path / "first") == 0
    network = tmp_path / "first" / NETWORK
    assert small(tmp_path / "second", 256, f"--start {network} --pool-networks {network} --pool-fraction 0.5") == 0
    network.unlink()
    assert resume(tmp_path / "second", 512) == 0
    assert config(tmp_path / "second")["pool_networks"] == [str(network)]


def test_a_run_has_the_shape_of_its_initial_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert small(tmp_path / "first", 256, "--blocks 2 --layer-norm") == 0
    more = f"--start {tmp_path / 'first' / NETWORK}"
    assert small(tmp_path / "second", 256, more) == 0
    wanted = Shape.of(PortaNigra(2), width=16, blocks=2, normed=True)
    assert [load_network(tmp_path / name / NETWORK).shape for name in ("first", "second")] == [wanted] * 2
    assert small(tmp_path / "third", 256, f"{more} --blocks 3") == 2
    assert "--blocks: the network of --start has 2, not 3" in capsys.readouterr().err
    assert not (tmp_path / "third").exists()


def test_a_pool_network_must_know_all_numbers_of_players(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert small(tmp_path / "first") == 0
    more = f"--pool-networks {tmp_path / 'first' / NETWORK} --pool-fraction 0.5 --players 2 3"
    assert small(tmp_path / "second", 256, more) == 2
    assert "it was trained for 2 players, not for 3" in capsys.readouterr().err


@pytest.mark.parametrize("options", ["--seed 1", "--threads=0", "--learning_rate 0.0005", "--cuda-graphs"])
def test_a_resumed_run_refuses_defaults(options: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert small(folder, 256, "--seed 7") == 0
    before = (folder / CONFIG).read_bytes()
    assert resume(folder, 512, options) == 2
    option = options.split()[0].partition("=")[0].replace("_", "-")
    assert f"error: {option}: the default value has no effect next to --resume" in capsys.readouterr().err
    assert (folder / CONFIG).read_bytes() == before


def test_weights_that_are_not_finite_are_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert small(folder) == 0
    checkpoint, iterate = (folder / CHECKPOINT).read_bytes(), Training.iterate

    def broken(training: Training) -> dict[str, Any]:
        figures = iterate(training)
        with torch.no_grad():
            training.network.get_parameter("policy.bias")[0] = np.nan
        return figures

    with monkeypatch.context() as patch:
        patch.setattr(Training, "iterate", broken)
        assert resume(folder, 4096) == 1
    assert "it has diverged; begin another run with a lower --learning-rate" in capsys.readouterr().err
    assert (folder / CHECKPOINT).read_bytes() == checkpoint
    assert resume(folder, 4096) == 0


# -- values and advantages


@pytest.mark.parametrize("reward", ["points", "outcome"])
def test_a_run_with_another_reward_copies_only_the_policy(tmp_path: Path, reward: str) -> None:
    """Values of points have another scale than results, and would take many iterations to adapt."""
    assert small(tmp_path / "first", 512, "--reward points") == 0
    file = tmp_path / "first" / NETWORK
    training = make_training(num_steps=256, reward=reward, start=file)
    before, after = load_network(file).state_dict(), training.network.state_dict()
    assert {name for name, one in before.items() if not torch.equal(one, after[name])} == (
        {"value.weight", "value.bias", "value_scale"} if reward == "outcome" else set()
    )
    training.iterate()
    assert (float(training.network.value_scale) > 2.0) == (reward == "points")


def test_pool_networks_enter_before_past_selves(tmp_path: Path) -> None:
    assert small(tmp_path / "first") == 0
    network = tmp_path / "first" / NETWORK
    options: dict[str, Any] = {"pool_fraction": 0.5, "pool_agents": (), "pool_size": 2, "pool_interval": 1, "seed": 9}
    training = make_training(pool_networks=(network,), **options)
    rival = load_network(network).state_dict()["policy.weight"]
    training.iterate()
    assert training.pool.present == 1
    for _ in range(3):
        training.iterate()
    assert torch.equal(training.pool.past[0].network.state_dict()["policy.weight"], rival)
    assert training.pool.present == 2
    assert not torch.equal(training.pool.past[1].network.state_dict()["policy.weight"], rival)
    # An empty pool starts with the learner itself.
    empty = make_training(**options)
    assert empty.pool.present == 1
    empty.iterate()


@pytest.mark.parametrize("reward", ["margin", "points"])
def test_a_run_for_points(reward: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    # Long enough for games to end.
    assert small(folder, 8192, f"--num-steps 256 --reward {reward} --critic privileged") == 0
    lines = read_lines(folder / METRICS)
    assert len(lines) == 2
    assert all(np.isfinite(value) for line in lines for value in line.values())
    assert load_network(folder / NETWORK).reward == reward
    assert lines[-1]["value_scale"] > 2, "points, not results"


@pytest.mark.parametrize("reward", ["outcome", "points"])
def test_a_new_scale_leaves_values_as_they_are(reward: str) -> None:
    training = make_training(3, num_envs=8, reward=reward, critic="privileged")
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


def test_the_critic_s_values_are_in_order_of_play() -> None:
    """The critic's outputs are by seat; values start at the mover and wrap at the number of players."""
    training = make_training([PortaNigra(players) for players in (2, 3, 4)], num_envs=24, num_steps=64, width=8,
                             critic="privileged")  # fmt: skip
    collector, learner = training.collector, training.learner
    assert learner.model.critic is not None
    head = learner.model.critic[-1]
    assert isinstance(head, torch.nn.Linear)
    with torch.no_grad():
        # The value of seat s is s + 1 in every state.
        head.weight.zero_()
        head.bias.copy_(torch.arange(1.0, 5.0))
    collector.play(learner.decide, training.rng)
    data = collector.data
    met = set()
    for step, row in np.ndindex(data.movers.shape):
        mover, players = int(data.movers[step, row]), int(data.players[row])
        expected = [(mover + offset) % players + 1.0 for offset in range(players)]
        assert data.values[step, row, :players].tolist() == expected
        met.add((mover, players))
    assert met == {(mover, players) for players in (2, 3, 4) for mover in range(players)}


def test_targets_of_two_three_and_four_players() -> None:
    """Results of two players add up to nothing, and missing seats are not learned."""
    training = make_training([PortaNigra(players) for players in (2, 3, 4)], num_envs=48, num_steps=256, width=8,
                             gae_lambda=1.0)  # fmt: skip
    training.collector.play(training.learner.decide, training.rng)
    training.estimate()
    counts = np.broadcast_to(training.collector.data.players, training.collector.data.movers.shape)
    for seat in range(4):
        assert not training.estimates.known[..., seat][counts <= seat].any()
        assert training.estimates.known[..., seat][counts > seat].mean() > 0.2
    # With a lambda of one, targets of finished games are results.
    over = np.flip(np.maximum.accumulate(np.flip(training.collector.data.ended, axis=0), axis=0), axis=0)
    two = over & (counts == 2)
    assert two.any()
    assert training.estimates.targets[two][:, :2].sum(axis=1) == pytest.approx(0.0, abs=1e-4)
    assert np.abs(training.estimates.targets[two][:, 0]).max() > 0


def test_advantages_are_normalized_per_number_of_players() -> None:
    training = make_training([PortaNigra(2), PortaNigra(4)], num_envs=32, num_steps=256, width=8, seed=4)
    training.collector.play(training.learner.decide, training.rng)
    training.estimate()
    known, players = training.estimates.known[..., 0] != 0, training.collector.data.players
    for count in (2, 4):
        advantages = training.estimates.advantages[:, players == count][known[:, players == count]]
        assert advantages.mean() == pytest.approx(0.0, abs=1e-4)
        assert advantages.std() == pytest.approx(1.0, abs=1e-3)


# -- folders


def test_a_run_with_a_component_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert small(tmp_path / "run", 256, f"--components {OTHER}") == 0
    assert resume(tmp_path / "run", 512) == 0
    load_network(tmp_path / "run" / NETWORK, PortaNigra(2, OTHER))
    with pytest.raises(CheckpointError, match="here it is"):
        load_network(tmp_path / "run" / NETWORK, PortaNigra(2))


def test_folders_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert small(folder) == 0
    capsys.readouterr()
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    def fails(message: str, *options: str) -> None:
        assert main(list(options)) == 2
        assert re.search(message, capsys.readouterr().err)
        assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before

    fails("is not empty", *SMALL, "--out", str(folder))
    # Other folders are untouched, even if their files have the same names.
    for name, content in (("letter.txt", "dear reader"), (CONFIG, "{}"), (METRICS, "0.5")):
        foreign = tmp_path / f"with {name}"
        (foreign / "tensorboard").mkdir(parents=True)
        (foreign / name).write_text(content)
        fails("is not empty", *SMALL, "--out", str(foreign))
        assert (foreign / name).read_text() == content
        assert (foreign / "tensorboard").exists()
    # The same for a run with records but no checkpoint.
    records = tmp_path / "records"
    shutil.copytree(folder, records)
    (records / METRICS).write_text((folder / METRICS).read_text() * 2)
    for name in (CHECKPOINT, NETWORK, CURVE):
        (records / name).unlink()
    fails("is not empty", *SMALL, "--out", str(records))
    fails("there is no run", "--resume", str(tmp_path / "elsewhere"))
    fails("the run counts steps", "--resume", str(folder), "--minutes", "5")
    changeable = "--minutes, --total-timesteps, --threads, --device, --precision, --collectors, --address"
    fails(f"only {changeable} may change", "--resume", str(folder), "--width", "32")
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
        ({"envs": "many"}, "Expected `int`, got `str` - at `$.num_envs`"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_unknown_options_of_a_run_are_refused(
    arguments: object, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / CONFIG).write_text(json.dumps({"algorithm": "ppo", "arguments": arguments}))
    assert main(["--resume", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert f"{tmp_path / CONFIG}: " in told
    assert message in told


def test_illegal_actions_have_no_probability(tmp_path: Path) -> None:
    assert small(tmp_path / "run", 1024) == 0
    game = PortaNigra(2)
    network = load_network(tmp_path / "run" / NETWORK, game)
    # Large weights give extreme logits.
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
