"""Search-guided policy iteration: ``python -m training.expert --start runs/ppo-1/network.safetensors --minutes 30``.

The network guides a search (`agents.guided`), the search plays better than the network, and the network learns what
the search found (Anthony, Tian, Barber: *Thinking fast and slow with deep learning and tree search*, NeurIPS 2017;
Silver and others, Science 362, 2018).  Hidden cards stay hidden: every simulation draws a world that agrees with what
the searcher knows, and the search begins at a redacted state.

Every iteration plays one whole game in each of `envs` rows, enters their decisions into a ring on disk, and learns from
random samples of it: the policy from the probabilities that search improved, the values, one for each seat, from the
results.  With probability `full` all games take a decision with `simulations`, else with `quick` ones, from which only
values are learned (playout cap randomisation: Wu, *Accelerating self-play learning in Go*, arXiv 1902.10565).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import tyro
from torch import Tensor

from agents.guided import GuidedSearch
from agents.network import (
    SEATS,
    CheckpointError,
    Network,
    Shape,
    check_made_for,
    describe,
    load_network,
    masked,
    read_tensors,
    save_network,
    write_tensors,
)
from porta_nigra_env.core.game import Game, check_seed, outcome_returns
from porta_nigra_env.core.rng import later_seed
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.game import PortaNigra
from training.collector import compiled
from training.evaluation import Strength, best_action, strength
from training.ppo import device_of, halves
from training.runs import CHECKPOINT, NETWORK, RING, Run, as_config, carry_out, packed, resumed, unpack

#: Gradients are cut to this norm.
NORM: Final = 1.0


@dataclass(frozen=True)
class Arguments:
    """Train a network by the search that it guides."""

    out: Path | None = None
    """Folder of the run; by default runs/expert-SEED."""
    resume: Path | None = None
    """Folder of a run to go on with; only `minutes`, `decisions` and `threads` may be given beside it."""
    start: Path | None = None
    """Network to begin with, e.g. one of training.ppo with the reward `outcome`; by default a new one."""
    players: tuple[int, ...] = (2,)
    """Numbers of players to train for, in turn: 2, 3, 4."""
    minutes: float = 30.0
    """Time of training; schedules follow it.  Ignored when `decisions` is given."""
    decisions: int = 0
    """Decisions to play, in all seats together; with one thread the result then follows from the seed alone."""
    seed: int = 1
    """Of weights, games, worlds and samples."""
    threads: int = 0
    """Of torch; 0: as many as there are cores."""
    device: str = "auto"
    """cpu, cuda, or auto: cuda where there is one."""
    precision: str = "auto"
    """float32, bfloat16, or auto: bfloat16 where the machine multiplies it fast."""
    envs: int = 64
    """Games of an iteration, searched together."""
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
    rate: float = 5e-4
    """Learning rate at the start; it falls to a tenth."""
    value: float = 0.5
    """Weight of the values' error."""
    width: int = 256
    """Units of a layer, of a new network."""
    blocks: int = 1
    """Residual layers between the first one and the heads, of a new network."""
    evaluate: tuple[str, ...] = ("greedy", "builder")
    """Compiled agents that the network, without search, is measured against."""
    evaluations: int = 8
    """How often, evenly over the run, and at the end."""
    deals: int = 200
    """Duplicate deals of an evaluation, each from every seat."""


class Ring:
    """Decisions on disk, the oldest ones overwritten.

    Arrays of `size` rows: observations uint8 raw quantities, masks int8, policies float16 (num_actions), results
    float32 (SEATS) from the mover on, meant int8 (2): whether the policy, and how many of the results, count.
    """

    def __init__(self, folder: Path, size: int, game: Game) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        actions = game.actions.size
        kinds: dict[str, tuple[Any, int]] = {
            "observations": (np.uint8, game.observations.size), "masks": (np.int8, actions),
            "policies": (np.float16, actions), "results": (np.float32, SEATS), "meant": (np.int8, 2),
        }  # fmt: skip
        self.arrays = {}
        for name, (dtype, columns) in kinds.items():
            file = folder / f"{name}.bin"
            wanted = np.dtype(dtype).itemsize * columns * size
            there = file.exists() and file.stat().st_size == wanted
            self.arrays[name] = np.memmap(file, dtype, "r+" if there else "w+", shape=(size, columns))
        self.size, self.written = size, 0

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


