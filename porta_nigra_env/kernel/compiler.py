"""The kernel's compiler: its cache is keyed by every source that the kernel is made of."""

from __future__ import annotations

from pathlib import Path

from porta_nigra_env.core.jit import compiler

_PACKAGE = Path(__file__).parent.parent

jit = compiler(
    _PACKAGE / "core",
    _PACKAGE / "kernel",
    _PACKAGE / "state.py",
    _PACKAGE / "components" / "names.py",
    _PACKAGE / "components" / "schema.py",
)
