"""Break the kernel on purpose and see which test notices: ``python -m tests.mutants --game NAME``."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import tyro

from porta_nigra_env.games import DEFAULT_GAME, room_of
from tests.mutants.runner import ROOT, Mutant, catalogue_of, copy_tree, failure_in, first_failure, unplaced


@dataclass(frozen=True)
class Arguments:
    """Break the kernel of a game on purpose and see which test notices."""

    game: str = DEFAULT_GAME
    """Whose catalogue is tried."""
    jobs: int = 2
    """Mutants at a time."""
    only: str = ""
    """Only mutants whose file or mistake contains this text."""
    score: float = 0.95
    """Share that has to be found."""
    report: Path | None = None
    """JSON file for the results."""


def tried(arguments: Arguments, chosen: Sequence[Mutant], tree: Path) -> list[str]:
    """What has found each mutant in a copy of `tree`, "" for those that survive; a line is printed for each."""
    begun = time.perf_counter()
    found = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        killers = pool.map(partial(first_failure, arguments.game, source=tree), chosen)
        for mutant, killer in zip(chosen, killers, strict=True):
            found.append(killer)
            progress = f"[{len(found)}/{len(chosen)}, {time.perf_counter() - begun:.0f} s]"
            print(f"{progress} {mutant.file}: {mutant.mistake}: {killer or 'SURVIVES'}", flush=True)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 when too many mutants survive."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m tests.mutants")
    room_of(arguments.game)
    astray = unplaced(arguments.game)
    if astray:
        print("these mutants no longer fit their files:", *(mutant.mistake for mutant in astray), sep="\n  ")
        return 1
    chosen = [one for one in catalogue_of(arguments.game) if arguments.only in f"{one.file} {one.mistake}"]
    if not chosen:
        print(f"no mutant's file or mistake contains {arguments.only!r}")
        return 1
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder)
        copy_tree(ROOT, tree)
        failure = failure_in(tree, arguments.game)  # its bytecode serves all copies
        if failure:
            print(f"the tests fail without any mutant: {failure}")
            return 1
        killers = tried(arguments, chosen, tree)
    found = sum(bool(killer) for killer in killers)
    seconds = time.perf_counter() - begun
    print(f"\n{found} of {len(chosen)} mutants found ({found / len(chosen):.1%}) in {seconds:.0f} s")
    if arguments.report:
        rows = [
            {"file": one.file, "old": one.old, "new": one.new, "mistake": one.mistake, "found_by": killer}
            for one, killer in zip(chosen, killers, strict=True)
        ]
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        arguments.report.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if found >= arguments.score * len(chosen) else 1


if __name__ == "__main__":
    raise SystemExit(main())
