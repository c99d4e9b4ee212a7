"""The compiler of the rules; a digest of all their sources is the key of its cache."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

_PACKAGE = Path(__file__).parent.parent

#: All sources of the game's compiled code.
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
