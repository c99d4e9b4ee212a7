"""Collectors play the same games as one process, regardless of their number."""

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
from tests.training import small
from tests.training.small import words
from training import ppo
from training.expert import program as expert
from training.expert.selfplay import SearchPlayer
from training.ppo import Options, Training
from training.ppo.remote_collectors import Fleet, Player, Result
from training.run.folder import CHECKPOINT, NETWORK

SMALL: dict[str, Any] = small.SMALL | {
    "total_timesteps": 100_000, "num_envs": 24, "num_steps": 64, "update_epochs": 1
}  # fmt: skip


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run all jobs in this process, one after the other, on separate objects."""
    monkeypatch.setattr(Jobs, "executor", lambda jobs, make: Here(make()))


def games() -> list[Game]:
    return [PortaNigra(2), PortaNigra(3)]


def assert_same(one: Training, other: Training) -> None:
    """Assert equal games step by step, and weights that differ by rounding at most."""
    np.testing.assert_array_equal(one.collector.actions, other.collector.actions)
    np.testing.assert_array_equal(one.collector.data.rewards, other.collector.data.rewards)
    for env, same in zip(one.collector.envs, other.collector.envs, strict=True):
        assert env.snapshot() == same.snapshot()
    assert one.rng.bit_generator.state == other.rng.bit_generator.state
    for name, tensor in one.learner.model.state_dict().items():
        torch.testing.assert_close(tensor, other.learner.model.state_dict()[name], rtol=1e-3, atol=1e-5)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("critic", ["shared", "privileged"])
def test_collectors_play_the_games_of_one_process(critic: str) -> None:
    alone = Training(Options(**SMALL, critic=critic), games())
    # Five collectors do not divide the twelve games of each number of players evenly.
    spread = Training(Options(**SMALL, critic=critic, collectors="5"), games())
    for _ in range(4):
        expected, found = alone.iterate(), spread.iterate()
        assert found["games"] == expected["games"]
        assert_same(alone, spread)
    assert expected["games"] > 0
    spread.close()


@pytest.mark.usefixtures("one_process")
def test_a_run_is_resumed_with_other_collectors(tmp_path: Path) -> None:
    whole, first = (Training(Options(**SMALL, collectors=count), games()) for count in ("1", "2"))
    first.iterate()
    first.save(tmp_path / CHECKPOINT)
    second = Training(Options(**SMALL, collectors="3"), games())
    second.load(tmp_path / CHECKPOINT)
    for training in (second, whole, whole):
        training.iterate()
    assert_same(whole, second)


def test_two_processes_play_the_same(tmp_path: Path) -> None:
    options = [
        f"--{name.replace('_', '-')}={SMALL[name]}"
        for name in ("num_envs", "num_steps", "minibatch_size", "width", "threads", "precision", "device")
    ]
    options += words("--evaluate random --evaluations 1 --deals 2 --update-epochs 1 --total-timesteps 3072")
    for name, count in (("alone", "1"), ("spread", "2")):
        assert ppo.main([*options, "--collectors", count, "--out", str(tmp_path / name)]) == 0
    assert not multiprocessing.active_children()
    alone, spread = (read_tensors(tmp_path / name / NETWORK)[0] for name in ("alone", "spread"))
    for name, tensor in alone.items():
        torch.testing.assert_close(tensor, spread[name], rtol=1e-3, atol=1e-5)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    "change",
    [
        lambda found: found._replace(checksum=found.checksum ^ 1),
        lambda found: found._replace(actions=found.actions * 0 - 1),
    ],
    ids=["ends", "actions"],
)
def test_a_collector_with_other_code_is_noticed(
    change: Callable[[Result], Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    training = Training(Options(**SMALL), games())
    play = Player.play
    monkeypatch.setattr(Player, "play", lambda place, *task: change(play(place, *task)))
    fleet = Fleet(training.collector, training.games, training.learner, Jobs(2))
    with pytest.raises(WorkerError, match="a collector played other games than this process"):
        fleet.play(training.rng)


def test_a_snapshot_of_some_rows_continues_as_they_do() -> None:
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
        ({"collectors": "13"}, "--collectors must be at most 12, one game per number of players each, not 13"),
        ({"collectors": "ray"}, "--collectors must be a number, as in ray:4, not ray"),
        ({"collectors": "none"}, "--collectors must be N, ray or ray:N, not 'none'"),
        ({"collectors": "2", "pool_fraction": 0.5}, "--collectors: only this process plays against a pool"),
        ({"address": "auto"}, "--address is that of a Ray cluster; it needs --collectors ray, not --collectors 1"),
    ],
)
def test_collectors_that_cannot_be_used(options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    with pytest.raises(ValueError, match=message):
        ppo.check(Options(**SMALL, players=(2, 3), **options))


# -- expert iteration


def searched(folder: Path, jobs: str, iterations: int = 2) -> expert.Expert:
    arguments = expert.Options(
        total_timesteps=100_000, num_envs=5, num_simulations=4, fast_simulations=2, parallel_simulations=2,
        full_search_prob=0.5, buffer_size=3000, batch_size=64, width=16,
        replay_ratio=1.0, evaluate=(), threads=1, precision="float32", device="cpu", jobs=jobs,
    )  # fmt: skip
    training = expert.Expert(arguments, [PortaNigra(2)], folder)
    for _ in range(iterations):
        training.iterate()
    training.close()
    return training


def shuffled(self: Executor[Any], work: Any, tasks: Sequence[Any], *shared: Any) -> Any:
    """Yield results in another order than that of the tasks."""
    return reversed([(number, work(self.worker, task, *shared)) for number, task in enumerate(tasks)])  # type: ignore[attr-defined]


def test_searched_games_do_not_depend_on_the_order_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expert, "TASK", 2)
    monkeypatch.setattr(Jobs, "executor", lambda jobs, make: Here(make()))
    one = searched(tmp_path / "one", "2")
    monkeypatch.setattr(Here, "spread", shuffled)
    other = searched(tmp_path / "other", "7")
    assert one.steps == other.steps > 0
    assert one.buffer.written == other.buffer.written > 0
    for name, array in one.buffer.arrays.items():
        np.testing.assert_array_equal(array, other.buffer.arrays[name])
    for name, tensor in one.network.state_dict().items():
        assert torch.equal(tensor, other.network.state_dict()[name]), name


def test_every_deal_is_searched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of two games have the same five deals as one task."""
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
