"""Search-guided policy iteration: ``python -m training.expert --start runs/ppo-1/network.safetensors --minutes 30``.

The network guides a search (`agents.search.guided`), the search plays better than the network, and the network learns
what the search found (Anthony, Tian, Barber: *Thinking fast and slow with deep learning and tree search*, NeurIPS 2017;
Silver and others, Science 362, 2018).  Hidden cards stay hidden: every simulation draws a world that agrees with what
the searcher knows, and the search begins at a redacted state.

Every iteration plays one whole game in each of `envs` rows, enters their decisions into a replay buffer on disk, and
learns from random samples of it: the policy from the probabilities that search improved, the values, one for each seat,
from the results.  With probability `full` all games take a decision with a whole search, else with little or none, of
which only values are learned (playout cap randomisation: Wu, *Accelerating self-play learning in Go*, arXiv
1902.10565).  Who searches is one of `training.expert.teachers`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from agents.arena.executors import Executor, Jobs
from agents.networks.network import Network, load_network, masked
from agents.networks.neural import check_reward
from agents.search.mirror import Effort
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import part_of
from training.expert.replay import ReplayBuffer
from training.expert.selfplay import Deals, SearchedGames, SearchPlayer, SearchSettings, player_of
from training.expert.teachers import Gumbel, Mirror
from training.ppo.arguments import RunArguments, check_run, games_of, shape_for
from training.ppo.remote_collectors import weights_of
from training.run import trainer
from training.run.checks import check_default, check_least, check_positive
from training.run.folder import CHECKPOINT, REPLAY, Run
from training.run.seeds import later_run_seed
from training.run.trainer import Trainer, command_line

#: Deals of a task where other processes search; what is lost with one of them.
TASK: Final = 32
#: Games that a mirror search plays on at once, of all decisions that it searches side by side.
ROWS: Final = 256
#: Options that one of the teachers has, and the other has not.
OF_TEACHER: Final = {
    "gumbel": ("simulations", "quick", "parallel", "exploration", "prior_temperature"),
    "mirror": ("worlds", "candidates", "plies", "step", "doubt", "sure"),
}
#: Gradients are cut to this norm.
MAX_GRAD_NORM: Final = 1.0


@dataclass(frozen=True)
class Arguments(RunArguments):
    """Train a network by the search that it guides."""

    envs: int = 256
    """Games of an iteration, searched together; with few of them the values learn single games by heart."""
    search: str = "gumbel"
    """Who teaches: gumbel, a tree for each decision; mirror, the network that plays on in many worlds."""
    full: float = 0.25
    """Share of the decisions that the policy learns from; the others are searched little (gumbel) or not (mirror)."""
    simulations: int = 48
    """Of a decision that the policy learns from (gumbel)."""
    quick: int = 8
    """Of the others (gumbel)."""
    parallel: int = 4
    """Simulations of a game between two calls of the network (gumbel)."""
    exploration: float = 1.25
    """Constant of PUCT (gumbel)."""
    prior_temperature: float = 1.0
    """By which the network's logits are divided where they tell what to try (gumbel)."""
    worlds: int = 32
    """In which an action is tried (mirror)."""
    candidates: int = 8
    """Actions that are tried, the likeliest (mirror)."""
    plies: int = 8
    """Decisions that the network plays on for, of all seats (mirror)."""
    step: float = 100.0
    """What a difference of results counts against log-probabilities (mirror)."""
    doubt: float = 2.0
    """Standard errors that do not count in a difference of results, since chance may have made them (mirror)."""
    sure: float = 0.999
    """Where the network gives an action this probability, it is taken as it is, without a search (mirror)."""
    noisy: int = 0
    """So many decisions of a game, from its first, are chosen with noise; 0: all of them."""
    value_mix: float = 0.0
    """Share of the search's own mean result in what values learn, where there was a search; the rest is the game's."""
    buffer: int = 400_000
    """Decisions that are kept."""
    replay_ratio: float = 4.0
    """How often each decision is learned from, on average, while it is new."""
    batch: int = 1024
    """Decisions of a gradient step."""
    learning_rate: float = 1e-4
    """At the start; it falls to a tenth."""
    value: float = 0.5
    """Weight of the values' error."""
    jobs: str | None = None
    """Who searches: 1, this process, as by default; N, so many others; ray, or ray:N for at most N tasks at a time."""
    address: str | None = None
    """Of a Ray cluster, e.g. auto; by default one is started on this machine."""


