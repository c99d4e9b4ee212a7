"""Search for good options of PPO: ``python -m training.sweep --out runs/sweep --trials 40 --ppo.decisions 3000000``.

Optuna's TPE sampler chooses the options of `training.ppo` that `SPACE` names; every trial is a run of equal length, and
its worth the mean of its win shares against the agents it is measured against.  A trial that is behind the median of
the earlier ones at one of its evaluations is broken off.  One run is an anecdote: the best options are to be repeated
with other seeds, and compared by `training.curves`.

Akiba and others: *Optuna: A Next-generation Hyperparameter Optimization Framework* (KDD 2019).

The folder keeps the study, ``study.log``, and the runs, ``trial-.../``: the same command goes on after an interruption,
in the middle of a trial too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import tyro

from agents.arena.tables import markdown
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from training.ppo import program as ppo
from training.ppo.arguments import check_agents, games_of
from training.publish import command_of
from training.run import trainer
from training.run.checks import check_least
from training.run.evaluation import Strength
from training.run.folder import CHECKPOINT, EVALUATIONS, NETWORK, RunError, as_config, check_own, locked, read_lines
from training.run.resume import check_same, continued

try:
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend
    from optuna.trial import Trial, TrialState
except ImportError as error:
    raise ImportError("training.sweep needs Optuna: pip install --group sweep") from error

#: Trials that are not tried again.
OVER: Final = (TrialState.COMPLETE, TrialState.PRUNED)
STUDY: Final = "study.log"
SETTINGS: Final = "sweep.json"
#: What is chosen, and how.
SPACE: Final[Mapping[str, Callable[[Trial], Any]]] = {
    "learning_rate": lambda trial: trial.suggest_float("learning_rate", 1e-4, 3e-3, log=True),
    "entropy": lambda trial: trial.suggest_float("entropy", 1e-3, 0.1, log=True),
    "clip": lambda trial: trial.suggest_float("clip", 0.1, 0.3),
    "gae_lambda": lambda trial: trial.suggest_float("gae_lambda", 0.8, 1.0),
    "epochs": lambda trial: trial.suggest_int("epochs", 1, 8),
    "kept": lambda trial: trial.suggest_categorical("kept", [0.25, 0.5, 1.0]),
    "batch": lambda trial: trial.suggest_categorical("batch", [512, 1024, 2048, 4096]),
    "steps": lambda trial: trial.suggest_categorical("steps", [32, 64, 128, 256]),
    "width": lambda trial: trial.suggest_categorical("width", [128, 256, 512]),
    "blocks": lambda trial: trial.suggest_int("blocks", 0, 3),
    "norm": lambda trial: trial.suggest_categorical("norm", [False, True]),
    "reward": lambda trial: trial.suggest_categorical("reward", ["outcome", "margin", "points"]),
    "pool": lambda trial: trial.suggest_categorical("pool", [0.0, 0.25, 0.5]),
    "target_kl": lambda trial: trial.suggest_categorical("target_kl", [0.0, 0.01, 0.02, 0.04]),
}
#: Of these the values that ask most of the options that stay as they are.
HARDEST: Final[Mapping[str, Any]] = {"batch": 4096, "steps": 32, "kept": 0.25, "pool": 0.5}


def _defaults() -> ppo.Arguments:
    return ppo.Arguments(decisions=3_000_000, evaluations=4, deals=200)


@dataclass(frozen=True)
class Arguments:
    """Search for good options of training.ppo with Optuna; the same command goes on after an interruption."""

    out: Path = Path("runs/sweep")
    """Folder of the study and its runs."""
    trials: int = 30
    """In all."""
    options: tuple[str, ...] = ("learning_rate", "entropy", "clip", "gae_lambda", "epochs", "batch")
    """What is chosen: any of learning_rate, entropy, clip, gae_lambda, epochs, kept, batch, steps, width, blocks, norm,
    reward, pool, target_kl."""
    warmup: int = 5
    """So many trials run to their end before one is broken off."""
    seed: int = 1
    """Of the choices."""
    ppo: ppo.Arguments = field(default_factory=_defaults)
    """Of all trials, but for the options that are chosen."""


class Watched(ppo.Training):
    """A run that tells what each of its evaluations was worth; `watch` may break it off."""

    def __init__(self, arguments: ppo.Arguments, games: Sequence[Game], watch: Callable[[int, float], None]) -> None:
        super().__init__(arguments, games)
        self.watch = watch

    def evaluate(self) -> dict[str, Strength]:
        found = super().evaluate()
        self.watch(self.evaluated, float(np.mean([one.share.value for one in found.values()])))
        return found


def worth_of(evaluation: Mapping[str, Any]) -> float:
    """The mean of the win shares in a line of a run's evaluations."""
    return float(np.mean([share[0] for share in evaluation["shares"].values()]))


