"""Training loop shared by the algorithms on BatchEnv: progress, evaluation, checkpoints, command line.

An algorithm derives its options from `RunOptions` and its training class from `Trainer`.  `prepare` makes a trainer for
a new or a resumed folder, and `Trainer.run` trains to the end.
"""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import torch
import tyro
from msgspec import Meta, Struct, convert
from torch import Tensor
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.executors import WorkerError
from agents.arena.matches import deal_seed
from agents.arena.ratings import Estimate
from agents.networks.network import PlayingNetwork, describe, read_tensors, save_network, write_tensors
from agents.registry import AgentError
from agents.review.estimates import baseline
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import CheckpointError, check_finite, check_made_for, part_of
from training.run.evaluation import BestAction, Strength, default_opponents, make_opponent, strength, summary
from training.run.folder import CHECKPOINT, NETWORK, OLD_METRICS, Amount, Count, Run, RunError, to_config
from training.run.options import (
    O,
    RunOptions,
    check_given_shape,
    check_resume_options,
    resolve_hardware,
    resume_options,
    with_start_shape,
)
from training.run.skill import skill_of_choices

#: Minutes of a run without a length.
MINUTES: Final = 3.0
#: Errors of folders, networks and agents, which may appear while a program works.
UNUSABLE: Final = (RunError, CheckpointError, AgentError)
#: How to resume most programs.
REPEAT: Final = "repeat the command to resume"
#: Offset of the evaluation deals, which training does not see.
EVALUATION_SEED: Final = 1_000_003


class Counters(Struct):
    """Counters of a run, stored in checkpoints; scheduled: position of the schedules, which earlier ones lack."""

    iteration: Count
    steps: Count
    seconds: Amount
    evaluated: Count
    scheduled: Annotated[float, Meta(ge=0, le=1)] = 0.0


class DivergedError(RuntimeError):
    """The weights of a run are not finite; its checkpoint is that of the iteration before."""


