"""The quicker start of numba, in new processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("scipy")

STEP = """if True:
    import sys
    import numpy as np
    from porta_nigra_env import porta_nigra_v0
    env = porta_nigra_v0.raw_env(num_players=2)
    env.reset(seed=1)
    env.step(env.legal_actions()[0])
    assert "numba.np.arraymath" in sys.modules
    print("scipy.linalg" in sys.modules)
    import numba
    product = numba.njit(lambda left, right: left @ right)
    print(product(np.full((2, 3), 2.0), np.full(3, 3.0)).tolist(), "scipy.linalg" in sys.modules)
"""

HIDE = """if True:
    import importlib.util
    find = importlib.util.find_spec
    importlib.util.find_spec = lambda name, *rest: None if name == "scipy" else find(name, *rest)
"""
TELL = """if True:
    import porta_nigra_env.porta_nigra_v0
    import numba.np.arraymath
    print(numba.np.arraymath._HAVE_BLAS)
"""


def printed(code: str) -> list[str]:
    """Return the lines that a new process prints, compiled."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


def test_a_step_imports_no_linear_algebra_and_compiled_products_do() -> None:
    assert printed(STEP) == ["False", "[18.0, 18.0] True"]


def test_numba_knows_whether_scipy_is_installed() -> None:
    assert printed(TELL) == ["True"]
    assert printed(HIDE + TELL) == ["False"]
