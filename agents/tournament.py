"""Agents against each other: ``python -m agents.tournament AGENT AGENT ... --out FOLDER``.

Every lineup plays the same deals in all rotations of its seats (`agents.matches`); results are appended to a file in
the folder (`agents.results`), so that the same command goes on after an interruption, or plays more games; at the end
the folder has a report (`agents.report`), which ``python -m agents.tournament --report FOLDER`` writes anew.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tqdm import tqdm  # type: ignore[import-untyped]

from agents.live import LiveRatings
from agents.matches import MatchError, Room, Setup, Sheet, play_all, schedule
from agents.porta_nigra.games import SOURCES, game_of, points_by_source
from agents.report import Report, report
from agents.results import (
    RESULTS,
    ForeignFolderError,
    Results,
    ResultsError,
    Writer,
    check_same,
    header,
    read,
    read_times,
)
from porta_nigra_env.core.game import check_seed


def run(room: Room, players: Sequence[int], games: int, folder: Path, jobs: int = 1, progress: bool = False) -> Results:
    """Play what is missing of a tournament, and read what the folder then holds.

    Args:
        room: of the games and agents.
        players: numbers of players.
        games: each lineup plays at least so many, in whole deals.
        folder: made if it is missing.
        jobs: processes.
        progress: whether to show a bar, with ratings that follow the games.

    Raises:
        AgentError: an agent's text; nothing has been played.
        ForeignFolderError: the folder holds another tournament; nothing has been played.
        ResultsError: the folder's results cannot be read.
        BusyFolderError: another process is writing to the folder (an OSError).
        MatchError: an agent answered with an illegal action; what was played before is kept.
    """
    wanted = header(room, players)
    for count in wanted["players"]:
        room.policies(count)
    found = read(folder)
    if found is not None:
        check_same(folder, found.header, wanted)
    there = {game.match for game in found.games} if found else set()
    matches = [match for count in wanted["players"] for match in schedule(room.setup.agents, count, games)]
    missing = [match for match in matches if match not in there]
    if missing or found is None:
        with (
            Writer(folder, wanted, found, jobs) as writer,
            tqdm(total=len(matches), initial=len(matches) - len(missing), unit="game", disable=not progress) as bar,
        ):
            live = LiveRatings(room.setup.agents)
            for game in found.games if found and progress else ():
                live.add(game.match.agents, game.scores)
            for played, paces in play_all(room, room.batches(missing), jobs):
                writer.add(played, paces)
                if progress:
                    for game in played:
                        live.add(game.match.agents, game.scores)
                    bar.set_postfix_str(live.line(), refresh=False)
                bar.update(len(played))
    results = read(folder)
    assert results is not None
    return results


def write_report(folder: Path, results: Results, anchor: str | None = None) -> Report:
    """Write the report of a folder into it; ValueError for an anchor that does not play."""
    times, machines = read_times(folder)
    written = report(results, anchor, times, machines)
    written.write(folder)
    return written


def _whole(low: int) -> Callable[[str], int]:
    """A type for argparse: integers from `low` on."""

    def whole(text: str) -> int:
        number = int(text)
        if number < low:
            raise argparse.ArgumentTypeError(f"must be at least {low}, not {text}")
        return number

    whole.__name__ = "integer"
    return whole


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.tournament",
        description="Let agents play each other on the same cards and rate them. The same command goes on where an "
        "interrupted one stopped; with more --games it plays the games that are missing.",
        epilog="Agents and their parameters: python -m agents.registry",
    )
    parser.add_argument(
        "agents", nargs="*", metavar="AGENT", help="e.g. random or ismcts:simulations=800; at least two"
    )
    parser.add_argument(
        "--players", type=int, nargs="+", default=[2], metavar="N", help="numbers of players (default 2)"
    )
    parser.add_argument(
        "--games",
        type=_whole(1),
        default=1000,
        help="for each lineup, rounded up to whole deals: each is played in all rotations of the seats (default 1000)",
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where results and report are kept")
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="play nothing, report what a folder holds")
    parser.add_argument("--seed", type=int, default=1, help="of the deals, 0 to 2**63-1 (default 1)")
    parser.add_argument("--jobs", type=_whole(1), default=1, help="processes (default 1); results do not depend on it")
    parser.add_argument("--components", default="standard", metavar="FILE", help="a component file (default: standard)")
    parser.add_argument(
        "--anchor", metavar="AGENT", help="the agent rated 0 (default: random if it plays, else the first)"
    )
    return parser


def _room_of(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> Room:
    """The room of the arguments, once all of them have proved usable."""
    if arguments.out is None:
        parser.error("--out FOLDER is needed (or --report FOLDER)")
    if arguments.out.exists() and not arguments.out.is_dir():
        parser.error(f"--out: {arguments.out} is no folder")
    if len(arguments.agents) < 2:
        parser.error("at least two agents are needed; python -m agents.registry lists them")
    for given in (arguments.agents, arguments.players):
        for twice in (one for one in given if given.count(one) > 1):
            parser.error(f"{twice} is given twice")
    _check_anchor(parser, arguments.anchor, arguments.agents)
    try:
        room = Room(
            Setup(
                partial(game_of, components=arguments.components),
                tuple(arguments.agents),
                check_seed(arguments.seed),
                Sheet(SOURCES, points_by_source),
            )
        )
        for players in arguments.players:
            room.policies(players)
    except ValueError as error:
        parser.error(str(error))
    return room


def _check_anchor(parser: argparse.ArgumentParser, anchor: str | None, agents: Sequence[str]) -> None:
    if anchor is not None and anchor not in agents:
        parser.error(f"--anchor must be one of {', '.join(agents)}, not {anchor!r}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line.

    Returns 0; 1 for a file that cannot be read or written, or an agent that breaks the rules; 130 when interrupted.
    Arguments it cannot use end the program with 2.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    folder: Path = arguments.report or arguments.out
    room = None
    if arguments.report is None:
        room = _room_of(parser, arguments)
    elif arguments.agents or arguments.out:
        parser.error("--report takes no agents and no --out")
    try:
        if room is not None:
            results = run(room, arguments.players, arguments.games, folder, arguments.jobs, progress=True)
        else:
            found = read(folder)
            if found is None:
                parser.error(f"--report: there are no results in {folder / RESULTS}")
            results = found
            _check_anchor(parser, arguments.anchor, results.header["agents"])
        written = write_report(folder, results, arguments.anchor)
    except ForeignFolderError as error:
        parser.error(str(error))
    except (ResultsError, MatchError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{parser.prog}: stopped; the same command goes on", file=sys.stderr)
        return 130
    print(written.terminal())
    print(f"\nReport: {folder / 'report.md'}, {folder / 'report.html'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
