"""Search-guided policy iteration: ``python -m training.expert --start runs/ppo-1/network.safetensors --minutes 30``.

The network guides a search (`agents.search.guided`), the search plays better than the network, and the network learns
what the search found (Anthony, Tian, Barber: *Thinking fast and slow with deep learning and tree search*, NeurIPS 2017;
Silver and others, Science 362, 2018).  Hidden cards stay hidden: every simulation draws a world that agrees with what
the searcher knows, and the search begins at a redacted state.

Every iteration plays one whole game in each of `envs` rows, enters their decisions into a replay buffer on disk, and
learns from random samples of it: the policy from the probabilities that search improved, the values, one for each seat,
from the results.  With probability `full` all games take a decision with `simulations`, else with `quick` ones, of
which only values are learned (playout cap randomisation: Wu, *Accelerating self-play learning in Go*, arXiv
1902.10565).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.networks.network import Network, load_network, masked
from agents.networks.neural import check_reward
from agents.search.guided import GuidedSearch
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.results import outcome_returns
from porta_nigra_env.core.rng import later_seed
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.players.checkpoint import part_of
from porta_nigra_env.players.network import Shape
from training import trainer
from training.arguments import RunArguments, check_run, games_of
from training.collector import winner_scores
from training.replay import ReplayBuffer
from training.runs import REPLAY, Run
from training.trainer import Trainer, command_line

#: Gradients are cut to this norm.
MAX_GRAD_NORM: Final = 1.0


@dataclass(frozen=True)
class Arguments(RunArguments):
    """Train a network by the search that it guides."""

    envs: int = 256
    """Games of an iteration, searched together; with few of them the values learn single games by heart."""
    simulations: int = 48
    """Of a decision that the policy learns from."""
    quick: int = 8
    """Of the others."""
    full: float = 0.25
    """Share of the decisions with `simulations`."""
    parallel: int = 4
    """Simulations of a game between two calls of the network."""
    exploration: float = 1.25
    """Constant of PUCT."""
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


class Searched(NamedTuple):
    """k decisions that were searched at the same time, one in each of `rows`.

    movers: int64 (k,); full: whether with all simulations; observations: uint8 raw quantities; masks: int8, actions:
    int64 (k,) and policies: float16 (k, num_actions), what search improved; agreed: share of them in which search and
    network prefer the same action; certain: mean of the largest improved probability.
    """

    rows: Any
    movers: Any
    full: bool
    observations: Any
    masks: Any
    actions: Any
    policies: Any
    agreed: float
    certain: float


class Expert(Trainer):
    """A run from its first or its next iteration to its end.

    Args:
        arguments: of the run, which `check` has passed.
        games: one for each number of players; their observations and actions have to be alike.
        folder: of the run, for the replay buffer.
    """

    arguments: Arguments
    _buffer: ReplayBuffer | None

    def __init__(self, arguments: Arguments, games: Sequence[Game], folder: Path) -> None:
        super().__init__(arguments, games, ("agreed", "certain"))
        torch.set_num_threads(arguments.threads or os.cpu_count() or 1)
        if arguments.start is None:
            self.network = Network(Shape.of(games[0], arguments.width, arguments.blocks)).to(self.device)
        else:
            for game in games:
                self.network = load_network(arguments.start, game, self.device).train()
            check_reward(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=arguments.learning_rate, eps=1e-5, fused=True)
        self.rng = np.random.default_rng(arguments.seed)
        self.scales = torch.from_numpy(games[0].observations.scales()).to(self.device)
        self.folder, self._buffer = folder, None
        self.searches = {
            game.num_players: [
                GuidedSearch(game, self.evaluate_positions, count, arguments.parallel, arguments.exploration)
                for count in (arguments.simulations, arguments.quick)
            ]
            for game in games
        }

    @property
    def buffer(self) -> ReplayBuffer:
        """The replay buffer; its files are made when it is asked for."""
        if self._buffer is None:
            self._buffer = ReplayBuffer(self.folder / REPLAY, self.arguments.buffer, self.games[0])
        return self._buffer

    def evaluate_positions(self, observations: Any, masks: Any) -> tuple[Any, Any]:
        """What the search asks of the network (`agents.search.guided.Evaluator`)."""
        with torch.no_grad(), torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
            logits, values = self.network(torch.from_numpy(observations).to(self.device))
        return logits.float().cpu().numpy(), (values.float() * self.network.value_scale).cpu().numpy()

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
        chosen, decisions = self.arguments, 0
        env = BatchEnv(game, chosen.envs, autoreset_mode="DISABLED")
        step = env.reset(seed=int(later_seed(chosen.seed, self.iteration + 1)) >> 1)
        searched = []
        while (step.current_player >= 0).any():
            full = bool(self.rng.random() < chosen.full)
            rows = np.flatnonzero((step.current_player >= 0) & (step.action_masks.sum(axis=1) > 1))
            actions = step.action_masks.argmax(axis=1)
            if len(rows):
                searched.append(self._search(env, rows, full))
                actions[rows] = searched[-1].actions
            decisions += int((step.current_player >= 0).sum())
            step = env.step(actions)
        self._keep(env, searched)
        fully = [one for one in searched if one.full]
        return {
            "length": float(env.lengths.mean()),
            "agreed": float(np.mean([one.agreed for one in fully] or [0.0])),
            "certain": float(np.mean([one.certain for one in fully] or [0.0])),
            "winner_score": float(winner_scores(env, slice(None)).mean()),
        }, decisions

    def _search(self, env: BatchEnv, rows: Any, full: bool) -> Searched:
        """Search a decision in each of some rows."""
        views = env.views(rows)
        seeds = self.rng.integers(1 << 62, size=len(rows))
        found = self.searches[env.game.num_players][0 if full else 1].run(views.states, views.players, seeds, noise=1.0)
        return Searched(
            rows=rows,
            movers=np.array(views.players, dtype=np.int64),
            full=full,
            observations=np.rint(views.observations * env.game.observations.scales()).astype(np.uint8),
            masks=np.array(views.action_masks),
            actions=found.actions,
            policies=found.improved.astype(np.float16),
            agreed=float((found.logits.argmax(axis=1) == found.improved.argmax(axis=1)).mean()),
            certain=float(found.improved.max(axis=1).mean()),
        )

    def _keep(self, env: BatchEnv, searched: Sequence[Searched]) -> None:
        """Enter the decisions of games that have ended into the replay buffer."""
        players, seats = env.game.num_players, self.network.shape.seats
        results = np.array([outcome_returns(places) for places in env.final_places], dtype=np.float32)
        row = np.concatenate([one.rows for one in searched])
        mover = np.concatenate([one.movers for one in searched])
        around = (mover[:, None] + np.arange(seats)) % players
        self.buffer.add(
            {
                "observations": np.concatenate([one.observations for one in searched]),
                "masks": np.concatenate([one.masks for one in searched]),
                "policies": np.concatenate([one.policies for one in searched]),
                "results": results[row[:, None], around],
                "with_policy": np.concatenate([np.full((len(one.rows), 1), one.full) for one in searched]),
                "players": np.full((len(row), 1), players),
            }
        )

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
    if arguments.resume is None and arguments.start is not None:
        # What a run goes on with is as large as what it began with, wherever that has gone.
        shape = load_network(arguments.start).shape
        arguments = replace(arguments, width=shape.width, blocks=shape.blocks)
    return trainer.prepared("expert", arguments, check, lambda asked, folder: Expert(asked, games_of(asked), folder))


def check(arguments: Arguments) -> None:
    """ValueError that names the first argument out of range."""
    check_run(arguments, dict.fromkeys(("envs", "simulations", "quick", "parallel", "buffer", "batch"), 1))
    if not 0.0 < arguments.full <= 1.0:
        raise ValueError(f"--full must be in (0, 1], not {arguments.full}")
    if not arguments.replay_ratio > 0:
        raise ValueError(f"--replay-ratio must be positive, not {arguments.replay_ratio}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    return command_line("expert", Arguments, prepared, argv)


if __name__ == "__main__":
    raise SystemExit(main())
