"""The published order of agents: ``python -m agents.ladder play --out FOLDER`` and ``... check``.

`play` runs a tournament of all listed agents at 2, 3 and 4 players and writes ``ladder.json`` beside its report; copied
to ``docs/ladder.json`` that is the published ladder.  `check` plays a sample of it on other deals and fails when the
sample contradicts the published order: when an agent that is published as better than its neighbour proves worse.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from agents.matches import Room, Setup, Sheet
from agents.porta_nigra.games import SOURCES, game_of, points_by_source
from agents.report import Report, Section, complete, write_whole
from agents.results import Results, digest
from agents.tournament import run, write_report
from porta_nigra_env.core.game import check_seed

PUBLISHED: Final = Path(__file__).parents[1] / "docs" / "ladder.json"
FORMAT: Final = "ladder/1"
#: Deals of a check follow from this seed plus that of the published run, so that they are other ones.
OTHER_DEALS: Final = 1_000_003


class LadderError(ValueError):
    """A ladder file that cannot be used."""


def published(report: Report, games: int) -> dict[str, Any]:
    """A report as the content of a ladder file."""
    header = report.results.header
    return {
        "format": FORMAT,
        "game": header["game"],
        "tables": header["tables"],
        "seed": header["seed"],
        "games": games,
        "players": {
            str(section.players): [
                {
                    "agent": one.agent,
                    "rating": [round(value, 1) for value in one.rating],
                    "win": [round(value, 4) for value in one.win],
                    "equal_to_above": one.equal,
                }
                for one in section.standings
            ]
            for section in report.sections
        },
    }


def read_ladder(path: Path) -> dict[str, Any]:
    """The content of a ladder file; LadderError says what is wrong with it."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LadderError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise LadderError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise LadderError(f"{path}: format: expected {FORMAT!r}")
    if not isinstance(found.get("players"), dict) or not all(
        isinstance(rungs, list) and all(isinstance(one, dict) and isinstance(one.get("agent"), str) for one in rungs)
        for rungs in found["players"].values()
    ):
        raise LadderError(f"{path}: players: expected lists of agents by number of players")
    return found


def ladder_table(rungs: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of a number of players; "=" stands behind agents that cannot be told from the one above."""
    lines = ["| | agent | rating | 95 % | win share | 95 % |", "|---|---|---|---|---|---|"]
    for place, one in enumerate(rungs, 1):
        rating, low, high = one["rating"]
        win, least, most = one["win"]
        mark = " =" if one["equal_to_above"] else ""
        lines.append(
            f"| {place}{mark} | `{one['agent']}` | {rating:.0f} | {low:.0f} to {high:.0f} "
            f"| {win:.1%} | {least:.1%} to {most:.1%} |"
        )
    return "\n".join(lines)


def contradictions(section: Section, rungs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Neighbours of the published order that a sample shows the other way round, as sentences.

    Neighbours published as equal may be in any order.
    """
    place = {one.agent: i for i, one in enumerate(section.standings)}
    found = []
    for above, below in itertools.pairwise(rungs):
        better, worse = str(above["agent"]), str(below["agent"])
        if below.get("equal_to_above"):
            continue
        duel = section.duels[place[worse]][place[better]]
        if duel is not None and duel.low > 0.5:
            found.append(
                f"{section.players} players: {worse} is published below {better}, but was before it in "
                f"{duel.value:.1%} ({duel.low:.1%} to {duel.high:.1%}) of their games"
            )
    return found


def room_of(agents: Sequence[str], seed: int) -> Room:
    """Where the ladder is played: the standard components."""
    return Room(Setup(partial(game_of, components="standard"), tuple(agents), seed, Sheet(SOURCES, points_by_source)))


def check(ladder: Mapping[str, Any], games: int, jobs: int, folder: Path, progress: bool = True) -> list[str]:
    """Play a sample on other deals; the contradictions.

    Raises:
        LadderError: the ladder belongs to another game or other tables.
        AgentError: an agent of the ladder does not exist.
    """
    wrong = []
    for players, rungs in ladder["players"].items():
        count = int(players)
        agents = [one["agent"] for one in rungs]
        seed = (int(ladder["seed"]) + OTHER_DEALS) % 2**62
        room = room_of(agents, seed)
        game = room.game(count)
        if ladder.get("tables", {}).get(players) != digest(game):
            raise LadderError(f"the ladder was played with other tables at {count} players: play it anew")
        results = run(room, [count], games, folder / players, jobs, progress)
        section = _section(results, agents, count)
        wrong += contradictions(section, rungs)
    return wrong


def _section(results: Results, agents: Sequence[str], players: int) -> Section:
    from agents.report import section

    found = section(complete(results.games), agents, players, agents[-1])
    if found is None:
        raise LadderError(f"{players} players: no deal was played by all lineups")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 if the published order is contradicted, 2 for what it cannot use."""
    parser = argparse.ArgumentParser(prog="python -m agents.ladder", description=__doc__.split("\n\n")[1])
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser("play", help="play the tournament and write ladder.json")
    play.add_argument("agents", nargs="+", metavar="AGENT", help="python -m agents.registry lists them")
    play.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="resumable, as of agents.tournament")
    play.add_argument("--players", type=int, nargs="+", default=[2, 3, 4], metavar="N", help="default 2 3 4")
    play.add_argument("--seed", type=int, default=1, help="of the deals (default 1)")
    checking = commands.add_parser("check", help="play a sample of the published ladder on other deals")
    checking.add_argument("--ladder", type=Path, default=PUBLISHED, metavar="FILE", help="default docs/ladder.json")
    show = commands.add_parser("show", help="the published ladder as Markdown")
    show.add_argument("--ladder", type=Path, default=PUBLISHED, metavar="FILE", help="default docs/ladder.json")
    for command, games in ((play, 1000), (checking, 40)):
        command.add_argument("--games", type=int, default=games, help=f"for each lineup (default {games})")
        command.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    arguments = parser.parse_args(argv)
    if arguments.command != "show" and (arguments.games < 1 or arguments.jobs < 1):
        parser.error("--games and --jobs must be positive")
    try:
        if arguments.command == "show":
            for players, rungs in read_ladder(arguments.ladder)["players"].items():
                print(f"{players} players\n\n{ladder_table(rungs)}\n")
            return 0
        if arguments.command == "play":
            room = room_of(arguments.agents, check_seed(arguments.seed))
            results = run(room, arguments.players, arguments.games, arguments.out, arguments.jobs, progress=True)
            report = write_report(arguments.out, results)
            content = published(report, arguments.games)
            write_whole(arguments.out / "ladder.json", json.dumps(content, indent=1) + "\n")
            print(report.terminal())
            return 0
        ladder = read_ladder(arguments.ladder)
        with tempfile.TemporaryDirectory() as folder:
            wrong = check(ladder, arguments.games, arguments.jobs, Path(folder))
    except ValueError as error:
        parser.error(str(error))
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    if not wrong:
        print("The sample agrees with the published order.")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