class Trainer(ABC):
    """A run, from its first or next iteration to its end; an algorithm sets `network` and `optimizer`.

    Args:
        options: options that passed the algorithm's check.
        games: one per number of players, with equal observation and action spaces.
        displayed: metrics in the progress bar.
    """

    network: PlayingNetwork
    optimizer: torch.optim.Optimizer

    def __init__(self, options: RunOptions, games: Sequence[Game], displayed: Sequence[str]) -> None:
        self.options = options = resolve_hardware(options)
        self.games, self.displayed = list(games), displayed
        self.device, self.bfloat16 = options.device, options.precision == "bfloat16"
        torch.manual_seed(options.seed)
        names = default_opponents(games[0].name) if options.evaluate is None else options.evaluate
        self.opponents = {
            f"{name}, {game.num_players} players": (game, make_opponent(name, game)) for game in games for name in names
        }
        self.judges = {game: baseline("network", game) for game in games} if options.reviewed else {}
        self.iteration, self.steps, self.seconds, self.evaluated = 0, 0, 0.0, 0
        self._scheduled = 0.0

    @property
    def progress(self) -> float:
        """Finished fraction of the run."""
        options = self.options
        minutes = MINUTES if options.minutes is None else options.minutes
        done = self.steps / options.total_timesteps if options.total_timesteps else self.seconds / (60 * minutes)
        return min(1.0, done)

    @property
    def scheduled(self) -> float:
        """Position of the schedules, 0 to 1.

        It is `progress`, but never falls: in a lengthened run, rates stay until the longer schedule has reached them.
        """
        return max(self.progress, self._scheduled)

    @abstractmethod
    def iterate(self) -> dict[str, Any]:
        """Play and learn once; return the metrics of the iteration."""

    @abstractmethod
    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return the tensors by name, and the JSON values, that a checkpoint needs besides network and optimizer."""

    @abstractmethod
    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        """Restore `state` and the network's tensors; RuntimeError if they do not fit."""

    def close(self) -> None:
        """End the worker processes, if any; the next iteration starts them again."""
        return

    def finish_iteration(self, started: float, collected: float, steps: int) -> dict[str, float]:
        """Count an iteration from its start and end-of-collection times, and return its timing metrics."""
        ended = time.perf_counter()
        self.iteration += 1
        self.steps += steps
        self.seconds += ended - started
        return {
            "seconds": self.seconds,
            "seconds_playing": collected - started,
            "seconds_learning": ended - collected,
            "steps_per_second": steps / (ended - started),
        }

    def evaluate(self) -> dict[str, Strength]:
        """Return the strength against each opponent on held-out deals."""
        with self._judged(self.options.deals) as (network, seeds):
            return {
                name: strength(BestAction(network.for_game(game), self.device), other, game, seeds)
                for name, (game, other) in self.opponents.items()
            }

    def review(self) -> dict[str, Estimate]:
        """Return the skill of a choice by number of players, where games are `reviewed`."""
        with self._judged(self.options.reviewed) as (network, seeds):
            return {
                f"{game.num_players} players": skill_of_choices(
                    BestAction(network.for_game(game), self.device), game, seeds, judge
                )
                for game, judge in self.judges.items()
            }

    @contextmanager
    def _judged(self, deals: int) -> Iterator[tuple[PlayingNetwork, list[int]]]:
        """Yield the network in evaluation mode and the seeds of held-out deals; the time counts for the run."""
        started = time.perf_counter()
        yield self.network.eval(), [deal_seed(self.options.seed + EVALUATION_SEED, deal) for deal in range(deals)]
        self.network.train()
        self.seconds += time.perf_counter() - started

    def save(self, file: Path) -> None:
        """Write a checkpoint."""
        tensors, described = self.state()
        tensors |= {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        for index, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{index}.{name}": tensor for name, tensor in state.items()}
        counters = {name: getattr(self, name) for name in Counters.__struct_fields__}
        write_tensors(file, tensors, describe(self.network, self.games) | counters | described)

    def load(self, file: Path) -> None:
        """Resume from a checkpoint; CheckpointError if it is damaged or belongs to another run."""
        tensors, described = read_tensors(file)
        for game in self.games:
            check_made_for(file, described, game)
        try:
            learned = ("network", "optimizer", "critic", "teacher", "start")
            check_finite(file, {name: one for name, one in tensors.items() if name.partition(".")[0] in learned})
            counters = convert({OLD_METRICS.get(name, name): value for name, value in described.items()}, Counters)
            self.restore(tensors, described)
            self._load_optimizer(part_of(tensors, "optimizer"))
            self.iteration, self.steps, self.seconds = counters.iteration, counters.steps, counters.seconds
            self.evaluated, self._scheduled = counters.evaluated, counters.scheduled
        except CheckpointError:
            raise
        except KeyError as error:
            raise CheckpointError(f"checkpoint {file}: not of this run: it has no {error}") from error
        except (RuntimeError, TypeError, ValueError, LookupError, AttributeError, OverflowError) as error:
            raise CheckpointError(f"checkpoint {file}: not of this run: {error}") from error
        # An extended run is evaluated at its new pace.
        self.evaluated = min(self.evaluated, int(self.progress * self.options.evaluations))

    def _load_optimizer(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the optimizer from tensors by ``index.name``."""
        states: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            index, _, key = name.partition(".")
            states.setdefault(int(index), {})[key] = tensor
        weights = [one for group in self.optimizer.param_groups for one in group["params"]]
        for number, state in states.items():
            sizes = {key: tensor.shape for key, tensor in state.items()}
            shape = weights[number].shape
            if sizes != {"step": (), "exp_avg": shape, "exp_avg_sq": shape}:
                raise ValueError(f"optimizer.{number} has the arrays {sizes}, its weights have the shape {shape}")
        self.optimizer.load_state_dict({"state": states, "param_groups": self.optimizer.state_dict()["param_groups"]})

    def check_finite(self, folder: Path) -> None:
        """Raise DivergedError if a weight is not finite, so that the checkpoint stays that of the iteration before."""
        if not all(bool(torch.isfinite(weights).all()) for weights in self.network.parameters()):
            raise DivergedError(
                f"{folder}: the weights are not finite after iteration {self.iteration}, it has diverged; "
                f"begin another run with a lower --learning-rate (its {CHECKPOINT} is from before that)"
            )

    def run(self, run: Run) -> None:
        """Train to the end with a progress bar, and close the folder; every iteration ends with a checkpoint.

        Raises:
            WorkerError: worker processes died or cannot be started.
            DivergedError: the weights are not finite.
        """
        pause = 0.5 if sys.stderr.isatty() else 30.0
        form = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
        # Only the steps of this process count for the remaining time.
        done = round(100 * self.progress, 1)
        with closing(run), closing(self), tqdm(total=100, initial=done, mininterval=pause, bar_format=form) as bar:
            while True:
                due = int(self.progress * self.options.evaluations)
                if self.evaluated < due or self.progress >= 1.0:
                    self.evaluated = due
                    results, skills = self.evaluate(), self.review()
                    run.log_evaluation(self.iteration, self.steps, self.seconds, results, skills)
                    found = summary(results, skills)
                    tqdm.write(f"{self.seconds / 60:6.1f} min {self.steps / 1e6:7.2f} M steps: {found}")
                if self.progress >= 1.0:
                    break
                metrics = self.iterate()
                self.check_finite(run.folder)
                # Metrics first: a resumed run drops lines newer than its checkpoint.
                run.log(self.iteration, self.steps, metrics)
                self.save(run.folder / CHECKPOINT)
                shown = [f"{metrics['steps_per_second']:,.0f} steps/s"]
                shown += [f"{name} {metrics[name]:.3g}" for name in self.displayed]
                bar.set_postfix_str(", ".join(shown), refresh=False)
                bar.update(round(100 * self.progress, 1) - bar.n)
            run.draw()
            save_network(run.folder / NETWORK, self.network, self.games)


K = TypeVar("K", bound=Trainer)
T = TypeVar("T")


def prepare(kind: str, options: O, check: Callable[[O], None], make: Callable[[O, Path], K]) -> tuple[K, Run]:
    """Return the trainer and the folder of a new or resumed run.

    Args:
        kind: name of the algorithm.
        options: its options.
        check: raises ValueError for an option out of range.
        make: makes the trainer for options and a folder; it writes nothing.

    Raises:
        ValueError: options, a folder or a checkpoint that cannot be used.
    """
    if options.resume is None:
        check(options)
        options = resolve_defaults(with_start_shape(options))
        folder = options.out or Path("runs") / f"{kind}-{options.seed}"
        return make(options, folder), Run(folder, to_config(kind, options))
    started = resume_options(options, kind)
    check(started)
    started = resolve_defaults(started)
    trainer = make(started.without_files(), options.resume)
    trainer.load(options.resume / CHECKPOINT)
    return trainer, Run(options.resume, to_config(kind, started), resume=True, iteration=trainer.iteration)


def resolve_defaults(options: O) -> O:
    """Return the options with the defaults of the game and of this machine."""
    return resolve_hardware(options.with_game_defaults())


def train_command(kind: str, cls: type[O], make: Callable[[O], tuple[Trainer, Run]], argv: Sequence[str] | None) -> int:
    """Parse the command line and train; return the exit code as in `run_program`."""
    options = tyro.cli(cls, args=argv, prog=f"python -m training.{kind}")

    def check() -> tuple[Trainer, Run]:
        if options.resume is not None:
            check_resume_options(options, argv)
        check_given_shape(options, argv)
        return make(options)

    def train(made: tuple[Trainer, Run]) -> int:
        trainer, run = made
        trainer.run(run)
        print(f"network, checkpoint, metrics and learning curve: {run.folder}")
        return 0

    return run_program(check, train, lambda made: f"resume with python -m training.{kind} --resume {made[1].folder}")


def run_program(
    check: Callable[[], T], work: Callable[[T], int], how_to_resume: Callable[[T], str] = lambda _: REPEAT
) -> int:
    """Run a training program and return its exit code.

    Args:
        check: validates the request and returns the input of `work`; a ValueError names the wrong option.
        work: does the work and returns the exit code.
        how_to_resume: describes how to resume after an interruption.

    Returns:
        The code of `work`; 2 for a request or a file that cannot be used, 1 if the run diverged or workers died, 130
        when interrupted.  Any other error is a bug and keeps its traceback.
    """
    way = REPEAT
    try:
        try:
            request = check()
        except ValueError as error:
            return _fail(error, 2)
        way = how_to_resume(request)
        return work(request)
    except UNUSABLE as error:
        return _fail(error, 2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _fail(f"{place}{error.strerror or error}; the folder is complete up to its last checkpoint; {way}", 2)
    except DivergedError as error:
        return _fail(error, 1)
    except WorkerError as error:
        return _fail(f"{error}; {way}", 1)
    except KeyboardInterrupt:
        print(f"stopped; {way}", file=sys.stderr)
        return 130


def _fail(error: object, code: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return code
