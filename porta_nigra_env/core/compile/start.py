"""A quicker start of numba.

When numba loads its first function it imports `scipy.linalg`, if scipy is installed, only to learn whether it could
call BLAS: a fifth of the time to a first step. A search for the package answers the same question; compiled code with
linear algebra imports it later. Only this module depends on these internals of numba.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from typing import Any

import numba.core.config


def check_for_scipy() -> None:
    """Raise ImportError if scipy is not installed."""
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("scipy is not installed")


def load_quickly() -> None:
    """Import numba's functions on arrays without `scipy.linalg`; no effect if they are imported or disabled.

    Nor has it an effect on a numba without this check.
    """
    config: Any = numba.core.config
    if config.DISABLE_JIT or "numba.np.arraymath" in sys.modules:
        return
    linalg: Any = import_module("numba.np.linalg")
    check = getattr(linalg, "ensure_blas", None)
    if check is None:
        return
    linalg.ensure_blas = check_for_scipy
    try:
        arrays: Any = import_module("numba.np.arraymath")
        arrays.ensure_blas = check
    finally:
        linalg.ensure_blas = check
