"""Compare learning curves of several runs: ``python -m training.curves runs/a-1 runs/a-2 runs/b-1``.

Runs that differ only by seed form one curve: the mean and the range of their win rates.  Compare several seeds at equal
steps and at equal minutes, since a single run proves little.
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
from training import ppo
from training.distil import program as distil
from training.expert import program as expert
from training.run.folder import EVALUATIONS, MACHINE, RunError, algorithm_of, read_config, read_lines, to_config

#: Options that do not distinguish settings.
INCIDENTAL: Final = (*MACHINE, "seed", "evaluations", "deals", "reviewed")
KINDS: Final[Mapping[str, type[Any]]] = {"ppo": ppo.Options, "expert": expert.Options, "distil": distil.Options}

#: Name of the skill of a choice (`--reviewed`), before the number of players.
SKILL: Final = "skill of a choice"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Options:
    """Draw learning curves of several runs, grouped by setting, and print their final win rates."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """Folders of runs of training.ppo, training.expert or training.distil."""
    out: Path = Path("curves.png")
    """File of the picture."""


@dataclass(frozen=True)
class Curve:
    """A run: steps and minutes (evaluations,), and by opponent the win rates (evaluations,).

    The skill of a choice stands among the win rates under the names of `SKILL`.
    """

    seed: int
    steps: Floats
    minutes: Floats
    shares: Mapping[str, Floats]


@dataclass(frozen=True)
class Setting:
    """Runs that differ only by seed; `name` lists the differences from other settings."""

    name: str
    curves: Sequence[Curve]

    def shares(self, opponent: str, by: str, at: Floats) -> Floats:
        """Return interpolated win rates (runs, len(at)) at "steps" or "minutes"; nan before the first evaluation."""
        curves = [curve for curve in self.curves if opponent in curve.shares]
        return np.array([np.interp(at, getattr(curve, by), curve.shares[opponent], left=np.nan) for curve in curves])

    def common_end(self, by: str) -> float:
        """Return the "steps" or "minutes" that all runs have reached."""
        return min(float(getattr(curve, by)[-1]) for curve in self.curves)


def read_run(folder: Path) -> tuple[dict[str, Any], Curve]:
    """Return a run's options and curve; RunError for another algorithm or without evaluations."""
    kind = algorithm_of(folder)
    if kind not in KINDS:
        raise RunError(f"{folder}: a run of {kind}, not of {', '.join(KINDS)}")
    started: Any = read_config(folder, kind, KINDS[kind])
    options = {"algorithm": kind, **to_config(kind, started)["arguments"]}
    lines = read_lines(folder / EVALUATIONS)
    if not lines or not lines[0]["shares"]:
        raise RunError(f"{folder}: it has no evaluation against an opponent yet")
    shares = {name: np.array([line["shares"][name][0] for line in lines]) for name in lines[0]["shares"]}
    judged = [line.get("skills", {}) for line in lines]
    shares |= {
        f"{SKILL}, {name}": np.array([line[name][0] for line in judged])
        for name in judged[0]
        if all(name in line for line in judged)
    }
    steps = np.array([float(line["steps"]) for line in lines])
    return options, Curve(started.seed, steps, np.array([line["seconds"] / 60 for line in lines]), shares)


def group_runs(folders: Sequence[Path]) -> list[Setting]:
    """Return the settings in order of their first runs; RunError as in `read_run`, or for equal seeds of a setting."""
    groups: dict[str, list[Curve]] = {}
    for folder in folders:
        options, curve = read_run(folder)
        key = json.dumps({name: value for name, value in options.items() if name not in INCIDENTAL}, sort_keys=True)
        group = groups.setdefault(key, [])
        if any(other.seed == curve.seed for other in group):
            raise RunError(f"{folder}: another run with its options has the seed {curve.seed}, too")
        group.append(curve)
    keys = [json.loads(key) for key in groups]
    names = dict.fromkeys(name for key in keys for name in key)
    differing = [name for name in names if len({json.dumps(key.get(name)) for key in keys}) > 1]
    return [
        Setting(", ".join(f"{name} {key.get(name)}" for name in differing) or "all runs", curves)
        for key, curves in zip(keys, groups.values(), strict=True)
    ]


def opponents_of(settings: Sequence[Setting]) -> list[str]:
    """Return the opponents of all evaluations."""
    return list(dict.fromkeys(name for setting in settings for curve in setting.curves for name in curve.shares))


def mean_and_range(shares: Floats, opponent: str) -> str:
    """Return a cell of the table."""
    form = ".4f" if opponent.startswith(SKILL) else ".1%"
    mean, low, high = (format(value, form) for value in (shares.mean(), shares.min(), shares.max()))
    return f"{mean} ({low} to {high})"


def table(settings: Sequence[Setting]) -> str:
    """Return win rates at the steps and at the minutes that all runs have reached."""
    lines = []
    for by, unit in (("steps", 1e6), ("minutes", 1.0)):
        at = min(setting.common_end(by) for setting in settings)
        for setting in settings:
            cells = []
            for opponent in opponents_of(settings):
                shares = setting.shares(opponent, by, np.array([at]))
                known = len(shares) and np.isfinite(shares).all()
                cells.append(mean_and_range(shares, opponent) if known else "")
            where = f"{at / unit:.1f} {'M steps' if by == 'steps' else 'minutes'}"
            lines.append([where, setting.name, str(len(setting.curves)), *cells])
    return markdown(["at", "setting", "seeds", *opponents_of(settings)], lines, left=2)


def picture(settings: Sequence[Setting]) -> bytes:
    """Return a PNG: a row per opponent, over steps and over minutes; lines are means, bands the range of seeds."""
    from matplotlib.figure import Figure

    from agents.arena.plots import png

    opponents = opponents_of(settings)
    figure = Figure(figsize=(11, 1 + 3 * len(opponents)), layout="constrained")
    grid = figure.subplots(len(opponents), 2, sharey="row", squeeze=False)
    for row, opponent in enumerate(opponents):
        for axes, by, unit in zip(grid[row], ("steps", "minutes"), (1e6, 1.0), strict=True):
            for setting in settings:
                at = np.linspace(float(getattr(setting.curves[0], by)[0]), setting.common_end(by), 100)
                shares = setting.shares(opponent, by, at)
                if len(shares):
                    (line,) = axes.plot(at / unit, shares.mean(axis=0), label=f"{setting.name} ({len(shares)})")
                    axes.fill_between(
                        at / unit, shares.min(axis=0), shares.max(axis=0), alpha=0.2, color=line.get_color()
                    )
            axes.set(xlabel="million steps" if by == "steps" else by)
            axes.grid(alpha=0.3)
        if opponent.startswith(SKILL):
            grid[row][0].set_ylabel(opponent.replace(", ", "\n"))
        else:
            grid[row][0].set(ylabel=f"win rate\n{opponent}", ylim=(0, 1.02))
    handles = grid[0][0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper left", fontsize="small", title="settings (seeds)")
    return png(figure)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for runs that cannot be used."""
    options = tyro.cli(Options, args=argv, prog="python -m training.curves")
    try:
        if not options.runs:
            raise ValueError("name at least one folder of a run")
        settings = group_runs(options.runs)
        write_whole(options.out, picture(settings))
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{table(settings)}\n\nwin rates: mean of the seeds (range); picture: {options.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
