"""The code of docs/environments.md with each library.

Each library's code runs in a separate process.  The table has the library's version, the number of lines, and steps per
second from the first step to the last, with all work of the library in between.  A missing library is named;
``make test-clients`` installs those of ``.venv-clients``.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final
from unittest import mock

import tyro

from benchmarks.options import Options, read
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "environments.md"
#: Headings of the page, with distribution and virtual environment.
LIBRARIES: Final = {
    "Stable-Baselines3": ("stable-baselines3", ".venv"),
    "sb3-contrib": ("sb3-contrib", ".venv"),
    "CleanRL": ("torch", ".venv"),
    "TorchRL": ("torchrl", ".venv-clients"),
    "Tianshou": ("tianshou", ".venv-clients"),
    "AgileRL": ("agilerl", ".venv-clients"),
    "RLlib": ("ray", ".venv-clients"),
    "SuperSuit": ("supersuit", ".venv-clients"),
    "ONNX": ("onnxruntime", ".venv-clients"),
}


@dataclass(frozen=True, kw_only=True)
class Arguments(Options):
    """Options of the program."""

    names: tyro.conf.Positional[tuple[str, ...]] = ()
    """headings of the page; by default those with an installed library"""
    here: bool = False
    """run the named one in this process"""

    def check(self) -> None:
        super().check()
        for name in self.names:
            if name not in LIBRARIES:
                raise ValueError(f"there is no {name!r} on the page; there are {', '.join(LIBRARIES)}")
        if self.here and len(self.names) != 1:
            raise ValueError("--here needs one name")


@dataclass
class Count:
    """Counted steps: (time, steps so far) after each call."""

    done: int = 0
    calls: list[tuple[float, int]] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Steps per second after the first call, which may load code; 0 with fewer than two calls."""
        if len(self.calls) < 2:
            return 0.0
        (start, before), (end, after) = self.calls[0], self.calls[-1]
        return (after - before) / (end - start)


@contextmanager
def counting() -> Iterator[Count]:
    """Count the steps of all environments of this process."""
    count = Count()

    def counted(step: Any) -> Any:
        @functools.wraps(step)
        def counting_step(env: Any, *args: Any, **kwargs: Any) -> Any:
            result = step(env, *args, **kwargs)
            count.done += getattr(env, "num_envs", None) or 1
            count.calls.append((time.perf_counter(), count.done))
            return result

        return counting_step

    with ExitStack() as patches:
        for kind in (SeatEnv, GameAEC, BatchEnv):
            patches.enter_context(mock.patch.object(kind, "step", counted(kind.step)))
        yield count


def lines_of(name: str, page: Path = PAGE) -> str:
    """Return the Python below a heading of the page; ValueError if there is none."""
    text = page.read_text(encoding="utf-8")
    section = text.partition(f"\n### {name}\n")[2].partition("\n##")[0]
    code = section.partition("```python\n")[2].partition("```")[0]
    if not code:
        raise ValueError(f"{page}: there is no Python below {name!r}")
    return code


def count_lines(code: str) -> int:
    """Return the number of lines that are neither empty nor a comment."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in code.splitlines())


def played(name: str) -> dict[str, Any]:
    """Run the code of a library in this process and return its figures."""
    code = lines_of(name)
    with counting() as count:
        exec(compile(code, f"{PAGE.name}, {name}", "exec"), {"__name__": "__main__"})
    return {
        "name": name,
        "version": version(LIBRARIES[name][0]),
        "lines": count_lines(code),
        "steps": count.done,
        "per_second": count.rate,
    }


def measured(name: str) -> dict[str, Any]:
    """Return the same from a separate process in an empty folder; RuntimeError with its output if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        command = [sys.executable, "-m", "benchmarks", "clients", name, "--here", "--json", str(file)]
        done = subprocess.run(
            command,
            cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stderr[-4000:]}")
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["libraries"][0]
        return found


def installed(name: str) -> bool:
    """Return True if the library is installed."""
    try:
        version(LIBRARIES[name][0])
    except PackageNotFoundError:
        return False
    return True


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if the code of a library fails."""
    options = read(Arguments, argv)
    for name in options.names:
        if not installed(name):
            options.refuse(f"{name} is not installed here; {LIBRARIES[name][1]} has it")
    if options.here:
        options.finish(libraries=[played(options.names[0])])
        return 0
    print("| library | version | lines | steps | steps per second |\n|---|---|---|---|---|")
    rows = []
    for name in options.names or [library for library in LIBRARIES if installed(library)]:
        try:
            row = measured(name)
        except RuntimeError as error:
            print(error, file=sys.stderr)
            return 1
        rows.append(row)
        cells = (name, row["version"], row["lines"], f"{row['steps']:,}", f"{row['per_second']:,.0f}")
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    absent = [f"{name} ({LIBRARIES[name][1]})" for name in LIBRARIES if not installed(name)]
    if absent and not options.names:
        print(f"\nNot installed here: {', '.join(absent)}")
    options.finish(libraries=rows)
    return 0
