"""Break the kernel on purpose and see which test notices: ``python -m tests.mutants --game NAME``."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import tyro

from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import DEFAULT_GAME, game_entry
from tests.mutants.runner import (
    GROUPS,
    PATIENCE,
    ROOT,
    Mutant,
    catalogue_of,
    copy_tree,
    failure_in,
    first_failure,
    unplaced,
)

#: Seconds for a test without a mutant.
LONGEST: Final = 600.0


@dataclass(frozen=True)
class Arguments:
    """Break the kernel of a game on purpose and see which test notices."""

    game: str = DEFAULT_GAME
    """The game, or a group of general code: "narration"."""
    jobs: int = 2
    """Mutants at a time."""
    only: str = ""
    """Only mutants whose file or mistake contains this text."""
    score: float = 0.95
    """Share that has to be found."""
    report: Path | None = None
    """JSON file for the results, written after every mutant."""
    resume: bool = False
    """Try only mutants that are not in the report yet, after a run that was broken off on the same sources."""


@dataclass(frozen=True)
class Result:
    """Return the test that found a mutant; "" if it survives."""

    mutant: Mutant
    found_by: str

    def row(self) -> dict[str, str]:
        return {**self.mutant._asdict(), "found_by": self.found_by}


def try_mutants(arguments: Arguments, chosen: Sequence[Mutant]) -> Iterator[Result]:
    """Each mutant tried in a copy of the tree; a line is printed for each.  SystemExit where tests fail without any."""
    if not chosen:
        return
    start_time = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        tree = Path(folder)
        copy_tree(ROOT, tree)
        failure = failure_in(tree, arguments.game, LONGEST)  # its bytecode serves all copies
        if failure:
            raise SystemExit(f"the tests fail without any mutant: {failure}")
        # A test that takes longer than all of them without a mutant does not end, on a busy machine too.
        patience = max(PATIENCE, time.perf_counter() - start_time)
        killers = pool.map(partial(first_failure, arguments.game, source=tree, patience=patience), chosen)
        for number, (mutant, killer) in enumerate(zip(chosen, killers, strict=True), start=1):
            progress = f"[{number}/{len(chosen)}, {time.perf_counter() - start_time:.0f} s]"
            print(f"{progress} {mutant.file}: {mutant.mistake}: {killer or 'SURVIVES'}", flush=True)
            yield Result(mutant, killer)


def reported(path: Path) -> list[Result]:
    """The results of a report."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [Result(Mutant(*(row[name] for name in Mutant._fields)), row["found_by"]) for row in rows]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 when too many mutants survive."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m tests.mutants")
    if arguments.game not in GROUPS:
        game_entry(arguments.game)
    astray = unplaced(arguments.game)
    if astray:
        print("these mutants no longer fit their files:", *(mutant.mistake for mutant in astray), sep="\n  ")
        return 1
    chosen = [mutant for mutant in catalogue_of(arguments.game) if arguments.only in f"{mutant.file} {mutant.mistake}"]
    if not chosen:
        print(f"no mutant's file or mistake contains {arguments.only!r}")
        return 1
    results = []
    if arguments.resume and arguments.report and arguments.report.exists():
        results = [result for result in reported(arguments.report) if result.mutant in chosen]
    left = [mutant for mutant in chosen if mutant not in {result.mutant for result in results}]
    start_time = time.perf_counter()
    for result in try_mutants(arguments, left):
        results.append(result)
        if arguments.report:
            arguments.report.parent.mkdir(parents=True, exist_ok=True)
            write_whole(arguments.report, json.dumps([result.row() for result in results], indent=1) + "\n")
    num_found = sum(bool(result.found_by) for result in results)
    seconds = time.perf_counter() - start_time
    print(f"\n{num_found} of {len(chosen)} mutants found ({num_found / len(chosen):.1%}) in {seconds:.0f} s")
    return 0 if num_found >= arguments.score * len(chosen) else 1


if __name__ == "__main__":
    raise SystemExit(main())
