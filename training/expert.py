"""Search-guided policy iteration: ``python -m training.expert --start runs/ppo-1/network.safetensors --minutes 30``.

The network guides a search (`agents.search.guided`), the search plays better than the network, and the network learns
what the search found (Anthony, Tian, Barber: *Thinking fast and slow with deep learning and tree search*, NeurIPS 2017;
Silver and others, Science 362, 2018).  Hidden cards stay hidden: every simulation draws a world that agrees with what
the searcher knows, and the search begins at a redacted state.

Every iteration plays one whole game in each of `envs` rows, enters their decisions into a ring on disk, and learns from
random samples of it: the policy from the probabilities that search improved, the values, one for each seat, from the
results.  With probability `full` all games take a decision with `simulations`, else with `quick` ones, from which only
values are learned (playout cap randomisation: Wu, *Accelerating self-play learning in Go*, arXiv 1902.10565).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from agents.networks.network import SEATS, Network, Shape, load_network, masked, part_of
from agents.networks.neural import check_reward
from agents.search.guided import GuidedSearch
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.results import outcome_returns
from porta_nigra_env.core.rng import later_seed
from porta_nigra_env.envs.batch import BatchEnv
from training import trainer
from training.runs import RING, Run, RunError
from training.trainer import RunArguments, Trainer, check_run, command_line, games_of

#: Gradients are cut to this norm.
NORM: Final = 1.0


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
    ring: int = 400_000
    """Decisions that are kept."""
    reuse: float = 4.0
    """How often each decision is learned from, on average, while it is new."""
    batch: int = 1024
    """Decisions of a gradient step."""
    rate: float = 1e-4
    """Learning rate at the start; it falls to a tenth."""
    value: float = 0.5
    """Weight of the values' error."""


