"""Compare the speed of this working tree with another commit.

The same program (`benchmarks.probe`) measures both in separate processes that take turns, with the same interpreter and
packages and warm caches.  A slow machine slows both down: only ratios count, of medians over the rounds.  The commit is
checked out into a temporary folder, and the package of the working tree is copied there.

Exit status: 0 if no line is slower than the limit; 1 if one is, or this tree fails; 2 if nothing was compared.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import tyro

from benchmarks.options import OfGame, Repeated, Timed, read
from porta_nigra_env.games import game_entry

ROOT = Path(__file__).parents[1]
PROBE = Path(__file__).with_name("probe.py")
PACKAGE = "porta_nigra_env"
#: The probe's modes, with the number of processes in a round of one tree.
MODES = {"lines": 1, "import": 3, "first_step": 1}
#: Errors of an older commit without a feature.
MISSING = ("AttributeError", "ImportError", "ModuleNotFoundError")
#: Timeout of a measuring process in seconds; a cold start compiles for about 20.
PATIENCE = 600


@dataclass(frozen=True, kw_only=True)
class Arguments(OfGame, Timed, Repeated):
    """Options of the program."""

    commit: tyro.conf.Positional[str]
    """The commit to compare with, in any notation of git."""
    seconds: float = 0.1
    """For each line, round and tree."""
    limit: float = 1.5
    """Maximum ratio of times that passes."""

    def check(self) -> None:
        super().check()
        if not (math.isfinite(self.limit) and self.limit > 0):
            raise ValueError(f"--limit must be a positive number, not {self.limit:g}")


class NothingCompared(Exception):
    """There is no result; the message says why."""


@dataclass
class Tree:
    """One side: its folder, its figures (microseconds for each round, by line), and its errors by line."""

    name: str
    folder: Path
    cache: Path
    figures: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, tuple[str, str]] = field(default_factory=dict)
    games: str = ""

    def add(self, printed: Mapping[str, Any]) -> None:
        """Add the output of the probe."""
        self.games = printed.get("games", self.games)
        for name, line in printed["lines"].items():
            if "us" in line:
                self.figures.setdefault(name, []).append(line["us"])
            else:
                self.errors[name] = line["error"], line["text"]


@dataclass(frozen=True)
class Line:
    """One line of the table; microseconds are None for a tree with an error, which is in `note`."""

    name: str
    this_tree_us: float | None
    commit_us: float | None
    ratio: float | None
    verdict: str
    note: str = ""


def judge(here: Tree, there: Tree, limit: float) -> list[Line]:
    """Return the lines of both trees with their verdicts; `limit` is the maximum ratio that passes."""
    lines = []
    for name in dict.fromkeys([*here.figures, *here.errors, *there.figures, *there.errors]):
        # A line with an error in any round has no figure.
        ours, theirs = (
            None if name in tree.errors else statistics.median(tree.figures[name]) for tree in (here, there)
        )
        ratio = ours / theirs if ours and theirs else None
        verdict, note = "SLOWER" if ratio and ratio > limit else "ok", ""
        if ours is None:
            verdict, note = "BROKEN", "{}: {}".format(*here.errors[name])
        elif theirs is None:
            verdict = "new" if there.errors[name][0] in MISSING else "not comparable"
            note = "{}: {}".format(*there.errors[name])
        lines.append(Line(name, ours, theirs, ratio, verdict, note))
    return lines


# -- the two trees


def git(*arguments: str) -> str:
    """Return the output of git in ROOT; NothingCompared with its message if it fails."""
    # Inside a hook the environment names another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "core.hooksPath=/dev/null", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        message = done.stderr.strip() or f"exit status {done.returncode}"
        raise NothingCompared(f"git {' '.join(arguments)}: {message}")
    return done.stdout.strip()


def resolve(commit: str) -> str:
    """Return the full name of a commit of this checkout."""
    if shutil.which("git") is None:
        raise NothingCompared("git is not installed; another commit can only be measured with it")
    try:
        top = git("rev-parse", "--show-toplevel")
    except NothingCompared as error:
        raise NothingCompared(
            f"{ROOT} is not a git checkout, so there is no other commit to compare ({error})"
        ) from None
    if not os.path.samefile(top, ROOT):
        raise NothingCompared(f"{ROOT} is not the root of a git checkout, it is inside {top}")
    try:
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    except NothingCompared:
        raise NothingCompared(f"{commit!r} names no commit of {ROOT}; 'git log --oneline' lists them") from None


def state_of_tree() -> str:
    """Describe the working tree: its commit and the number of changes in the package."""
    changed = len(git("status", "--porcelain", "--", PACKAGE).splitlines())
    commit = git("rev-parse", "--short", "HEAD")
    if not changed:
        return f"{commit}, nothing changed in {PACKAGE}"
    return f"{commit} with {changed} uncommitted {'change' if changed == 1 else 'changes'} in {PACKAGE}, as it stands"


@contextmanager
def trees(commit: str) -> Iterator[tuple[Tree, Tree]]:
    """Yield the working tree's package and the commit in a temporary folder, which is always removed."""
    with tempfile.TemporaryDirectory(prefix=f"{PACKAGE}_compare_") as name:
        folder = Path(name)
        here = Tree("this tree", folder / "here", folder / "cache_here")
        there = Tree("the commit", folder / "there", folder / "cache_there")
        shutil.copytree(ROOT / PACKAGE, here.folder / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
        try:
            git("worktree", "add", "--quiet", "--detach", str(there.folder), commit)
            yield here, there
        finally:
            if there.folder.exists():
                _remove(there.folder)


def _remove(worktree: Path) -> None:
    """Remove a worktree; if git fails, its folder is removed with the temporary one."""
    try:
        # Twice: an interrupted `worktree add` leaves a lock.
        git("worktree", "remove", "--force", "--force", str(worktree))
    except NothingCompared as error:
        progress(f"{error}; 'git worktree prune' makes git forget it")


# -- measuring


def probe(tree: Tree, *arguments: str) -> dict[str, Any]:
    """Run `benchmarks.probe` in `tree` and return its output; NothingCompared if there is none."""
    tree.cache.mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(tree.folder), "PORTA_NIGRA_CACHE_DIR": str(tree.cache)}
    # -P keeps the folder of the probe off the path.
    command = [sys.executable, "-P", str(PROBE), *arguments]
    try:
        done = subprocess.run(
            command, cwd=tree.folder, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
        found: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise NothingCompared(f"{tree.name}: no answer to {' '.join(arguments)!r} within {PATIENCE} s") from None
    except json.JSONDecodeError:
        raise NothingCompared(f"{tree.name}: the measuring program failed:\n{done.stderr.strip()}") from None
    if found["from"] is not None and Path(found["from"]).resolve() != (tree.folder / PACKAGE).resolve():
        raise NothingCompared(f"{tree.name}: Python took {PACKAGE} from {found['from']}, not from {tree.folder}")
    return found


def measure(here: Tree, there: Tree, options: Arguments) -> None:
    """Fill in the figures of both trees, in rounds in which they take turns and alternate in going first."""
    seats = game_entry(options.game).seats
    arguments = [options.game, *map(str, dict.fromkeys((seats[0], seats[-1])))]
    runs = options.runs
    for tree in (here, there):
        progress(f"{tree.name}: compiling, about 20 s")
        probe(tree, "first_step", "0", *arguments)
        probe(tree, "lines", "0", *arguments)  # compiles the rest
    start = time.perf_counter()
    for run in range(runs):
        progress(f"round {run + 1} of {runs}, {time.perf_counter() - start:.0f} s")
        for mode, processes in MODES.items():
            for process in range(processes):
                for tree in (here, there) if (run + process) % 2 == 0 else (there, here):
                    tree.add(probe(tree, mode, str(options.seconds), *arguments))


def progress(text: str) -> None:
    """Print a line to stderr."""
    print(text, file=sys.stderr, flush=True)


# -- the command line


def table(lines: Sequence[Line]) -> str:
    """Return the table, and below it the reasons for missing ratios."""
    rows = [f"{'':<54}{'this tree us':>14}{'commit us':>14}{'ratio':>10}  verdict"]
    notes: dict[str, list[str]] = {}
    for line in lines:
        values = ((line.this_tree_us, 3), (line.commit_us, 3), (line.ratio, 2))
        cells = ["-" if value is None else f"{value:,.{digits}f}" for value, digits in values]
        rows.append(f"{line.name:<54}{cells[0]:>14}{cells[1]:>14}{cells[2]:>10}  {line.verdict}")
        if line.note:
            notes.setdefault(f"{line.verdict}: {line.note}", []).append(line.name)
    return "\n".join([*rows, *(f"{', '.join(names)}: {note}" for note, names in notes.items())])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the module's docstring has the exit status."""
    options = read(Arguments, argv)
    try:
        commit = resolve(options.commit)
        working_tree = state_of_tree()
        with trees(commit) as (here, there):
            measure(here, there, options)
    except NothingCompared as error:
        options.refuse(error)
    except KeyboardInterrupt:
        progress("stopped")
        return 130

    lines = judge(here, there, options.limit)
    print(f"this tree: {working_tree}\ncommit:    {commit[:12]} ({options.commit})")
    print(f"medians of {options.runs} alternating rounds of {options.seconds:g} s a line, microseconds each\n")
    print(table(lines))
    if here.games and there.games and here.games != there.games:
        print("\nThe same seeds lead to other games in the two trees: the ratios compare other positions, too.")
    rounds = {
        line.name: {"this_tree_us": here.figures.get(line.name, []), "commit_us": there.figures.get(line.name, [])}
        for line in lines
    }
    options.finish(this_tree=working_tree, commit_id=commit, lines=[asdict(line) for line in lines], rounds=rounds)
    failing = [line.name for line in lines if line.verdict in ("SLOWER", "BROKEN")]
    if failing:
        print(f"\nslower than {options.limit:.0%} of the commit's time, or broken: {'; '.join(failing)}")
        return 1
    if all(line.ratio is None for line in lines):
        options.refuse(f"{options.commit} can do nothing of this, so nothing was compared")
    print(f"\nno line is slower than {options.limit:.0%} of the commit's time")
    return 0
