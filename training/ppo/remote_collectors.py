"""Collectors in other processes; they play the same games as one process would.

A collector receives weights, snapshots of its games and the state of the random numbers.  It plays an iteration and
returns its choices: 6 bytes per step and 4 per value.  The run replays them at the speed of `BatchEnv` without a
network, which yields everything else.  A result depends only on the task: any collector can replace a dead one, and a
resumed run may have more or fewer of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.arena.executors import Executor, Jobs, WorkerError
from porta_nigra_env.core.game.game import Game, IllegalActionError
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.players.network import Shape
from training.ppo.collector import Choices, Collector, Inputs
from training.ppo.learner import Learner
from training.ppo.options import Options

MISMATCH: Final = "a collector played other games than this process: its machine has another version of the code"


class Task(NamedTuple):
    """Games of a collector for one iteration.

    columns: int64 (n,), their columns among all games of the run.
    games: a snapshot of each batch of `Collector.envs`; shares: number of games of each.
    rng: state of the generator for all games of the run.
    """

    columns: Any
    games: tuple[bytes, ...]
    shares: tuple[int, ...]
    rng: Mapping[str, Any]


class Result(NamedTuple):
    """Result of a task.

    actions: int16 (steps, n); log_probs: float32 (steps, n); values: float32 (steps, n, seats).
    checksum: of the final states.
    """

    actions: Any
    log_probs: Any
    values: Any
    checksum: int


@dataclass(frozen=True)
class ColumnUniforms:
    """Random numbers for some `columns` out of `rows` that are drawn for all games."""

    rng: np.random.Generator
    rows: int
    columns: Any

    def random(self, size: int) -> Any:
        """Return float64 (size,), one per column."""
        return self.rng.random(self.rows)[self.columns]


class Player:
    """State of a collector process: games, and a network that receives weights with each task.

    Args:
        games: games of the run.
        shape: shape of its network.
        options: its options with resolved device and precision.
    """

    def __init__(self, games: Sequence[Game], shape: Shape, options: Options) -> None:
        torch.set_num_threads(1)
        self.games, self.options = games, replace(options, threads=1, device="cpu")
        self.learner = Learner(games[0], shape, self.options)
        self._collector: Collector | None = None
        self._shares: tuple[int, ...] = ()

    def play(self, task: Task, weights: Mapping[str, Any]) -> Result:
        """Play an iteration of a task."""
        self.learner.model.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
        if self._collector is None or self._shares != task.shares:
            options = replace(self.options, num_envs=len(task.columns))
            self._collector = Collector(self.games, None, options, task.shares)
            self._shares = task.shares
        collector = self._collector
        for env, snapshot in zip(collector.envs, task.games, strict=True):
            env.restore(snapshot)
        rng = np.random.default_rng()
        rng.bit_generator.state = task.rng
        collector.play(self.learner.decide, ColumnUniforms(rng, self.options.num_envs, task.columns))
        actions = collector.actions.astype(np.int16)
        return Result(actions, collector.log_probs, collector.data.values, _checksum(collector.envs))


def _checksum(envs: Sequence[BatchEnv], rows: Sequence[Any] | None = None) -> int:
    checksum = 0
    for index, env in enumerate(envs):
        states = env.states if rows is None else env.states[rows[index]]
        checksum = zlib.crc32(states.tobytes(), checksum)
    return checksum


class Replay:
    """Decider that repeats the collectors' choices (`collector.Decide`).

    Args:
        choices: actions, log-probabilities and values of an iteration, (steps, envs, ...).
    """

    def __init__(self, choices: Sequence[Any]) -> None:
        self.choices, self.step = choices, 0

    def __call__(self, inputs: Inputs, uniforms: Any, choices: Choices) -> None:
        """Write the choices of the next step."""
        for source, target in zip(self.choices, choices, strict=True):
            target[:] = source[self.step]
        self.step += 1


class Fleet:
    """The collectors of a run.

    Args:
        collector: games of the run, without a pool.
        games: one per number of players.
        learner: learner of the run.
        jobs: location and number of collectors.
    """

    def __init__(self, collector: Collector, games: Sequence[Game], learner: Learner, jobs: Jobs) -> None:
        self.collector, self.learner = collector, learner
        make = partial(Player, games, learner.network.shape, learner.options)
        self.executor: Executor[Player] = jobs.executor(make)
        cuts = [np.linspace(part.start, part.stop, jobs.count + 1).astype(int) for part in collector.parts]
        #: Rows of each batch, by collector.
        self.rows: list[list[slice]] = [
            [
                slice(cut[k] - part.start, cut[k + 1] - part.start)
                for cut, part in zip(cuts, collector.parts, strict=True)
            ]
            for k in range(jobs.count)
        ]

    def _task(self, slices: Sequence[slice], rng: Mapping[str, Any]) -> Task:
        envs, parts = self.collector.envs, self.collector.parts
        rows = [np.arange(one.start, one.stop) for one in slices]
        columns = np.concatenate([part.start + some for part, some in zip(parts, rows, strict=True)])
        games = tuple(env.snapshot(some) for env, some in zip(envs, rows, strict=True))
        return Task(columns, games, tuple(map(len, rows)), rng)

    def tasks(self, rng: np.random.Generator) -> list[Task]:
        """Return the task of each collector for the next iteration."""
        return [self._task(slices, rng.bit_generator.state) for slices in self.rows]

    def play(self, rng: np.random.Generator) -> dict[str, float]:
        """Run `Collector.play` on the collectors; draws the same numbers from `rng`.

        Raises:
            WorkerError: a collector died repeatedly, or played other games than this process would.
        """
        collector = self.collector
        tasks, data = self.tasks(rng), collector.data
        choices = Choices(
            np.empty_like(collector.actions), np.empty_like(collector.log_probs), np.empty_like(data.values)
        )
        checksums = {}
        for number, result in self.executor.spread(Player.play, tasks, weights_of(self.learner.model)):
            for source, target in zip(result[:3], choices, strict=True):
                target[:, tasks[number].columns] = source
            checksums[number] = result.checksum
        try:
            metrics = collector.play(Replay(choices), rng)
        except IllegalActionError as error:
            raise WorkerError(f"{MISMATCH}: {error}") from error
        for number, slices in enumerate(self.rows):
            if checksums[number] != _checksum(collector.envs, slices):
                raise WorkerError(MISMATCH)
        return metrics


def weights_of(model: torch.nn.Module) -> dict[str, Any]:
    """Return the weights as arrays."""
    tensors: dict[str, Tensor] = model.state_dict()
    return {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}
