"""The published order of agents: ``python -m agents.ladder play AGENT AGENT ... --out FOLDER`` and ``... check``.

`play` runs a tournament of all listed agents at 2, 3 and 4 players and writes ``ladder.json`` beside its report; copied
to ``docs/ladder.json`` that is the published ladder.  Where everything has been played already, the same command only
writes these anew.  `check` plays a sample on other deals and fails when it contradicts the published order: when an
agent that is published as better than another one proves worse.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from agents.arena.matches import Room
from agents.arena.ratings import Estimate, wilson
from agents.arena.report import Report, Section, section, table, undecided
from agents.arena.results import Results, header
from agents.files import write_whole
from agents.tournament import (
    add_games,
    add_tournament,
    attempt,
    games_of,
    refusing,
    room_of,
    room_of_arguments,
    run,
    write_report,
)
from porta_nigra_env.core.game import check_seed

PUBLISHED: Final = Path(__file__).parents[1] / "docs" / "ladder.json"
FORMAT: Final = "ladder/2"
#: Deals of a check follow from this seed plus that of the published run, so that they are other ones.
OTHER_DEALS: Final = 1_000_003


class LadderError(ValueError):
    """A ladder file that cannot be used."""


def published(report: Report, games: Mapping[int, int]) -> dict[str, Any]:
    """A report as the content of a ladder file; games: of each lineup at least, by number of players."""
    played = report.results.header
    return {
        "format": FORMAT,
        "game": played["game"],
        "tables": played["tables"],
        "seed": played["seed"],
        "games": {str(players): number for players, number in sorted(games.items())},
        "players": {
            str(part.players): [
                {
                    "agent": one.agent,
                    "fingerprint": played["fingerprints"][str(part.players)][one.agent],
                    "rating": [round(value, 1) for value in one.rating],
                    # As it is shown, so that "=" follows from what stands there.
                    "ahead": None if one.ahead is None else [round(value) for value in one.ahead],
                    "win": [round(value, 4) for value in one.win],
                }
                for one in part.standings
            ]
            for part in report.sections
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
        other = f", not {found['format']!r}" if isinstance(found, dict) and "format" in found else ""
        raise LadderError(f"{path}: format: expected {FORMAT!r}{other}; python -m agents.ladder play writes it anew")
    try:
        _check_content(found)
    except (TypeError, ValueError) as error:
        raise LadderError(f"{path}: {error}") from error
    return found


def _check_content(found: Mapping[str, Any]) -> None:
    """ValueError or TypeError unless a ladder is complete."""
    check_seed(found.get("seed"))
    players = found.get("players")
    if not isinstance(players, dict) or not players or not all(count.isdecimal() for count in players):
        raise ValueError("players: expected lists of agents by number of players")
    for name, kind in (("tables", str), ("games", int)):
        values = found.get(name)
        if not isinstance(values, dict) or not all(type(values.get(count)) is kind for count in players):
            raise ValueError(f"{name}: expected one of type {kind.__name__} for each number of players")
    for count, rungs in players.items():
        if not isinstance(rungs, list) or len(rungs) < 2 or not all(isinstance(one, dict) for one in rungs):
            raise ValueError(f"players: {count}: expected a list of at least two agents")
        for place, one in enumerate(rungs):
            for name in ("agent", "fingerprint"):
                if not isinstance(one.get(name), str):
                    raise ValueError(f"players: {count}: {place + 1}: {name} must be a text, not {one.get(name)!r}")
            for name in ("rating", "win", "ahead"):
                if not (_is_estimate(one.get(name)) or (name == "ahead" and place == len(rungs) - 1)):
                    raise ValueError(
                        f"players: {count}: {one['agent']}: {name} must be a value and its interval, three numbers, "
                        f"not {one.get(name)!r}"
                    )
        if len({one["agent"] for one in rungs}) < len(rungs):
            raise ValueError(f"players: {count}: an agent stands there twice")


def _is_estimate(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and all(type(number) in (int, float) and math.isfinite(number) for number in value)
    )


def _equal_to_above(rungs: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Whether each agent cannot be told from the one above it."""
    return [False, *(undecided(Estimate(*above["ahead"])) for above in rungs[:-1])]


