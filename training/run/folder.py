"""A run's folder: configuration, metrics, checkpoints, the learning curve; written so that a kill loses one iteration.

    config.json            what the run was started with
    metrics.jsonl          a line for each iteration
    tensorboard/           the same for TensorBoard
    checkpoint.safetensors everything that is needed to go on; replaced after every iteration, whole or not at all
    evaluations.jsonl      a line for each evaluation: win shares with 95 % intervals
    curve.png              the learning curve
    network.safetensors    the network alone, at the end

Lines of iterations after the checkpoint belong to an iteration that was cut off; they are dropped when the run goes on.
"""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from filelock import BaseFileLock
from torch.utils.tensorboard import SummaryWriter

from porta_nigra_env.core.files import lock, write_whole
from training.run.evaluation import Strength

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T = TypeVar("T")

CONFIG: Final = "config.json"
METRICS: Final = "metrics.jsonl"
EVALUATIONS: Final = "evaluations.jsonl"
CHECKPOINT: Final = "checkpoint.safetensors"
NETWORK: Final = "network.safetensors"
CURVE: Final = "curve.png"
BOARD: Final = "tensorboard"
#: Of `training.expert`: the decisions it learns from.
REPLAY: Final = "replay"
#: An empty file, locked while a run goes on.
LOCK: Final = ".lock"


class RunError(ValueError):
    """A folder that cannot be used as asked; the message tells the way out."""


def as_config(kind: str, arguments: Any) -> dict[str, Any]:
    """What goes into config.json: the name of the algorithm and its arguments (a dataclass)."""
    settings: dict[str, Any] = json.loads(json.dumps(asdict(arguments), default=str))
    return {"algorithm": kind, "arguments": settings}


def read_config(folder: Path, kind: str, cls: type[T]) -> T:
    """The arguments a run was started with, as `cls`.

    Raises:
        RunError: no run, one of another algorithm, or an argument that is not known here.
    """
    found, settings = _config_of(folder)
    if found != kind:
        raise RunError(f"{folder}: a run of {found}, not of {kind}")
    return as_arguments(settings, cls, str(folder / CONFIG))


def algorithm_of(folder: Path) -> str:
    """The name of a run's algorithm; RunError where there is no run."""
    return str(_config_of(folder)[0])


def _config_of(folder: Path) -> tuple[Any, Any]:
    """A run's algorithm and its arguments as JSON reads them; RunError where there is no run."""
    file = folder / CONFIG
    if not file.is_file():
        raise RunError(f"{folder}: there is no run to resume ({CONFIG} is missing)")
    try:
        config = json.loads(file.read_text())
        return config["algorithm"], config["arguments"]
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{file}: damaged: {error}") from error


def as_arguments(settings: Any, cls: type[T], source: str) -> T:
    """Arguments as JSON reads them, as the dataclass `cls`; its EARLIER is for runs of versions without an argument.

    Raises:
        RunError: an argument that is not known here, or a value of another kind; the message begins with `source`.
    """
    if isinstance(settings, dict):
        # Before values are looked at: an older version's arguments may have had other names.
        for name in settings.keys() - {one.name for one in fields(cls)}:  # type: ignore[arg-type]
            raise RunError(f"{source}: this version has no argument {name!r}")
        settings = getattr(cls, "EARLIER", {}) | settings
    try:
        return msgspec.convert(settings, cls, dec_hook=lambda kind, value: kind(value))
    except msgspec.ValidationError as error:
        raise RunError(f"{source}: {error}") from error


class Run:
    """A folder that is written to, by nobody else until `close`.

    Args:
        folder: a new or empty one, or one of a run that was cut off before its first checkpoint and starts again;
            with `resume` that of a run.
        config: of `as_config`.
        resume: go on after the iterations that `iteration` counts.
        iteration: how many iterations are in the checkpoint.

    Raises:
        RunError: the folder holds something else, or another process is writing to it.
    """

    def __init__(self, folder: Path, config: Mapping[str, Any], *, resume: bool = False, iteration: int = 0) -> None:
        self.folder = folder
        if not resume and names_in(folder) and not _nothing_lost(folder, config["algorithm"]):
            raise RunError(f"{folder} is not empty; name another folder, or go on with --resume {folder}")
        self._lock = locked(folder)
        if not resume and (folder / BOARD).exists():
            shutil.rmtree(folder / BOARD)
        write_whole(folder / CONFIG, json.dumps(config, indent=1) + "\n")
        for name in (METRICS, EVALUATIONS):
            _keep_until(folder / name, iteration)
        lines = read_lines(folder / METRICS)
        self._board = SummaryWriter(str(folder / BOARD), purge_step=lines[-1]["decisions"] + 1 if lines else None)

    def log(self, iteration: int, decisions: int, values: Mapping[str, Any]) -> None:
        """A line of metrics; `decisions` is the abscissa of TensorBoard's plots."""
        _append(self.folder / METRICS, {"iteration": iteration, "decisions": decisions} | dict(values))
        for name, value in values.items():
            if isinstance(value, int | float):
                self._board.add_scalar(name, value, decisions)

    def log_evaluation(self, iteration: int, decisions: int, seconds: float, found: Mapping[str, Strength]) -> None:
        """Strength against each opponent, by name; replaces what an iteration that was cut off may have left."""
        line: dict[str, Any] = {"iteration": iteration, "decisions": decisions, "seconds": round(seconds, 1)}
        line["shares"] = {name: [round(value, 4) for value in one.share] for name, one in found.items()}
        line["margins"] = {name: round(one.margin, 2) for name, one in found.items()}
        lines = [one for one in self.evaluations() if one["iteration"] != iteration]
        write_whole(self.folder / EVALUATIONS, "".join(json.dumps(one) + "\n" for one in [*lines, line]))
        for name, one in found.items():
            self._board.add_scalar(f"win_share/{name}", one.share.value, decisions)
            self._board.add_scalar(f"margin/{name}", one.margin, decisions)

    def evaluations(self) -> list[dict[str, Any]]:
        """All evaluations so far."""
        return read_lines(self.folder / EVALUATIONS)

    def draw(self) -> Path:
        """Draw the learning curve anew."""
        write_whole(self.folder / CURVE, learning_curve(self.evaluations(), read_lines(self.folder / METRICS)))
        return self.folder / CURVE

    def close(self) -> None:
        """Write out what is waiting."""
        self._board.close()
        self._lock.release()


