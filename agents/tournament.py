"""Agents against each other: ``python -m agents.tournament AGENT AGENT ... --out FOLDER``.

Every lineup plays the same deals in all rotations of its seats (`agents.arena.matches`); results are appended to a file
in the folder (`agents.arena.results`), so that the same command goes on after an interruption, or plays more games; at
the end the folder has a report (`agents.arena.report`), which ``python -m agents.tournament --report FOLDER`` writes
anew.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.matches import MatchError, Room, Setup, Sheet, play_all, schedule
from agents.arena.report import Report, report
from agents.arena.results import (
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
from agents.live import LiveRatings
from agents.porta_nigra.games import SOURCES, game_of, points_by_source
from porta_nigra_env.core.game import check_seed


def run(
    room: Room,
    players: Sequence[int],
    games: int | Mapping[int, int],
    folder: Path,
    jobs: int = 1,
    progress: bool = False,
) -> Results:
    """Play what is missing of a tournament, and read what the folder then holds.

    Args:
        room: of the games and agents.
        players: numbers of players.
        games: each lineup plays at least so many, in whole deals; one number, or one for each number of players.
        folder: made if it is missing.
        jobs: processes.
        progress: whether to show a bar, with ratings that follow the games.

    Raises:
        AgentError: an agent's text; nothing has been played.
        ForeignFolderError: the folder holds another tournament; nothing has been played.
        ResultsError: the folder's results cannot be read.
        BusyFolderError: another process is writing to the folder (an OSError).
        MatchError: an agent answered with an illegal action, cannot be made any more, or a process died; what was
            played before is kept.
    """
    wanted = header(room, players)
    for count in wanted["players"]:
        room.policies(count)
    found = read(folder)
    if found is not None:
        check_same(folder, found.header, wanted)
    there = {game.match for game in found.games} if found else set()
    most = games if isinstance(games, Mapping) else dict.fromkeys(players, games)
    matches = [match for count in wanted["players"] for match in schedule(room.setup.agents, count, most[count])]
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


def whole(low: int) -> Callable[[str], int]:
    """A type for argparse: integers from `low` on."""

    def whole(text: str) -> int:
        number = int(text)
        if number < low:
            raise argparse.ArgumentTypeError(f"must be at least {low}, not {text}")
        return number

    whole.__name__ = "integer"
    return whole


def add_games(parser: argparse.ArgumentParser, default: int) -> None:
    """Arguments of what plays games: --games (for `games_of`) and --jobs."""
    parser.add_argument(
        "--games",
        nargs="+",
        default=[str(default)],
        metavar="N",
        help="for each lineup, rounded up to whole deals: each is played in all rotations of the seats; P:N for P "
        f"players, as in 300 2:1000 (default {default})",
    )
    parser.add_argument("--jobs", type=whole(1), default=1, help="processes (default 1); results do not depend on it")


def add_tournament(parser: argparse.ArgumentParser, players: Sequence[int]) -> None:
    """Arguments of a tournament, for `room_of_arguments`."""
    parser.add_argument(
        "agents", nargs="*", metavar="AGENT", help="e.g. random or ismcts:simulations=800; at least two"
    )
    shown = " ".join(map(str, players))
    parser.add_argument(
        "--players", type=int, nargs="+", default=players, metavar="N", help=f"numbers of players (default {shown})"
    )
    add_games(parser, 1000)
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where results and report are kept")
    parser.add_argument("--seed", type=int, default=1, help="of the deals, 0 to 2**63-1 (default 1)")


def games_of(texts: Sequence[str], players: Sequence[int]) -> dict[int, int]:
    """Games for each number of players: texts are N for all, or P:N for P players; ValueError says what is wrong."""
    found: dict[int | None, int] = {}
    for text in texts:
        left, colon, right = text.rpartition(":")
        try:
            count, number = int(left) if colon else None, int(right)
        except ValueError:
            raise ValueError(f"--games must be N or P:N, not {text!r}") from None
        if number < 1:
            raise ValueError(f"--games must be at least 1, not {number}")
        if count in found:
            raise ValueError(f"--games: {text!r} is given beside another one for the same players")
        if count is not None and count not in players:
            raise ValueError(f"--games: {text!r}, but nobody plays with {count} players")
        found[count] = number
    for count in players:
        if None not in found and count not in found:
            raise ValueError(f"--games: there is none for {count} players")
    return {count: found[count] if count in found else found[None] for count in players}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.tournament",
        description="Let agents play each other on the same cards and rate them. The same command goes on where an "
        "interrupted one stopped; with more --games it plays the games that are missing.",
        epilog="Agents and their parameters: python -m agents.registry",
    )
    add_tournament(parser, [2])
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="play nothing, report what a folder holds")
    parser.add_argument("--components", default="standard", metavar="FILE", help="a component file (default: standard)")
    parser.add_argument(
        "--anchor", metavar="AGENT", help="the agent rated 0 (default: random if it plays, else the first)"
    )
    return parser


def room_of(agents: Sequence[str], seed: int, components: str = "standard") -> Room:
    """Where Porta Nigra is played; ValueError for a seed that is none."""
    sheet = Sheet(SOURCES, points_by_source)
    return Room(Setup(partial(game_of, components=components), tuple(agents), check_seed(seed), sheet))


def room_of_arguments(arguments: argparse.Namespace, components: str = "standard") -> Room:
    """The room of the arguments of `add_tournament`; ValueError unless all of them have proved usable."""
    if arguments.out is None:
        raise ValueError("--out FOLDER is needed")
    if arguments.out.exists() and not arguments.out.is_dir():
        raise ValueError(f"--out: {arguments.out} is no folder")
    if len(arguments.agents) < 2:
        raise ValueError("at least two agents are needed; python -m agents.registry lists them")
    for given in (arguments.agents, arguments.players):
        for twice in (one for one in given if given.count(one) > 1):
            raise ValueError(f"{twice} is given twice")
    room = room_of(arguments.agents, arguments.seed, components)
    for players in arguments.players:
        room.policies(players)
    return room


def _check_anchor(anchor: str | None, agents: Sequence[str]) -> None:
    if anchor is not None and anchor not in agents:
        raise ValueError(f"--anchor must be one of {', '.join(agents)}, not {anchor!r}")


@contextmanager
def refusing(parser: argparse.ArgumentParser) -> Iterator[None]:
    """End the program with 2 for what cannot be used (ValueError), as for other arguments."""
    try:
        yield
    except ValueError as error:
        parser.error(str(error))


def attempt(parser: argparse.ArgumentParser, work: Callable[[], int], *refused: type[ValueError]) -> int:
    """What a program answers that plays games.

    That of `work`; 1 for a file that cannot be read or written, or games that cannot be played; 130 when interrupted.
    Another tournament's folder, and errors `refused`, end the program with 2.
    """
    unusable: tuple[type[ValueError], ...] = (ForeignFolderError, *refused)
    try:
        return work()
    except unusable as error:
        parser.error(str(error))
    except (ResultsError, MatchError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{parser.prog}: stopped; the same command goes on", file=sys.stderr)
        return 130


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `attempt`.  Arguments it cannot use end the program with 2."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    folder: Path = arguments.report or arguments.out
    anchor: str | None = arguments.anchor
    if arguments.report is not None:
        if arguments.agents or arguments.out:
            parser.error("--report takes no agents and no --out")
        return attempt(parser, lambda: _report(parser, folder, anchor))
    with refusing(parser):
        games = games_of(arguments.games, arguments.players)
        room = room_of_arguments(arguments, arguments.components)
        _check_anchor(anchor, arguments.agents)

    def play() -> int:
        results = run(room, arguments.players, games, folder, arguments.jobs, progress=True)
        return _show(folder, results, anchor)

    return attempt(parser, play)


def _report(parser: argparse.ArgumentParser, folder: Path, anchor: str | None) -> int:
    results = read(folder)
    if results is None:
        parser.error(f"--report: there are no results in {folder / RESULTS}")
    with refusing(parser):
        _check_anchor(anchor, results.header["agents"])
    return _show(folder, results, anchor)


def _show(folder: Path, results: Results, anchor: str | None) -> int:
    print(write_report(folder, results, anchor).terminal())
    print(f"\nReport: {folder / 'report.md'}, {folder / 'report.html'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
