"""Hyperparameter search for PPO: ``python -m training.sweep --trials 40 --ppo.total-timesteps 3000000``.

Optuna's TPE sampler chooses the options of `training.ppo` in `SPACE`.  Every trial is a run of equal length, and its
objective is the mean win rate against the opponents of its evaluations.  A trial below the median of earlier ones at an
evaluation is pruned.  Repeat the best options with other seeds and compare them with `training.curves`.

Akiba and others: *Optuna: A Next-generation Hyperparameter Optimization Framework* (KDD 2019).

The folder has the study, ``study.log``, and the runs, ``trial-.../``.  Repeat the command to resume, even within a
trial.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypedDict

import numpy as np
import optuna
import tyro
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import Trial, TrialState

from agents.arena.tables import markdown
from porta_nigra_env.core.game.game import Game
from training import ppo
from training.ppo.teacher import check_teachers
from training.publish.pages import command_of
from training.run import trainer
from training.run.evaluation import Strength
from training.run.folder import (
    CHECKPOINT,
    EVALUATIONS,
    NETWORK,
    RunError,
    check_folder_kind,
    check_same,
    lock_folder,
    parse_options,
    read_json,
    read_lines,
    to_config,
    write_json,
)
from training.run.options import check_opponents, make_games
from training.run.ranges import NonNegativeInt, PositiveInt, check_ranges

#: States of finished trials.
FINISHED: Final = (TrialState.COMPLETE, TrialState.PRUNED)
STUDY: Final = "study.log"
SETTINGS: Final = "sweep.json"
#: Search space: a float range (low, high, logarithmic), an int range (low, high), or a list of choices.
SPACE: Final[Mapping[str, Any]] = {
    "learning_rate": (1e-4, 3e-3, True),
    "ent_coef": (1e-3, 0.1, True),
    "clip_coef": (0.1, 0.3, False),
    "gae_lambda": (0.8, 1.0, False),
    "update_epochs": (1, 8),
    "keep_fraction": [0.25, 0.5, 1.0],
    "minibatch_size": [512, 1024, 2048, 4096],
    "num_steps": [32, 64, 128, 256],
    "width": [128, 256, 512],
    "blocks": (0, 3),
    "layer_norm": [False, True],
    "reward": ["outcome", "margin", "points"],
    "pool_fraction": [0.0, 0.25, 0.5],
    "target_kl": [0.0, 0.01, 0.02, 0.04],
}
#: Values of the search space that restrict the other options most.
HARDEST: Final[Mapping[str, Any]] = {
    "minibatch_size": 4096, "num_steps": 32, "keep_fraction": 0.25, "pool_fraction": 0.5
}  # fmt: skip


@dataclass(frozen=True)
class Options:
    """Search for good options of training.ppo with Optuna; repeat the command to resume."""

    out: Path = Path("runs/sweep")
    """Folder of the study and its runs."""
    trials: PositiveInt = 30
    """Total number of trials."""
    options: tuple[str, ...] = (
        "learning_rate", "ent_coef", "clip_coef", "gae_lambda", "update_epochs", "minibatch_size"
    )  # fmt: skip
    """Options to choose: any of learning_rate, ent_coef, clip_coef, gae_lambda, update_epochs, keep_fraction,
    minibatch_size, num_steps, width, blocks, layer_norm, reward, pool_fraction, target_kl."""
    warmup: NonNegativeInt = 5
    """Trials that finish before one is pruned."""
    seed: int = 1
    """Seed of the choices."""
    ppo: ppo.Options = field(default_factory=lambda: ppo.Options(total_timesteps=3_000_000, evaluations=4, deals=200))
    """Options of all trials, except the chosen ones."""


class TrialTraining(ppo.Training):
    """A run that reports the objective of each evaluation to `report`, which may prune it."""

    def __init__(self, options: ppo.Options, games: Sequence[Game], report: Callable[[int, float], None]) -> None:
        super().__init__(options, games)
        self.report = report

    def evaluate(self) -> dict[str, Strength]:
        results = super().evaluate()
        self.report(self.evaluated, float(np.mean([one.share.value for one in results.values()])))
        return results


def objective_of(evaluation: Mapping[str, Any]) -> float:
    """Return the mean win rate of a line of a run's evaluations."""
    return float(np.mean([share[0] for share in evaluation["shares"].values()]))