class Expert(Trainer):
    """A run from its first or its next iteration to its end.

    Args:
        arguments: of the run, which `check` has passed.
        games: one for each number of players; their observations and actions have to be alike.
        folder: of the run, for the replay buffer.
        start: a file with the network to begin or go on with; None for a new one.
    """

    arguments: Arguments
    _buffer: ReplayBuffer | None

    def __init__(self, arguments: Arguments, games: Sequence[Game], folder: Path, start: Path | None = None) -> None:
        super().__init__(arguments, games, ("agreed", "certain"))
        torch.set_num_threads(arguments.threads or os.cpu_count() or 1)
        if start is None:
            self.network = Network(shape_for(arguments, games[0])).to(self.device)
        else:
            for game in games:
                self.network = load_network(start, game, self.device).train()
            check_reward(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=arguments.learning_rate, eps=1e-5, fused=True)
        self.rng = np.random.default_rng(arguments.seed)
        self.scales = torch.from_numpy(games[0].observations.scales()).to(self.device)
        self.folder, self._buffer = folder, None
        self.jobs = Jobs.of(arguments.jobs, arguments.address)
        alone = self.jobs == Jobs()
        settings = SearchSettings(
            teacher=teacher_of(arguments), full=arguments.full, noisy=arguments.noisy, value_mix=arguments.value_mix,
            device=self.device, bfloat16=self.bfloat16, threads=torch.get_num_threads() if alone else 1,
        )  # fmt: skip
        self.player = SearchPlayer(games, self.network, settings)
        self._executor: Executor[SearchPlayer] | None = None

    @property
    def buffer(self) -> ReplayBuffer:
        """The replay buffer; its files are made when it is asked for."""
        if self._buffer is None:
            self._buffer = ReplayBuffer(self.folder / REPLAY, self.arguments.buffer, self.games[0])
        return self._buffer

    def iterate(self) -> dict[str, float]:
        """Play a game in every row, and learn; the metrics of the iteration."""
        begun = time.perf_counter()
        written = self.buffer.written
        played, decisions = self.play(self.games[self.iteration % len(self.games)])
        collected = time.perf_counter()
        learned = self.learn(self.buffer.written - written)
        return played | learned | self.paces(begun, collected, decisions)

    def play(self, game: Game) -> tuple[dict[str, float], int]:
        """A whole game in each row, searched; its decisions, counted, go into the replay buffer."""
        chosen = self.arguments
        seed = later_run_seed(chosen.seed, self.iteration + 1)
        if self.jobs == Jobs():
            played = [self.player.play(Deals(game.num_players, seed, chosen.envs, self.rng))]
        else:
            played = self._play_elsewhere(game.num_players, seed)
        for one in played:
            self.buffer.add(one.kept)
        sizes = [one.games for one in played]
        figures = {
            name: float(np.average([one.figures[name] for one in played], weights=sizes)) for name in played[0].figures
        }
        return figures, sum(one.decisions for one in played)

    def _play_elsewhere(self, players: int, seed: int) -> list[SearchedGames]:
        """The same games by other processes, in tasks that do not depend on how many of these there are."""
        if self._executor is None:
            make = partial(player_of, self.games, type(self.network), self.network.shape, self.player.settings)
            self._executor = self.jobs.executor(make)
        deals = [
            Deals(players, seed + first, min(TASK, self.arguments.envs - first), np.random.default_rng([seed, first]))
            for first in range(0, self.arguments.envs, TASK)
        ]
        found = dict(self._executor.spread(SearchPlayer.play, deals, weights_of(self.network)))
        # In the order of deals, whichever was ready first: samples of the buffer depend on it.
        return [found[number] for number in range(len(deals))]

    def close(self) -> None:
        """End the processes that play."""
        if self._executor is not None:
            self._executor.close()
            self._executor = None

    def learn(self, new: int) -> dict[str, float]:
        """Gradient steps for so many new decisions."""
        chosen = self.arguments
        for group in self.optimizer.param_groups:
            group["lr"] = chosen.learning_rate * (1.0 - 0.9 * self.progress)
        reports = []
        for _ in range(max(1, int(new * chosen.replay_ratio / chosen.batch))):
            batch = {
                name: torch.from_numpy(one).to(self.device)
                for name, one in self.buffer.sample(chosen.batch, self.rng).items()
            }
            with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
                logits, values = self.network(batch["observations"].float() / self.scales)
            policy_loss, value_loss = losses(logits, values * self.network.value_scale, batch)
            (policy_loss + chosen.value * value_loss).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRAD_NORM)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            reports.append((policy_loss.item(), value_loss.item()))
        means = np.mean(reports, axis=0)
        return {
            "policy_loss": float(means[0]),
            "value_loss": float(means[1]),
            "buffer": float(min(self.buffer.written, chosen.buffer)),
        }

    # -- checkpoints

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        # The buffer's rows are on disk before a checkpoint counts them.
        self.buffer.flush()
        return {}, {"rng": self.rng.bit_generator.state, "written": self.buffer.written}

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        self.network.load_state_dict(part_of(tensors, "network"))
        self.rng.bit_generator.state = described["rng"]
        if described["written"]:
            ReplayBuffer.check(self.folder / REPLAY, self.arguments.buffer, self.games[0])
        self.buffer.written = described["written"]


