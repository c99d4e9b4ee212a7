"""The games that are learned from: self-play in all seats, games against a pool, one or several numbers of players."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from agents.networks.network import SEATS
from agents.registry import make
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.policy import Policy
from porta_nigra_env.core.rng import later_seed
from porta_nigra_env.envs.batch import BatchEnv
from training.pool import Meetings, Pool


def compiled(name: str, game: Game) -> Policy:
    """The compiled policy of an agent's text; ValueError if it has none."""
    policy = make(name, game).compiled
    if policy is None:
        raise ValueError(f"{name!r} is no compiled agent; random, greedy, builder and its styles are")
    return policy


class Seen(NamedTuple):
    """What is known at some decisions, one row for each.

    observations: uint8 (k, observation_size), raw quantities; masks: int8 (k, num_actions); movers: int8 (k,), who
    decides; players: int8 (k,), how many there are; secrets: float16 (k, state_size), the privileged vector, or (k, 0).
    """

    observations: Any
    masks: Any
    movers: Any
    players: Any
    secrets: Any


#: Decides: what is seen, uniform numbers float64 (k,), and where to write actions, log-probabilities and values.
Decide = Callable[[Seen, Any, Any, Any, Any], None]


class Collector:
    """The games of a run, of one or several numbers of players, and what happened in them.

    Args:
        games: one for each number of players; the games are shared out evenly.
        pool: opponents of the games in which only one seat learns.
        envs, steps: games at the same time, and decisions of each in an iteration.
        reward: of `BatchEnv`.
        seed: of the games.
        threads: of the games.
        share: how many of the games are played against the pool.
        scripted: names of compiled agents, the pool's first members.
        secrets: whether the privileged vector is kept.

    Attributes:
        movers, actions, logs, values, rewards, ended: of an iteration, (steps, envs) and more, as in `losses.returns`.
    """

    def __init__(
        self,
        games: Sequence[Game],
        pool: Pool,
        *,
        envs: int,
        steps: int,
        reward: str,
        seed: int,
        threads: int,
        share: float,
        scripted: Sequence[str],
        secrets: bool,
    ) -> None:
        n, first = envs, games[0]
        size, most = first.observations.size, max(game.num_players for game in games)
        self.shown = np.zeros((n, size), dtype=np.uint8)
        self.legal = np.zeros((n, first.actions.size), dtype=np.int8)
        self.current = np.zeros(n, dtype=np.int8)
        self.over = np.zeros(n, dtype=np.bool_)
        edges = np.linspace(0, n, len(games) + 1).astype(int).tolist()
        self.envs: list[BatchEnv] = []
        self.parts: list[slice] = []
        self.meetings: dict[int, Meetings] = {}
        for game, (low, high) in zip(games, itertools.pairwise(edges), strict=True):
            alone = high - round(share * (high - low))
            for part, seat in ((slice(low, alone), "every"), (slice(alone, high), "rotate")):
                if part.start == part.stop:
                    continue
                buffers = {
                    "observations": self.shown[part], "action_masks": self.legal[part],
                    "current_player": self.current[part], "terminated": self.over[part],
                }  # fmt: skip
                env = BatchEnv(
                    game, part.stop - part.start, reward=reward, observations="uint8", threads=threads,
                    seat=seat, buffers=buffers,
                )  # fmt: skip
                own = int(later_seed(seed, len(self.envs) + 1)) >> 1
                if seat == "rotate":
                    policies = [compiled(name, game) for name in scripted]
                    self.meetings[len(self.envs)] = Meetings(env, pool, policies)
                    self.meetings[len(self.envs)].begin(own)
                else:
                    env.reset(seed=own)
                self.envs.append(env)
                self.parts.append(part)
        self.players = np.zeros(n, dtype=np.int8)
        for env, part in zip(self.envs, self.parts, strict=True):
            self.players[part] = env.game.num_players
        hidden = first.privileged.size if secrets else 0
        self.revealed = np.zeros((n, hidden), dtype=np.float32)
        self.secrets = np.zeros((steps, n, hidden), dtype=np.float16)
        self.observations = np.zeros((steps, n, size), dtype=np.uint8)
        self.masks = np.zeros((steps, n, first.actions.size), dtype=np.int8)
        self.movers = np.zeros((steps, n), dtype=np.int8)
        self.actions = np.zeros((steps, n), dtype=np.int64)
        self.logs = np.zeros((steps, n), dtype=np.float32)
        self.values = np.zeros((steps, n, SEATS), dtype=np.float32)
        self.rewards = np.zeros((steps, n, most), dtype=np.float32)
        self.ended = np.zeros((steps, n), dtype=np.bool_)

    def play(self, decide: Decide, rng: np.random.Generator) -> dict[str, float]:
        """Fill the arrays of an iteration; returns what the games that ended were like."""
        lengths: list[float] = []
        best: list[float] = []
        for step in range(len(self.movers)):
            self.observations[step], self.masks[step], self.movers[step] = self.shown, self.legal, self.current
            if self.revealed.size:
                for env, part in zip(self.envs, self.parts, strict=True):
                    env.privileged(self.revealed[part])
                self.secrets[step] = self.revealed
            seen = Seen(self.shown, self.legal, self.current, self.players, self.secrets[step])
            uniforms = rng.random(len(self.current))
            decide(seen, uniforms, self.actions[step], self.logs[step], self.values[step])
            for number, (env, part) in enumerate(zip(self.envs, self.parts, strict=True)):
                result = env.step(self.actions[step, part])
                self.rewards[step, part, : env.game.num_players] = result.rewards
                rows = np.flatnonzero(result.terminated)
                if len(rows):
                    lengths.extend(env.last_lengths[rows].tolist())
                    best.extend(env.final_scores[rows].max(axis=1).tolist())
                    if number in self.meetings:
                        self.meetings[number].note(rows)
            self.ended[step] = self.over
        games = len(lengths)
        return {"games": games, "length": sum(lengths) / max(1, games), "winner_score": sum(best) / max(1, games)}

    def seen(self) -> Seen:
        """All decisions of an iteration, step by step."""
        steps, n = self.movers.shape
        rows = steps * n
        players = np.broadcast_to(self.players, (steps, n)).reshape(rows)
        arrays = (self.observations, self.masks, self.secrets)
        observations, masks, secrets = (one.reshape(rows, one.shape[2]) for one in arrays)
        return Seen(observations, masks, self.movers.reshape(rows), players, secrets)
