"""The published order of agents: ``python -m agents.arena.ladder play AGENT AGENT ... --out FOLDER`` and ``... check``.

`play` runs a tournament of all listed agents at all numbers of players and writes ``ladder.json`` beside its report;
copied to ``docs/ladder.json`` that is the published ladder.  Where everything has been played already, the same command
only writes these anew.  `check` plays a sample on other deals and fails when it contradicts the published order: when
an agent that is published as better than another one proves worse.  `sign` writes the agents' fingerprints anew, after
a change of their sources that changes no decision.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import tyro

from agents.arena import program
from agents.arena.executors import Jobs
from agents.arena.playing import Arena
from agents.arena.program import Program, at_least, games_of
from agents.arena.ratings import Estimate, half_width, wilson
from agents.arena.report import Report
from agents.arena.results import Results, header
from agents.arena.sections import Section, section, undecided
from agents.arena.tables import counts, markdown
from agents.files import write_whole
from agents.tournament import arena_of, checked_arena, run, write_report
from porta_nigra_env.core.game.game import check_seed
from porta_nigra_env.games import GAMES, game_entry

PROGRAM = Program("agents.arena.ladder")
PUBLISHED: Final = Path(__file__).parents[2] / "docs" / "ladder.json"
FORMAT: Final = "ladder/3"
#: Deals of a check follow from this seed plus that of the published run, so that they are other ones.
OTHER_DEALS: Final = 1_000_003


class LadderError(ValueError):
    """A ladder file that cannot be used."""


class Row(msgspec.Struct, frozen=True):
    """An agent of a ladder; estimates are a value and its 95 % interval.

    Attributes:
        agent: its text.
        fingerprint: what played under it.
        rating: on Elo's scale, as the difference from the anchor.
        ahead: how much that is above the next agent, as it is shown, so that "=" follows from it; None for the last.
        win: share of wins.
    """

    agent: str
    fingerprint: str
    rating: tuple[float, float, float]
    ahead: tuple[int, int, int] | None
    win: tuple[float, float, float]


class Ladder(msgspec.Struct, frozen=True):
    """The content of a ladder file.

    Attributes:
        format: FORMAT.
        game: name and version.
        tables: digest of the tables by number of players.
        seed: of the deals.
        games: of each line-up at least, by number of players.
        counts: how many there were in all, and what that means for the intervals (`agents.arena.tables.counts`), by
            number of players.
        players: agents by number of players, the best first.
    """

    format: str
    game: str
    tables: dict[str, str]
    seed: int
    games: dict[str, int]
    counts: dict[str, str]
    players: dict[str, list[Row]]

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if not self.players or not all(count.isdecimal() for count in self.players):
            raise ValueError("players: expected lists of agents by number of players")
        given: Mapping[str, object]
        for name, given in (("tables", self.tables), ("games", self.games), ("counts", self.counts)):
            if not self.players.keys() <= given.keys():
                raise ValueError(f"{name}: expected one for each number of players")
        for count, rows in self.players.items():
            if len(rows) < 2:
                raise ValueError(f"players: {count}: expected a list of at least two agents")
            if len({one.agent for one in rows}) < len(rows):
                raise ValueError(f"players: {count}: an agent stands there twice")
            for one in rows[:-1]:
                if one.ahead is None:
                    raise ValueError(f"players: {count}: {one.agent}: ahead must be a value and its interval")


def published(report: Report, games: Mapping[int, int]) -> Ladder:
    """A report as the content of a ladder file; games: of each line-up at least, by number of players."""
    played = report.results.header

    def rounded(estimate: Estimate, digits: int) -> Any:
        return tuple(round(value, digits) for value in estimate)

    rows = {
        str(part.players): [
            Row(
                agent=one.agent,
                fingerprint=played.fingerprints[str(part.players)][one.agent],
                rating=rounded(one.rating, 1),
                ahead=None if one.ahead is None else (round(one.ahead[0]), round(one.ahead[1]), round(one.ahead[2])),
                win=rounded(one.win, 4),
            )
            for one in part.standings
        ]
        for part in report.sections
    }
    numbers = {str(players): number for players, number in sorted(games.items())}
    said = {str(part.players): counts(part) for part in report.sections}
    return Ladder(FORMAT, played.game, played.tables, played.seed, numbers, said, rows)


class _Format(msgspec.Struct):
    format: str = ""


def read_ladder(path: Path) -> Ladder:
    """The content of a ladder file; LadderError says what is wrong with it."""
    try:
        data = path.read_bytes()
        found = msgspec.json.decode(data, type=_Format).format
        if found != FORMAT:
            raise ValueError(
                f"format: expected {FORMAT!r}, not {found!r}; python -m agents.arena.ladder play writes it anew"
            )
        return msgspec.json.decode(data, type=Ladder)
    except OSError as error:
        raise LadderError(f"{path}: {error.strerror or error}") from error
    except (ValueError, msgspec.MsgspecError) as error:
        raise LadderError(f"{path}: {error}") from error


def write_ladder(path: Path, ladder: Ladder) -> None:
    """Write a ladder file."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(ladder), indent=1) + b"\n")


