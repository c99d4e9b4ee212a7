"""Lines of a table: measured in alternating rounds, printed, and written with the machine."""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import porta_nigra_env

_PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo")


@dataclass
class Line:
    """One line of a table: `play` works and returns a count in `unit`; `peer` names the line to compare with.

    rates, cpu_rates: count per second and per CPU second of all threads, one for each run.
    """

    name: str
    play: Callable[[], int]
    peer: str = ""
    unit: str = "steps"
    rates: list[float] = field(default_factory=list)
    cpu_rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The median per second."""
        return statistics.median(self.rates)

    @property
    def cpu_rate(self) -> float:
        """The median per CPU second."""
        return statistics.median(self.cpu_rates)


def spread(rates: Sequence[float]) -> float:
    """Return the difference between the fastest and the slowest run, relative to the median."""
    return (max(rates) - min(rates)) / statistics.median(rates)


def measure(lines: Sequence[Line], seconds: float, runs: int) -> None:
    """Fill in the rates: in each of `runs` rounds every line runs for `seconds`, so that a slow phase affects all."""
    for line in lines:
        line.play()  # compile, or load from the cache, before the clocks run
    for _ in range(runs):
        for line in lines:
            spent, done = 0.0, 0
            start, start_cpu = time.perf_counter(), time.process_time()
            while spent < seconds:
                done += line.play()
                spent = time.perf_counter() - start
            line.rates.append(done / spent)
            # The CPU clock is coarse.
            line.cpu_rates.append(done / max(time.process_time() - start_cpu, 1e-6))


def ratios(lines: Sequence[Line]) -> Iterator[tuple[Line, float]]:
    """Yield each line with its rate over that of its peer, or 1."""
    rates = {line.name: line.rate for line in lines}
    for line in lines:
        yield line, line.rate / rates[line.peer or line.name]


def table(lines: Sequence[Line], head: str = "ratio") -> str:
    """Return the lines as text: rate, time, spread, ratio to the peer, unit."""
    width = max(len(line.name) for line in lines) + 2
    rows = [f"{'':<{width}}{'per second':>14}{'ns each':>15}{'spread':>9}{head:>12}  unit"]
    for line, ratio in ratios(lines):
        rate = f"{line.rate:>14,.0f}{1e9 / line.rate:>15,.1f}{spread(line.rates):>9.0%}"
        rows.append(f"{line.name:<{width}}{rate}{ratio:>12.2f}  {line.unit}")
    return "\n".join(rows)


def figures(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the lines for a file."""
    return [
        {"name": line.name, "unit": line.unit, "per_second": line.rate, "rates": line.rates, "peer": line.peer,
         "ratio": ratio}
        for line, ratio in ratios(lines)
    ]  # fmt: skip


def machine() -> dict[str, Any]:
    """Return the CPU, its cores, the current load, and the versions of the measured packages."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    loaded = [name for name in ("torch", "sb3-contrib") if name.replace("-", "_") in sys.modules]
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "porta_nigra_env": porta_nigra_env.__version__,
        **{name: version(name) for name in (*_PACKAGES, *loaded)},
    }


def machine_lines() -> str:
    """Return `machine` as text."""
    facts = machine()
    packages = ", ".join(f"{name} {value}" for name, value in [*facts.items()][5:])
    return (
        f"{facts['processor']}, {facts['cores']} cores, load {facts['load']} at the end; {facts['system']}\n"
        f"Python {facts['python']}, {packages}"
    )
