"""Expert iteration: ``python -m training.expert --start runs/ppo-1/network.safetensors --minutes 30``.

The network guides a search, and learns from the search, which plays better.  See Anthony, Tian, Barber: *Thinking fast
and slow with deep learning and tree search*, NeurIPS 2017, and Silver and others, Science 362, 2018.  Searches see only
the mover's information: they start from redacted states and sample hidden cards.

Every iteration plays `num_envs` games, adds their steps to a replay buffer on disk, and learns from samples of it.  The
policy learns the improved policies of the search, the values learn the results of all seats.  With probability
`full_search_prob` all games search a step fully; other steps get a fast search or none, and teach only the values.
This is playout cap randomization (Wu, *Accelerating self-play learning in Go*, arXiv 1902.10565).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from msgspec import convert
from torch import Tensor

from agents.arena.executors import Executor, Jobs
from agents.networks.network import Network, load_network, masked
from agents.networks.neural import check_reward
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import part_of
from training.expert.options import Options, check
from training.expert.replay import ReplayBuffer
from training.expert.selfplay import Deals, SearchedGames, SearchPlayer, make_player
from training.ppo.remote_collectors import weights_of
from training.run import trainer
from training.run.folder import CHECKPOINT, REPLAY, Count, Run
from training.run.options import derive_seed, make_games, network_shape
from training.run.trainer import Trainer, train_command

__all__ = ["Expert", "Options", "check", "main", "prepare"]

#: Deals per task of a worker process.
TASK: Final = 32
#: Maximum norm of the gradient.
MAX_GRAD_NORM: Final = 1.0


class Expert(Trainer):
    """A run of expert iteration.

    Args:
        options: options that passed `check`.
        games: one per number of players, with equal observation and action spaces.
        folder: folder of the run, for the replay buffer.
        start: file of the initial network; None for a new one.
    """

    options: Options
    _buffer: ReplayBuffer | None

    def __init__(self, options: Options, games: Sequence[Game], folder: Path, start: Path | None = None) -> None:
        super().__init__(options, games, ("agreed", "certain"))
        torch.set_num_threads(options.threads or os.cpu_count() or 1)
        if start is None:
            self.network = Network(network_shape(options, games[0])).to(self.device)
        else:
            for game in games:
                self.network = load_network(start, game, self.device).for_game(game).train()
            check_reward(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=options.learning_rate, eps=1e-5, fused=True)
        self.rng = np.random.default_rng(options.seed)
        self.scales = torch.from_numpy(games[0].observations.scales()).to(self.device)
        self.folder, self._buffer = folder, None
        self.jobs = Jobs.of(options.jobs, options.address)
        self.player = SearchPlayer(games, self.network, self.options)
        self._executor: Executor[SearchPlayer] | None = None

    @property
    def buffer(self) -> ReplayBuffer:
        """The replay buffer; its files are made on first use."""
        if self._buffer is None:
            self._buffer = ReplayBuffer(self.folder / REPLAY, self.options.buffer_size, self.games[0])
        return self._buffer

    def iterate(self) -> dict[str, float]:
        started = time.perf_counter()
        written = self.buffer.written
        played, steps = self.play(self.games[self.iteration % len(self.games)])
        collected = time.perf_counter()
        learned = self.learn(self.buffer.written - written)
        return played | learned | self.finish_iteration(started, collected, steps)

    def play(self, game: Game) -> tuple[dict[str, float], int]:
        """Play a searched game in each row and add its steps to the replay buffer; return metrics and step count."""
        options = self.options
        seed = derive_seed(options.seed, self.iteration + 1)
        if self.jobs == Jobs():
            played = [self.player.play(Deals(game.num_players, seed, options.num_envs, self.rng))]
        else:
            played = self._play_in_workers(game.num_players, seed)
        for part in played:
            self.buffer.add(part.rows)
        sizes = [part.games for part in played]
        figures = {
            name: float(np.average([part.figures[name] for part in played], weights=sizes))
            for name in played[0].figures
        }
        return figures, sum(part.steps for part in played)

    def _play_in_workers(self, players: int, seed: int) -> list[SearchedGames]:
        """Play in other processes; tasks do not depend on the number of processes."""
        if self._executor is None:
            make = partial(make_player, self.games, type(self.network), self.network.shape, self.options)
            self._executor = self.jobs.executor(make)
        deals = [
            Deals(players, seed + first, min(TASK, self.options.num_envs - first), np.random.default_rng([seed, first]))
            for first in range(0, self.options.num_envs, TASK)
        ]
        results = dict(self._executor.spread(SearchPlayer.play, deals, weights_of(self.network)))
        # In the order of deals: samples of the buffer depend on it.
        return [results[number] for number in range(len(deals))]

    def close(self) -> None:
        if self._executor is not None:
            self._executor.close()
            self._executor = None

    def learn(self, new: int) -> dict[str, float]:
        """Make the gradient updates for `new` steps."""
        options = self.options
        for group in self.optimizer.param_groups:
            group["lr"] = options.learning_rate * (1.0 - 0.9 * self.scheduled)
        reports = []
        for _ in range(max(1, int(new * options.replay_ratio / options.batch_size))):
            batch = {
                name: torch.from_numpy(array).to(self.device)
                for name, array in self.buffer.sample(options.batch_size, self.rng).items()
            }
            with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
                logits, values = self.network(batch["observations"].float() / self.scales)
            policy_loss, value_loss = losses(logits, values * self.network.value_scale, batch)
            (policy_loss + options.vf_coef * value_loss).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRAD_NORM)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            reports.append((policy_loss.item(), value_loss.item()))
        means = np.mean(reports, axis=0)
        return {
            "policy_loss": float(means[0]),
            "value_loss": float(means[1]),
            "buffer": float(min(self.buffer.written, options.buffer_size)),
        }

    # -- checkpoints

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        # The rows must be on disk before a checkpoint counts them.
        self.buffer.flush()
        return {}, {"rng": self.rng.bit_generator.state, "written": self.buffer.written}

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        self.network.load_state_dict(part_of(tensors, "network"))
        self.rng.bit_generator.state = described["rng"]
        written = convert(described["written"], Count)
        if written:
            ReplayBuffer.check(self.folder / REPLAY, self.options.buffer_size, self.games[0])
        self.buffer.written = written


def losses(logits: Tensor, values: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Return the cross entropy to the improved policies, and the mean squared error of the values.

    Args:
        logits: (k, num_actions).
        values: (k, seats); seats beyond the number of players do not count.
        batch: from `ReplayBuffer.sample`.
    """
    log_probs = torch.log_softmax(masked(logits, batch["masks"]), dim=1)
    cross_entropy = -(batch["policies"].float() * log_probs.masked_fill(batch["masks"] == 0, 0.0)).sum(dim=1)
    full = batch["with_policy"][:, 0].float()
    seated = (torch.arange(values.shape[1], device=values.device) < batch["players"]).float()
    squares = seated * (values.float() - batch["results"]) ** 2
    return (cross_entropy * full).sum() / full.sum().clamp(min=1.0), squares.sum() / seated.sum()


def prepare(options: Options) -> tuple[Expert, Run]:
    """Return the training and its folder; ValueError as in `trainer.prepare`."""
    # A resumed run keeps the class of its network, which may be custom.
    start = options.start if options.resume is None else options.resume / CHECKPOINT
    return trainer.prepare(
        "expert", options, check, lambda resolved, folder: Expert(resolved, make_games(resolved), folder, start)
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for options that cannot be used."""
    return train_command("expert", Options, prepare, argv)