class Expert:
    """A run from its first or its next iteration to its end.

    Args:
        arguments: of the run, which `check` has passed.
        games: one for each number of players; their observations and actions have to be alike.
        folder: of the run, for the ring.
    """

    def __init__(self, arguments: Arguments, games: Sequence[Game], folder: Path) -> None:
        self.arguments, self.games = arguments, list(games)
        torch.set_num_threads(arguments.threads or os.cpu_count() or 1)
        torch.manual_seed(arguments.seed)
        self.device = device_of(arguments.device)
        self.halved = halves(arguments.precision, self.device)
        if arguments.start is None:
            self.network = Network(Shape.of(games[0], arguments.width, arguments.blocks)).to(self.device)
        else:
            for game in games:
                self.network = load_network(arguments.start, game, self.device).train()
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
        self.opponents = {
            f"{name}, {game.num_players} players": (game, compiled(name, game))
            for game in games
            for name in arguments.evaluate
        }
        self.iteration, self.decisions, self.seconds, self.evaluated = 0, 0, 0.0, 0

    _ring: Ring | None

    @property
    def ring(self) -> Ring:
        """The ring; its files are made when it is asked for."""
        if self._ring is None:
            self._ring = Ring(self.folder / RING, self.arguments.ring, self.games[0])
        return self._ring

    @property
    def share(self) -> float:
        """How much of the run is over, 0 to 1."""
        chosen = self.arguments
        done = self.decisions / chosen.decisions if chosen.decisions else self.seconds / (60 * chosen.minutes)
        return min(1.0, done)

    def judge(self, observations: Any, masks: Any) -> tuple[Any, Any]:
        """What the search asks of the network (`agents.guided.Judge`)."""
        with torch.no_grad(), torch.autocast(self.device, torch.bfloat16, enabled=self.halved):
            logits, values = self.network(torch.from_numpy(observations).to(self.device))
        return logits.float().cpu().numpy(), (values.float() * self.network.value_scale).cpu().numpy()

    def iterate(self) -> dict[str, float]:
        """Play a game in every row, and learn; the metrics of the iteration."""
        begun, before = time.perf_counter(), self.decisions
        played = self.play(self.games[self.iteration % len(self.games)])
        collected = time.perf_counter()
        learned = self.learn(self.decisions - before)
        self.iteration += 1
        ended = time.perf_counter()
        self.seconds += ended - begun
        paces = {
            "seconds": self.seconds,
            "seconds_playing": collected - begun,
            "seconds_learning": ended - collected,
            "decisions_per_second": (self.decisions - before) / (ended - begun),
        }
        return played | learned | paces

    def play(self, game: Game) -> dict[str, float]:
        """A whole game in each row, searched; its decisions go into the ring."""
        chosen = self.arguments
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
            self.decisions += int((step.current_player >= 0).sum())
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
        }  # fmt: skip

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

    def evaluate(self) -> dict[str, Strength]:
        """Strength of the network without search, on deals that training does not see."""
        begun = time.perf_counter()
        seeds = [int(later_seed(self.arguments.seed + 1_000_003, deal + 1)) for deal in range(self.arguments.deals)]
        decide = best_action(self.network, self.device)
        found = {name: strength(decide, policy, game, seeds) for name, (game, policy) in self.opponents.items()}
        self.seconds += time.perf_counter() - begun
        return found

    # -- checkpoints

    def save(self, file: Path) -> None:
        """Everything that is needed to go on; the ring's rows are on disk before."""
        self.ring.flush()
        tensors = {f"network.{name}": one for name, one in self.network.state_dict().items()}
        tensors |= packed(self.optimizer)
        counted = {name: getattr(self, name) for name in ("iteration", "decisions", "seconds", "evaluated")}
        described = describe(self.network, self.games) | counted
        write_tensors(file, tensors, described | {"rng": self.rng.bit_generator.state, "written": self.ring.written})

    def load(self, file: Path) -> None:
        """Go on from a checkpoint; CheckpointError if it is damaged or belongs to something else."""
        tensors, described = read_tensors(file)
        for game in self.games:
            check_made_for(file, described, game)
        network = {name.removeprefix("network."): one for name, one in tensors.items() if name.startswith("network.")}
        try:
            self.network.load_state_dict(network)
        except RuntimeError as error:
            raise CheckpointError(f"checkpoint {file}: not of this run: {error}") from error
        unpack(self.optimizer, tensors)
        for name in ("iteration", "decisions", "seconds", "evaluated"):
            setattr(self, name, described[name])
        self.rng.bit_generator.state = described["rng"]
        self.ring.written = described["written"]

    def run(self, run: Run) -> None:
        """Iterate to the end; every iteration ends with a checkpoint."""
        carry_out(self, run, self.arguments.evaluations, ("agreed", "certain"))
        save_network(run.folder / NETWORK, self.network, self.games)


