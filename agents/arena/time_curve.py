"""How a search grows stronger with time: ``python -m agents.arena.time_curve SEARCH AGENT --seconds 0.1 1 --out FOLDER``.

With each time for a decision the search has one seat of every table, in turn every seat of every deal, and the agent,
often the network that the search asks, all the others.  All times play the same deals.  Games are kept in the folder,
one tournament for each time (`agents.tournament`), so that the same command goes on after an interruption, or plays
more games; ``thought.md`` and ``thought.png`` there are written anew after each.
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
from agents.arena.executors import Jobs
from agents.arena.playing import Arena
from agents.arena.plots import COLOURS, png
from agents.arena.program import Program, games_of
from agents.arena.ratings import Estimate
from agents.arena.results import read_times
from agents.arena.search_matches import share_text
from agents.arena.sections import section
from agents.arena.tables import markdown
from agents.files import write_whole
from agents.tournament import arena_of, run
from porta_nigra_env.games import game_entry

PROGRAM = Program("agents.arena.time_curve")

PAGE: Final = "thought.md"
PICTURE: Final = "thought.png"


@dataclass(frozen=True)
class Thought:
    """What a time for a decision was worth at one number of players.

    Attributes:
        players: at the table; one over them is an even share.
        seconds: at most, for a decision.
        taken: seconds that a decision took in the mean; None if it was not measured.
        games, deals: that were played.
        share: of wins; margin: of points.
    """

    players: int
    seconds: float
    taken: float | None
    games: int
    deals: int
    share: Estimate
    margin: Estimate


def timed(text: str, seconds: float) -> str:
    """A search with so many seconds for a decision.

    >>> timed("mirror", 0.5), timed("ismcts:rounds=1", 2)
    ('mirror:seconds=0.5', 'ismcts:rounds=1,seconds=2')
    """
    return f"{text}{',' if ':' in text else ':'}seconds={seconds:g}"


@dataclass(frozen=True, kw_only=True)
class Arguments(program.Tournament):
    """How a search grows stronger with the time it has for a decision: AGENTS are the search, without seconds, and the
    agent on all other seats."""

    seconds: tuple[float, ...] = (0.03, 0.1, 0.3, 1.0)
    """for a decision"""


def arenas(arguments: Arguments, players: Sequence[int]) -> dict[float, Arena]:
    """The games of each time; ValueError unless all arguments have proved usable."""
    arguments.checked()
    if len(arguments.agents) != 2:
        raise ValueError(f"a search and one agent on the other seats are needed, not {len(arguments.agents)} agents")
    if not arguments.seconds or min(arguments.seconds) <= 0:
        raise ValueError("--seconds must be greater than 0; 0 would be no limit")
    search, other = arguments.agents
    found = {}
    for seconds in sorted(set(arguments.seconds)):
        text = timed(search, seconds)
        if text == other:
            raise ValueError(f"{other!r} would sit on all seats; it is the search itself")
        arena = arena_of((text, other), arguments.seed, arguments.game, arguments.components, alone=text)
        for count in players:
            arena.agents(count)
        found[seconds] = arena
    return found


def measured(arena: Arena, seconds: float, games: Mapping[int, int], folder: Path, jobs: Jobs) -> list[Thought]:
    """Play what is missing with one time, and what came of it at each number of players."""
    results = run(arena, list(games), games, folder, jobs, progress=True)
    times, _ = read_times(folder)
    text, found = arena.setup.alone, []
    for players in results.header.players:
        one = section(results.games, results.header.agents, players, text, (), times)
        assert one is not None
        own = next(standing for standing in one.standings if standing.agent == text)
        taken = None if own.ms is None else own.ms / 1000
        found.append(Thought(players, seconds, taken, one.games, one.deals, own.win, own.margin))
    return found


def page(thoughts: Sequence[Thought], agents: Sequence[str], command: str) -> str:
    """The page in Markdown."""
    rows = [
        [
            str(one.players), f"{one.seconds:g}", "-" if one.taken is None else f"{one.taken:.3f}",
            f"{one.games:,} ({one.deals:,})", share_text(one.share), f"{1 / one.players:.0%}",
            f"{one.margin.value:+.1f} ({one.margin.low:+.1f} to {one.margin.high:+.1f})",
        ]
        for one in sorted(thoughts, key=lambda one: (one.players, one.seconds))
    ]  # fmt: skip
    head = ["players", "seconds, at most", "taken", "games (deals)", "wins, 95 %", "even", "margin, 95 %"]
    return (
        f"# What a decision gains by thought\n\n`{agents[0]}` on one seat, `{agents[1]}` on all others; every deal "
        f"from every seat.  `{command}`\n\n{markdown(head, rows, left=0)}\n\n![Wins by seconds a decision]({PICTURE})\n"
    )


def picture(thoughts: Sequence[Thought]) -> bytes:
    """Win shares over seconds, a curve for each number of players, even shares dotted; a PNG."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for colour, players in zip(COLOURS, sorted({one.players for one in thoughts}), strict=False):
        curve = sorted((one for one in thoughts if one.players == players), key=lambda one: one.seconds)
        shares = [one.share for one in curve]
        errors = [[one.value - one.low for one in shares], [one.high - one.value for one in shares]]
        axes.errorbar(
            [one.seconds for one in curve], [one.value for one in shares], yerr=errors, fmt="o-", capsize=4,
            color=colour, label=f"{players} players",
        )  # fmt: skip
        axes.axhline(1 / players, color=colour, linestyle=":", linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks(ticks := sorted({one.seconds for one in thoughts}), [f"{one:g}" for one in ticks])
    axes.minorticks_off()
    axes.set_ylim(0, 1)
    axes.grid(axis="y", color="0.9")
    axes.set_xlabel("seconds for a decision, at most")
    axes.set_ylabel("share of wins, 95 %")
    axes.legend(frameon=False)
    return png(figure)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `Program.attempt`.  Arguments it cannot use end the program with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, Arguments.__doc__ or "")
    with PROGRAM.refusing():
        players = arguments.players or game_entry(arguments.game).seats
        games = games_of(arguments.games, players)
        there = arenas(arguments, players)
        jobs = arguments.asked_jobs()
    command = shlex.join(["python", "-m", PROGRAM.name, *(sys.argv[1:] if argv is None else argv)])
    folder = arguments.checked()

    def work() -> int:
        thoughts: list[Thought] = []
        for seconds, arena in there.items():
            thoughts += measured(arena, seconds, games, folder / f"{seconds:g}", jobs)
            write_whole(folder / PICTURE, picture(thoughts))
            write_whole(folder / PAGE, page(thoughts, arguments.agents, command))
        print((folder / PAGE).read_text())
        return 0

    return PROGRAM.attempt(work)


if __name__ == "__main__":
    raise SystemExit(main())
