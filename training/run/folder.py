"""Folder of a run: configuration, metrics, checkpoint, learning curve.

    config.json            options of the run, and earlier values of options that a resumption changed
    metrics.jsonl          one line per iteration
    tensorboard/           the same metrics for TensorBoard
    checkpoint.safetensors complete state of the run; replaced atomically after every iteration
    evaluations.jsonl      one line per evaluation: win rates with 95 % confidence intervals, and skill
    curve.png              learning curve
    network.safetensors    the network alone, written at the end

A killed run loses at most one iteration: on resume, lines newer than the checkpoint are dropped.
"""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NotRequired, TypedDict, TypeVar

import msgspec
from filelock import BaseFileLock
from msgspec import Meta, Struct
from torch.utils.tensorboard import SummaryWriter

from agents.arena.ratings import Estimate
from porta_nigra_env.core.files import PARTIAL, lock, write_whole
from training.run.evaluation import Strength

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from matplotlib.axes import Axes

T = TypeVar("T")
#: Integers of files that later code can count on.
Count = Annotated[int, Meta(ge=0, le=2**62)]
Amount = Annotated[float, Meta(ge=0, lt=1e300)]

CONFIG: Final = "config.json"
METRICS: Final = "metrics.jsonl"
EVALUATIONS: Final = "evaluations.jsonl"
CHECKPOINT: Final = "checkpoint.safetensors"
NETWORK: Final = "network.safetensors"
CURVE: Final = "curve.png"
BOARD: Final = "tensorboard"
#: Replay buffer of `training.expert`.
REPLAY: Final = "replay"
#: Empty file, locked while a process trains in the folder.
LOCK: Final = ".lock"
#: Options that say where games are played, for the algorithms that have them.
LOCATION: Final = ("collectors", "jobs", "address")
#: Options that may differ when the same command is repeated.
MACHINE: Final = ("out", "resume", "threads", "device", "precision", *LOCATION)
#: Earlier names of counts and metrics in files.
OLD_METRICS: Final = {"decisions": "steps", "decisions_per_second": "steps_per_second"}
#: Earlier values of options.
OLD_VALUES: Final = {"processor": "cpu"}


class RunError(ValueError):
    """A folder that cannot be used as requested; the message says how to continue."""


class Config(TypedDict):
    """Content of config.json: the name of the algorithm, its options, and earlier values of options."""

    algorithm: str
    arguments: dict[str, Any]
    earlier: NotRequired[list[dict[str, Any]]]


class Metrics(Struct, kw_only=True):
    """Entries of a line that resumption and learning curve need."""

    iteration: Count
    steps: Count
    seconds: Amount
    entropy: float = 0.0
    explained_variance: float = 0.0
    agreed: float = 0.0
    divergence: float = 0.0
    gained: float = 0.0
    teacher_kl: float = 0.0


class Evaluation(Metrics, kw_only=True):
    """Likewise of an evaluation; shares: win rate and its bounds, by opponent; skills: by number of players."""

    shares: dict[str, tuple[float, float, float]]
    skills: dict[str, tuple[float, float, float]] = {}


def read_json(file: Path, kind: type[T]) -> T:
    """Return the content of a JSON file as `kind`; RunError if it cannot be read or is of another form."""
    try:
        # The standard library reads NaN, which states of optimizers have.
        return msgspec.convert(json.loads(file.read_bytes()), kind)
    except (OSError, RecursionError, ValueError) as error:
        raise RunError(f"{file}: damaged: {error}; restore it, or name another folder with --out") from error


def write_json(file: Path, content: object) -> None:
    """Write a JSON file."""
    write_whole(file, json.dumps(content, indent=1) + "\n")


def to_config(kind: str, options: DataclassInstance) -> Config:
    """Return the content of config.json: the name of the algorithm and its options."""
    return {"algorithm": kind, "arguments": json.loads(json.dumps(asdict(options), default=str))}


def read_config(folder: Path, kind: str, cls: type[T]) -> T:
    """Return the options of a run as `cls`.

    Raises:
        RunError: no run, a run of another algorithm, or an unknown option.
    """
    config = _load_config(folder)
    if config["algorithm"] != kind:
        raise RunError(f"{folder}: a run of {config['algorithm']}, not of {kind}")
    return parse_options(config["arguments"], cls, str(folder / CONFIG))


