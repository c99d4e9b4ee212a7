"""Where and with what a benchmark was run, and its figures as a file."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import porta_nigra_env

_PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo")


def measuring_parser(
    program: str, description: str, seconds: float | None, runs: int = 5, **options: Any
) -> argparse.ArgumentParser:
    """The options that all programs share: ``--seconds`` (none where `seconds` is None), ``--runs`` and ``--json``.

    program: the module's name; options: further ones of `argparse.ArgumentParser`.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{program}", description=description, **options)
    if seconds is not None:
        text = f"for each line and run (default {seconds:g})"
        parser.add_argument("--seconds", type=float, default=seconds, help=text)
    text = f"alternating runs, of which the median counts (default {runs})"
    parser.add_argument("--runs", type=int, default=runs, help=text)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    return parser


def checked(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments of a `measuring_parser`; ends the program with 2 for those it cannot use."""
    arguments = parser.parse_args(argv)
    if not getattr(arguments, "seconds", 1.0) > 0:
        parser.error("--seconds must be positive")
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")
    if arguments.json and not arguments.json.parent.is_dir():
        parser.error(f"--json: {arguments.json.parent} is no folder")
    return arguments


def machine() -> dict[str, Any]:
    """The processor, its cores, the load at this moment, and the versions of everything measured."""
    names = [line for line in _cpuinfo() if line.startswith("model name")]
    processor = names[0].split(":", 1)[1].strip() if names else platform.processor() or platform.machine()
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "porta_nigra_env": porta_nigra_env.__version__,
        **{name: version(name) for name in _PACKAGES},
    }


def machine_lines() -> str:
    """`machine` for people."""
    facts = machine()
    packages = ", ".join(f"{name} {facts[name]}" for name in ("porta_nigra_env", *_PACKAGES))
    return (
        f"{facts['processor']}, {facts['cores']} cores, load {facts['load']} at the end; {facts['system']}\n"
        f"Python {facts['python']}, {packages}"
    )


def write_json(path: Path, figures: Mapping[str, Any]) -> None:
    """Write the figures and `machine`; a file that is there is replaced whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps({"machine": machine(), **figures}, indent=1) + "\n", encoding="utf-8")
    os.replace(partial, path)


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
