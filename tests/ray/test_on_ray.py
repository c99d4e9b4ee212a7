"""Tournaments and training on Ray while processes, machines and the program are killed; every game counts once."""

from __future__ import annotations

import os
import re
import shlex
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray
import torch
from ray.cluster_utils import Cluster

from agents.arena.executors import Here, Jobs, WorkerError
from agents.arena.matches import Setup, schedule
from agents.arena.playing import Arena, MatchError
from agents.arena.results import RESULTS, read
from agents.networks.network import read_tensors
from agents.tournament import run
from porta_nigra_env.games import make_game
from tests.agents.tournaments import Learned, kuhn
from tests.ray.machines import ROOT, add_machine, cluster, finish, lines_in, start, wait_until, workers_of
from training import ppo
from training.expert import program as expert
from training.run.folder import CHECKPOINT, METRICS, NETWORK

GAMES = 24
SEARCH = ["ismcts:simulations=40,rounds=1", "random"]


@pytest.fixture(scope="module")
def machines() -> Iterator[Cluster]:
    with cluster() as local:
        yield local


def readme_commands() -> list[list[str]]:
    """Return the lines of README.md with Ray, as words after ``python -m``."""
    lines = re.findall(r"^python -m .* ray.*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    return [shlex.split(line)[2:] for line in lines]


def whole(folder: Path, agents: list[str], games: int) -> bool:
    """Return whether a folder has every game of a tournament; `read` refuses duplicates."""
    results = read(folder)
    assert results is not None
    wanted = schedule(Setup(partial(make_game, "porta_nigra"), tuple(agents), 1), 2, games)
    return sorted(game.match.deal for game in results.games) == sorted(match.deal for match in wanted) and {
        game.match for game in results.games
    } == set(wanted)


# -- the commands of README.md


def test_a_tournament_that_was_killed_counts_every_game_once(tmp_path: Path) -> None:
    """The first command of README.md starts and ends its cluster."""
    (name, *options), *_ = readme_commands()
    options += ["--games", str(GAMES)]
    out = tmp_path / options[options.index("--out") + 1]
    playing = start(name, *options, folder=tmp_path)
    wait_until(lambda: lines_in(out / RESULTS) > 2, playing)
    playing.send_signal(signal.SIGKILL)
    playing.communicate()
    played = lines_in(out / RESULTS)
    assert 2 < played < GAMES + 1, "the run must be killed before its end"
    finish(start(name, *options, folder=tmp_path))
    assert whole(out, options[:2], GAMES)


def test_training_as_the_readme_says(machines: Cluster, tmp_path: Path) -> None:
    """The other two commands, smaller; the second starts from the network of the first."""
    _, (first, *training), (second, *search) = readme_commands()
    small: list[object] = ["--address", machines.address, "--evaluations", 1, "--deals", 2, "--threads", 1]
    del training[training.index("--minutes") : training.index("--minutes") + 2]
    del search[search.index("--minutes") : search.index("--minutes") + 2]
    finish(
        start(
            first,
            *training,
            *small,
            "--num-envs",
            8,
            "--num-steps",
            16,
            "--minibatch-size",
            64,
            "--total-timesteps",
            256,
            folder=tmp_path,
        )
    )
    few = ["--num-envs", 2, "--num-simulations", 4, "--fast-simulations", 2, "--batch-size", 32, "--total-timesteps", 1]
    finish(start(second, *search, *small, *few, folder=tmp_path))
    for options in (training, search):
        assert (tmp_path / options[options.index("--out") + 1] / NETWORK).exists()


# -- two machines


def test_a_machine_is_lost_in_a_tournament(machines: Cluster, tmp_path: Path) -> None:
    lost = add_machine(machines)
    options = ["--jobs", "ray", "--address", machines.address, "--out", tmp_path / "out"]
    playing = start("agents.tournament", *SEARCH, "--games", GAMES, *options, folder=tmp_path)
    wait_until(lambda: lines_in(tmp_path / "out" / RESULTS) > 2 and bool(workers_of(lost)), playing)
    assert lines_in(tmp_path / "out" / RESULTS) <= GAMES, "the machine must be lost before the end of the run"
    machines.remove_node(lost, allow_graceful=False)
    finish(playing)
    assert whole(tmp_path / "out", SEARCH, GAMES)


def test_collectors_and_a_machine_are_lost_in_training(machines: Cluster, tmp_path: Path) -> None:
    """Games and weights are those of a run without collectors."""
    small = [
        "--num-envs",
        "16",
        "--num-steps",
        "32",
        "--minibatch-size",
        "128",
        "--width",
        "16",
        "--update-epochs",
        "1",
        "--deals",
        "2",
    ]
    small += ["--evaluate", "random", "--evaluations", "1", "--threads", "1", "--precision", "float32"]
    small += ["--total-timesteps", str(16 * 32 * 40)]
    lost = add_machine(machines)
    options = ["--collectors", "ray:2", "--address", machines.address, "--out", tmp_path / "spread"]
    training = start("training.ppo", *small, *options, folder=tmp_path)
    metrics, killed = tmp_path / "spread" / METRICS, 0
    for least in (2, 5, 8):
        wait_until(lambda least=least: lines_in(metrics) > least, training)  # type: ignore[misc]
        for process in (*workers_of(machines.head_node), *workers_of(lost))[:1]:
            os.kill(process, signal.SIGKILL)
            killed += 1
    assert killed == 3
    wait_until(lambda: lines_in(metrics) > 11, training)
    assert lines_in(metrics) < 40, "the machine must be lost before the end of the run"
    machines.remove_node(lost, allow_graceful=False)
    finish(training)
    assert ppo.main([*small, "--out", str(tmp_path / "alone")]) == 0
    alone, spread = (read_tensors(tmp_path / name / NETWORK)[0] for name in ("alone", "spread"))
    for name, tensor in alone.items():
        torch.testing.assert_close(tensor, spread[name], rtol=1e-2, atol=1e-4)


def test_expert_iteration_equals_that_of_local_processes(machines: Cluster, tmp_path: Path, monkeypatch: Any) -> None:
    """A run interrupted and resumed on Ray has the same steps in the same order."""
    monkeypatch.setattr(expert, "TASK", 2)
    arguments: dict[str, Any] = {
        "total_timesteps": 100_000, "num_envs": 5, "num_simulations": 4, "fast_simulations": 2,
        "parallel_simulations": 2, "full_search_prob": 0.5, "buffer_size": 3000, "batch_size": 64, "width": 16,
        "replay_ratio": 1.0, "evaluate": (), "threads": 1, "precision": "float32", "device": "cpu",
    }  # fmt: skip
    games = [make_game("porta_nigra")]
    on_ray = expert.Options(**arguments, jobs="ray", address=machines.address)
    for _ in range(2):
        spread = expert.Expert(on_ray, games, tmp_path / "ray")
        if (tmp_path / CHECKPOINT).exists():
            spread.load(tmp_path / CHECKPOINT)
        spread.iterate()
        spread.save(tmp_path / CHECKPOINT)
        spread.close()
    monkeypatch.setattr(Jobs, "executor", lambda jobs, make: Here(make()))
    here = expert.Expert(expert.Options(**arguments, jobs="2"), games, tmp_path / "here")
    for _ in range(2):
        here.iterate()
    assert here.steps == spread.steps
    for name, array in here.buffer.arrays.items():
        np.testing.assert_array_equal(array, spread.buffer.arrays[name])


# -- errors


def test_errors_of_tasks_and_processes(machines: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = Jobs(0, ray=True, address=machines.address)
    with pytest.raises(MatchError, match=r"probe-broken.*illegal action"):
        run(Arena(Setup(kuhn, ("probe-broken", "random"))), [2], 20, tmp_path / "broken", jobs)
    # Other processes find other weights under the same name.
    (tmp_path / "weights").write_text("old")
    (tmp_path / "other weights").write_text("young")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Learned, "weights", tmp_path / "other weights")
    with pytest.raises(MatchError, match=r"another process: .* another probe-learned: .* 'old', here 'young'"):
        run(Arena(Setup(kuhn, ("probe-learned", "random"))), [2], 20, tmp_path / "learned", jobs)
    monkeypatch.setattr("agents.arena.ray_executor.RETRIES", 0)
    with pytest.raises(MatchError, match="a process that played has died"):
        run(Arena(Setup(kuhn, ("probe-deadly", "probe-lowest"))), [2], 4, tmp_path / "deadly", jobs)
    assert not ray.is_initialized()


def test_a_missing_cluster() -> None:
    with pytest.raises(WorkerError, match=r"--address 127\.0\.0\.1:1: no Ray cluster can be used there"):
        Jobs(0, ray=True, address="127.0.0.1:1").executor(dict)
