"""What the algorithms on BatchEnv share: arguments, the clock of a run, its measure, the way from its command line.

An algorithm derives its arguments from `RunArguments` and itself from `Trainer`; `prepared` makes one for a new folder
or for one to go on with, and `Trainer.run` brings it to its end.
"""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import torch
import tyro
from torch import Tensor
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.matches import deal_seed
from agents.networks.network import (
    CheckpointError,
    Network,
    check_made_for,
    describe,
    part_of,
    read_tensors,
    save_network,
    write_tensors,
)
from porta_nigra_env.core.game import Game, check_seed
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from training.collector import compiled
from training.evaluation import Strength, best_action, strength, told
from training.runs import CHECKPOINT, NETWORK, Run, RunError, as_config, read_config

#: What a run counts, and its checkpoints keep.
COUNTED: Final = ("iteration", "decisions", "seconds", "evaluated")
#: What may change when a run goes on.
CHANGEABLE: Final = ("minutes", "decisions", "threads", "device", "precision")
#: How long a run is that is told neither time nor decisions.
MINUTES: Final = 3.0
#: Deals of evaluations follow from the seed plus this, so that training does not see them.
UNSEEN: Final = 1_000_003


@dataclass(frozen=True)
class RunArguments:
    """Arguments of every run."""

    out: Path | None = None
    """Folder of the run; by default runs/ALGORITHM-SEED."""
    resume: Path | None = None
    """Folder of a run to go on with; only `minutes`, `decisions`, `threads`, `device` and `precision` may be given
    beside it."""
    start: Path | None = None
    """Network to begin with, a file of an earlier run; by default a new one."""
    players: tuple[int, ...] = (2,)
    """Numbers of players to train for, all with one network: 2, 3, 4."""
    components: str = "standard"
    """The component set that is played with: standard, or a component file."""
    minutes: float | None = None
    """Time of training; schedules follow it.  By default 3, or what `decisions` take."""
    decisions: int = 0
    """Decisions to play, in all seats together; with one thread the result then follows from the seed alone."""
    seed: int = 1
    """Of weights, games, worlds and actions."""
    threads: int = 0
    """Of torch and of the games; 0: as many as there are cores."""
    device: str = "auto"
    """cpu, cuda, or auto: cuda where there is one; the run keeps what it is started on."""
    precision: str = "auto"
    """float32, bfloat16, or auto: bfloat16 where the machine multiplies it fast; the run keeps what it is started
    with."""
    width: int = 256
    """Units of a layer."""
    blocks: int = 1
    """Residual layers between the first one and the heads."""
    evaluate: tuple[str, ...] = ("greedy", "builder")
    """Compiled agents that the network, without search, is measured against."""
    evaluations: int = 10
    """How often, evenly over the run, and at the end."""
    deals: int = 250
    """Duplicate deals of an evaluation, each from every seat."""

    def without_files(self) -> Self:
        """The same without the networks that it began with, which its checkpoints hold."""
        return replace(self, start=None)


A = TypeVar("A", bound=RunArguments)


def games_of(arguments: RunArguments) -> list[Game]:
    """The games to train for."""
    return [PortaNigra(players, arguments.components) for players in arguments.players]


def check_run(arguments: RunArguments, least: Mapping[str, int]) -> None:
    """ValueError that names the first argument out of range; `least` has lower bounds of the algorithm's own ones."""
    if not arguments.players or not set(arguments.players) <= {2, 3, 4}:
        raise ValueError(f"--players must be out of 2, 3 and 4, not {arguments.players}")
    check_seed(arguments.seed)
    for name, low in {**least, "width": 1, "blocks": 0, "threads": 0, "evaluations": 1, "deals": 1}.items():
        if getattr(arguments, name) < low:
            raise ValueError(f"--{name.replace('_', '-')} must be at least {low}, not {getattr(arguments, name)}")
    if arguments.decisions < 0:
        raise ValueError(f"--decisions must not be negative, not {arguments.decisions}")
    if arguments.minutes is not None and not arguments.minutes > 0:
        raise ValueError(f"--minutes must be positive, not {arguments.minutes:g}")
    if arguments.minutes is not None and arguments.decisions:
        raise ValueError("--minutes and --decisions: a run is as long as one of them tells, not both")


