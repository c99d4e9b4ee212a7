"""The games of a run, decided by other processes: the same games as without them.

A collector is sent the weights, where its games stand, and the state of the random numbers; it plays an iteration and
answers with what it chose: 6 bytes a decision and 4 for each value.  Everything else follows from that, and the run
plays it again, at the pace of `BatchEnv` without a network.  What a collector answers depends on what it was sent
alone: one that dies is replaced by any other, and a run that goes on with more or fewer of them goes on with its games.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.arena.executors import Executor, Jobs, WorkerError
from porta_nigra_env.core.game.game import Game, IllegalActionError
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.players.network import Shape
from training.ppo.collector import Choices, Collection, Collector, Inputs
from training.ppo.learner import Learner, Settings


class Begun(NamedTuple):
    """What a collector is sent of its games.

    columns: int64 (n,), their places among all games of the run.
    games: a snapshot of each batch of `Collector.envs`; shares: how many games each has.
    rng: the state of the generator that draws for all games of the run.
    """

    columns: Any
    games: tuple[bytes, ...]
    shares: tuple[int, ...]
    rng: Mapping[str, Any]


class Chosen(NamedTuple):
    """What a collector answers.

    actions: int16 (steps, n); log_probs: float32 (steps, n); values: float32 (steps, n, seats).
    ended: checksum of the states that its games have come to.
    """

    actions: Any
    log_probs: Any
    values: Any
    ended: int


@dataclass(frozen=True)
class Drawn:
    """The random numbers of some games out of those that are drawn for all of them."""

    rng: np.random.Generator
    rows: int
    columns: Any

    def random(self, size: int) -> Any:
        """float64 (size,), one for each of the columns."""
        return self.rng.random(self.rows)[self.columns]


class Player:
    """What a process keeps to play shares: games, and a network that is given its weights with each of them.

    Args:
        games: of the run.
        shape: of its network.
        settings: of its learner.
        collection: of its games.
    """

    def __init__(self, games: Sequence[Game], shape: Shape, settings: Settings, collection: Collection) -> None:
        torch.set_num_threads(1)
        self.games, self.collection = games, collection
        self.learner = Learner(games[0], shape, replace(settings, threads=1, device="cpu"))
        self._collector: Collector | None = None
        self._shares: tuple[int, ...] = ()

    def play(self, begun: Begun, weights: Mapping[str, Any]) -> Chosen:
        """An iteration of a share of the games."""
        self.learner.model.load_state_dict({name: torch.tensor(one) for name, one in weights.items()})
        if self._collector is None or self._shares != begun.shares:
            settings = replace(self.collection, envs=len(begun.columns), threads=1)
            self._collector = Collector(self.games, None, settings, begun.shares)
            self._shares = begun.shares
        collector = self._collector
        for env, snapshot in zip(collector.envs, begun.games, strict=True):
            env.restore(snapshot)
        rng = np.random.default_rng()
        rng.bit_generator.state = begun.rng
        collector.play(self.learner.decide, Drawn(rng, self.collection.envs, begun.columns))
        actions = collector.actions.astype(np.int16)
        return Chosen(actions, collector.log_probs, collector.data.values, _checksum(collector.envs))


def _checksum(envs: Sequence[BatchEnv], rows: Sequence[Any] | None = None) -> int:
    found = 0
    for number, env in enumerate(envs):
        states = env.states if rows is None else env.states[rows[number]]
        found = zlib.crc32(states.tobytes(), found)
    return found


class Replay:
    """Decides as the collectors did (`collector.Decide`).

    Args:
        choices: actions, log-probabilities and values of a whole iteration, (steps, envs) and more.
    """

    def __init__(self, choices: Sequence[Any]) -> None:
        self.choices, self.step = choices, 0

    def __call__(self, inputs: Inputs, uniforms: Any, choices: Choices) -> None:
        """Write the next step's choices."""
        for given, wanted in zip(self.choices, choices, strict=True):
            wanted[:] = given[self.step]
        self.step += 1


class Fleet:
    """The collectors of a run.

    Args:
        collector: the games of the run, without a pool.
        games: one for each number of players.
        learner: of the run.
        jobs: where collectors play, and how many there are.
    """

    def __init__(self, collector: Collector, games: Sequence[Game], learner: Learner, jobs: Jobs) -> None:
        self.collector, self.learner = collector, learner
        make = partial(Player, games, learner.network.shape, learner.settings, collector.settings)
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

    def _begun(self, rows: Sequence[slice], rng: Mapping[str, Any]) -> Begun:
        envs, parts = self.collector.envs, self.collector.parts
        chosen = [np.arange(one.start, one.stop) for one in rows]
        columns = np.concatenate([part.start + one for part, one in zip(parts, chosen, strict=True)])
        games = tuple(env.snapshot(one) for env, one in zip(envs, chosen, strict=True))
        return Begun(columns, games, tuple(map(len, chosen)), rng)

    def tasks(self, rng: np.random.Generator) -> list[Begun]:
        """What each collector is sent for the next iteration."""
        return [self._begun(rows, rng.bit_generator.state) for rows in self.rows]

    def play(self, rng: np.random.Generator) -> dict[str, float]:
        """`Collector.play` by the collectors; draws from `rng` what that would draw.

        Raises:
            WorkerError: a collector died again and again, or played other games than this process would.
        """
        collector = self.collector
        tasks, data = self.tasks(rng), collector.data
        given = Choices(
            np.empty_like(collector.actions), np.empty_like(collector.log_probs), np.empty_like(data.values)
        )
        ended = {}
        for number, chosen in self.executor.spread(Player.play, tasks, weights_of(self.learner.model)):
            for one, array in zip(chosen[:3], given, strict=True):
                array[:, tasks[number].columns] = one
            ended[number] = chosen.ended
        try:
            played = collector.play(Replay(given), rng)
        except IllegalActionError as error:
            raise WorkerError(f"{OTHER}: {error}") from error
        for number, rows in enumerate(self.rows):
            if ended[number] != _checksum(collector.envs, rows):
                raise WorkerError(OTHER)
        return played


OTHER = "a collector played other games than this process: its machine has another version of the code"


def weights_of(model: torch.nn.Module) -> dict[str, Any]:
    """Weights as arrays."""
    tensors: dict[str, Tensor] = model.state_dict()
    return {name: one.detach().cpu().numpy() for name, one in tensors.items()}
