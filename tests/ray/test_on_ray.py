"""Tournaments and training on Ray: processes, machines and the program itself are killed, every game counts once."""

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
from tests.ray.machines import ROOT, add_machine, begun, cluster, ended, lines_in, wait_until, workers_of
from training.expert import program as expert
from training.ppo import program as ppo
from training.run.folder import CHECKPOINT, METRICS, NETWORK

GAMES = 24
SEARCH = ["ismcts:simulations=40,rounds=1", "random"]


@pytest.fixture(scope="module")
def machines() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


def readme_commands() -> list[list[str]]:
    """The lines of README.md that ask for Ray, as words after ``python -m``."""
    lines = re.findall(r"^python -m .* ray.*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    return [shlex.split(line)[2:] for line in lines]


def whole(folder: Path, agents: list[str], games: int) -> bool:
    """Whether a folder holds every game of a tournament once; `read` refuses one that stands there twice."""
    results = read(folder)
    assert results is not None
    wanted = schedule(Setup(partial(make_game, "porta_nigra"), tuple(agents), 1), 2, games)
    return sorted(game.match.deal for game in results.games) == sorted(one.deal for one in wanted) and {
        game.match for game in results.games
    } == set(wanted)


# -- the commands of README.md


def test_a_tournament_that_was_killed_counts_every_game_once(tmp_path: Path) -> None:
    """The first command of README.md, on a cluster that it starts and ends by itself."""
    (name, *options), *_ = readme_commands()
    options += ["--games", str(GAMES)]
    out = tmp_path / options[options.index("--out") + 1]
    playing = begun(name, *options, folder=tmp_path)
    wait_until(lambda: lines_in(out / RESULTS) > 2, playing)
    playing.send_signal(signal.SIGKILL)
    playing.communicate()
    there = lines_in(out / RESULTS)
    assert 2 < there < GAMES + 1, "it was to be killed in the middle"
    ended(begun(name, *options, folder=tmp_path))
    assert whole(out, options[:2], GAMES)


def test_training_as_the_readme_says(machines: Cluster, tmp_path: Path) -> None:
    """Its other two commands, smaller; the second one begins with the network of the first."""
    _, (first, *training), (second, *search) = readme_commands()
    small: list[object] = ["--address", machines.address, "--evaluations", 1, "--deals", 2, "--threads", 1]
    del training[training.index("--minutes") : training.index("--minutes") + 2]
    del search[search.index("--minutes") : search.index("--minutes") + 2]
    ended(
        begun(first, *training, *small, "--envs", 8, "--steps", 16, "--batch", 64, "--decisions", 256, folder=tmp_path)
    )
    few = ["--envs", 2, "--simulations", 4, "--quick", 2, "--batch", 32, "--decisions", 1]
    ended(begun(second, *search, *small, *few, folder=tmp_path))
    for options in (training, search):
        assert (tmp_path / options[options.index("--out") + 1] / NETWORK).exists()


# -- two machines


def test_a_machine_is_lost_in_a_tournament(machines: Cluster, tmp_path: Path) -> None:
    lost = add_machine(machines)
    options = ["--jobs", "ray", "--address", machines.address, "--out", tmp_path / "out"]
    playing = begun("agents.tournament", *SEARCH, "--games", GAMES, *options, folder=tmp_path)
    wait_until(lambda: lines_in(tmp_path / "out" / RESULTS) > 2 and bool(workers_of(lost)), playing)
    assert lines_in(tmp_path / "out" / RESULTS) <= GAMES, "it was to be lost in the middle"
    machines.remove_node(lost, allow_graceful=False)
    ended(playing)
    assert whole(tmp_path / "out", SEARCH, GAMES)


def test_collectors_and_a_machine_are_lost_in_training(machines: Cluster, tmp_path: Path) -> None:
    """Its games and what it learns are those of a run without collectors."""
    small = ["--envs", "16", "--steps", "32", "--batch", "128", "--width", "16", "--epochs", "1", "--deals", "2"]
    small += ["--evaluate", "random", "--evaluations", "1", "--threads", "1", "--precision", "float32"]
    small += ["--decisions", str(16 * 32 * 40)]
    lost = add_machine(machines)
    options = ["--collectors", "ray:2", "--address", machines.address, "--out", tmp_path / "spread"]
    training = begun("training.ppo", *small, *options, folder=tmp_path)
    metrics, killed = tmp_path / "spread" / METRICS, 0
    for least in (2, 5, 8):
        wait_until(lambda least=least: lines_in(metrics) > least, training)  # type: ignore[misc]
        for process in (*workers_of(machines.head_node), *workers_of(lost))[:1]:
            os.kill(process, signal.SIGKILL)
            killed += 1
    assert killed == 3
    wait_until(lambda: lines_in(metrics) > 11, training)
    assert lines_in(metrics) < 40, "it was to be lost in the middle"
    machines.remove_node(lost, allow_graceful=False)
    ended(training)
    assert ppo.main([*small, "--out", str(tmp_path / "alone")]) == 0
    alone, spread = (read_tensors(tmp_path / name / NETWORK)[0] for name in ("alone", "spread"))
    for name, tensor in alone.items():
        torch.testing.assert_close(tensor, spread[name], rtol=1e-2, atol=1e-4)


def test_expert_iteration_is_that_of_processes(machines: Cluster, tmp_path: Path, monkeypatch: Any) -> None:
    """Interrupted between two iterations, and resumed on Ray: the same decisions in the same order."""
    monkeypatch.setattr(expert, "TASK", 2)
    arguments: dict[str, Any] = {
        "decisions": 100_000, "envs": 5, "simulations": 4, "quick": 2, "parallel": 2, "full": 0.5, "buffer": 3000,
        "batch": 64, "width": 16, "replay_ratio": 1.0, "evaluate": (), "threads": 1, "precision": "float32",
        "device": "cpu",
    }  # fmt: skip
    games = [make_game("porta_nigra")]
    on_ray = expert.Arguments(**arguments, jobs="ray", address=machines.address)
    for _ in range(2):
        spread = expert.Expert(on_ray, games, tmp_path / "ray")
        if (tmp_path / CHECKPOINT).exists():
            spread.load(tmp_path / CHECKPOINT)
        spread.iterate()
        spread.save(tmp_path / CHECKPOINT)
        spread.close()
    monkeypatch.setattr(Jobs, "executor", lambda jobs, make: Here(make()))
    here = expert.Expert(expert.Arguments(**arguments, jobs="2"), games, tmp_path / "here")
    for _ in range(2):
        here.iterate()
    assert here.decisions == spread.decisions
    for name, array in here.buffer.arrays.items():
        np.testing.assert_array_equal(array, spread.buffer.arrays[name])


# -- what goes wrong


def test_errors_of_work_and_of_places(machines: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = Jobs(0, ray=True, address=machines.address)
    with pytest.raises(MatchError, match=r"probe-broken.*illegal action"):
        run(Arena(Setup(kuhn, ("probe-broken", "random"))), [2], 20, tmp_path / "broken", jobs)
    # The weights of a player of this process are not those that others find under its name.
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


def test_a_cluster_that_is_not_there() -> None:
    with pytest.raises(WorkerError, match=r"--address 127\.0\.0\.1:1: no Ray cluster can be used there"):
        Jobs(0, ray=True, address="127.0.0.1:1").executor(dict)
