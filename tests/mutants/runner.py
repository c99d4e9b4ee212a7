"""Mistakes put into copies of the tree, and the first test that fails for each of them.

A game lists its mistakes in ``tests/games/<game>/mutants/catalogue.py``; code of all games has a group.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
#: Groups of general code: the module of the catalogue, and its suites.
GROUPS: Final = {
    "narration": (
        "tests.narration.mutants",
        (
            ["tests/narration/test_events.py"],
            ["tests/envs/test_history.py", "-k", "batch_records or all_environments or two_worlds"],
        ),
    )
}
#: Minimal seconds for one test; the limit finds mutants that make games endless.
PATIENCE: Final = 90.0
#: A whole suite may take this multiple of the time for one test.
TESTS: Final = 10


#: A removed or an added part of a word diff.
_DIFF: Final = re.compile(r"\[-(.*?)-\]|\{\+(.*?)\+\}", re.DOTALL)


class Mutant(NamedTuple):
    """A mistake that a programmer could make: in `file`, `old` becomes `new`.

    The file is one of the game's rules, or with a folder in its name one of the package (``core/arrays/rng.py``).  The
    old text must occur exactly once in it, so a test notices a change of the rules that moves a mutant.
    """

    file: str
    old: str
    new: str
    mistake: str


def in_file(file: str, *mistakes: tuple[str, str]) -> list[Mutant]:
    """Return the mutants of a file from (change, mistake); a change is a word diff: ``if size [->-]{+>=+} 2:``."""
    return [Mutant(file, _DIFF.sub(r"\1", change), _DIFF.sub(r"\2", change), mistake) for change, mistake in mistakes]


def catalogue_of(game: str) -> list[Mutant]:
    """Return the mutants of a game or group."""
    module = GROUPS[game][0] if game in GROUPS else f"tests.games.{game}.mutants.catalogue"
    catalogue: list[Mutant] = import_module(module).CATALOGUE
    return catalogue


def suites_of(game: str, root: Path = ROOT) -> list[list[str]]:
    """Return the suites that have to find the mistakes, as arguments of pytest, the fastest first."""
    if game in GROUPS:
        return list(GROUPS[game][1])
    folder = f"tests/games/{game}"
    suites = [
        [f"{folder}/rules"],
        ["tests/golden", "-k", game],
        ["tests/perft", "-k", game],
        ["tests/conformance", "-k", game],
        ["tests/games/test_positions.py", "-k", game],
        [f"{folder}/properties"],
        ["tests/games/test_redraw.py", "-k", game],
        ["tests/games/test_lockstep.py", "-k", game],
    ]
    return [suite for suite in suites if (root / suite[0]).exists()]


def source_of(mutant: Mutant, game: str, root: Path = ROOT) -> Path:
    """Return the file of a mutant in a tree."""
    package = root / "porta_nigra_env"
    return (package if "/" in mutant.file else package / "games" / game / "rules") / mutant.file


def unplaced(game: str) -> list[Mutant]:
    """Return the mutants whose old text does not occur exactly once in its file."""
    return [
        mutant
        for mutant in catalogue_of(game)
        if source_of(mutant, game).read_text(encoding="utf-8").count(mutant.old) != 1
    ]


def copy_tree(source: Path, target: Path) -> None:
    """Copy the files of the suites, bytecode included: it stays valid with the time stamps."""
    for name in ("porta_nigra_env", "agents", "tests"):
        shutil.copytree(source / name, target / name, ignore=shutil.ignore_patterns("models"))
    shutil.copy(source / "pyproject.toml", target)


def first_failure(game: str, mutant: Mutant, source: Path, patience: float = PATIENCE) -> str:
    """The first test that fails with this mutant in a copy of the tree `source`; "" when it survives all suites.

    patience: seconds for one test.
    """
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        tree = Path(folder)
        copy_tree(source, tree)
        broken = source_of(mutant, game, tree)
        text = broken.read_text(encoding="utf-8")
        broken.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        return failure_in(tree, game, patience)


def failure_in(tree: Path, game: str, patience: float) -> str:
    """The first test that fails in a tree, or takes longer than `patience` seconds; "" when all suites pass."""
    return next(filter(None, (failure_of(tree, suite, patience) for suite in suites_of(game))), "")


def failure_of(tree: Path, suite: Sequence[str], patience: float) -> str:
    """Return the first test of a suite that fails in a tree; "" if all pass.

    The tests run interpreted, so that no mutant has to be compiled.
    """
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""}
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not long", f"--timeout={patience:.0f}"]
    command = [sys.executable, "-m", "pytest", *options, *suite]
    try:
        run = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=TESTS * patience, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{suite[0]} (no end)"
    if run.returncode == 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    return failed[1] if failed else f"{suite[0]} (exit {run.returncode}): {(run.stdout + run.stderr)[-600:]}"
