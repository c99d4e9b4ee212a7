"""Rollout collection: self-play of all seats and games against a pool, for one or several numbers of players."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from agents.networks.neural import NetworkAgent
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration.history import TOKEN
from porta_nigra_env.core.positions.components import VARIED
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.batch_base import BatchBase
from porta_nigra_env.envs.opponents import BatchAgent
from training.ppo.options import Options
from training.ppo.pool import FrozenNetwork, Pool, PoolMatches
from training.run.evaluation import make_opponent, reseeded
from training.run.options import derive_seed
from training.run.trajectories import Trajectories


class Inputs(NamedTuple):
    """Network inputs of k steps.

    observations: uint8 (k, observation_size), raw quantities.
    masks: int8 (k, num_actions).
    movers: int8 (k,), seat of the mover; players: int8 (k,), number of players.
    privileged: float16 (k, state_size), the privileged vector, or (k, 0).
    histories: int16 (k, history, 4), the mover's last events; None without `--history`.
    sets: int64 (k,), number of the component set (`component_sets`); None for networks of one set.
    """

    observations: Any
    masks: Any
    movers: Any
    players: Any
    privileged: Any
    histories: Any = None
    sets: Any = None

    def take(self, rows: Any) -> Inputs:
        """Return the inputs of some steps, given by indices, a slice or a mask."""
        return Inputs(*(None if array is None else array[rows] for array in self))


class Choices(NamedTuple):
    """Sampled actions int64 (k,), their log-probabilities float32 (k,), and values float32 (k, seats) in units of the
    reward, the mover's first."""

    actions: Any
    log_probs: Any
    values: Any


class Uniforms(Protocol):
    """Source of random numbers, e.g. a numpy generator."""

    def random(self, size: int) -> Any:
        """Return float64 (size,), uniform in [0, 1)."""


#: Write choices for inputs and uniform numbers float64 (k,).
Decide = Callable[[Inputs, Any, Choices], None]


def winner_scores(env: BatchEnv, rows: Any) -> npt.NDArray[np.int32]:
    """Return the winners' best total in the last finished game of `rows`, int32 (k,)."""
    totals, lowest = env.final_scores[rows], np.iinfo(np.int32).min
    best: npt.NDArray[np.int32] = np.where(env.final_places[rows] == 1, totals, lowest).max(axis=1)
    return best


def component_sets(game: Game, options: Options) -> list[Game]:
    """Return a game with its component set, `--component-weight` times, and with those of `--component-sets`."""
    drawn = range(1, options.component_sets + 1)
    return [*[game] * options.component_weight, *(type(game)(game.num_players, f"{VARIED}{seed}") for seed in drawn)]


def stagger(env: BatchBase) -> None:
    """Play at random until every game is at another step, from its first to its last one.

    Games of nearly equal length stay together for long.  Then an iteration that is shorter than a game has only early
    or only late steps (arXiv 2511.21011).
    """
    while not env.last_lengths.all():
        env.step(env.random_actions())
    length = int(env.last_lengths.mean())
    # Shuffled, because neighbours may have the same component set.
    starts = np.random.default_rng(0).permutation(env.num_envs) * length // env.num_envs
    for step in range(length):
        env.reset(rows=np.flatnonzero(starts == step))
        env.step(env.random_actions())