def suggest(trial: Trial, name: str) -> Any:
    """Return a value of `SPACE`."""
    space = SPACE[name]
    if isinstance(space, list):
        return trial.suggest_categorical(name, space)
    if len(space) == 2:
        return trial.suggest_int(name, *space)
    low, high, logarithmic = space
    return trial.suggest_float(name, low, high, log=logarithmic)


def trial_options(options: Options, chosen: Mapping[str, Any]) -> ppo.Options:
    """Return the options of a trial; its folder is named by the chosen ones, so that it can be resumed."""
    name = hashlib.sha256(json.dumps(dict(chosen), sort_keys=True).encode()).hexdigest()[:10]
    return replace(options.ppo, **chosen, out=options.out / f"trial-{name}")


def run_trial(options: Options, trial: Trial) -> float:
    """Train with the options of a trial and return its objective; TrialPruned if it is pruned."""
    wanted = trial_options(options, {name: suggest(trial, name) for name in options.options})
    folder = wanted.out
    assert folder is not None
    trial.set_user_attr("folder", folder.name)
    if (folder / NETWORK).exists():
        return objective_of(read_lines(folder / EVALUATIONS)[-1])

    def report(step: int, objective: float) -> None:
        trial.report(objective, step)
        if trial.should_prune():
            raise optuna.TrialPruned

    def make(resolved: ppo.Options, _: Path) -> TrialTraining:
        return TrialTraining(resolved, make_games(resolved), report)

    wanted = ppo.resume_if_started(wanted)
    training, record = trainer.prepare("ppo", wanted, ppo.check, make)
    for line in read_lines(folder / EVALUATIONS) if wanted.resume else []:
        step = int(min(1.0, line["steps"] / options.ppo.total_timesteps) * options.ppo.evaluations)
        # Evaluations after the checkpoint are repeated.
        if step <= training.evaluated:
            trial.report(objective_of(line), step)
    try:
        training.run(record)
    except trainer.DivergedError:
        return 0.0
    return objective_of(read_lines(folder / EVALUATIONS)[-1])


def load_study(options: Options) -> optuna.Study:
    """Return the study in the folder, with interrupted trials back in the queue; RunError if it is damaged."""
    file = options.out / STUDY
    # `run_program` reports the error of a trial.
    logging.getLogger("optuna.study._optimize").addFilter(lambda record: not record.exc_info)
    try:
        study = optuna.create_study(
            storage=JournalStorage(JournalFileBackend(str(file))), study_name="sweep", load_if_exists=True,
            direction="maximize", pruner=optuna.pruners.MedianPruner(n_startup_trials=options.warmup),
        )  # fmt: skip
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError) as error:
        raise RunError(f"{file}: damaged: {error}; restore it, or name another folder with --out") from error
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
    # Optuna's `enqueue_trial` keeps the options of a waiting trial in its system attributes.
    known = [
        one.system_attrs.get("fixed_params", one.params)
        for one in study.get_trials(deepcopy=False)
        if one.state in (*FINISHED, TrialState.WAITING)
    ]
    for trial in study.get_trials(states=(TrialState.FAIL,)):
        if trial.params and trial.params not in known:
            study.enqueue_trial(trial.params)
            known.append(trial.params)
    # A resumed study must not repeat the random numbers of its start.
    study.sampler = optuna.samplers.TPESampler(seed=options.seed + len(study.get_trials(deepcopy=False)))
    return study


