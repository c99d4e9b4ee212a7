"""Collectors: they play the games that a run without them plays, whoever and however many they are."""

from __future__ import annotations

import importlib.util
import multiprocessing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.arena.executors import Executor, Here, Jobs, WorkerError
from agents.networks.network import read_tensors
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from training.expert import program as expert
from training.expert.selfplay import SearchPlayer
from training.ppo import program as ppo
from training.ppo.program import Arguments, Training
from training.ppo.remote_collectors import Chosen, Fleet, Player
from training.run.folder import CHECKPOINT, NETWORK

SMALL: dict[str, Any] = {
    "decisions": 100_000, "envs": 24, "steps": 64, "batch": 64, "width": 16, "evaluate": (), "threads": 1,
    "precision": "float32", "device": "cpu", "epochs": 1,
}  # fmt: skip


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """All jobs in this process, one after the other, in a place that has nothing of the run's."""
    monkeypatch.setattr(Jobs, "executor", lambda jobs, make: Here(make()))


def games() -> list[Game]:
    return [PortaNigra(2), PortaNigra(3)]


def assert_same(one: Training, other: Training) -> None:
    """The same games, decision by decision, and weights that differ by rounding at most."""
    np.testing.assert_array_equal(one.collector.actions, other.collector.actions)
    np.testing.assert_array_equal(one.collector.data.rewards, other.collector.data.rewards)
    for env, same in zip(one.collector.envs, other.collector.envs, strict=True):
        assert env.snapshot() == same.snapshot()
    assert one.rng.bit_generator.state == other.rng.bit_generator.state
    for name, tensor in one.learner.model.state_dict().items():
        torch.testing.assert_close(tensor, other.learner.model.state_dict()[name], rtol=1e-3, atol=1e-5)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("critic", ["shared", "privileged"])
def test_the_games_are_those_of_a_run_without_collectors(critic: str) -> None:
    alone = Training(Arguments(**SMALL, critic=critic), games())
    # Five do not divide the twelve games of each number of players evenly.
    spread = Training(Arguments(**SMALL, critic=critic, collectors="5"), games())
    for _ in range(4):
        expected, found = alone.iterate(), spread.iterate()
        assert found["games"] == expected["games"]
        assert_same(alone, spread)
    assert expected["games"] > 0
    spread.close()


@pytest.mark.usefixtures("one_process")
def test_a_run_goes_on_with_other_collectors(tmp_path: Path) -> None:
    whole, first = (Training(Arguments(**SMALL, collectors=count), games()) for count in ("1", "2"))
    first.iterate()
    first.save(tmp_path / CHECKPOINT)
    second = Training(Arguments(**SMALL, collectors="3"), games())
    second.load(tmp_path / CHECKPOINT)
    for training in (second, whole, whole):
        training.iterate()
    assert_same(whole, second)


