"""Games that are searched: what expert iteration learns from, played in this process or in others.

Whole games of given deals are a task whose result follows from deals, random numbers and weights alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch

from agents.arena.playing import one_thread
from agents.networks.network import PlayingNetwork, to_tensor
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import outcome_returns
from porta_nigra_env.envs.batch import BatchEnv
from training.expert.teachers import Gumbel, Mirror
from training.ppo.collector import winner_scores


@dataclass(frozen=True)
class SearchSettings:
    """How games are searched.

    Attributes:
        teacher: who searches, and how.
        full: share of the decisions that the policy learns from.
        noisy: so many decisions of a game, from its first, are drawn; of the others the best is taken; 0: all of them.
        value_mix: share of the search's own mean result in what values learn, where there was a search; the rest is the
            game's.
        device: cpu or cuda.
        bfloat16: whether layers run in it.
        threads: of the searches of a process; they share out its games.
    """

    teacher: Gumbel | Mirror
    full: float
    noisy: int
    value_mix: float
    device: str
    bfloat16: bool
    threads: int = 1


class Deals(NamedTuple):
    """A task: so many games of `players`, of the seeds first, first + 1, ...; `rng` decides about the searches."""

    players: int
    first: int
    games: int
    rng: np.random.Generator


class Searched(NamedTuple):
    """k decisions that were searched at the same time, one in each of `rows`.

    movers: int64 (k,); means: float64 (k, players), mean results of the search by seat, and searched: bool (k,), where
    they are that; full: whether with all simulations; observations: uint8 raw quantities; masks: int8, actions: int64
    (k,) and policies: float16 (k, num_actions), what search improved.  Of those that were searched, agreed: bool (m,),
    whether search and network prefer the same action; certain: float64 (m,), the largest improved probability.
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
    """What came of a task.

    kept: its searched decisions, arrays by name, for `ReplayBuffer.add`; decisions: all of them, counted.
    figures: means over its games or decisions, by name; games: how many games there were.
    """

    kept: dict[str, Any]
    figures: dict[str, float]
    decisions: int
    games: int


class SearchPlayer:
    """A network and the searches that it guides.

    Args:
        games: one for each number of players.
        network: what guides; it is used as it is, or given other weights with a task.
        settings: the rest.
    """

    def __init__(self, games: Sequence[Game], network: PlayingNetwork, settings: SearchSettings) -> None:
        self.games = {game.num_players: game for game in games}
        self.network, self.settings = network, settings
        self.teachers = {
            game.num_players: settings.teacher.teacher(game, self.evaluate_positions, settings.threads)
            for game in games
        }

    def evaluate_positions(self, observations: Any, masks: Any) -> tuple[Any, Any]:
        """What the search asks of the network (`agents.search.guided.Evaluator`)."""
        device = self.settings.device
        with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=self.settings.bfloat16):
            logits, values = self.network(to_tensor(observations, device))
        return logits.float().cpu().numpy(), (values.float() * self.network.value_scale).cpu().numpy()

    def play(self, deals: Deals, weights: Mapping[str, Any] | None = None) -> SearchedGames:
        """Whole games of all deals, side by side, by the network as it is or with other weights (arrays by name)."""
        if weights is not None:
            self.network.load_state_dict({name: torch.tensor(one) for name, one in weights.items()})
        # The threads of searches that share out games have a core each; torch would take them all for every call.
        shared = isinstance(self.settings.teacher, Gumbel) and self.settings.threads > 1
        with one_thread() if shared else nullcontext():
            return self._play(deals)

    def _play(self, deals: Deals) -> SearchedGames:
        env = BatchEnv(self.games[deals.players], deals.games, autoreset_mode="DISABLED")
        step = env.reset(seed=deals.first)
        searched, decisions, turn = [], 0, 0
        while (step.current_player >= 0).any():
            full = bool(deals.rng.random() < self.settings.full)
            rows = np.flatnonzero((step.current_player >= 0) & (step.action_masks.sum(axis=1) > 1))
            actions = step.action_masks.argmax(axis=1)
            if len(rows):
                noise = 1.0 if turn < (self.settings.noisy or turn + 1) else 0.0
                searched.append(self._search(env, rows, full, deals.rng, noise))
                actions[rows] = searched[-1].actions
            decisions += int((step.current_player >= 0).sum())
            step = env.step(actions)
            turn += 1
        fully = [one for one in searched if one.full]
        figures = {
            "length": float(env.lengths.mean()),
            "agreed": mean_of([one.agreed for one in fully]),
            "certain": mean_of([one.certain for one in fully]),
            "winner_score": float(winner_scores(env, slice(None)).mean()),
        }
        lessons = kept(env, searched, self.network.shape.seats, self.settings.value_mix)
        return SearchedGames(lessons, figures, decisions, deals.games)

    def _search(self, env: BatchEnv, rows: Any, full: bool, rng: np.random.Generator, noise: float) -> Searched:
        """Search a decision in each of some rows."""
        views = env.views(rows)
        seeds = rng.integers(1 << 62, size=len(rows))
        found = self.teachers[env.game.num_players].teach(views, full, seeds, noise)
        return Searched(
            rows=rows,
            movers=np.array(views.players, dtype=np.int64),
            means=found.means,
            searched=found.searched,
            full=full,
            observations=np.rint(views.observations * env.game.observations.scales()).astype(np.uint8),
            masks=np.array(views.action_masks),
            actions=found.actions,
            policies=found.improved.astype(np.float16),
            agreed=found.agreed[found.searched],
            certain=found.improved.max(axis=1)[found.searched],
        )


def mean_of(parts: Sequence[Any]) -> float:
    """The mean of all that arrays hold together; 0 of nothing."""
    whole = np.concatenate([np.zeros(0), *parts])
    return float(whole.mean()) if len(whole) else 0.0


def kept(env: BatchEnv, searched: Sequence[Searched], seats: int, value_mix: float) -> dict[str, Any]:
    """The decisions of games that have ended, as the replay buffer keeps them."""
    players = env.game.num_players
    results = np.array([outcome_returns(places) for places in env.final_places], dtype=np.float32)
    row = np.concatenate([one.rows for one in searched])
    mover = np.concatenate([one.movers for one in searched])
    around = (mover[:, None] + np.arange(seats)) % players
    means = np.concatenate([one.means for one in searched]).astype(np.float32)
    # What the network says itself is nothing to learn from.
    mix = value_mix * np.concatenate([one.searched for one in searched])[:, None].astype(np.float32)
    targets = (1.0 - mix) * results[row] + mix * means
    return {
        "observations": np.concatenate([one.observations for one in searched]),
        "masks": np.concatenate([one.masks for one in searched]),
        "policies": np.concatenate([one.policies for one in searched]),
        "results": targets[np.arange(len(row))[:, None], around],
        "with_policy": np.concatenate([np.full((len(one.rows), 1), one.full) for one in searched]),
        "players": np.full((len(row), 1), players),
    }


def player_of(games: Sequence[Game], kind: type[PlayingNetwork], shape: Any, settings: SearchSettings) -> SearchPlayer:
    """The place of another process: a network of a kind and shape, given its weights with each task, on a processor."""
    torch.set_num_threads(1)
    return SearchPlayer(games, kind(shape), replace(settings, device="cpu"))