def algorithm_of(folder: Path) -> str:
    """Return the name of a run's algorithm; RunError if there is no run."""
    return _load_config(folder)["algorithm"]


def _load_config(folder: Path) -> Config:
    if not (folder / CONFIG).exists():
        raise RunError(f"{folder}: there is no run ({CONFIG} is missing)")
    return read_json(folder / CONFIG, Config)


def _current_names(values: Mapping[str, Any], cls: type[Any]) -> dict[str, Any]:
    """Return options of an earlier version under their current names (`cls.OLD_NAMES`)."""
    old: Mapping[str, str] = getattr(cls, "OLD_NAMES", {})
    return {
        old.get(name, name): OLD_VALUES.get(value, value) if isinstance(value, str) else value
        for name, value in values.items()
    }


def parse_options(values: Any, cls: type[T], source: str) -> T:
    """Return options decoded from JSON as the dataclass `cls`, also those of earlier versions.

    `cls.OLD_NAMES` maps earlier names; `cls.OLD_DEFAULTS` has the values of runs from before an option existed.

    Raises:
        RunError: an unknown option or a value of the wrong type; the message begins with `source`.
    """
    if isinstance(values, dict):
        values = _current_names(values, cls)
        for name in values.keys() - {field.name for field in fields(cls)}:  # type: ignore[arg-type]
            raise RunError(f"{source}: this version has no option {name!r}")
        values = getattr(cls, "OLD_DEFAULTS", {}) | values
    try:
        return msgspec.convert(values, cls, dec_hook=lambda kind, value: kind(value))
    except msgspec.ValidationError as error:
        raise RunError(f"{source}: {error}") from error


