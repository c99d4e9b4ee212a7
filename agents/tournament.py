"""Agents against each other: ``python -m agents.tournament AGENT AGENT ... --out FOLDER``.

Every line-up plays the same deals in all rotations of its seats, and one order around the table after the other
(`agents.arena.matches`); results are appended to a
file in the folder (`agents.arena.results`), so that the same command goes on after an interruption, or plays more
games; at the end the folder has a report (`agents.arena.report`), which ``python -m agents.tournament --report FOLDER``
writes anew.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena import program
from agents.arena.executors import Jobs
from agents.arena.matches import Setup, schedule
from agents.arena.playing import Arena, MatchError, play_all
from agents.arena.program import Program, games_of
from agents.arena.report import Report, report
from agents.arena.results import RESULTS, Header, Results, Writer, check_same, header, read, read_times
from porta_nigra_env.core.game.game import check_seed
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game

PROGRAM = Program("agents.tournament")


def run(
    arena: Arena,
    players: Sequence[int],
    games: int | Mapping[int, int],
    folder: Path,
    jobs: Jobs | int = 1,
    progress: bool = False,
) -> Results:
    """Play what is missing of a tournament, and read what the folder then holds.

    Args:
        arena: of the games and agents.
        players: numbers of players.
        games: each line-up plays so many or somewhat more, in whole deals (`agents.arena.matches.schedule`);
            one number, or one for each number of players.
        folder: made if it is missing.
        jobs: where games are played (`agents.arena.executors`); a number is that of processes.
        progress: whether to show a bar.

    Raises:
        AgentError: an agent's text; nothing has been played.
        ForeignFolderError: the folder holds another tournament; nothing has been played.
        ResultsError: the folder's results cannot be read.
        BusyFolderError: another process is writing to the folder (an OSError).
        MatchError: an agent answered with an illegal action, cannot be made any more, is another one on another
            machine, or a process died; what was played before is kept.
    """
    asked = Jobs(jobs) if isinstance(jobs, int) else jobs
    wanted = header(arena, players)
    for count in wanted.players:
        arena.agents(count)
    found = read(folder)
    if found is not None:
        check_same(folder, found.header, wanted)
    there = {game.match for game in found.games} if found else set()
    most = games if isinstance(games, Mapping) else dict.fromkeys(players, games)
    matches = [match for count in wanted.players for match in schedule(arena.setup, count, most[count])]
    missing = [match for match in matches if match not in there]
    if missing or found is None:
        with (
            Writer(folder, wanted, found, str(asked)) as writer,
            tqdm(total=len(matches), initial=len(matches) - len(missing), unit="game", disable=not progress) as bar,
        ):
            elsewhere = partial(_same_arena, arena.setup, wanted)
            for played, paces in play_all(arena, arena.batches(missing), asked, elsewhere):
                writer.add(played, paces)
                bar.update(len(played))
    results = read(folder)
    assert results is not None
    return results


def _same_arena(setup: Setup, wanted: Header) -> Arena:
    """The arena of another process; MatchError where game, tables or agents are not those of the tournament: its
    machine may have other files under the same names."""
    arena = Arena(setup)
    try:
        check_same(Path(socket.gethostname()), header(arena, wanted.players), wanted)
    except ValueError as error:
        raise MatchError(f"an agent cannot be made in another process: {error}") from error
    return arena


def write_report(folder: Path, results: Results, anchor: str | None = None) -> Report:
    """Write the report of a folder into it; ValueError for an anchor that does not play."""
    times, machines = read_times(folder)
    written = report(results, anchor, times, machines)
    written.write(folder)
    return written


def arena_of(
    agents: Sequence[str], seed: int, game: str = DEFAULT_GAME, components: str = "standard", alone: str = ""
) -> Arena:
    """Where a game is played; ValueError for a game or a seed that is none."""
    game_entry(game)
    return Arena(Setup(partial(make_game, game, components=components), tuple(agents), check_seed(seed), alone))


def checked_arena(arguments: program.Tournament, players: Sequence[int], alone: str = "") -> tuple[Arena, Path]:
    """The arena and the folder of a command line; ValueError unless all of its arguments have proved usable."""
    folder = arguments.checked()
    arena = arena_of(arguments.agents, arguments.seed, arguments.game, arguments.components, alone)
    for count in players:
        arena.agents(count)
    return arena, folder


@dataclass(frozen=True, kw_only=True)
class Arguments(program.Tournament):
    """Let agents play each other on the same cards and rate them. The same command goes on where an interrupted one
    stopped; with more --games it plays the games that are missing."""

    anchor: str | None = None
    """the agent rated 0 (random if it plays, else the first)"""

    alone: str | None = None
    """an agent that has one seat of every table, and one of the others all the rest; by default all line-ups of
    different agents play"""

    report: Path | None = None
    """play nothing, report what a folder holds"""


def _check_one(option: str, agent: str | None, agents: Sequence[str]) -> None:
    if agent is not None and agent not in agents:
        raise ValueError(f"--{option} must be one of {', '.join(agents)}, not {agent!r}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `Program.attempt`.  Arguments it cannot use end the program with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, Arguments.__doc__ or "")
    if (reported := arguments.report) is not None:
        if arguments.agents or arguments.out or arguments.alone:
            PROGRAM.refuse("--report takes no agents, no --out and no --alone")
        return PROGRAM.attempt(lambda: _report(reported, arguments.anchor))
    with PROGRAM.refusing():
        players = arguments.players or game_entry(arguments.game).seats[:1]
        games = games_of(arguments.games, players)
        _check_one("anchor", arguments.anchor, arguments.agents)
        _check_one("alone", arguments.alone, arguments.agents)
        arena, folder = checked_arena(arguments, players, arguments.alone or "")
        jobs = arguments.asked_jobs()

    def play() -> int:
        results = run(arena, players, games, folder, jobs, progress=True)
        return _show(folder, results, arguments.anchor)

    return PROGRAM.attempt(play)


def _report(folder: Path, anchor: str | None) -> int:
    results = read(folder)
    if results is None:
        PROGRAM.refuse(f"--report: there are no results in {folder / RESULTS}")
    with PROGRAM.refusing():
        _check_one("anchor", anchor, results.header.agents)
    return _show(folder, results, anchor)


def _show(folder: Path, results: Results, anchor: str | None) -> int:
    print(write_report(folder, results, anchor).terminal())
    print(f"\nReport: {folder / 'report.md'}, {folder / 'report.html'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