class Collector:
    """The games of a run and the rollout of an iteration.

    Args:
        games: one per number of players.
        pool: opponents of the games in which one seat learns, or None.
        options: options of the run, `pool_agents` included.
        shares: number of games of each entry of `games`; by default equal.

    Attributes:
        data: trajectories (num_steps, num_envs, ...).
        actions: int64 (num_steps, num_envs); log_probs: float32 (num_steps, num_envs).
        matches: games against the pool, by index of the batch.
    """

    def __init__(
        self, games: Sequence[Game], pool: Pool | None, options: Options, shares: Sequence[int] | None = None
    ) -> None:
        self.options = options
        n, steps, first = options.num_envs, options.num_steps, games[0]
        self.current = Inputs(
            observations=np.zeros((n, first.observations.size), dtype=np.uint8),
            masks=np.zeros((n, first.actions.size), dtype=np.int8),
            movers=np.zeros(n, dtype=np.int8),
            players=np.zeros(n, dtype=np.int8),
            privileged=np.zeros((n, first.privileged.size if options.privileged else 0), dtype=np.float32),
            histories=np.zeros((n, options.history, TOKEN), dtype=np.int16),
            sets=np.zeros(n, dtype=np.int64),
        )
        self.ended = np.zeros(n, dtype=np.bool_)
        self.envs: list[BatchEnv] = []
        self.parts: list[slice] = []
        self.matches: dict[int, PoolMatches] = {}
        edges = np.linspace(0, n, len(games) + 1).astype(int) if shares is None else np.cumsum([0, *shares])
        for game, (low, high) in zip(games, itertools.pairwise(edges.tolist()), strict=True):
            middle = high - round(options.pool_fraction * (high - low))
            self._add(game, slice(low, middle), None)
            self._add(game, slice(middle, high), pool)
        self.observations = np.zeros((steps, *self.current.observations.shape), dtype=np.uint8)
        self.masks = np.zeros((steps, *self.current.masks.shape), dtype=np.int8)
        self.privileged = np.zeros((steps, *self.current.privileged.shape), dtype=np.float16)
        self.histories = np.zeros((steps, *self.current.histories.shape), dtype=np.int16)
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
        """Add a batch of games on some of the columns: of every seat, or of one seat against the pool."""
        if part.start == part.stop:
            return
        buffers = {
            "observations": self.current.observations[part], "action_masks": self.current.masks[part],
            "current_player": self.current.movers[part], "terminated": self.ended[part],
        }  # fmt: skip
        options, index = self.options, len(self.envs)
        env = BatchEnv(
            component_sets(game, options), part.stop - part.start, reward=options.reward, observations="uint8",
            threads=options.num_threads, seat="every" if pool is None else "rotate", buffers=buffers,
            history=options.history,
        )  # fmt: skip
        seed = derive_seed(options.seed, index + 1)
        if pool is None:
            env.reset(seed=seed)
        else:
            opponents = [make_opponent(name, game) for name in options.pool_agents or ()]
            agents = [self._member(agent, derive_seed(seed, number)) for number, agent in enumerate(opponents)]
            self.matches[index] = PoolMatches(env, pool, agents)
            self.matches[index].begin(seed)
        self.current.players[part] = game.num_players
        self.current.sets[part] = env.game_numbers
        self.envs.append(env)
        self.parts.append(part)

    def _member(self, agent: Policy | BatchAgent, seed: int) -> Policy | BatchAgent:
        """Return an agent as a member of the pool; a network without history plays in the precision of the run."""
        if type(agent) is NetworkAgent and not agent.history:
            return FrozenNetwork(agent.name, agent.network, seed, agent.temperature, self.options.precision)
        return reseeded(agent, seed)

    def begin(self) -> None:
        """Spread the games of every seat over their steps, before the first iteration (`stagger`)."""
        for index, env in enumerate(self.envs):
            if index not in self.matches:
                stagger(env)

    def play(self, decide: Decide, rng: Uniforms) -> dict[str, float]:
        """Fill the arrays of an iteration; return metrics of the finished games."""
        lengths: list[float] = []
        best: list[float] = []
        current, data, options = self.current, self.data, self.options
        for step in range(self.options.num_steps):
            self.observations[step], self.masks[step] = current.observations, current.masks
            data.movers[step] = current.movers
            if current.privileged.size:
                for env, part in zip(self.envs, self.parts, strict=True):
                    env.privileged(current.privileged[part])
                self.privileged[step] = current.privileged
            if options.history:
                for env, part in zip(self.envs, self.parts, strict=True):
                    self.histories[step, part] = env.histories
            inputs = current._replace(privileged=self.privileged[step], histories=self.histories[step])
            choices = Choices(self.actions[step], self.log_probs[step], data.values[step])
            decide(inputs, rng.random(len(current.movers)), choices)
            for index, (env, part) in enumerate(zip(self.envs, self.parts, strict=True)):
                result = env.step(self.actions[step, part])
                data.rewards[step, part, : env.game.num_players] = result.rewards
                rows = np.flatnonzero(result.terminated)
                if len(rows):
                    lengths.extend(env.last_lengths[rows].tolist())
                    best.extend(winner_scores(env, rows).tolist())
                    if index in self.matches:
                        self.matches[index].record(rows)
            data.ended[step] = self.ended
        games = len(lengths)
        return {"games": games, "length": sum(lengths) / max(1, games), "winner_score": sum(best) / max(1, games)}

    def inputs(self) -> Inputs:
        """Return the inputs of all steps of an iteration, flattened step by step."""
        movers = self.data.movers
        players, sets = (np.broadcast_to(of, movers.shape) for of in (self.current.players, self.current.sets))
        arrays = (self.observations, self.masks, self.privileged)
        observations, masks, privileged = (array.reshape(movers.size, array.shape[2]) for array in arrays)
        histories = self.histories.reshape(movers.size, *self.histories.shape[2:])
        rows = movers.size
        return Inputs(
            observations, masks, movers.reshape(rows), players.reshape(rows), privileged, histories, sets.reshape(rows)
        )
