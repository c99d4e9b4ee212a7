"""Learning curves of several runs side by side: ``python -m training.curves runs/a-1 runs/a-2 runs/b-1``.

Runs that differ by their seed only are one curve: the mean of their win shares with the range of them.  One run is an
anecdote; what one change is worth is read at equal decisions and at equal minutes, over the seeds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import numpy.typing as npt
import tyro

from agents.arena.tables import markdown
from porta_nigra_env.core.files import write_whole
from training.distil import program as distil
from training.expert import program as expert
from training.ppo import program as ppo
from training.run.folder import EVALUATIONS, RunError, algorithm_of, as_config, read_config, read_lines

#: What does not make two runs different ones.
INCIDENTAL: Final = (
    "out", "resume", "seed", "threads", "device", "precision", "collectors", "jobs", "address", "evaluations", "deals",
)  # fmt: skip
KINDS: Final[Mapping[str, type[Any]]] = {
    "ppo": ppo.Arguments, "expert": expert.Arguments, "distil": distil.Arguments
}  # fmt: skip

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Arguments:
    """Draw learning curves of several runs, seeds of one setting together, and print where they end."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """Folders of runs of training.ppo, training.expert or training.distil."""
    out: Path = Path("curves.png")
    """The picture."""


@dataclass(frozen=True)
class Curve:
    """A run's win shares: decisions and minutes (evaluations,), and by opponent the shares (evaluations,)."""

    seed: int
    decisions: Floats
    minutes: Floats
    shares: Mapping[str, Floats]


@dataclass(frozen=True)
class Setting:
    """Runs that differ by their seed only.

    Attributes:
        name: in what it differs from the other settings.
        curves: one for each run.
    """

    name: str
    curves: Sequence[Curve]

    def shares(self, opponent: str, by: str, at: Floats) -> Floats:
        """Win shares of all its runs (runs, len(at)) after so many "decisions" or "minutes", interpolated;
        nan before a run was measured."""
        curves = [one for one in self.curves if opponent in one.shares]
        return np.array([np.interp(at, getattr(one, by), one.shares[opponent], left=np.nan) for one in curves])

    def until(self, by: str) -> float:
        """How far all its runs have come, in "decisions" or "minutes"."""
        return min(float(getattr(one, by)[-1]) for one in self.curves)


def read_run(folder: Path) -> tuple[dict[str, Any], Curve]:
    """A run's arguments and its curve; RunError if it is none of `KINDS`, or nothing was measured yet."""
    kind = algorithm_of(folder)
    if kind not in KINDS:
        raise RunError(f"{folder}: a run of {kind}, not of {', '.join(KINDS)}")
    # What an older version did not know has its default now.
    started: Any = read_config(folder, kind, KINDS[kind])
    arguments = {"algorithm": kind, **as_config(kind, started)["arguments"]}
    lines = read_lines(folder / EVALUATIONS)
    if not lines or not lines[0]["shares"]:
        raise RunError(f"{folder}: nothing was measured yet, or against nobody")
    shares = {name: np.array([line["shares"][name][0] for line in lines]) for name in lines[0]["shares"]}
    decisions = np.array([float(line["decisions"]) for line in lines])
    return arguments, Curve(started.seed, decisions, np.array([line["seconds"] / 60 for line in lines]), shares)


def settings_of(folders: Sequence[Path]) -> list[Setting]:
    """The settings of some runs, in the order of their first ones; RunError as of `read_run`, or for a run twice."""
    groups: dict[str, list[tuple[dict[str, Any], Curve]]] = {}
    for folder in folders:
        arguments, curve = read_run(folder)
        told = {name: value for name, value in arguments.items() if name not in INCIDENTAL}
        group = groups.setdefault(json.dumps(told, sort_keys=True), [])
        if any(other.seed == curve.seed for _, other in group):
            raise RunError(f"{folder}: another run with its arguments has the seed {curve.seed}, too")
        group.append((arguments, curve))
    keys = [json.loads(key) for key in groups]
    names = dict.fromkeys(name for one in keys for name in one)
    differing = [name for name in names if len({json.dumps(one.get(name)) for one in keys}) > 1]
    return [
        Setting(", ".join(f"{name} {key.get(name)}" for name in differing) or "all runs", [one for _, one in group])
        for key, group in zip(keys, groups.values(), strict=True)
    ]


def opponents_of(settings: Sequence[Setting]) -> list[str]:
    """Whom the runs were measured against."""
    return list(dict.fromkeys(name for one in settings for curve in one.curves for name in curve.shares))


def table(settings: Sequence[Setting]) -> str:
    """Win shares at equal decisions and at equal minutes, those that all runs have come to."""
    lines = []
    for by, unit in (("decisions", 1e6), ("minutes", 1.0)):
        at = min(one.until(by) for one in settings)
        for one in settings:
            cells = []
            for opponent in opponents_of(settings):
                found = one.shares(opponent, by, np.array([at]))
                told = len(found) and np.isfinite(found).all()
                cells.append(f"{found.mean():.1%} ({found.min():.1%} to {found.max():.1%})" if told else "")
            what = f"{at / unit:.1f} {'M decisions' if by == 'decisions' else 'minutes'}"
            lines.append([what, one.name, str(len(one.curves)), *cells])
    return markdown(["at", "setting", "seeds", *opponents_of(settings)], lines, left=2)


def picture(settings: Sequence[Setting]) -> bytes:
    """A PNG: a row for each opponent, over decisions and over minutes; lines are means, bands the range of seeds."""
    from matplotlib.figure import Figure

    from agents.arena.plots import png

    opponents = opponents_of(settings)
    figure = Figure(figsize=(11, 1 + 3 * len(opponents)), layout="constrained")
    grid = figure.subplots(len(opponents), 2, sharey=True, squeeze=False)
    for row, opponent in enumerate(opponents):
        for axes, by, unit in zip(grid[row], ("decisions", "minutes"), (1e6, 1.0), strict=True):
            for one in settings:
                at = np.linspace(float(getattr(one.curves[0], by)[0]), one.until(by), 100)
                shares = one.shares(opponent, by, at)
                if len(shares):
                    (line,) = axes.plot(at / unit, shares.mean(axis=0), label=f"{one.name} ({len(shares)})")
                    axes.fill_between(
                        at / unit, shares.min(axis=0), shares.max(axis=0), alpha=0.2, color=line.get_color()
                    )
            axes.set(xlabel="million decisions" if by == "decisions" else by, ylim=(0, 1.02))
            axes.grid(alpha=0.3)
        grid[row][0].set_ylabel(f"win share\n{opponent}")
    handles = grid[0][0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper left", fontsize="small", title="settings (seeds)")
    return png(figure)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for what it cannot use."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m training.curves")
    try:
        if not arguments.runs:
            raise ValueError("name at least one folder of a run")
        settings = settings_of(arguments.runs)
        write_whole(arguments.out, picture(settings))
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{table(settings)}\n\nshares: mean of the seeds (range); picture: {arguments.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
