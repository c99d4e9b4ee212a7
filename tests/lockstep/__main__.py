"""Engine and referee play the same games side by side: ``python -m tests.lockstep --game NAME --games 20000``."""

from __future__ import annotations

import json
import multiprocessing
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import tyro

from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game
from tests.lockstep.trial import Done, Task, carry_out, trial_class

#: Games of a task.
CHUNK: Final = 50
#: Number of games between printed lines.
PRINT_EVERY: Final = 1_500


@dataclass(frozen=True)
class Arguments:
    """Play the same games with the engine and the referee of a game."""

    game: str = DEFAULT_GAME
    """The game."""
    games: int = 20_000
    """Games for each number of players."""
    jobs: int = 2
    """Processes."""
    components: str = "standard"
    """Component file."""
    report: Path | None = None
    """JSON file for the figures, written again and again while games are played."""
    resume: bool = False
    """Play only the games that are not in the report yet, after a run that was broken off on the same sources."""


@dataclass
class Tally:
    """Games played and events counted."""

    done: list[Task] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)
    decisions: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, done: Done) -> None:
        """Count a task; a difference is printed at once."""
        self.done.append(done.task)
        self.events += done.events
        self.decisions += done.decisions
        if done.failure:
            self.failures.append(done.failure)
            print(done.failure, flush=True)

    @property
    def games(self) -> Counter[int]:
        """By the number of players."""
        played_games: Counter[int] = Counter()
        for task in self.done:
            played_games[task.players] += task.games
        return played_games

    @classmethod
    def read(cls, file: Path, components: str) -> Tally:
        """A report's; SystemExit where it is of other components."""
        figures = json.loads(file.read_text(encoding="utf-8"))
        if figures["components"] != components:
            raise SystemExit(f"--resume: {file} is of other components")
        done = [Task(*task) for task in figures["tasks"]]
        return cls(done, Counter(figures["events"]), figures["decisions"], figures["differences"], figures["seconds"])

    def report(self, arguments: Arguments, rulings: Iterable[str], components: str) -> dict[str, Any]:
        """The figures, for a file."""
        return {
            "game": arguments.game,
            "games": self.games,
            "decisions": self.decisions,
            "seconds": round(self.seconds),
            "jobs": arguments.jobs,
            "differences": self.failures,
            "events": {event: self.events[event] for event in rulings},
            "components": components,
            "python": platform.python_version(),
            "tasks": self.done,
        }


def tasks(arguments: Arguments) -> Iterator[Task]:
    """Work for the processes: all numbers of players, some games at a time."""
    for first in range(0, arguments.games, CHUNK):
        for players in game_entry(arguments.game).seats:
            count = min(CHUNK, arguments.games - first)
            yield Task(arguments.game, arguments.components, players, first, count)


def play(arguments: Arguments, tally: Tally, keep: Callable[[], None]) -> None:
    """Play the games missing in the tally; `keep` is called at intervals."""
    over = set(tally.done)
    left = [task for task in tasks(arguments) if task not in over]
    start, before = time.perf_counter(), tally.seconds
    count, played = sum(task.games for task in left), 0
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        for done in pool.imap_unordered(carry_out, left):
            tally.add(done)
            played += done.task.games
            spent = time.perf_counter() - start
            tally.seconds = before + spent
            if played % PRINT_EVERY < CHUNK:
                minutes = (count - played) * spent / played / 60
                pace = f"{tally.decisions / tally.seconds:.0f}/s, {minutes:.0f} min left"
                print(f"{tally.games.total()} games, {tally.decisions} decisions, {pace}", flush=True)
                keep()


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 when a difference was found or an event never met."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m tests.lockstep")
    if arguments.games < 1 or arguments.jobs < 1:
        raise SystemExit("--games and --jobs must be at least 1")
    digest = make_game(arguments.game, components=arguments.components).digest
    rulings = trial_class(arguments.game)(arguments.components).events
    report, tally = arguments.report, Tally()
    if arguments.resume and report is not None and report.exists():
        tally = Tally.read(report, digest)
        if other := set(tally.done) - set(tasks(arguments)):
            most = max(task.first + task.games for task in other)
            raise SystemExit(f"--games: {report} has {most} games for a number of players; resume with {most}")

    def keep() -> None:
        if report is not None:
            report.parent.mkdir(parents=True, exist_ok=True)
            write_whole(report, json.dumps(tally.report(arguments, rulings, digest), indent=1) + "\n")

    play(arguments, tally, keep)
    keep()
    missed = [event for event in rulings if not tally.events[event]]
    games = f"{tally.games.total()} games, {tally.decisions} decisions in {tally.seconds:.0f} s"
    print(f"\n{games}, {len(tally.failures)} differences")
    for event, ruling in rulings.items():
        print(f"  {event:<40} {ruling:<4} {tally.events[event]:>9}")
    if missed:
        print(f"never met: {', '.join(missed)}")
    return 1 if tally.failures or missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
