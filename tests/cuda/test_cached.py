"""Kernels are compiled once: the next process loads their machine code from the cache, without a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def compiled(cache: Path) -> list[dict[str, str]]:
    process = subprocess.run(
        [sys.executable, "-m", "tests.cuda.compiled"],
        capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PORTA_NIGRA_CACHE_DIR": str(cache)}, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    origins: list[dict[str, str]] = json.loads(process.stdout)
    return origins


def test_the_next_process_compiles_nothing(tmp_path: Path) -> None:
    (first, unnamed), (again, unnamed_again) = compiled(tmp_path), compiled(tmp_path)
    assert len(first) > 10
    assert set(first.values()) == {"compiler"}
    assert again == dict.fromkeys(first, "cache")
    # A policy with sources outside the digest may change without its cache noticing.
    with_policy = [name for name in unnamed if name.startswith(("begin_", "step_", "play_"))]
    assert len(with_policy) == 3
    assert unnamed == unnamed_again | {name: unnamed[name] for name in set(unnamed) - set(with_policy)}
    assert {unnamed_again[name] for name in with_policy} == {"not kept"}
    assert {unnamed_again[name] for name in set(unnamed) - set(with_policy)} == {"cache"}