def _equal_to_above(rows: Sequence[Row]) -> list[bool]:
    """Whether each agent cannot be told from the one above it."""
    return [False, *(above.ahead is not None and undecided(Estimate(*above.ahead)) for above in rows[:-1])]


def ladder_table(rows: Sequence[Row]) -> str:
    """A Markdown table of a number of players; "=" stands behind agents that cannot be told from the one above."""
    lines = []
    for place, (one, equal) in enumerate(zip(rows, _equal_to_above(rows), strict=True), 1):
        ahead = ["", ""] if one.ahead is None else _cells(one.ahead, ".0f")
        mark = " =" if equal else ""
        lines.append([f"{place}{mark}", f"`{one.agent}`", *_cells(one.rating, ".0f"), *ahead, *_cells(one.win, ".1%")])
    return markdown(["", "agent", "rating", "95 %", "ahead of the next", "95 %", "win share", "95 %"], lines, left=2)


def _cells(estimate: Sequence[float], form: str) -> list[str]:
    value, low, high = (format(number, form) for number in estimate)
    return [value, f"{low} to {high}"]


def contradictions(sample: Section, rows: Sequence[Row]) -> list[str]:
    """Pairs of the published order that a sample shows the other way round, as sentences.

    Agents that a chain of "=" joins may be in any order.
    """
    place = {one.agent: i for i, one in enumerate(sample.standings)}
    chains = itertools.accumulate(0 if equal else 1 for equal in _equal_to_above(rows))
    found = []
    for (above, upper), (below, lower) in itertools.combinations(zip(rows, chains, strict=True), 2):
        duel = sample.duels[place[below.agent]][place[above.agent]]
        if upper != lower and duel is not None and duel.low > 0.5:
            found.append(
                f"{sample.players} players: {below.agent} is published below {above.agent}, but was before it in "
                f"{duel.value:.1%} ({duel.low:.1%} to {duel.high:.1%}) of their games"
            )
    return found


def least_games(players: int) -> int:
    """So many games of a line-up are needed for a contradiction, even if the same agent is first in all of them."""
    deals = next(count for count in itertools.count(2) if wilson(1.0, count, half_width(count)).low > 0.5)
    return (deals - 1) * players + 1


def check(ladder: Ladder, games: Mapping[int, int], jobs: int, folder: Path, progress: bool = True) -> list[str]:
    """Play a sample on other deals, so many games of each line-up by number of players; the contradictions.

    Raises:
        LadderError: the ladder belongs to another game, other tables or agents, or a sample is too small for any
            contradiction; nothing has been played.
    """
    arenas = {}
    for players in ladder.players:
        count = int(players)
        if games[count] < least_games(count):
            raise LadderError(
                f"{games[count]} games at {count} players cannot contradict anything, however they end; "
                f"at least {least_games(count)} are needed"
            )
        arenas[count] = _arena_as_published(ladder, count)
    wrong = []
    for count, arena in arenas.items():
        results = run(arena, [count], games[count], folder / str(count), jobs, progress)
        wrong += contradictions(_section(results, arena.setup.agents, count), ladder.players[str(count)])
    return wrong


def _arena_as_published(ladder: Ladder, players: int) -> Arena:
    """An arena with other deals; LadderError unless its game, tables and agents are the published ones."""
    arena, fingerprints = _arena_of(ladder, players)
    for one in ladder.players[str(players)]:
        if one.fingerprint != fingerprints[one.agent]:
            raise LadderError(
                f"the ladder was played by another {one.agent} at {players} players: its weights or sources had the "
                f"fingerprint {one.fingerprint!r}, here {fingerprints[one.agent]!r}: play it anew"
            )
    return arena


