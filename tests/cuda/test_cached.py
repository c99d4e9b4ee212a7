"""Kernels are compiled once: the next process finds their machine code in the cache, without a GPU being needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def compiled(cache: Path) -> list[dict[str, str]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.cuda.compiled"],
        capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PORTA_NIGRA_CACHE_DIR": str(cache)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[dict[str, str]] = json.loads(done.stdout)
    return found


def test_the_next_process_compiles_nothing(tmp_path: Path) -> None:
    (first, strange), (again, strange_again) = compiled(tmp_path), compiled(tmp_path)
    assert len(first) > 10
    assert set(first.values()) == {"compiler"}
    assert again == dict.fromkeys(first, "cache")
    # A policy whose sources nobody names may change without its cache noticing.
    with_it = [name for name in strange if name.startswith(("begin_", "step_", "play_"))]
    assert len(with_it) == 3
    assert strange == strange_again | {name: strange[name] for name in set(strange) - set(with_it)}
    assert {strange_again[name] for name in with_it} == {"not kept"}
    assert {strange_again[name] for name in set(strange) - set(with_it)} == {"cache"}