def device_of(name: str) -> str:
    """The device of an argument; RunError if it is not there."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise RunError("--device: there is no CUDA device here; --device cpu does without")
    if name not in ("cpu", "cuda"):
        raise RunError(f"--device must be cpu, cuda or auto, not {name!r}")
    return name


def halves(precision: str, device: str) -> bool:
    """Whether layers run in bfloat16."""
    if precision not in ("auto", "float32", "bfloat16"):
        raise RunError(f"--precision must be float32, bfloat16 or auto, not {precision!r}")
    if precision != "auto":
        return precision == "bfloat16"
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return torch.cpu._is_amx_tile_supported()


def settled(arguments: A) -> A:
    """The same with the device and the precision of this machine in the place of auto."""
    device = device_of(arguments.device)
    precision = "bfloat16" if halves(arguments.precision, device) else "float32"
    return replace(arguments, device=device, precision=precision)


class Trainer(ABC):
    """A run from its first or its next iteration to its end.

    An algorithm sets `network` and `optimizer`.

    Args:
        arguments: of the run; its algorithm's check has passed them.
        games: one for each number of players; their observations and actions have to be alike.
        shown: metrics in the line of progress.
    """

    network: Network
    optimizer: torch.optim.Optimizer

    def __init__(self, arguments: RunArguments, games: Sequence[Game], shown: Sequence[str]) -> None:
        self.arguments = arguments
        self.games, self.shown = list(games), shown
        self.device = device_of(arguments.device)
        self.halved = halves(arguments.precision, self.device)
        torch.manual_seed(arguments.seed)
        self.opponents = {
            f"{name}, {game.num_players} players": (game, compiled(name, game))
            for game in games
            for name in arguments.evaluate
        }
        self.iteration, self.decisions, self.seconds, self.evaluated = 0, 0, 0.0, 0

    @property
    def share(self) -> float:
        """How much of the run is over, 0 to 1."""
        asked = self.arguments
        minutes = MINUTES if asked.minutes is None else asked.minutes
        done = self.decisions / asked.decisions if asked.decisions else self.seconds / (60 * minutes)
        return min(1.0, done)

    @abstractmethod
    def iterate(self) -> dict[str, Any]:
        """Play and learn once; the metrics of the iteration."""

    @abstractmethod
    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What a checkpoint holds beside network, optimizer and counts: tensors by name, and what JSON can hold."""

    @abstractmethod
    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        """Take up what `state` gave, and the network's tensors; RuntimeError if they do not fit."""

    def paces(self, begun: float, collected: float, decisions: int) -> dict[str, float]:
        """End an iteration that began and had played at these times: count it, and tell how long it took."""
        ended = time.perf_counter()
        self.iteration += 1
        self.decisions += decisions
        self.seconds += ended - begun
        return {
            "seconds": self.seconds,
            "seconds_playing": collected - begun,
            "seconds_learning": ended - collected,
            "decisions_per_second": decisions / (ended - begun),
        }

    def evaluate(self) -> dict[str, Strength]:
        """Strength against the named agents on deals that training does not see."""
        begun = time.perf_counter()
        network = self.network.eval()
        seeds = [deal_seed(self.arguments.seed + UNSEEN, deal) for deal in range(self.arguments.deals)]
        decide = best_action(network, self.device)
        found = {name: strength(decide, policy, game, seeds) for name, (game, policy) in self.opponents.items()}
        network.train()
        self.seconds += time.perf_counter() - begun
        return found

    def save(self, file: Path) -> None:
        """Everything that is needed to go on."""
        tensors, described = self.state()
        tensors |= {f"network.{name}": one for name, one in self.network.state_dict().items()}
        states = self.optimizer.state_dict()["state"]
        tensors |= {f"optimizer.{place}.{name}": one for place, state in states.items() for name, one in state.items()}
        described = describe(self.network, self.games) | {name: getattr(self, name) for name in COUNTED} | described
        write_tensors(file, tensors, described)

    def load(self, file: Path) -> None:
        """Go on from a checkpoint; CheckpointError if it is damaged or belongs to something else."""
        tensors, described = read_tensors(file)
        for game in self.games:
            check_made_for(file, described, game)
        try:
            self.restore(tensors, described)
        except RuntimeError as error:
            raise CheckpointError(f"checkpoint {file}: not of this run: {error}") from error
        self._unpack(part_of(tensors, "optimizer"))
        for name in COUNTED:
            setattr(self, name, described[name])
        # A run that was lengthened is measured at its new pace.
        self.evaluated = min(self.evaluated, int(self.share * self.arguments.evaluations))

    def _unpack(self, tensors: Mapping[str, Tensor]) -> None:
        """Give the optimizer its state back, of tensors by `place.name`."""
        states: dict[int, dict[str, Tensor]] = {}
        for name, one in tensors.items():
            place, _, key = name.partition(".")
            states.setdefault(int(place), {})[key] = one
        self.optimizer.load_state_dict({"state": states, "param_groups": self.optimizer.state_dict()["param_groups"]})

    def run(self, run: Run) -> None:
        """Iterate to the end, with a line of progress, and close the folder; every iteration ends with a checkpoint."""
        pause = 0.5 if sys.stderr.isatty() else 30.0
        form = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
        # What is done already is no measure of the pace to come.
        done = round(100 * self.share, 1)
        with closing(run), tqdm(total=100, initial=done, mininterval=pause, bar_format=form) as bar:
            while True:
                due = int(self.share * self.arguments.evaluations)
                if self.evaluated < due or self.share >= 1.0:
                    self.evaluated = due
                    found = self.evaluate()
                    run.log_evaluation(self.iteration, self.decisions, self.seconds, found)
                    size = f"{self.decisions / 1e6:7.2f} M decisions"
                    tqdm.write(f"{self.seconds / 60:6.1f} min {size}: {told(found)}")
                if self.share >= 1.0:
                    break
                figures = self.iterate()
                # In this order: lines that no checkpoint knows of are dropped when the run goes on.
                run.log(self.iteration, self.decisions, figures)
                self.save(run.folder / CHECKPOINT)
                told_of = [f"{key} {figures[key]:.3g}" for key in self.shown]
                bar.set_postfix_str(
                    ", ".join([f"{figures['decisions_per_second']:,.0f} decisions/s", *told_of]), refresh=False
                )
                bar.update(round(100 * self.share, 1) - bar.n)
            run.draw()
            save_network(run.folder / NETWORK, self.network, self.games)


