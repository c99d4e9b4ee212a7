"""Seats for programs: many games at once in one process, without a model.

A scripted program answers at once for one seat of every game, in turn.  An agent plays the other seats inside the
answer.  A step is an answer with the moves that follow from it; a prompt is the text of a decision.  Memory is the
growth of the resident set by the games after some steps.
"""

from __future__ import annotations

import gc
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents.seats.local import LIVE, LocalTable
from benchmarks.options import Seated, at_least, read


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated):
    """Measure many seats at once."""

    agent: str = "builder"
    """Agent on all seats but one."""
    games: int = 1000
    """Games at once."""
    steps: int = 20
    """Answers in each game."""
    prompts: int = 1
    """Last answers in each game before which the prompt is read too."""

    def check(self) -> None:
        super().check()
        at_least("games", self.games, 1)
        at_least("steps", self.steps, 1)
        at_least("prompts", self.prompts, 0)


def resident() -> int:
    """Return the bytes of this process in memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def measure(arguments: Arguments) -> dict[str, float]:
    """Return times in milliseconds and memory in bytes."""
    game, rng = arguments.made(), random.Random(1)
    seats = [LIVE, *[arguments.agent] * (game.num_players - 1)]
    warm = LocalTable(game, seats, 0)
    warm.prompt(0)
    warm.act(0, int(warm.view(0).legal_ids()[0]))
    before = resident()
    tables = [LocalTable(game, seats, seed) for seed in range(arguments.games)]
    steps: list[float] = []
    prompts: list[float] = []
    for number in range(arguments.steps):
        for table in tables:
            if table.is_over:
                continue
            action = rng.choice(table.view(0).legal_ids().tolist())
            start = time.perf_counter()
            if number >= arguments.steps - arguments.prompts:
                table.prompt(0)
                prompts.append(time.perf_counter() - start)
                start = time.perf_counter()
            table.act(0, action)
            steps.append(time.perf_counter() - start)
    memory = (resident() - before) / arguments.games
    figures = {"bytes a game": memory}
    for name, times in (("step", steps), ("prompt", prompts)):
        for share in (50, 99) if times else ():
            figures[f"{name} {share} % ms"] = float(np.percentile(times, share)) * 1000
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; invalid arguments exit with 2."""
    arguments = read(Arguments, argv)
    try:
        figures = measure(arguments)
    except ValueError as error:
        arguments.refuse(f"--agent: {error}")
    for name, value in figures.items():
        print(f"{name:<14}{value:>12.3f}" if name.endswith("ms") else f"{name:<14}{value:>12.0f}")
    arguments.finish(figures=figures)
    return 0