def losses(logits: Tensor, values: Tensor, part: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Cross entropy to the improved policies, and mean squared error of the values of the seats there are."""
    logs = torch.log_softmax(masked(logits, part["masks"]), dim=1)
    crossed = -(part["policies"].float() * logs.masked_fill(part["masks"] == 0, 0.0)).sum(dim=1)
    full = part["meant"][:, 0].float()
    there = (torch.arange(SEATS, device=values.device) < part["meant"][:, 1:]).float()
    squares = there * (values.float() - part["results"]) ** 2
    return (crossed * full).sum() / full.sum().clamp(min=1.0), squares.sum() / there.sum()


def prepared(arguments: Arguments) -> tuple[Expert, Run]:
    """The training and the folder that arguments ask for.

    Raises:
        ValueError: arguments that do not fit, or a folder or checkpoint that cannot be used.
    """
    if arguments.resume is None:
        check(arguments)
        folder = arguments.out or Path("runs") / f"expert-{arguments.seed}"
        expert = Expert(arguments, [PortaNigra(players) for players in arguments.players], folder)
        return expert, Run(folder, as_config("expert", arguments))
    started = resumed(arguments, "expert")
    check(started)
    expert = Expert(started, [PortaNigra(players) for players in started.players], arguments.resume)
    expert.load(arguments.resume / CHECKPOINT)
    return expert, Run(arguments.resume, as_config("expert", started), resume=True, iteration=expert.iteration)


def check(arguments: Arguments) -> None:
    """ValueError that names the first argument out of range."""
    check_seed(arguments.seed)
    if not arguments.players or not set(arguments.players) <= {2, 3, 4}:
        raise ValueError(f"--players must be out of 2, 3 and 4, not {arguments.players}")
    for name in ("envs", "simulations", "quick", "parallel", "ring", "batch", "width", "evaluations", "deals"):
        if getattr(arguments, name) < 1:
            raise ValueError(f"--{name} must be at least 1, not {getattr(arguments, name)}")
    if arguments.minutes <= 0 and arguments.decisions <= 0:
        raise ValueError("--minutes or --decisions must be positive")
    if not 0.0 < arguments.full <= 1.0:
        raise ValueError(f"--full must be in (0, 1], not {arguments.full}")
    if not arguments.reuse > 0:
        raise ValueError(f"--reuse must be positive, not {arguments.reuse}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m training.expert")
    try:
        expert, run = prepared(arguments)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    expert.run(run)
    run.close()
    print(f"network, checkpoint, metrics and learning curve: {run.folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