def test_two_processes_play_the_same(tmp_path: Path) -> None:
    """As the command line asks for them; a run that goes on may do without."""
    small = [
        f"--{name}={SMALL[name]}" for name in ("envs", "steps", "batch", "width", "threads", "precision", "device")
    ]
    small += ["--evaluate", "random", "--evaluations", "1", "--deals", "2", "--epochs", "1", "--decisions", "3072"]
    for name, count in (("alone", "1"), ("spread", "2")):
        assert ppo.main([*small, "--collectors", count, "--out", str(tmp_path / name)]) == 0
    assert not multiprocessing.active_children()
    alone, spread = (read_tensors(tmp_path / name / NETWORK)[0] for name in ("alone", "spread"))
    for name, tensor in alone.items():
        torch.testing.assert_close(tensor, spread[name], rtol=1e-3, atol=1e-5)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    "change",
    [lambda found: found._replace(ended=found.ended ^ 1), lambda found: found._replace(actions=found.actions * 0 - 1)],
    ids=["ends", "actions"],
)
def test_collectors_that_play_other_games_are_noticed(
    change: Callable[[Chosen], Chosen], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of a machine with other code would."""
    training = Training(Arguments(**SMALL), games())
    play = Player.play
    monkeypatch.setattr(Player, "play", lambda place, *task: change(play(place, *task)))
    fleet = Fleet(training.collector, training.games, training.learner, Jobs(2))
    with pytest.raises(WorkerError, match="a collector played other games than this process"):
        fleet.play(training.rng)


def test_a_snapshot_of_some_rows_goes_on_as_they_do() -> None:
    whole, part = BatchEnv(PortaNigra(2), 9), BatchEnv(PortaNigra(2), 3)
    whole.reset(seed=5)
    for _ in range(5):
        whole.step(whole.action_masks.argmax(axis=1))
    rows = [2, 3, 7]
    part.restore(whole.snapshot(rows))
    for _ in range(300):
        whole.step(whole.action_masks.argmax(axis=1))
        part.step(part.action_masks.argmax(axis=1))
        np.testing.assert_array_equal(part.observations, whole.observations[rows])
        np.testing.assert_array_equal(part.rewards, whole.rewards[rows])
    assert part.final_scores.any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"collectors": "13"}, "--collectors must be at most 12, a game of each number of players for each, not 13"),
        ({"collectors": "ray"}, "--collectors must be a number, as in ray:4, not ray"),
        ({"collectors": "none"}, "--collectors must be N, ray or ray:N, not 'none'"),
        ({"collectors": "2", "pool": 0.5}, "--collectors: games against a pool are played in this process"),
        ({"address": "auto"}, "--address is that of a Ray cluster; it needs --collectors ray, not --collectors 1"),
    ],
)
def test_collectors_that_cannot_be_had(options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    with pytest.raises(ValueError, match=message):
        ppo.check(Arguments(**SMALL, players=(2, 3), **options))


# -- expert iteration


def searched(folder: Path, jobs: str, iterations: int = 2) -> expert.Expert:
    arguments = expert.Arguments(
        decisions=100_000, envs=5, simulations=4, quick=2, parallel=2, full=0.5, buffer=3000, batch=64, width=16,
        replay_ratio=1.0, evaluate=(), threads=1, precision="float32", device="cpu", jobs=jobs,
    )  # fmt: skip
    training = expert.Expert(arguments, [PortaNigra(2)], folder)
    for _ in range(iterations):
        training.iterate()
    training.close()
    return training


def shuffled(self: Executor[Any], work: Any, tasks: Sequence[Any], *shared: Any) -> Any:
    """Results in another order than that of the tasks."""
    return reversed([(number, work(self.worker, task, *shared)) for number, task in enumerate(tasks)])  # type: ignore[attr-defined]


def test_searched_games_do_not_depend_on_who_is_ready_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expert, "TASK", 2)
    monkeypatch.setattr(Jobs, "executor", lambda jobs, make: Here(make()))
    one = searched(tmp_path / "one", "2")
    monkeypatch.setattr(Here, "spread", shuffled)
    other = searched(tmp_path / "other", "7")
    assert one.decisions == other.decisions > 0
    assert one.buffer.written == other.buffer.written > 0
    for name, array in one.buffer.arrays.items():
        np.testing.assert_array_equal(array, other.buffer.arrays[name])
    for name, tensor in one.network.state_dict().items():
        assert torch.equal(tensor, other.network.state_dict()[name]), name


def test_every_deal_is_searched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With tasks of two the five games are those of one task of five: the same deals."""
    monkeypatch.setattr(Jobs, "executor", lambda jobs, make: Here(make()))
    begun: list[range] = []

    def noted(self: Any, deals: Any, weights: Any = None) -> Any:
        begun.append(range(deals.first, deals.first + deals.games))
        return original(self, deals, weights)

    original = SearchPlayer.play
    monkeypatch.setattr(SearchPlayer, "play", noted)
    searched(tmp_path / "here", "1", iterations=1)
    (together,) = begun
    begun.clear()
    monkeypatch.setattr(expert, "TASK", 2)
    searched(tmp_path / "tasks", "3", iterations=1)
    assert [seed for one in begun for seed in one] == list(together)
    assert list(map(len, begun)) == [2, 2, 1]
