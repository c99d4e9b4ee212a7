"""The compiler of the rules; its cache is keyed by every source that the compiled code depends on."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

_PACKAGE = Path(__file__).parent.parent

SOURCES: Final = (
    *CORE_SOURCES,
    _PACKAGE / "rules",
    _PACKAGE / "state.py",
    _PACKAGE / "actions.py",
    _PACKAGE / "observation.py",
    _PACKAGE / "components" / "names.py",
    _PACKAGE / "components" / "schema.py",
)

jit = compiler(*SOURCES)