def ladder_table(rungs: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of a number of players; "=" stands behind agents that cannot be told from the one above."""
    lines = []
    for place, (one, equal) in enumerate(zip(rungs, _equal_to_above(rungs), strict=True), 1):
        ahead = ["", ""] if one["ahead"] is None else _cells(one["ahead"], ".0f")
        mark = " =" if equal else ""
        lines.append(
            [f"{place}{mark}", f"`{one['agent']}`", *_cells(one["rating"], ".0f"), *ahead, *_cells(one["win"], ".1%")]
        )
    return table(["", "agent", "rating", "95 %", "ahead of the next", "95 %", "win share", "95 %"], lines, left=2)


def _cells(estimate: Sequence[float], form: str) -> list[str]:
    value, low, high = (format(number, form) for number in estimate)
    return [value, f"{low} to {high}"]


def contradictions(sample: Section, rungs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Pairs of the published order that a sample shows the other way round, as sentences.

    Agents that a chain of "=" joins may be in any order.
    """
    place = {one.agent: i for i, one in enumerate(sample.standings)}
    chains = itertools.accumulate(0 if equal else 1 for equal in _equal_to_above(rungs))
    found = []
    for (above, upper), (below, lower) in itertools.combinations(zip(rungs, chains, strict=True), 2):
        better, worse = str(above["agent"]), str(below["agent"])
        duel = sample.duels[place[worse]][place[better]]
        if upper != lower and duel is not None and duel.low > 0.5:
            found.append(
                f"{sample.players} players: {worse} is published below {better}, but was before it in "
                f"{duel.value:.1%} ({duel.low:.1%} to {duel.high:.1%}) of their games"
            )
    return found


def least_games(players: int) -> int:
    """So many games of a lineup are needed for a contradiction, even if the same agent is first in all of them."""
    deals = next(count for count in itertools.count(1) if wilson(1.0, count).low > 0.5)
    return (deals - 1) * players + 1


def check(
    ladder: Mapping[str, Any], games: Mapping[int, int], jobs: int, folder: Path, progress: bool = True
) -> list[str]:
    """Play a sample on other deals, so many games of each lineup by number of players; the contradictions.

    Raises:
        LadderError: the ladder belongs to another game, other tables or agents, or a sample is too small for any
            contradiction; nothing has been played.
    """
    rooms = {}
    for players in ladder["players"]:
        count = int(players)
        if games[count] < least_games(count):
            raise LadderError(
                f"{games[count]} games at {count} players cannot contradict anything, however they end; "
                f"at least {least_games(count)} are needed"
            )
        rooms[count] = _room_as_published(ladder, count)
    wrong = []
    for count, room in rooms.items():
        results = run(room, [count], games[count], folder / str(count), jobs, progress)
        wrong += contradictions(_section(results, room.setup.agents, count), ladder["players"][str(count)])
    return wrong


def _room_as_published(ladder: Mapping[str, Any], players: int) -> Room:
    """A room with other deals; LadderError unless its game, tables and agents are the published ones."""
    rungs = ladder["players"][str(players)]
    room = room_of([one["agent"] for one in rungs], (int(ladder["seed"]) + OTHER_DEALS) % 2**62)
    try:
        here = header(room, [players])
    except ValueError as error:
        raise LadderError(f"{players} players: {error}") from error
    if ladder["game"] != here["game"]:
        raise LadderError(f"the ladder is one of {ladder['game']}, here it is {here['game']}: play it anew")
    if ladder["tables"][str(players)] != here["tables"][str(players)]:
        raise LadderError(f"the ladder was played with other tables at {players} players: play it anew")
    for one in rungs:
        fingerprint = here["fingerprints"][str(players)][one["agent"]]
        if one["fingerprint"] != fingerprint:
            raise LadderError(
                f"the ladder was played by another {one['agent']} at {players} players: its weights or sources had the "
                f"fingerprint {one['fingerprint']!r}, here {fingerprint!r}: play it anew"
            )
    return room


def _section(results: Results, agents: Sequence[str], players: int) -> Section:
    found = section(results.games, agents, players, agents[-1])
    assert found is not None
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 if the published order is contradicted, otherwise as of `agents.tournament.attempt`."""
    parser = argparse.ArgumentParser(prog="python -m agents.ladder", description=__doc__.split("\n\n")[1])
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser("play", help="play the tournament and write ladder.json")
    add_tournament(play, [2, 3, 4])
    checking = commands.add_parser("check", help="play a sample of the published ladder on other deals")
    add_games(checking, 40)
    show = commands.add_parser("show", help="the published ladder as Markdown")
    for command in (checking, show):
        command.add_argument("--ladder", type=Path, default=PUBLISHED, metavar="FILE", help="default docs/ladder.json")
    arguments = parser.parse_args(argv)
    if arguments.command == "play":
        with refusing(parser):
            games = games_of(arguments.games, arguments.players)
            room = room_of_arguments(arguments)
        return attempt(parser, lambda: _play(room, games, arguments.out, arguments.jobs))
    with refusing(parser):
        ladder = read_ladder(arguments.ladder)
    if arguments.command == "show":
        for players, rungs in ladder["players"].items():
            print(f"{players} players\n\n{ladder_table(rungs)}\n")
        return 0
    with refusing(parser):
        games = games_of(arguments.games, [int(players) for players in ladder["players"]])
    return attempt(parser, lambda: _check(ladder, games, arguments.jobs), LadderError)


def _play(room: Room, games: Mapping[int, int], folder: Path, jobs: int) -> int:
    report = write_report(folder, run(room, list(games), games, folder, jobs, progress=True))
    write_whole(folder / "ladder.json", json.dumps(published(report, games), indent=1) + "\n")
    print(report.terminal())
    return 0


def _check(ladder: Mapping[str, Any], games: Mapping[int, int], jobs: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        wrong = check(ladder, games, jobs, Path(folder))
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    if not wrong:
        print("The sample agrees with the published order.")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
