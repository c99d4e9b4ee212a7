"""Break the kernel on purpose and see which test notices: ``python -m tests.games.porta_nigra.mutants``."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.games.porta_nigra.mutants.catalogue import CATALOGUE, Mutant

ROOT = Path(__file__).parents[4]
#: What has to find the mistakes, the quickest first.  Interpreted: nothing has to be compiled anew for a mutant.
SUITES = (
    "tests/games/porta_nigra/rules",
    "tests/games/porta_nigra/golden",
    "tests/games/porta_nigra/perft",
    "tests/games/porta_nigra/properties",
    "tests/games/porta_nigra/oracle/test_lockstep.py",
)
#: Seconds for one suite; a mutant that makes games endless is found by it.
PATIENCE = 900


def source_of(mutant: Mutant, tree: Path) -> Path:
    """The file of a mutant in a copy of the tree."""
    package = tree / "porta_nigra_env"
    return (package if "/" in mutant.file else package / "games" / "porta_nigra" / "kernel") / mutant.file


def first_failure(mutant: Mutant | None) -> str:
    """The first test that fails with this mutant in a copy of the tree; "" when it survives all suites."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        tree = Path(folder)
        for name in ("porta_nigra_env", "tests"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", tree)
        if mutant is not None:
            source = source_of(mutant, tree)
            text = source.read_text(encoding="utf-8")
            source.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
        for suite in SUITES:
            command = [
                sys.executable,
                "-m",
                "pytest",
                "-x",
                "-q",
                "-p",
                "no:cacheprovider",
                "-m",
                "not long",
                "--timeout=90",
                suite,
            ]
            try:
                run = subprocess.run(
                    command, cwd=tree, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
                )
            except subprocess.TimeoutExpired:
                return f"{suite} (no end)"
            if run.returncode != 0:
                failed = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
                return failed[1] if failed else f"{suite} (exit {run.returncode}): {(run.stdout + run.stderr)[-600:]}"
    return ""


def unplaced() -> list[Mutant]:
    """Mutants whose old text does not stand exactly once in its file."""
    return [mutant for mutant in CATALOGUE if source_of(mutant, ROOT).read_text("utf-8").count(mutant.old) != 1]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 when too many mutants survive."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.games.porta_nigra.mutants", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (default 2)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only mutants whose file or mistake contains TEXT")
    parser.add_argument("--score", type=float, default=0.95, help="share that has to be found (default 0.95)")
    parser.add_argument("--report", type=Path, help="write the results to this JSON file")
    arguments = parser.parse_args(argv)
    if unplaced():
        print("these mutants no longer fit the kernel:", *(mutant.mistake for mutant in unplaced()), sep="\n  ")
        return 1
    chosen = [mutant for mutant in CATALOGUE if arguments.only in f"{mutant.file} {mutant.mistake}"]
    failure = first_failure(None)
    if failure:
        print(f"the tests fail without any mutant: {failure}")
        return 1
    begun = time.perf_counter()
    killers = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for mutant, killer in zip(chosen, pool.map(first_failure, chosen), strict=True):
            killers.append(killer)
            progress = f"[{len(killers)}/{len(chosen)}, {time.perf_counter() - begun:.0f} s]"
            print(f"{progress} {mutant.file}: {mutant.mistake}: {killer or 'SURVIVES'}", flush=True)
    found = sum(bool(killer) for killer in killers)
    seconds = time.perf_counter() - begun
    print(f"\n{found} of {len(chosen)} mutants found ({found / len(chosen):.1%}) in {seconds:.0f} s")
    if arguments.report:
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        rows = [{**mutant._asdict(), "found_by": killer} for mutant, killer in zip(chosen, killers, strict=True)]
        arguments.report.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if found >= arguments.score * len(chosen) else 1


if __name__ == "__main__":
    raise SystemExit(main())