def _arena_of(ladder: Ladder, players: int) -> tuple[Arena, dict[str, str]]:
    """The same, whatever its agents are, with their fingerprints."""
    here = [f"{name}_v{room.version}" for name, room in GAMES.items()]
    if ladder.game not in here:
        raise LadderError(f"the ladder is one of {ladder.game}, here it is {' or '.join(here)}: play it anew")
    name = list(GAMES)[here.index(ladder.game)]
    arena = arena_of([one.agent for one in ladder.players[str(players)]], (ladder.seed + OTHER_DEALS) % 2**62, name)
    try:
        found = header(arena, [players])
    except ValueError as error:
        raise LadderError(f"{players} players: {error}") from error
    if ladder.tables[str(players)] != found.tables[str(players)]:
        raise LadderError(f"the ladder was played with other tables at {players} players: play it anew")
    return arena, found.fingerprints[str(players)]


def signed(ladder: Ladder) -> Ladder:
    """The same ladder with the fingerprints that its agents have here; LadderError for another game or other tables."""
    found = {players: _arena_of(ladder, int(players))[1] for players in ladder.players}
    rows = {
        players: [msgspec.structs.replace(one, fingerprint=found[players][one.agent]) for one in each]
        for players, each in ladder.players.items()
    }
    return msgspec.structs.replace(ladder, players=rows)


def _section(results: Results, agents: Sequence[str], players: int) -> Section:
    found = section(results.games, agents, players, agents[-1])
    assert found is not None
    return found


@dataclass(frozen=True, kw_only=True)
class Play(program.Tournament):
    """Play the tournament and write ladder.json."""


@dataclass(frozen=True, kw_only=True)
class Show:
    """The published ladder as Markdown."""

    ladder: Path = PUBLISHED
    """a ladder file"""


@dataclass(frozen=True, kw_only=True)
class Sign(Show):
    """Write the fingerprints of the agents as they are here into a ladder file: after a change of their sources that
    changes no decision."""


@dataclass(frozen=True, kw_only=True)
class Check(Show):
    """Play a sample of the published ladder on other deals."""

    games: tuple[str, ...] = ("40",)
    """for each line-up, as of play"""

    jobs: int = 1
    """processes; results do not depend on it"""


_COMMANDS: Any = (
    Annotated[Play, tyro.conf.subcommand("play")]
    | Annotated[Check, tyro.conf.subcommand("check")]
    | Annotated[Show, tyro.conf.subcommand("show")]
    | Annotated[Sign, tyro.conf.subcommand("sign")]
)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 if the published order is contradicted, otherwise as of `Program.attempt`."""
    found: Any = program.arguments(_COMMANDS, argv, PROGRAM.name, (__doc__ or "").split("\n\n")[1])
    if isinstance(found, Play):
        with PROGRAM.refusing():
            games = games_of(found.games, found.players or game_entry(found.game).seats)
            arena, folder = checked_arena(found, list(games))
            jobs = found.asked_jobs()
        return PROGRAM.attempt(lambda: _play(arena, games, folder, jobs))
    with PROGRAM.refusing():
        ladder = read_ladder(found.ladder)
        if isinstance(found, Sign):
            write_ladder(found.ladder, signed(ladder))
            return 0
    if isinstance(found, Check):
        with PROGRAM.refusing():
            at_least(jobs=found.jobs)
            games = games_of(found.games, [int(players) for players in ladder.players])
        return PROGRAM.attempt(lambda: _check(ladder, games, found.jobs), LadderError)
    for players, rows in ladder.players.items():
        print(f"{players} players: {ladder.counts[players]}\n\n{ladder_table(rows)}\n")
    return 0


def _play(arena: Arena, games: Mapping[int, int], folder: Path, jobs: Jobs) -> int:
    report = write_report(folder, run(arena, list(games), games, folder, jobs, progress=True))
    write_ladder(folder / "ladder.json", published(report, games))
    print(report.terminal())
    return 0


def _check(ladder: Ladder, games: Mapping[int, int], jobs: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        wrong = check(ladder, games, jobs, Path(folder))
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    if not wrong:
        print("The sample agrees with the published order.")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
