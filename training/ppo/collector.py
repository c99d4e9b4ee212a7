"""The games that are learned from: self-play in all seats, games against a pool, one or several numbers of players."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from training.ppo.pool import Pool, PoolMatches
from training.ppo.trajectories import Trajectories
from training.run.opponents import opponent
from training.run.seeds import later_run_seed


class Inputs(NamedTuple):
    """What is known at some decisions, one row for each.

    observations: uint8 (k, observation_size), raw quantities.
    masks: int8 (k, num_actions).
    movers: int8 (k,), who decides; players: int8 (k,), how many there are.
    privileged: float16 (k, state_size), the privileged vector, or (k, 0).
    """

    observations: Any
    masks: Any
    movers: Any
    players: Any
    privileged: Any


class Choices(NamedTuple):
    """What was decided: actions int64 (k,), their log-probabilities float32 (k,), values float32 (k, seats) in units of
    the reward, the mover's first."""

    actions: Any
    log_probs: Any
    values: Any


class Uniforms(Protocol):
    """Where random numbers come from, e.g. a generator of numpy's."""

    def random(self, size: int) -> Any:
        """float64 (size,), uniform in [0, 1)."""


#: Decides: what is known, uniform numbers float64 (k,), and where to write what is decided.
Decide = Callable[[Inputs, Any, Choices], None]


@dataclass(frozen=True)
class Collection:
    """How games are collected.

    Attributes:
        envs, steps: games at the same time, and decisions of each in an iteration.
        reward: of `BatchEnv`.
        seed: of the games.
        threads: of the games.
        pool_share: how many of the games are played against the pool.
        pool_agents: names of agents, the pool's first members.
        privileged: whether the privileged vector is kept.
        records: on a GPU, whether rollouts are recorded and replayed (`training.gpu.graphs`).
    """

    envs: int
    steps: int
    reward: str
    seed: int
    threads: int = 1
    pool_share: float = 0.0
    pool_agents: Sequence[str] = ()
    privileged: bool = False
    records: bool = False


def winner_scores(env: BatchEnv, rows: Any) -> npt.NDArray[np.int32]:
    """The best total of those who came first in the games that ended last in `rows`, int32 (k,)."""
    totals, lowest = env.final_scores[rows], np.iinfo(np.int32).min
    best: npt.NDArray[np.int32] = np.where(env.final_places[rows] == 1, totals, lowest).max(axis=1)
    return best


class Collector:
    """The games of a run, of one or several numbers of players, and what happened in them.

    Args:
        games: one for each number of players.
        pool: opponents of the games in which only one seat learns; None where there are none.
        settings: the rest.
        shares: how many games there are of each; by default they are shared out evenly.

    Attributes:
        data: of an iteration, (steps, envs) and more.
        actions: int64 (steps, envs); log_probs: float32 (steps, envs).
        matches: with the pool, by the number of the batch.
    """

    def __init__(
        self, games: Sequence[Game], pool: Pool | None, settings: Collection, shares: Sequence[int] | None = None
    ) -> None:
        self.settings = settings
        n, steps, first = settings.envs, settings.steps, games[0]
        self.current = Inputs(
            observations=np.zeros((n, first.observations.size), dtype=np.uint8),
            masks=np.zeros((n, first.actions.size), dtype=np.int8),
            movers=np.zeros(n, dtype=np.int8),
            players=np.zeros(n, dtype=np.int8),
            privileged=np.zeros((n, first.privileged.size if settings.privileged else 0), dtype=np.float32),
        )
        self.ended = np.zeros(n, dtype=np.bool_)
        self.envs: list[BatchEnv] = []
        self.parts: list[slice] = []
        self.matches: dict[int, PoolMatches] = {}
        edges = np.linspace(0, n, len(games) + 1).astype(int) if shares is None else np.cumsum([0, *shares])
        for game, (low, high) in zip(games, itertools.pairwise(edges.tolist()), strict=True):
            middle = high - round(settings.pool_share * (high - low))
            self._add(game, slice(low, middle), None)
            self._add(game, slice(middle, high), pool)
        self.observations = np.zeros((steps, *self.current.observations.shape), dtype=np.uint8)
        self.masks = np.zeros((steps, *self.current.masks.shape), dtype=np.int8)
        self.privileged = np.zeros((steps, *self.current.privileged.shape), dtype=np.float16)
        self.actions = np.zeros((steps, n), dtype=np.int64)
        self.log_probs = np.zeros((steps, n), dtype=np.float32)
        self.data = Trajectories(
            players=self.current.players,
            movers=np.zeros((steps, n), dtype=np.int8),
            rewards=np.zeros((steps, n, max(game.num_players for game in games)), dtype=np.float32),
            ended=np.zeros((steps, n), dtype=np.bool_),
            values=np.zeros((steps, n, max(first.seats)), dtype=np.float32),
        )

    def _add(self, game: Game, part: slice, pool: Pool | None) -> None:
        """A batch of games in some of the rows: of every seat, or of one against the pool."""
        if part.start == part.stop:
            return
        buffers = {
            "observations": self.current.observations[part], "action_masks": self.current.masks[part],
            "current_player": self.current.movers[part], "terminated": self.ended[part],
        }  # fmt: skip
        settings, number = self.settings, len(self.envs)
        env = BatchEnv(
            game, part.stop - part.start, reward=settings.reward, observations="uint8", threads=settings.threads,
            seat="every" if pool is None else "rotate", buffers=buffers,
        )  # fmt: skip
        seed = later_run_seed(settings.seed, number + 1)
        if pool is None:
            env.reset(seed=seed)
        else:
            self.matches[number] = PoolMatches(env, pool, [opponent(name, game) for name in settings.pool_agents])
            self.matches[number].begin(seed)
        self.current.players[part] = game.num_players
        self.envs.append(env)
        self.parts.append(part)

    def play(self, decide: Decide, rng: Uniforms) -> dict[str, float]:
        """Fill the arrays of an iteration; returns what the games that ended were like."""
        lengths: list[float] = []
        best: list[float] = []
        current, data = self.current, self.data
        for step in range(self.settings.steps):
            self.observations[step], self.masks[step] = current.observations, current.masks
            data.movers[step] = current.movers
            if current.privileged.size:
                for env, part in zip(self.envs, self.parts, strict=True):
                    env.privileged(current.privileged[part])
                self.privileged[step] = current.privileged
            inputs = current._replace(privileged=self.privileged[step])
            choices = Choices(self.actions[step], self.log_probs[step], data.values[step])
            decide(inputs, rng.random(len(current.movers)), choices)
            for number, (env, part) in enumerate(zip(self.envs, self.parts, strict=True)):
                result = env.step(self.actions[step, part])
                data.rewards[step, part, : env.game.num_players] = result.rewards
                rows = np.flatnonzero(result.terminated)
                if len(rows):
                    lengths.extend(env.last_lengths[rows].tolist())
                    best.extend(winner_scores(env, rows).tolist())
                    if number in self.matches:
                        self.matches[number].record(rows)
            data.ended[step] = self.ended
        games = len(lengths)
        return {"games": games, "length": sum(lengths) / max(1, games), "winner_score": sum(best) / max(1, games)}

    def inputs(self) -> Inputs:
        """All decisions of an iteration, step by step."""
        movers = self.data.movers
        players = np.broadcast_to(self.current.players, movers.shape)
        arrays = (self.observations, self.masks, self.privileged)
        observations, masks, privileged = (one.reshape(movers.size, one.shape[2]) for one in arrays)
        return Inputs(observations, masks, movers.reshape(movers.size), players.reshape(movers.size), privileged)
