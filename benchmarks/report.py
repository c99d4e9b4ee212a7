"""The machine and the versions of a benchmark, and its file of figures."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import porta_nigra_env
from porta_nigra_env.core.files import write_whole

_PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo")


def machine() -> dict[str, Any]:
    """Return the CPU, its cores, the current load, and the versions of the measured packages."""
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
    """Return `machine` as text."""
    facts = machine()
    packages = ", ".join(f"{name} {facts[name]}" for name in ("porta_nigra_env", *_PACKAGES))
    return (
        f"{facts['processor']}, {facts['cores']} cores, load {facts['load']} at the end; {facts['system']}\n"
        f"Python {facts['python']}, {packages}"
    )


def write_json(path: Path, figures: Mapping[str, Any]) -> None:
    """Write the figures and `machine`; an existing file is replaced atomically."""
    write_whole(path, json.dumps({"machine": machine(), **figures}, indent=1) + "\n")


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
