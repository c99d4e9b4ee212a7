"""Engine and referee play the same games side by side: ``python -m tests.lockstep --game NAME --games 20000``."""

from __future__ import annotations

import json
import multiprocessing
import platform
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import tyro

from porta_nigra_env.games import DEFAULT_GAME, make_game, room_of
from tests.lockstep.trial import Done, Task, carry_out, trial_class

#: Games of a task.
CHUNK: Final = 50
#: A line is printed after so many games.
TOLD_EVERY: Final = 1_500


@dataclass(frozen=True)
class Arguments:
    """Play the same games with the engine and the referee of a game."""

    game: str = DEFAULT_GAME
    """Whose engine and referee."""
    games: int = 20_000
    """Games for each number of players."""
    jobs: int = 2
    """Processes."""
    components: str = "standard"
    """Component file."""
    report: Path | None = None
    """JSON file for the figures."""


@dataclass
class Tally:
    """What has been played so far."""

    games: Counter[int] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    decisions: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, done: Done) -> None:
        """Count a task; a difference is printed at once."""
        self.games[done.task.players] += done.task.games
        self.events += done.events
        self.decisions += done.decisions
        if done.failure:
            self.failures.append(done.failure)
            print(done.failure, flush=True)


def tasks(arguments: Arguments) -> Iterator[Task]:
    """Work for the processes: all numbers of players, some games at a time."""
    for first in range(0, arguments.games, CHUNK):
        for players in room_of(arguments.game).seats:
            count = min(CHUNK, arguments.games - first)
            yield Task(arguments.game, arguments.components, players, first, count)


def played(arguments: Arguments) -> tuple[Tally, float]:
    """Play all games; returns what came of it, and the seconds it took."""
    begun, tally = time.perf_counter(), Tally()
    total = arguments.games * len(room_of(arguments.game).seats)
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        for done in pool.imap_unordered(carry_out, tasks(arguments)):
            tally.add(done)
            games, spent = tally.games.total(), time.perf_counter() - begun
            if games % TOLD_EVERY < CHUNK:
                left = (total - games) * spent / games / 60
                pace = f"{tally.decisions / spent:.0f}/s, {left:.0f} min left"
                print(f"{games} games, {tally.decisions} decisions, {pace}", flush=True)
    return tally, time.perf_counter() - begun


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 when a difference was found or an event never met."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m tests.lockstep")
    if arguments.games < 1 or arguments.jobs < 1:
        raise SystemExit("--games and --jobs must be at least 1")
    digest = make_game(arguments.game, components=arguments.components).digest
    rulings = trial_class(arguments.game)(arguments.components).events
    tally, seconds = played(arguments)
    missed = [event for event in rulings if not tally.events[event]]
    games = f"{tally.games.total()} games, {tally.decisions} decisions in {seconds:.0f} s"
    print(f"\n{games}, {len(tally.failures)} differences")
    for event, ruling in rulings.items():
        print(f"  {event:<40} {ruling:<4} {tally.events[event]:>9}")
    if missed:
        print(f"never met: {', '.join(missed)}")
    if arguments.report:
        report = {
            "game": arguments.game,
            "games": tally.games,
            "decisions": tally.decisions,
            "seconds": round(seconds),
            "jobs": arguments.jobs,
            "differences": tally.failures,
            "events": {event: tally.events[event] for event in rulings},
            "components": digest,
            "python": platform.python_version(),
        }
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        arguments.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if tally.failures or missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