def sweep(options: Options) -> optuna.Study:
    """Run the missing trials.

    Raises:
        RunError: the folder holds something else or a sweep with other settings, or another process works there.
    """
    values = {**asdict(options), "ppo": to_config("ppo", options.ppo.with_game_defaults())["arguments"]}
    settings = json.loads(json.dumps({name: one for name, one in values.items() if name not in ("out", "trials")}))
    file = options.out / SETTINGS
    check_folder_kind(options.out, SETTINGS, "sweep")
    lock = lock_folder(options.out)
    try:
        # A sweep without any learning may be replaced.
        if file.exists() and any(options.out.glob(f"trial-*/{CHECKPOINT}")):
            check_same(options.out, flatten(read_settings(file)), flatten(settings))
        write_json(file, settings)
        study = load_study(options)
        finished = study.get_trials(deepcopy=False, states=FINISHED)
        study.optimize(lambda trial: run_trial(options, trial), n_trials=options.trials - len(finished))
    finally:
        lock.release()
    return study


class RunSettings(TypedDict):
    """The part of the settings that must be an object."""

    ppo: dict[str, Any]


def read_settings(file: Path) -> dict[str, Any]:
    """Return the settings of a sweep, with the options that an earlier version lacked; RunError if damaged."""
    run = parse_options(read_json(file, RunSettings)["ppo"], ppo.Options, str(file))
    return read_json(file, dict[str, Any]) | {"ppo": to_config("ppo", run)["arguments"]}


def flatten(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with the options of runs under names like ``ppo.seed``."""
    own = {name: value for name, value in settings.items() if name != "ppo"}
    return own | {f"ppo.{name}": value for name, value in settings["ppo"].items()}


def summary(study: optuna.Study, options: Options) -> str:
    """Return the trials, the best first, and the command that repeats the best with another seed."""
    complete = sorted(study.get_trials(states=(TrialState.COMPLETE,)), key=lambda one: -(one.value or 0.0))
    lines = [
        [str(one.number), one.user_attrs["folder"], f"{one.value:.1%}", *(f"{one.params[name]:.4g}" if isinstance(
            one.params[name], float) else str(one.params[name]) for name in options.options)]
        for one in complete
    ]  # fmt: skip
    pruned = len(study.get_trials(states=(TrialState.PRUNED,)))
    again = replace(trial_options(options, study.best_params), out=None, seed=options.ppo.seed + 1)
    table = markdown(["trial", "folder", "wins", *options.options], lines, left=2)
    return f"{table}\n\n{pruned} trials were pruned.  The best with another seed:\n{command_of(again)}"


def check(options: Options) -> None:
    """Raise ValueError for the first option that cannot be used."""
    check_ranges(options)
    chosen, run = options.options, options.ppo
    if wrong := [name for name in chosen if name not in SPACE]:
        raise ValueError(f"--options: {wrong[0]!r} is not one of {', '.join(SPACE)}")
    if not chosen:
        raise ValueError("--options: name at least one")
    if not run.total_timesteps:
        raise ValueError("--ppo.total-timesteps: give a number of steps, since trials have equal length")
    for name in ("out", "resume"):
        if getattr(run, name):
            raise ValueError(f"--ppo.{name}: the sweep sets it")
    ppo.check(run)
    games = make_games(run)
    check_opponents(run, games, run.pool_agents or ())
    check_teachers(run, games)
    if run.pool_networks and "pool_fraction" in chosen:
        raise ValueError("--options: pool_fraction may be 0, but --ppo.pool-networks needs games against a pool")
    if run.evaluate == ():
        raise ValueError("--ppo.evaluate must name at least one opponent, since trials are compared by win rate")
    if run.start and (wrong := [name for name in chosen if name in ("width", "blocks", "layer_norm")]):
        raise ValueError(f"--options: the network of --ppo.start fixes {wrong[0]}")
    # Every combination of choices must be possible.
    hardest = {name: value for name, value in HARDEST.items() if name in chosen}
    try:
        ppo.check(replace(run, **hardest))
    except ValueError as error:
        values = ", ".join(f"{name} {value}" for name, value in hardest.items())
        raise ValueError(f"--options: a trial may choose {values}: {error}") from None


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the code of `trainer.run_program`."""
    options = tyro.cli(Options, args=argv, prog="python -m training.sweep")

    def work(_: None) -> int:
        print(summary(sweep(options), options))
        return 0

    return trainer.run_program(lambda: check(options), work)


if __name__ == "__main__":
    raise SystemExit(main())
