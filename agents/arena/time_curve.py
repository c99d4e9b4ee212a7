"""The strength of a search by time: ``python -m agents.arena.time_curve SEARCH AGENT --seconds 0.1 1 --out FOLDER``.

With each time limit the search has one seat of every table, in turn every seat of every deal, and the agent, often the
network of the search, all the others.  All limits play the same deals.  The folder stores a tournament for each limit
(`agents.tournament`): the same command resumes it, or plays more games.  ``thought.md`` and ``thought.png`` are
written after each limit.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from agents.arena import program
from agents.arena.analysis import with_option
from agents.arena.executors import Jobs
from agents.arena.playing import Arena
from agents.arena.plots import COLOURS, half_widths, png
from agents.arena.program import Program, games_of
from agents.arena.ratings import Estimate
from agents.arena.results import read_times
from agents.arena.sections import section
from agents.arena.tables import markdown, share_text
from agents.arena.tournament import arena_of, run
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import game_entry

PROGRAM = Program("agents.arena.time_curve")

PAGE: Final = "thought.md"
PICTURE: Final = "thought.png"


@dataclass(frozen=True)
class Point:
    """The results of a time limit at one number of players.

    Attributes:
        players: number of players; even play is one over it.
        seconds: limit of a step.
        taken: mean seconds of a step; None if it was not measured.
        games, deals: numbers played.
        share: of wins; margin: of points.
    """

    players: int
    seconds: float
    taken: float | None
    games: int
    deals: int
    share: Estimate
    margin: Estimate


@dataclass(frozen=True, kw_only=True)
class Arguments(program.Tournament):
    """Measure the strength of a search by its time limit: AGENTS are the search, without seconds, and the agent on all
    other seats."""

    seconds: tuple[float, ...] = (0.03, 0.1, 0.3, 1.0)
    """limits of a step"""


def arenas(arguments: Arguments, players: Sequence[int]) -> dict[float, Arena]:
    """Return the arena of each limit; ValueError for invalid arguments."""
    arguments.checked()
    if len(arguments.agents) != 2:
        raise ValueError(f"a search and one agent on the other seats are needed, not {len(arguments.agents)} agents")
    if not arguments.seconds or min(arguments.seconds) <= 0:
        raise ValueError("--seconds must be greater than 0; 0 would be no limit")
    search, other = arguments.agents
    by_limit = {}
    for seconds in sorted(set(arguments.seconds)):
        text = with_option(search, "seconds", f"{seconds:g}")
        if text == other:
            raise ValueError(f"{other!r} would sit on all seats; it is the search itself")
        arena = arena_of((text, other), arguments.seed, arguments.game, arguments.components, text, arguments.record)
        for count in players:
            arena.agents(count)
        by_limit[seconds] = arena
    return by_limit


def measure(arena: Arena, seconds: float, games: Mapping[int, int], folder: Path, jobs: Jobs) -> list[Point]:
    """Play the missing games of a limit, and return its results at each number of players."""
    results = run(arena, list(games), games, folder, jobs, progress=True)
    times, _ = read_times(folder)
    points = []
    for players in results.header.players:
        figures = section(results.games, results.header.agents, players, times=times)
        assert figures is not None
        own = figures.standing(arena.setup.alone)
        taken = None if own.ms is None else own.ms / 1000
        points.append(Point(players, seconds, taken, figures.games, figures.deals, own.win, own.margin))
    return points


def page(points: Sequence[Point], agents: Sequence[str], command: str) -> str:
    """Return the page in Markdown."""
    rows = [
        [
            str(one.players), f"{one.seconds:g}", "-" if one.taken is None else f"{one.taken:.3f}",
            f"{one.games:,} ({one.deals:,})", share_text(one.share), f"{1 / one.players:.0%}",
            f"{one.margin.value:+.1f} ({one.margin.low:+.1f} to {one.margin.high:+.1f})",
        ]
        for one in sorted(points, key=lambda one: (one.players, one.seconds))
    ]  # fmt: skip
    head = ["players", "seconds, at most", "taken", "games (deals)", "wins, 95 %", "even", "margin, 95 %"]
    return (
        f"# Strength by time of a step\n\n`{agents[0]}` on one seat, `{agents[1]}` on all others; every deal "
        f"from every seat.  `{command}`\n\n{markdown(head, rows, left=0)}\n\n![Wins by seconds a step]({PICTURE})\n"
    )


def picture(points: Sequence[Point]) -> bytes:
    """Return win shares over seconds as a PNG, a curve for each number of players, with dotted even shares."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for colour, players in zip(COLOURS, sorted({one.players for one in points}), strict=False):
        curve = sorted((one for one in points if one.players == players), key=lambda one: one.seconds)
        shares = [one.share for one in curve]
        axes.errorbar(
            [one.seconds for one in curve], [share.value for share in shares], yerr=half_widths(shares), fmt="o-",
            capsize=4, color=colour, label=f"{players} players",
        )  # fmt: skip
        axes.axhline(1 / players, color=colour, linestyle=":", linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks(ticks := sorted({one.seconds for one in points}), [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0, 1)
    axes.grid(axis="y", color="0.9")
    axes.set_xlabel("seconds of a step, at most")
    axes.set_ylabel("share of wins, 95 %")
    axes.legend(frameon=False)
    return png(figure)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, Arguments.__doc__ or "")
    with PROGRAM.refusing():
        players = arguments.players or game_entry(arguments.game).seats
        games = games_of(arguments.games, players)
        by_limit = arenas(arguments, players)
        folder, jobs = arguments.checked(), arguments.asked_jobs()
    command = shlex.join(["python", "-m", PROGRAM.name, *(sys.argv[1:] if argv is None else argv)])

    def work() -> int:
        points: list[Point] = []
        for seconds, arena in by_limit.items():
            points += measure(arena, seconds, games, folder / f"{seconds:g}", jobs)
            write_whole(folder / PICTURE, picture(points))
            write_whole(folder / PAGE, page(points, arguments.agents, command))
        print((folder / PAGE).read_text())
        return 0

    return PROGRAM.attempt(work)


if __name__ == "__main__":
    raise SystemExit(main())