def run_of(asked: Arguments, chosen: Mapping[str, Any]) -> ppo.Arguments:
    """The run with options that were chosen; the folder follows from them, so that a broken one is found again."""
    name = hashlib.sha256(json.dumps(dict(chosen), sort_keys=True).encode()).hexdigest()[:10]
    return replace(asked.ppo, **chosen, out=asked.out / f"trial-{name}")


def tried(asked: Arguments, trial: Trial) -> float:
    """Train with options that a trial chooses; TrialPruned when it is broken off."""
    wanted = run_of(asked, {name: SPACE[name](trial) for name in asked.options})
    folder = wanted.out
    assert folder is not None
    trial.set_user_attr("folder", folder.name)
    if (folder / NETWORK).exists():
        return worth_of(read_lines(folder / EVALUATIONS)[-1])

    def watch(step: int, worth: float) -> None:
        trial.report(worth, step)
        if trial.should_prune():
            raise optuna.TrialPruned

    def make(arguments: ppo.Arguments, _: Path) -> Watched:
        return Watched(arguments, games_of(arguments), watch)

    if (folder / CHECKPOINT).exists():
        wanted = continued(folder, wanted)
    training, record = trainer.prepared("ppo", wanted, ppo.check, make)
    lines = read_lines(folder / EVALUATIONS) if wanted.resume else []
    for line in lines:
        step = int(min(1.0, line["decisions"] / asked.ppo.decisions) * asked.ppo.evaluations)
        # What the checkpoint does not count is measured again.
        if step <= training.evaluated:
            trial.report(worth_of(line), step)
    try:
        training.run(record)
    except trainer.DivergedError:
        return 0.0
    return worth_of(read_lines(folder / EVALUATIONS)[-1])


def study_of(asked: Arguments) -> optuna.Study:
    """The study in the folder; trials that were cut off are put back in the queue."""
    storage = JournalStorage(JournalFileBackend(str(asked.out / STUDY)))
    study = optuna.create_study(
        storage=storage, study_name="sweep", load_if_exists=True, direction="maximize",
        pruner=optuna.pruners.MedianPruner(n_startup_trials=asked.warmup),
    )  # fmt: skip
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
    # A trial that waits in the queue has its options where Optuna's `enqueue_trial` puts them.
    settled = [
        one.system_attrs.get("fixed_params", one.params)
        for one in study.get_trials(deepcopy=False)
        if one.state in (*OVER, TrialState.WAITING)
    ]
    for trial in study.get_trials(states=(TrialState.FAIL,)):
        if trial.params and trial.params not in settled:
            study.enqueue_trial(trial.params)
            settled.append(trial.params)
    # Going on draws other numbers than the beginning did.
    study.sampler = optuna.samplers.TPESampler(seed=asked.seed + len(study.get_trials(deepcopy=False)))
    return study