def changed(arguments: Any, allowed: Collection[str]) -> dict[str, Any]:
    """The arguments of a resumed run that are not the defaults; RunError if one of them must not change."""
    values = {one.name: getattr(arguments, one.name) for one in fields(arguments)}
    given = {one.name: values[one.name] for one in fields(arguments) if values[one.name] != one.default}
    del given["resume"]
    if wrong := sorted(set(given) - set(allowed)):
        options = ", ".join(f"--{name}" for name in allowed)
        raise RunError(f"--{wrong[0]}: a run goes on with what it was started with; only {options} may change")
    return given


def resumed(arguments: A, kind: str) -> A:
    """The arguments of the run to go on with, as it was started, but for those of `CHANGEABLE` that are given.

    Raises:
        RunError: no such run, or an argument that must not change, or that would be without effect.
    """
    assert arguments.resume is not None
    given = changed(arguments, CHANGEABLE)
    started = read_config(arguments.resume, kind, type(arguments))
    if "minutes" in given and started.decisions:
        raise RunError(f"--minutes: the run counts decisions ({started.decisions:,}); give it more with --decisions")
    if "decisions" in given and not started.decisions:
        raise RunError("--decisions: the run follows the clock; give it more with --minutes")
    return replace(started, **given)


K = TypeVar("K", bound=Trainer)


def prepared(kind: str, arguments: A, check: Callable[[A], None], make: Callable[[A, Path], K]) -> tuple[K, Run]:
    """The training of an algorithm, and the folder, that arguments ask for.

    Args:
        kind: the algorithm's name.
        arguments: its arguments.
        check: raises ValueError for what is out of range.
        make: the training for arguments and a folder, in which nothing has been written yet.

    Raises:
        ValueError: arguments that do not fit, or a folder or checkpoint that cannot be used.
    """
    if arguments.resume is None:
        check(arguments)
        arguments = settled(arguments)
        folder = arguments.out or Path("runs") / f"{kind}-{arguments.seed}"
        return make(arguments, folder), Run(folder, as_config(kind, arguments))
    started = resumed(arguments, kind)
    check(started)
    started = settled(started)
    training = make(started.without_files(), arguments.resume)
    training.load(arguments.resume / CHECKPOINT)
    return training, Run(arguments.resume, as_config(kind, started), resume=True, iteration=training.iteration)


def command_line(kind: str, cls: type[A], make: Callable[[A], tuple[Trainer, Run]], argv: Sequence[str] | None) -> int:
    """Read arguments, train to the end; 2 for arguments that cannot be used, 130 when interrupted."""
    arguments = tyro.cli(cls, args=argv, prog=f"python -m training.{kind}")
    try:
        training, run = make(arguments)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        training.run(run)
    except KeyboardInterrupt:
        print(f"stopped; python -m training.{kind} --resume {run.folder} goes on", file=sys.stderr)
        return 130
    print(f"network, checkpoint, metrics and learning curve: {run.folder}")
    return 0