class Ring:
    """Decisions on disk, the oldest ones overwritten.

    Arrays of `size` rows: observations uint8 raw quantities, masks int8, policies float16 (num_actions), results
    float32 (SEATS) from the mover on, meant int8 (2): whether the policy, and how many of the results, count.
    """

    def __init__(self, folder: Path, size: int, game: Game) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.arrays = {
            name: np.memmap(file, dtype, "r+" if _is_whole(file, dtype, shape) else "w+", shape=shape)
            for name, (file, dtype, shape) in Ring.files(folder, size, game).items()
        }
        self.size, self.written = size, 0

    @staticmethod
    def files(folder: Path, size: int, game: Game) -> dict[str, tuple[Path, Any, tuple[int, int]]]:
        """File, dtype and shape of every array."""
        actions = game.actions.size
        kinds: dict[str, tuple[Any, int]] = {
            "observations": (np.uint8, game.observations.size), "masks": (np.int8, actions),
            "policies": (np.float16, actions), "results": (np.float32, SEATS), "meant": (np.int8, 2),
        }  # fmt: skip
        return {name: (folder / f"{name}.bin", dtype, (size, columns)) for name, (dtype, columns) in kinds.items()}

    @staticmethod
    def check(folder: Path, size: int, game: Game) -> None:
        """RunError if a file is missing or has another size."""
        for file, dtype, shape in Ring.files(folder, size, game).values():
            if not _is_whole(file, dtype, shape):
                raise RunError(f"{file}: missing or cut off; the run learns from it and cannot go on without it")

    def add(self, rows: dict[str, Any]) -> None:
        """Decisions at the end of the others; what is older than `size` is gone."""
        count = len(rows["observations"])
        places = (self.written + np.arange(count)) % self.size
        for name, array in self.arrays.items():
            array[places] = rows[name]
        self.written += count

    def sample(self, count: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random decisions out of all that are there."""
        places = np.sort(rng.integers(min(self.written, self.size), size=count))
        return {name: np.array(array[places]) for name, array in self.arrays.items()}

    def flush(self) -> None:
        """Everything is on disk when this returns."""
        for array in self.arrays.values():
            array.flush()


def _is_whole(file: Path, dtype: Any, shape: tuple[int, int]) -> bool:
    return file.exists() and file.stat().st_size == np.dtype(dtype).itemsize * shape[0] * shape[1]


class Expert(Trainer):
    """A run from its first or its next iteration to its end.

    Args:
        arguments: of the run, which `check` has passed.
        games: one for each number of players; their observations and actions have to be alike.
        folder: of the run, for the ring.
    """

    arguments: Arguments
    _ring: Ring | None

    def __init__(self, arguments: Arguments, games: Sequence[Game], folder: Path) -> None:
        super().__init__(arguments, games, ("agreed", "certain"))
        torch.set_num_threads(arguments.threads or os.cpu_count() or 1)
        if arguments.start is None:
            self.network = Network(Shape.of(games[0], arguments.width, arguments.blocks)).to(self.device)
        else:
            for game in games:
                self.network = load_network(arguments.start, game, self.device).train()
            check_reward(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=arguments.rate, eps=1e-5, fused=True)
        self.rng = np.random.default_rng(arguments.seed)
        self.scales = torch.from_numpy(games[0].observations.scales()).to(self.device)
        self.folder, self._ring = folder, None
        self.searches = {
            game.num_players: [
                GuidedSearch(game, self.judge, count, arguments.parallel, arguments.exploration)
                for count in (arguments.simulations, arguments.quick)
            ]
            for game in games
        }

    @property
    def ring(self) -> Ring:
        """The ring; its files are made when it is asked for."""
        if self._ring is None:
            self._ring = Ring(self.folder / RING, self.arguments.ring, self.games[0])
        return self._ring

    def judge(self, observations: Any, masks: Any) -> tuple[Any, Any]:
        """What the search asks of the network (`agents.search.guided.Judge`)."""
        with torch.no_grad(), torch.autocast(self.device, torch.bfloat16, enabled=self.halved):
            logits, values = self.network(torch.from_numpy(observations).to(self.device))
        return logits.float().cpu().numpy(), (values.float() * self.network.value_scale).cpu().numpy()

    def iterate(self) -> dict[str, float]:
        """Play a game in every row, and learn; the metrics of the iteration."""
        begun = time.perf_counter()
        written = self.ring.written
        played, decisions = self.play(self.games[self.iteration % len(self.games)])
        collected = time.perf_counter()
        learned = self.learn(self.ring.written - written)
        return played | learned | self.paces(begun, collected, decisions)

    def play(self, game: Game) -> tuple[dict[str, float], int]:
        """A whole game in each row, searched; its decisions, counted, go into the ring."""
        chosen, decisions = self.arguments, 0
        env = BatchEnv(game, chosen.envs, autoreset_mode="DISABLED")
        step = env.reset(seed=int(later_seed(chosen.seed, self.iteration + 1)) >> 1)
        kept: dict[str, list[Any]] = {name: [] for name in ("observations", "masks", "policies", "meant")}
        rows_of, movers, agreed, chances = [], [], [], []
        scales = game.observations.scales()
        while (step.current_player >= 0).any():
            full = bool(self.rng.random() < chosen.full)
            masks = step.action_masks
            rows = np.flatnonzero((step.current_player >= 0) & (masks.sum(axis=1) > 1))
            actions = masks.argmax(axis=1)
            if len(rows):
                views = env.views(rows)
                seeds = self.rng.integers(1 << 62, size=len(rows))
                search = self.searches[game.num_players][0 if full else 1]
                found = search.run(views.states, views.players, seeds, noise=1.0)
                actions[rows] = found.actions
                kept["observations"].append(np.rint(views.observations * scales).astype(np.uint8))
                kept["masks"].append(np.array(views.action_masks))
                kept["policies"].append(found.improved.astype(np.float16))
                kept["meant"].append(np.tile(np.array([full, game.num_players], dtype=np.int8), (len(rows), 1)))
                rows_of.append(rows)
                movers.append(np.array(views.players))
                if full:
                    agreed.append((found.logits.argmax(axis=1) == found.improved.argmax(axis=1)).mean())
                    chances.append(found.improved.max(axis=1).mean())
            decisions += int((step.current_player >= 0).sum())
            step = env.step(actions)
        results = np.array([outcome_returns(scores) for scores in env.final_scores], dtype=np.float32)
        row, mover = np.concatenate(rows_of), np.concatenate(movers).astype(np.int64)
        places = (mover[:, None] + np.arange(SEATS)) % game.num_players
        self.ring.add(
            {name: np.concatenate(parts) for name, parts in kept.items()} | {"results": results[row[:, None], places]}
        )
        return {
            "length": float(env.lengths.mean()), "agreed": float(np.mean(agreed or [0.0])),
            "certain": float(np.mean(chances or [0.0])),
            "winner_score": float(env.final_scores.max(axis=1).mean()),
        }, decisions  # fmt: skip

    def learn(self, new: int) -> dict[str, float]:
        """Gradient steps for so many new decisions."""
        chosen = self.arguments
        for group in self.optimizer.param_groups:
            group["lr"] = chosen.rate * (1.0 - 0.9 * self.share)
        reports = []
        for _ in range(max(1, int(new * chosen.reuse / chosen.batch))):
            part = {
                name: torch.from_numpy(one).to(self.device)
                for name, one in self.ring.sample(chosen.batch, self.rng).items()
            }
            with torch.autocast(self.device, torch.bfloat16, enabled=self.halved):
                logits, values = self.network(part["observations"].float() / self.scales)
            policy_loss, value_loss = losses(logits, values * self.network.value_scale, part)
            (policy_loss + chosen.value * value_loss).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), NORM)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            reports.append((policy_loss.item(), value_loss.item()))
        means = np.mean(reports, axis=0)
        return {
            "policy_loss": float(means[0]),
            "value_loss": float(means[1]),
            "ring": float(min(self.ring.written, chosen.ring)),
        }

    # -- checkpoints

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        # The ring's rows are on disk before a checkpoint counts them.
        self.ring.flush()
        return {}, {"rng": self.rng.bit_generator.state, "written": self.ring.written}

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        self.network.load_state_dict(part_of(tensors, "network"))
        self.rng.bit_generator.state = described["rng"]
        if described["written"]:
            Ring.check(self.folder / RING, self.arguments.ring, self.games[0])
        self.ring.written = described["written"]


def losses(logits: Tensor, values: Tensor, part: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Cross entropy to the improved policies, and mean squared error of the values of the seats there are."""
    logs = torch.log_softmax(masked(logits, part["masks"]), dim=1)
    crossed = -(part["policies"].float() * logs.masked_fill(part["masks"] == 0, 0.0)).sum(dim=1)
    full = part["meant"][:, 0].float()
    there = (torch.arange(SEATS, device=values.device) < part["meant"][:, 1:]).float()
    squares = there * (values.float() - part["results"]) ** 2
    return (crossed * full).sum() / full.sum().clamp(min=1.0), squares.sum() / there.sum()


def prepared(arguments: Arguments) -> tuple[Expert, Run]:
    """The training and the folder that arguments ask for; ValueError as of `trainer.prepared`."""
    if arguments.resume is None and arguments.start is not None:
        # What a run goes on with is as large as what it began with, wherever that has gone.
        shape = load_network(arguments.start).shape
        arguments = replace(arguments, width=shape.width, blocks=shape.blocks)
    return trainer.prepared("expert", arguments, check, lambda asked, folder: Expert(asked, games_of(asked), folder))


def check(arguments: Arguments) -> None:
    """ValueError that names the first argument out of range."""
    check_run(arguments, dict.fromkeys(("envs", "simulations", "quick", "parallel", "ring", "batch"), 1))
    if not 0.0 < arguments.full <= 1.0:
        raise ValueError(f"--full must be in (0, 1], not {arguments.full}")
    if not arguments.reuse > 0:
        raise ValueError(f"--reuse must be positive, not {arguments.reuse}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    return command_line("expert", Arguments, prepared, argv)


if __name__ == "__main__":
    raise SystemExit(main())
