"""Searched self-play games of expert iteration, in this process or in others.

The result of a task depends only on its deals, random numbers and weights.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch

from agents.arena.playing import one_thread
from agents.networks.network import PlayingNetwork, to_tensor
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import outcome_returns
from porta_nigra_env.envs.batch import BatchEnv
from training.expert.options import Options
from training.expert.teachers import make_teacher
from training.ppo.collector import winner_scores


class Deals(NamedTuple):
    """A task: `games` games of `players` with seeds first, first + 1, ...; `rng` drives the searches."""

    players: int
    first: int
    games: int
    rng: np.random.Generator


class Searched(NamedTuple):
    """k steps searched at the same time, one in each of `rows`.

    movers: int64 (k,).
    means: float64 (k, players), expected results by seat; searched: bool (k,), True where a search computed them.
    full: whether the search was full.
    observations: uint8 raw quantities; masks: int8; actions: int64 (k,); policies: float16 (k, num_actions), improved.
    agreed: bool (m,), certain: float64 (m,), for searched steps: same preference as the network, largest probability.
    """

    rows: Any
    movers: Any
    means: Any
    searched: Any
    full: bool
    observations: Any
    masks: Any
    actions: Any
    policies: Any
    agreed: Any
    certain: Any


class SearchedGames(NamedTuple):
    """Result of a task.

    rows: arrays by name for `ReplayBuffer.add`.
    figures: means over games or steps, by name.
    steps: number of all steps; games: number of games.
    """

    rows: dict[str, Any]
    figures: dict[str, float]
    steps: int
    games: int


class SearchPlayer:
    """A network with the searches that it guides.

    Args:
        games: one per number of players.
        network: guides the searches; a task may replace its weights.
        options: options with resolved device and precision.
    """

    def __init__(self, games: Sequence[Game], network: PlayingNetwork, options: Options) -> None:
        self.games = {game.num_players: game for game in games}
        self.network, self.options = network, options
        self.threads = options.threads or os.cpu_count() or 1
        self.teachers = {
            game.num_players: make_teacher(game, self.evaluate_positions, options, self.threads) for game in games
        }

    def evaluate_positions(self, observations: Any, masks: Any) -> tuple[Any, Any]:
        """Return logits and values for a search (`agents.search.guided.Evaluator`)."""
        device, bfloat16 = self.options.device, self.options.precision == "bfloat16"
        with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=bfloat16):
            logits, values = self.network(to_tensor(observations, device))
        return logits.float().cpu().numpy(), (values.float() * self.network.value_scale).cpu().numpy()

    def play(self, deals: Deals, weights: Mapping[str, Any] | None = None) -> SearchedGames:
        """Play all deals in parallel, with other weights (arrays by name) if given."""
        if weights is not None:
            self.network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
        # Search threads own a core each; torch would use all cores in every call.
        shared = self.options.search == "gumbel" and self.threads > 1
        with one_thread() if shared else nullcontext():
            return self._play(deals)

    def _play(self, deals: Deals) -> SearchedGames:
        env = BatchEnv(self.games[deals.players], deals.games, autoreset_mode="DISABLED")
        step = env.reset(seed=deals.first)
        searched, steps, turn = [], 0, 0
        while (step.current_player >= 0).any():
            full = bool(deals.rng.random() < self.options.full_search_prob)
            rows = np.flatnonzero((step.current_player >= 0) & (step.action_masks.sum(axis=1) > 1))
            actions = step.action_masks.argmax(axis=1)
            if len(rows):
                noise = 1.0 if turn < (self.options.noise_steps or turn + 1) else 0.0
                searched.append(self._search(env, rows, full, deals.rng, noise))
                actions[rows] = searched[-1].actions
            steps += int((step.current_player >= 0).sum())
            step = env.step(actions)
            turn += 1
        fully = [part for part in searched if part.full]
        figures = {
            "length": float(env.lengths.mean()),
            "agreed": mean_of([part.agreed for part in fully]),
            "certain": mean_of([part.certain for part in fully]),
            "winner_score": float(winner_scores(env, slice(None)).mean()),
        }
        lessons = replay_rows(env, searched, self.network.shape.seats, self.options.value_mix)
        return SearchedGames(lessons, figures, steps, deals.games)

    def _search(self, env: BatchEnv, rows: Any, full: bool, rng: np.random.Generator, noise: float) -> Searched:
        """Search one step in each of some rows."""
        views = env.views(rows)
        seeds = rng.integers(1 << 62, size=len(rows))
        lesson = self.teachers[env.game.num_players].teach(views, full, seeds, noise)
        return Searched(
            rows=rows,
            movers=np.array(views.players, dtype=np.int64),
            means=lesson.means,
            searched=lesson.searched,
            full=full,
            observations=np.rint(views.observations * env.game.observations.scales()).astype(np.uint8),
            masks=np.array(views.action_masks),
            actions=lesson.actions,
            policies=lesson.improved.astype(np.float16),
            agreed=lesson.agreed[lesson.searched],
            certain=lesson.improved.max(axis=1)[lesson.searched],
        )


def mean_of(parts: Sequence[Any]) -> float:
    """Return the mean over all arrays, 0 without elements."""
    whole = np.concatenate([np.zeros(0), *parts])
    return float(whole.mean()) if len(whole) else 0.0


def replay_rows(env: BatchEnv, searched: Sequence[Searched], seats: int, value_mix: float) -> dict[str, Any]:
    """Return the steps of finished games as rows of the replay buffer."""

    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in searched])

    players = env.game.num_players
    results = np.array([outcome_returns(places) for places in env.final_places], dtype=np.float32)
    row, mover = joined("rows"), joined("movers")
    around = (mover[:, None] + np.arange(seats)) % players
    means = joined("means").astype(np.float32)
    # The network's own values are no information, so only searched means are mixed in.
    mix = value_mix * joined("searched")[:, None].astype(np.float32)
    targets = (1.0 - mix) * results[row] + mix * means
    return {
        "observations": joined("observations"),
        "masks": joined("masks"),
        "policies": joined("policies"),
        "results": targets[np.arange(len(row))[:, None], around],
        "with_policy": np.concatenate([np.full((len(part.rows), 1), part.full) for part in searched]),
        "players": np.full((len(row), 1), players),
    }


def make_player(games: Sequence[Game], kind: type[PlayingNetwork], shape: Any, options: Options) -> SearchPlayer:
    """Return the player of a worker process, on a CPU; its network gets its weights with each task."""
    torch.set_num_threads(1)
    return SearchPlayer(games, kind(shape), replace(options, device="cpu", threads=1))