def sweep(asked: Arguments) -> optuna.Study:
    """All trials that are missing.

    Raises:
        RunError: the folder holds something else or a sweep with other settings, or another process works there.
    """
    settings = {**asdict(asked), "ppo": as_config("ppo", asked.ppo.completed())["arguments"]}
    told = json.loads(json.dumps({name: one for name, one in settings.items() if name not in ("out", "trials")}))
    file = asked.out / SETTINGS
    check_own(asked.out, SETTINGS, "sweep")
    held = locked(asked.out)
    try:
        # What has learned nothing yet may begin anew.
        if file.exists() and any(asked.out.glob(f"trial-*/{CHECKPOINT}")):
            check_same(asked.out, flat(read_settings(file)), flat(told))
        write_whole(file, json.dumps(told, indent=1) + "\n")
        study = study_of(asked)
        over = study.get_trials(deepcopy=False, states=OVER)
        study.optimize(lambda trial: tried(asked, trial), n_trials=asked.trials - len(over))
    finally:
        held.release()
    return study


def read_settings(file: Path) -> dict[str, Any]:
    """Those of the sweep in a folder; RunError where they are damaged."""
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return {**found, "ppo": dict(found["ppo"])}
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{file}: damaged: {error}") from error


def flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the settings of runs by names as ``ppo.seed``."""
    own = {name: value for name, value in settings.items() if name != "ppo"}
    return own | {f"ppo.{name}": value for name, value in settings["ppo"].items()}


def summary(study: optuna.Study, asked: Arguments) -> str:
    """The trials, the best first, and how the best one is repeated with other seeds."""
    complete = sorted(study.get_trials(states=(TrialState.COMPLETE,)), key=lambda one: -(one.value or 0.0))
    lines = [
        [str(one.number), one.user_attrs["folder"], f"{one.value:.1%}", *(f"{one.params[name]:.4g}" if isinstance(
            one.params[name], float) else str(one.params[name]) for name in asked.options)]
        for one in complete
    ]  # fmt: skip
    pruned = len(study.get_trials(states=(TrialState.PRUNED,)))
    again = replace(run_of(asked, study.best_params), out=None, seed=asked.ppo.seed + 1)
    table = markdown(["trial", "folder", "wins", *asked.options], lines, left=2)
    return f"{table}\n\n{pruned} trials were broken off.  The best with another seed:\n{command_of(again)}"


def check(asked: Arguments) -> None:
    """ValueError that names the first argument that cannot be used."""
    check_least(asked, {"trials": 1, "warmup": 0})
    if wrong := [name for name in asked.options if name not in SPACE]:
        raise ValueError(f"--options: {wrong[0]!r} is none of {', '.join(SPACE)}")
    if not asked.options:
        raise ValueError("--options: name at least one")
    if not asked.ppo.decisions:
        raise ValueError("--ppo.decisions: trials are of equal length, in decisions")
    for name in ("out", "resume"):
        if getattr(asked.ppo, name):
            raise ValueError(f"--ppo.{name}: that is the sweep's affair")
    ppo.check(asked.ppo)
    check_agents(asked.ppo, games_of(asked.ppo), asked.ppo.pool_agents or ())
    if asked.ppo.rivals and "pool" in asked.options:
        raise ValueError("--options: pool may be 0, and --ppo.rivals are met in games against a pool")
    if asked.ppo.evaluate == ():
        raise ValueError("--ppo.evaluate: trials are compared by what they win; name somebody")
    if asked.ppo.start and (wrong := [name for name in asked.options if name in ("width", "blocks", "norm")]):
        raise ValueError(f"--options: {wrong[0]} is that of the network that --ppo.start names")
    # What a trial may choose has to be possible whatever else it chooses.
    hardest = {name: value for name, value in HARDEST.items() if name in asked.options}
    try:
        ppo.check(replace(asked.ppo, **hardest))
    except ValueError as error:
        chosen = ", ".join(f"{name} {value}" for name, value in hardest.items())
        raise ValueError(f"--options: with {chosen} as a trial may choose: {error}") from None


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `trainer.answer`."""
    asked = tyro.cli(Arguments, args=argv, prog="python -m training.sweep")

    def to_its_end(_: None) -> int:
        print(summary(sweep(asked), asked))
        return 0

    return trainer.answer(lambda: check(asked), to_its_end)


if __name__ == "__main__":
    raise SystemExit(main())