def _nothing_lost(folder: Path, kind: str) -> bool:
    """Whether a run may start in `folder`: it is empty, or one of its kind was cut off there in its first steps."""
    early = {CONFIG, METRICS, EVALUATIONS, BOARD, REPLAY, LOCK}
    found = {one.name for one in folder.iterdir() if not one.name.startswith((f"{CHECKPOINT}.partial", "partial."))}
    if not found - {LOCK}:
        return True
    if not {name.removesuffix(".partial") for name in found} <= early:
        return False
    try:
        config = json.loads((folder / CONFIG).read_text())
        ours = config["algorithm"] == kind and "arguments" in config
        return bool(ours) and len(read_lines(folder / METRICS)) <= 1
    except (OSError, ValueError, KeyError, TypeError):
        return False


def check_own(folder: Path, mark: str, what: str) -> None:
    """RunError unless a program may work in `folder`: it is empty, or has the file `mark` of such a program's."""
    there = names_in(folder)
    if there - {LOCK} and mark not in there:
        raise RunError(f"{folder} is not empty and holds no {what}; name another folder with --out")


def names_in(folder: Path) -> set[str]:
    """What a folder holds; nothing where there is none.  RunError for a file, or one that must not be read."""
    try:
        return {one.name for one in folder.iterdir()}
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise _unusable(folder, error) from None


def make_folder(folder: Path) -> None:
    """A folder that is there from now on; RunError where there can be none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(folder, error) from None


def _unusable(folder: Path, error: OSError) -> RunError:
    return RunError(f"{folder}: {error.strerror}; name another folder with --out")


def locked(folder: Path) -> BaseFileLock:
    """The lock of a folder, made if there is none, until its `release`; RunError if another process has it, or it
    cannot be had."""
    make_folder(folder)
    try:
        return lock(folder / LOCK)
    except TimeoutError:
        raise RunError(f"{folder}: another process is training there") from None
    except OSError as error:
        raise RunError(f"{folder}: {error.strerror}") from None


def read_lines(file: Path) -> list[dict[str, Any]]:
    """The complete lines of a file; [] without one."""
    if not file.exists():
        return []
    whole = file.read_text().rpartition("\n")[0]
    return [json.loads(line) for line in whole.splitlines()]


def _append(file: Path, line: Mapping[str, Any]) -> None:
    with open(file, "a") as out:
        out.write(json.dumps(line) + "\n")


def _keep_until(file: Path, iteration: int) -> None:
    """Drop lines of later iterations, and one without its end."""
    if file.exists():
        lines = [line for line in read_lines(file) if line["iteration"] <= iteration]
        write_whole(file, "".join(json.dumps(line) + "\n" for line in lines))


def _columns(axes: Axes) -> int:
    """How many columns of its labels stand beside each other without taking the curves' place."""
    longest = max(len(line) for label in axes.get_legend_handles_labels()[1] for line in label.splitlines())
    return max(1, min(3, 100 // (longest + 6)))


#: What is drawn below win shares, of the runs that have it: by label the metric, and by what it is multiplied.
BELOW: Final = {
    "entropy (nats)": ("entropy", 1.0), "explained variance": ("explained_variance", 1.0), "agreed": ("agreed", 1.0),
    "divergence (nats)": ("divergence", 1.0), "gained (hundredths of a result)": ("gained", 100.0),
}  # fmt: skip


def learning_curve(evaluations: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> bytes:
    """A PNG: win shares over time with their intervals, below what tells how far it is (`BELOW`)."""
    from matplotlib.figure import Figure

    from agents.arena.plots import png

    figure = Figure(figsize=(8, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    names = list(dict.fromkeys(name for one in evaluations for name in one["shares"]))
    for name in names:
        points = [(one["seconds"] / 60, *one["shares"][name]) for one in evaluations if name in one["shares"]]
        minutes, shares, low, high = zip(*points, strict=True)
        (line,) = above.plot(minutes, shares, marker="o", markersize=3, label=textwrap.fill(f"against {name}", 80))
        above.fill_between(minutes, low, high, alpha=0.2, color=line.get_color())
    above.set(ylabel="win share (95 %)", ylim=(0, 1.02))
    above.grid(alpha=0.3)
    # Beside the curves, which may run anywhere.
    beside: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "frameon": False, "fontsize": "small"}
    if names:
        above.legend(ncols=_columns(above), **beside)
    when = [one["seconds"] / 60 for one in metrics]
    for label, (key, size) in BELOW.items():
        if metrics and key in metrics[0]:
            below.plot(when, [size * one[key] for one in metrics], label=label)
    below.set(xlabel="minutes of training")
    below.grid(alpha=0.3)
    if below.lines:
        below.legend(ncols=_columns(below), **beside)
    return png(figure)