def teacher_of(arguments: Arguments) -> Gumbel | Mirror:
    """Who teaches."""
    asked = arguments
    if asked.search == "gumbel":
        return Gumbel(asked.simulations, asked.quick, asked.parallel, asked.exploration, asked.prior_temperature)
    effort = Effort(asked.worlds, asked.candidates, asked.plies, max(ROWS, asked.candidates), doubt=asked.doubt)
    return Mirror(effort, asked.step, asked.sure)


def losses(logits: Tensor, values: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Cross entropy to the improved policies, and mean squared error of the values of the seats there are.

    logits: (k, num_actions); values: (k, seats); batch: of `ReplayBuffer.sample`.
    """
    log_probs = torch.log_softmax(masked(logits, batch["masks"]), dim=1)
    cross_entropy = -(batch["policies"].float() * log_probs.masked_fill(batch["masks"] == 0, 0.0)).sum(dim=1)
    full = batch["with_policy"][:, 0].float()
    there = (torch.arange(values.shape[1], device=values.device) < batch["players"]).float()
    squares = there * (values.float() - batch["results"]) ** 2
    return (cross_entropy * full).sum() / full.sum().clamp(min=1.0), squares.sum() / there.sum()


def prepared(arguments: Arguments) -> tuple[Expert, Run]:
    """The training and the folder that arguments ask for; ValueError as of `trainer.prepared`."""
    # What goes on is of the class that it began with, which may be one's own.
    start = arguments.start if arguments.resume is None else arguments.resume / CHECKPOINT
    return trainer.prepared(
        "expert", arguments, check, lambda asked, folder: Expert(asked, games_of(asked), folder, start)
    )


def check(arguments: Arguments) -> None:
    """ValueError that names the first argument out of range."""
    least = dict.fromkeys(("envs", "simulations", "quick", "parallel", "buffer", "batch", "worlds"), 1)
    check_run(arguments, least | {"candidates": 2, "plies": 0})
    if arguments.search not in ("gumbel", "mirror"):
        raise ValueError(f"--search must be gumbel or mirror, not {arguments.search!r}")
    Jobs.of(arguments.jobs, arguments.address)
    if not 0.0 < arguments.full <= 1.0:
        raise ValueError(f"--full must be in (0, 1], not {arguments.full}")
    check_positive(arguments, ("replay_ratio", "prior_temperature", "learning_rate"))
    check_least(arguments, dict.fromkeys(("noisy", "step", "value", "exploration", "doubt"), 0))
    for name in ("value_mix", "sure"):
        if not 0.0 <= getattr(arguments, name) <= 1.0:
            raise ValueError(f"--{name.replace('_', '-')} must be in 0..1, not {getattr(arguments, name)}")
    other = "mirror" if arguments.search == "gumbel" else "gumbel"
    check_default(arguments, Arguments, OF_TEACHER[other], f"of --search {other}, not of {arguments.search}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    return command_line("expert", Arguments, prepared, argv)


if __name__ == "__main__":
    raise SystemExit(main())
