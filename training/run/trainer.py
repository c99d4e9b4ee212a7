"""What the algorithms on BatchEnv share: the clock of a run, its measure, the way from its command line.

An algorithm derives its arguments from `RunArguments` and itself from `Trainer`; `prepared` makes one for a new folder
or for one to go on with, and `Trainer.run` brings it to its end.
"""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

import torch
import tyro
from torch import Tensor
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.executors import WorkerError
from agents.arena.matches import deal_seed
from agents.networks.network import PlayingNetwork, describe, read_tensors, save_network, write_tensors
from agents.registry import AgentError
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import CheckpointError, check_made_for, part_of
from training.ppo.arguments import (
    A,
    RunArguments,
    as_begun,
    check_heard,
    check_shape_heard,
    device_of,
    in_bfloat16,
    resumed,
    settled,
)
from training.run.evaluation import Strength, best_action, strength, summary
from training.run.folder import CHECKPOINT, NETWORK, Run, RunError, as_config
from training.run.opponents import opponent, rivals

#: What a run counts, and its checkpoints keep.
COUNTED: Final = ("iteration", "decisions", "seconds", "evaluated")
#: How long a run is that is told neither time nor decisions.
MINUTES: Final = 3.0
#: What a program is given and finds out only while it works that it cannot use: folders, networks, agents.
UNUSABLE: Final = (RunError, CheckpointError, AgentError)
#: How most programs go on that were interrupted.
REPEATED: Final = "the same command goes on"
#: Deals of evaluations follow from the seed plus this, so that training does not see them.
UNSEEN: Final = 1_000_003


class DivergedError(RuntimeError):
    """The weights of a run are no numbers any more; its checkpoint is that of the iteration before."""


class Trainer(ABC):
    """A run from its first or its next iteration to its end.

    An algorithm sets `network` and `optimizer`.

    Args:
        arguments: of the run; its algorithm's check has passed them.
        games: one for each number of players; their observations and actions have to be alike.
        displayed: metrics in the line of progress.
    """

    network: PlayingNetwork
    optimizer: torch.optim.Optimizer

    def __init__(self, arguments: RunArguments, games: Sequence[Game], displayed: Sequence[str]) -> None:
        self.arguments = arguments
        self.games, self.displayed = list(games), displayed
        self.device = device_of(arguments.device)
        self.bfloat16 = in_bfloat16(arguments.precision, self.device)
        torch.manual_seed(arguments.seed)
        names = rivals(games[0].name) if arguments.evaluate is None else arguments.evaluate
        self.opponents = {
            f"{name}, {game.num_players} players": (game, opponent(name, game)) for game in games for name in names
        }
        self.iteration, self.decisions, self.seconds, self.evaluated = 0, 0, 0.0, 0

    @property
    def progress(self) -> float:
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

    def close(self) -> None:
        """End the processes that play for the run, if there are any; the next iteration starts them again."""
        return

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
        found = {name: strength(decide, other, game, seeds) for name, (game, other) in self.opponents.items()}
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
        self.evaluated = min(self.evaluated, int(self.progress * self.arguments.evaluations))

    def _unpack(self, tensors: Mapping[str, Tensor]) -> None:
        """Give the optimizer its state back, of tensors by `place.name`."""
        states: dict[int, dict[str, Tensor]] = {}
        for name, one in tensors.items():
            place, _, key = name.partition(".")
            states.setdefault(int(place), {})[key] = one
        self.optimizer.load_state_dict({"state": states, "param_groups": self.optimizer.state_dict()["param_groups"]})

    def check_finite(self, folder: Path) -> None:
        """DivergedError if a weight is no number: what plays by it plays nothing, and must not be kept."""
        if not all(bool(torch.isfinite(one).all()) for one in self.network.parameters()):
            raise DivergedError(
                f"{folder}: the weights are no numbers any more after iteration {self.iteration}, it has diverged; "
                f"begin another with a lower --learning-rate (its checkpoint, {CHECKPOINT}, is from before that)"
            )

    def run(self, run: Run) -> None:
        """Iterate to the end, with a line of progress, and close the folder; every iteration ends with a checkpoint.

        Raises:
            WorkerError: processes that play for the run died, or cannot be had.
            DivergedError: it came to weights that are no numbers.
        """
        pause = 0.5 if sys.stderr.isatty() else 30.0
        form = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
        # What is done already is no measure of the pace to come.
        done = round(100 * self.progress, 1)
        with closing(run), closing(self), tqdm(total=100, initial=done, mininterval=pause, bar_format=form) as bar:
            while True:
                due = int(self.progress * self.arguments.evaluations)
                if self.evaluated < due or self.progress >= 1.0:
                    self.evaluated = due
                    found = self.evaluate()
                    run.log_evaluation(self.iteration, self.decisions, self.seconds, found)
                    size = f"{self.decisions / 1e6:7.2f} M decisions"
                    tqdm.write(f"{self.seconds / 60:6.1f} min {size}: {summary(found)}")
                if self.progress >= 1.0:
                    break
                figures = self.iterate()
                self.check_finite(run.folder)
                # In this order: lines that no checkpoint knows of are dropped when the run goes on.
                run.log(self.iteration, self.decisions, figures)
                self.save(run.folder / CHECKPOINT)
                postfix = [f"{key} {figures[key]:.3g}" for key in self.displayed]
                bar.set_postfix_str(
                    ", ".join([f"{figures['decisions_per_second']:,.0f} decisions/s", *postfix]), refresh=False
                )
                bar.update(round(100 * self.progress, 1) - bar.n)
            run.draw()
            save_network(run.folder / NETWORK, self.network, self.games)


