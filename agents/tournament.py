"""Tournaments between agents: ``python -m agents.tournament AGENT AGENT ... --out FOLDER``.

Every line-up plays the same deals in all rotations of its seats (`agents.arena.matches`).  Results are appended to a
file in the folder (`agents.arena.results`): the same command resumes after an interruption, or plays more games.  At
the end it writes a report (`agents.arena.report`); ``python -m agents.tournament --report FOLDER`` writes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.arena import program
from agents.arena.playing import Arena
from agents.arena.program import Program, games_of
from agents.arena.records import RecordError
from agents.arena.report import PAGE
from agents.arena.results import RESULTS, Results, read
from agents.arena.sequential import LIMIT, Sprt, forecast, run_test, stored_decision, summary
from agents.arena.tournament import accounts, arena_of, checked_arena, run, write_report
from porta_nigra_env.games import game_entry

__all__ = ["arena_of", "main", "run", "write_report"]

PROGRAM = Program("agents.tournament")


@dataclass(frozen=True, kw_only=True)
class Arguments(program.Tournament):
    """Let agents play each other on the same cards and rate them. The same command resumes an interrupted one; with
    more --games it plays the missing games."""

    anchor: str | None = None
    """the agent rated 1500 (by default the strongest of the game's reference agents that plays, else the mean of all
    agents is 1500)"""

    alone: str | None = None
    """an agent that has one seat of every table, and one of the others all the rest; by default all line-ups of
    different agents play"""

    sprt: tuple[str, ...] | None = None
    """stop when a sequential test of the first agent on one seat, against the second on the others, is decided:
    any of elo0=0 elo1=10 alpha=0.05 beta=0.05; --games is the limit (100,000)"""

    aivat: str | None = None
    """a baseline, e.g. network: record the games, and take the luck that it sees out of win shares (agents.aivat)"""

    report: Path | None = None
    """play nothing, report the results of this folder"""

    page: str = PAGE
    """address of the page that the report opens recorded games on; make play serves it here"""


def _correction(arguments: Arguments, folder: Path, arena: Arena, players: Sequence[int]) -> Callable[[], int]:
    """Return the correction of the played games (`agents.aivat`); ValueError for an unusable baseline."""
    if arguments.aivat is None:
        return lambda: 0
    # These modules import torch.
    from agents import aivat
    from agents.review.aivat import NetworkValue

    for count in players:
        NetworkValue(arena.game(count), arguments.aivat, "aivat")
    wanted = aivat.Arguments(
        folder=folder, baseline=arguments.aivat, seed=arguments.seed, jobs=arguments.jobs, address=arguments.address,
        components=arguments.components,
    )  # fmt: skip
    return lambda: aivat.correct(wanted)


def _check_plays(option: str, agent: str | None, agents: Sequence[str]) -> None:
    if agent is not None and agent not in agents:
        raise ValueError(f"--{option} must be one of {', '.join(agents)}, not {agent!r}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, Arguments.__doc__ or "")
    if (folder := arguments.report) is not None:
        if arguments.agents or arguments.out or arguments.alone:
            PROGRAM.refuse("--report takes no agents, no --out and no --alone")
        return PROGRAM.attempt(lambda: _report(folder, arguments), RecordError)
    with PROGRAM.refusing():
        players = arguments.players or game_entry(arguments.game).seats[:1]
        if arguments.sprt is not None:
            return _run_test(arguments, arguments.sprt, players)
        games = games_of(arguments.games, players)
        _check_plays("anchor", arguments.anchor, arguments.agents)
        _check_plays("alone", arguments.alone, arguments.agents)
        arguments = replace(arguments, record=arguments.record or arguments.aivat is not None)
        arena, out = checked_arena(arguments, players, arguments.alone or "")
        jobs, correct = arguments.asked_jobs(), _correction(arguments, out, arena, players)

    def play() -> int:
        with accounts(arena, players):
            _show(out, run(arena, players, games, out, jobs, progress=True), arguments)
        return correct()

    return PROGRAM.attempt(play, RecordError)


def _run_test(arguments: Arguments, texts: Sequence[str], players: Sequence[int]) -> int:
    """Run a sequential test; ValueError for an invalid argument."""
    test, agents = Sprt.parse(texts), arguments.agents
    if len(agents) != 2 or len(players) != 1:
        raise ValueError("--sprt tests one agent against another one at one number of players")
    if arguments.alone or arguments.anchor or arguments.aivat:
        raise ValueError("--sprt takes no --alone, --anchor or --aivat: it tests the win shares of the first agent")
    (count,) = players
    limit = games_of(arguments.games, players, LIMIT)[count]
    arena, out = checked_arena(arguments, players, agents[0])
    jobs = arguments.asked_jobs()

    def play() -> int:
        before = stored_decision(out, test, agents[0], count)
        print(f"{forecast(test, count, before)} Limit: {limit:,} games.", flush=True)
        with accounts(arena, players):
            print(summary(test, run_test(arena, count, test, out, limit, jobs, progress=True), count))
        return 0

    return PROGRAM.attempt(play)


def _report(folder: Path, arguments: Arguments) -> int:
    results = read(folder)
    if results is None:
        PROGRAM.refuse(f"--report: there are no results in {folder / RESULTS}")
    with PROGRAM.refusing():
        _check_plays("anchor", arguments.anchor, results.header.agents)
    return _show(folder, results, arguments)


def _show(folder: Path, results: Results, arguments: Arguments) -> int:
    written = write_report(folder, results, arguments.anchor, arguments.page, arguments.components)
    print(written.terminal())
    print(f"\nReport: {folder / 'report.md'}, {folder / 'report.html'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