def check_same(folder: Path, saved: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise RunError for the first setting of a folder that differs from the wanted one, except those of `MACHINE`.

    Names may have a prefix, as in ``ppo.seed``.
    """
    for name, value in wanted.items():
        # The run has resolved "auto" for its machine.
        if name.rpartition(".")[2] not in MACHINE and value != "auto" and saved.get(name) != value:
            difference = f"{name} is {saved.get(name)!r} there, not {value!r}"
            raise RunError(f"{folder} holds something else: {difference}; name another folder with --out")


class Run:
    """A run's folder, locked for this process until `close`.

    Args:
        folder: new or empty, or of a run that was cut off before its first checkpoint and starts again; with `resume`
            the folder of a run.
        config: from `to_config`.
        resume: continue after `iteration`.
        iteration: iterations in the checkpoint.

    Raises:
        RunError: the folder holds something else, or another process writes to it.
    """

    def __init__(self, folder: Path, config: Config, *, resume: bool = False, iteration: int = 0) -> None:
        self.folder = folder
        if not resume and names_in(folder) and not _can_restart(folder, config["algorithm"]):
            raise RunError(f"{folder} is not empty; name another folder, or resume with --resume {folder}")
        self._lock = lock_folder(folder)
        try:
            lines = self._begin(config, resume, iteration)
        except (RunError, OSError):
            self._lock.release()
            raise
        self._board = SummaryWriter(str(folder / BOARD), purge_step=lines[-1]["steps"] + 1 if lines else None)

    def _begin(self, config: Config, resume: bool, iteration: int) -> list[dict[str, Any]]:
        """Write the configuration, drop lines of later iterations, and return the remaining metrics."""
        folder = self.folder
        kept = {
            name: [line for line in read_lines(folder / name) if line["iteration"] <= iteration]
            for name in (METRICS, EVALUATIONS)
        }
        if resume:
            config = _with_earlier(folder, config, iteration)
        elif (folder / BOARD).exists():
            shutil.rmtree(folder / BOARD)
        write_json(folder / CONFIG, config)
        for name, lines in kept.items():
            if (folder / name).exists():
                write_whole(folder / name, "".join(json.dumps(line) + "\n" for line in lines))
        return kept[METRICS]

    def log(self, iteration: int, steps: int, values: Mapping[str, Any]) -> None:
        """Append a line of metrics; TensorBoard plots them over `steps`."""
        file = self.folder / METRICS
        try:
            with open(file, "a") as out:
                out.write(json.dumps({"iteration": iteration, "steps": steps} | dict(values)) + "\n")
        except OSError as error:
            error.filename = str(file)
            raise
        for name, value in values.items():
            if isinstance(value, int | float):
                self._board.add_scalar(name, value, steps)

    def log_evaluation(
        self,
        iteration: int,
        steps: int,
        seconds: float,
        results: Mapping[str, Strength],
        skills: Mapping[str, Estimate],
    ) -> None:
        """Write the strength against each opponent by name, and the skill of a choice by number of players.

        They replace a line of the same iteration.
        """
        line: dict[str, Any] = {"iteration": iteration, "steps": steps, "seconds": round(seconds, 1)}
        line["shares"] = {name: [round(value, 4) for value in one.share] for name, one in results.items()}
        line["margins"] = {name: round(one.margin, 2) for name, one in results.items()}
        if skills:
            line["skills"] = {name: [round(value, 6) for value in one] for name, one in skills.items()}
        lines = [earlier for earlier in self.evaluations() if earlier["iteration"] != iteration]
        write_whole(self.folder / EVALUATIONS, "".join(json.dumps(one) + "\n" for one in [*lines, line]))
        for name, one in results.items():
            self._board.add_scalar(f"win_share/{name}", one.share.value, steps)
            self._board.add_scalar(f"margin/{name}", one.margin, steps)
        for name, skill in skills.items():
            self._board.add_scalar(f"skill/{name}", skill.value, steps)

    def evaluations(self) -> list[dict[str, Any]]:
        """Return all evaluations so far."""
        return read_lines(self.folder / EVALUATIONS)

    def draw(self) -> Path:
        """Draw the learning curve and return its file."""
        file = self.folder / CURVE
        write_whole(file, learning_curve(self.evaluations(), read_lines(self.folder / METRICS)))
        return file

    def close(self) -> None:
        """Flush TensorBoard and release the folder."""
        self._board.close()
        self._lock.release()


def _can_restart(folder: Path, kind: str) -> bool:
    """Return whether a run may start in `folder`: empty, or of a run of `kind` cut off in its first iteration."""
    early = {CONFIG, METRICS, EVALUATIONS, BOARD, REPLAY, LOCK}
    names = {file.name for file in folder.iterdir() if not file.name.endswith((PARTIAL, "partial.zip"))}
    if not names - {LOCK}:
        return True
    if not names <= early:
        return False
    try:
        return algorithm_of(folder) == kind and len(read_lines(folder / METRICS)) <= 1
    except RunError:
        return False


def check_folder_kind(folder: Path, marker: str, content: str) -> None:
    """Raise RunError unless `folder` is empty or has the file `marker` of the program that asks."""
    names = names_in(folder)
    if names - {LOCK} and marker not in names:
        raise RunError(f"{folder} is not empty and holds no {content}; name another folder with --out")


def names_in(folder: Path) -> set[str]:
    """Return the names in a folder, none if it is missing; RunError if it cannot be read."""
    try:
        return {file.name for file in folder.iterdir()}
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise _unusable(folder, error) from None


def make_folder(folder: Path) -> None:
    """Make a folder with its parents; RunError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(folder, error) from None


def _unusable(folder: Path, error: OSError) -> RunError:
    return RunError(f"{folder}: {error.strerror}; name another folder with --out")


def lock_folder(folder: Path) -> BaseFileLock:
    """Lock a folder, made if missing, until `release`; RunError if another process holds the lock."""
    make_folder(folder)
    try:
        return lock(folder / LOCK)
    except TimeoutError:
        raise RunError(f"{folder}: another process is training there") from None
    except OSError as error:
        raise RunError(f"{folder}: {error.strerror}") from None


def _with_earlier(folder: Path, config: Config, iteration: int) -> Config:
    """Return the configuration of a resumed run with the earlier values of changed options, under `earlier`.

    An entry has the iteration after which its `arguments` no longer held.
    """
    saved, after = _load_config(folder), config["arguments"]
    changed = {name: value for name, value in saved["arguments"].items() if after.get(name) != value}
    earlier = [*saved.get("earlier", ()), *([{"iteration": iteration, "arguments": changed}] if changed else ())]
    return {**config, "earlier": earlier} if earlier else config


def read_lines(file: Path) -> list[dict[str, Any]]:
    """Return the complete lines of a JSONL file under their current names (`OLD_METRICS`); [] without the file.

    Raises:
        RunError: a line lacks an entry of `Metrics` or `Evaluation`; the message has its number.
    """
    if not file.exists():
        return []
    kind, lines = Evaluation if file.name == EVALUATIONS else Metrics, []
    for number, line in enumerate(file.read_bytes().rpartition(b"\n")[0].splitlines(), 1):
        try:
            values = msgspec.convert(json.loads(line), dict[str, Any])
            values = {OLD_METRICS.get(name, name): value for name, value in values.items()}
            msgspec.convert(values, kind)
        except (ValueError, RecursionError) as error:
            raise RunError(f"{file}: line {number} is damaged: {error}; remove the line") from error
        lines.append(values)
    return lines


def _columns(axes: Axes) -> int:
    """Return the number of legend columns that fit next to each other."""
    longest = max(len(line) for label in axes.get_legend_handles_labels()[1] for line in label.splitlines())
    return max(1, min(3, 100 // (longest + 6)))


def _plot_estimates(axes: Axes, evaluations: Sequence[Mapping[str, Any]], key: str, name: str, label: str) -> None:
    """Plot the estimates `name` of the entry `key`, with their intervals, over minutes."""
    points = [(one["seconds"] / 60, *one[key][name]) for one in evaluations if name in one[key]]
    minutes, values, low, high = zip(*points, strict=True)
    (line,) = axes.plot(minutes, values, marker="o", markersize=3, label=label)
    axes.fill_between(minutes, low, high, alpha=0.2, color=line.get_color())


#: Metrics of the lower plot, for runs that have them: label -> (name, factor).
LOWER: Final = {
    "entropy (nats)": ("entropy", 1.0), "explained variance": ("explained_variance", 1.0), "agreed": ("agreed", 1.0),
    "divergence (nats)": ("divergence", 1.0), "gained (hundredths of a result)": ("gained", 100.0),
    "from the teacher (nats)": ("teacher_kl", 1.0),
}  # fmt: skip


def learning_curve(evaluations: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a PNG of win rates, and of skill where it was judged, over time, above the metrics of `LOWER`."""
    from matplotlib.figure import Figure

    from agents.arena.plots import png

    judged = [one for one in evaluations if one.get("skills")]
    ratios = (2, 1, 1) if judged else (2, 1)
    figure = Figure(figsize=(8, 2 + 2 * len(ratios)), layout="constrained")
    upper, *middle, lower = figure.subplots(len(ratios), 1, sharex=True, height_ratios=ratios)
    names = list(dict.fromkeys(name for one in evaluations for name in one["shares"]))
    for name in names:
        _plot_estimates(upper, evaluations, "shares", name, textwrap.fill(f"against {name}", 80))
    upper.set(ylabel="win rate (95 %)", ylim=(0, 1.02))
    upper.grid(alpha=0.3)
    # Legends stand outside the axes: curves may run anywhere inside.
    outside: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "frameon": False, "fontsize": "small"}
    if names:
        upper.legend(ncols=_columns(upper), **outside)
    for axes in middle:
        for name in judged[0]["skills"]:
            _plot_estimates(axes, judged, "skills", name, name)
        axes.set(ylabel="skill of a choice (95 %)")
        axes.grid(alpha=0.3)
        axes.legend(ncols=3, **outside)
    times = [one["seconds"] / 60 for one in metrics]
    for label, (key, factor) in LOWER.items():
        if metrics and key in metrics[0]:
            lower.plot(times, [factor * one[key] for one in metrics], label=label)
    lower.set(xlabel="minutes of training")
    lower.grid(alpha=0.3)
    if lower.lines:
        lower.legend(ncols=_columns(lower), **outside)
    return png(figure)