K = TypeVar("K", bound=Trainer)
T = TypeVar("T")


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
        arguments = settled(as_begun(arguments))
        folder = arguments.out or Path("runs") / f"{kind}-{arguments.seed}"
        return make(arguments, folder), Run(folder, as_config(kind, arguments))
    started = resumed(arguments, kind)
    check(started)
    started = settled(started)
    training = make(started.without_files(), arguments.resume)
    training.load(arguments.resume / CHECKPOINT)
    return training, Run(arguments.resume, as_config(kind, started), resume=True, iteration=training.iteration)


def command_line(kind: str, cls: type[A], make: Callable[[A], tuple[Trainer, Run]], argv: Sequence[str] | None) -> int:
    """Read arguments, train to the end; 2 for arguments that cannot be used, 1 if processes that play for the run died,
    130 when interrupted."""
    arguments = tyro.cli(cls, args=argv, prog=f"python -m training.{kind}")

    def begun() -> tuple[Trainer, Run]:
        check_heard(arguments, argv)
        check_shape_heard(arguments, argv)
        return make(arguments)

    def to_its_end(made: tuple[Trainer, Run]) -> int:
        training, run = made
        training.run(run)
        print(f"network, checkpoint, metrics and learning curve: {run.folder}")
        return 0

    return answer(begun, to_its_end, lambda made: f"python -m training.{kind} --resume {made[1].folder} goes on")


def answer(check: Callable[[], T], work: Callable[[T], int], way_on: Callable[[T], str] = lambda _: REPEATED) -> int:
    """What a program answers that trains.

    Args:
        check: looks at what was asked for and gives what `work` needs; a ValueError of its says what cannot be used.
        work: does it, and gives the answer.
        way_on: how it goes on where it was interrupted.

    Returns:
        That of `work`; 2 for what cannot be used, be it found while it works; 1 if it diverged, or if processes that
        play for it died; 130 when interrupted.  Any other error, a ValueError of `work` too, is a fault of the program
        and keeps its traceback.
    """
    told = REPEATED
    try:
        try:
            asked = check()
        except ValueError as error:
            return _failed(error, 2)
        told = way_on(asked)
        return work(asked)
    except UNUSABLE as error:
        return _failed(error, 2)
    except DivergedError as error:
        return _failed(error, 1)
    except WorkerError as error:
        print(f"error: {error}; {told}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"stopped; {told}", file=sys.stderr)
        return 130


def _failed(error: Exception, code: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return code
