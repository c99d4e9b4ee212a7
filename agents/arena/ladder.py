"""The published ranking of agents: ``python -m agents.arena.ladder play AGENT AGENT ... --out FOLDER``.

`play` runs a tournament of all listed agents at all numbers of players, and writes ``ladder.json`` and a report.  A
copy at ``docs/ladder.json`` is the published ladder.  If all games have been played, the same command writes only these
files.  `check` plays a sample on other deals, and fails if an agent proves worse than one published below it.
`sign` updates the agents' fingerprints after a change of their sources that changes no action.
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
from agents.arena.results import header
from agents.arena.sections import Section, section, undecided
from agents.arena.tables import counts
from agents.arena.tournament import accounts, arena_of, checked_arena, run, write_report
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import check_seed
from porta_nigra_env.games import GAMES, game_entry

PROGRAM = Program("agents.arena.ladder")
PUBLISHED: Final = Path(__file__).parents[2] / "docs" / "ladder.json"
FORMAT: Final = "ladder/3"
#: Added to the published seed for the deals of a check.
OTHER_DEALS: Final = 1_000_003


class LadderError(ValueError):
    """An invalid ladder file."""


class Row(msgspec.Struct, frozen=True):
    """An agent of a ladder; estimates are a value and its 95 % interval.

    Attributes:
        agent: agent string.
        fingerprint: see `Arena.fingerprints`.
        rating: Elo points; `Ladder.counts` names the anchor.
        ahead: difference from the next agent, rounded as it is shown, which determines "="; None for the last.
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
        tables: digest of the constants by number of players.
        seed: of the deals.
        games: minimum for each line-up, by number of players.
        counts: `agents.arena.tables.counts` by number of players.
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
        counts = self.players.keys()
        if not counts or not all(count.isdecimal() for count in counts):
            raise ValueError("players: expected lists of agents by number of players")
        if not all(counts <= given.keys() for given in (self.tables, self.games, self.counts)):
            raise ValueError("tables, games, counts: expected one for each number of players")
        for count, rows in self.players.items():
            if len({row.agent for row in rows}) < max(2, len(rows)):
                raise ValueError(f"players: {count}: expected a list of at least two different agents")
            if any(row.ahead is None for row in rows[:-1]):
                raise ValueError(f"players: {count}: ahead must be a value and its interval")


def published(report: Report, games: Mapping[int, int]) -> Ladder:
    """Return the ladder of a report; games: minimum for each line-up, by number of players."""
    header = report.results.header

    rows = {
        str(part.players): [
            Row(
                agent=one.agent,
                fingerprint=header.fingerprints[str(part.players)][one.agent],
                rating=tuple(round(end, 1) for end in one.rating),  # type: ignore[arg-type]
                ahead=None if one.ahead is None else tuple(round(end) for end in one.ahead),  # type: ignore[arg-type]
                win=tuple(round(end, 4) for end in one.win),  # type: ignore[arg-type]
            )
            for one in part.standings
        ]
        for part in report.sections
    }
    numbers = {str(players): number for players, number in sorted(games.items())}
    texts = {str(part.players): counts(part) for part in report.sections}
    return Ladder(FORMAT, header.game, header.tables, header.seed, numbers, texts, rows)


class _Format(msgspec.Struct):
    format: str = ""


def read_ladder(path: Path) -> Ladder:
    """Read a ladder file; LadderError for an invalid one."""
    try:
        data = path.read_bytes()
        given = msgspec.json.decode(data, type=_Format).format
        if given != FORMAT:
            raise ValueError(
                f"format: expected {FORMAT!r}, not {given!r}; python -m agents.arena.ladder play writes a new file"
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
    """Return whether each agent cannot be told from the one above it."""
    return [False, *(above.ahead is not None and undecided(Estimate(*above.ahead)) for above in rows[:-1])]


def contradictions(sample: Section, rows: Sequence[Row]) -> list[str]:
    """Return the pairs whose published order a sample contradicts, as sentences.

    Agents in a chain of "=" may be in any order.
    """
    index = {standing.agent: i for i, standing in enumerate(sample.standings)}
    chains = itertools.accumulate(0 if equal else 1 for equal in _equal_to_above(rows))
    sentences = []
    for (above, upper), (below, lower) in itertools.combinations(zip(rows, chains, strict=True), 2):
        duel = sample.duels[index[below.agent]][index[above.agent]]
        if upper != lower and duel is not None and duel.low > 0.5:
            sentences.append(
                f"{sample.players} players: {below.agent} is published below {above.agent}, but was before it in "
                f"{duel.value:.1%} ({duel.low:.1%} to {duel.high:.1%}) of their games"
            )
    return sentences


def least_games(players: int) -> int:
    """Return the games of a line-up that a contradiction needs, if the same agent is first in all of them."""
    deals = next(count for count in itertools.count(2) if wilson(1.0, count, half_width(count)).low > 0.5)
    return (deals - 1) * players + 1


def check(ladder: Ladder, games: Mapping[int, int], jobs: int, folder: Path, progress: bool = True) -> list[str]:
    """Play a sample on other deals, and return the contradictions; games: of each line-up, by number of players.

    Raises:
        LadderError: the ladder has another game, other constants or agents, or a sample is too small for any
            contradiction; nothing has been played.
    """
    arenas = {}
    for players in ladder.players:
        count = int(players)
        if games[count] < least_games(count):
            raise LadderError(
                f"{games[count]} games at {count} players are too few for any contradiction; "
                f"at least {least_games(count)} are needed"
            )
        arenas[count] = _published_arena(ladder, count)
    wrong = []
    for count, arena in arenas.items():
        results = run(arena, [count], games[count], folder / str(count), jobs, progress)
        sample = section(results.games, arena.setup.agents, count)
        assert sample is not None
        wrong += contradictions(sample, ladder.players[str(count)])
    return wrong


def _published_arena(ladder: Ladder, players: int) -> Arena:
    """Return an arena with other deals; LadderError unless game, constants and agents are the published ones."""
    arena, fingerprints = _arena_of(ladder, players)
    for row in ladder.players[str(players)]:
        if row.fingerprint != fingerprints[row.agent]:
            raise LadderError(
                f"the ladder was played by another {row.agent} at {players} players: its weights or sources had the "
                f"fingerprint {row.fingerprint!r}, here {fingerprints[row.agent]!r}: play it again"
            )
    return arena


def _arena_of(ladder: Ladder, players: int) -> tuple[Arena, dict[str, str]]:
    """Return an arena with other deals and the current agents, and their fingerprints."""
    here = [f"{name}_v{entry.version}" for name, entry in GAMES.items()]
    if ladder.game not in here:
        raise LadderError(f"the ladder is one of {ladder.game}, here it is {' or '.join(here)}: play it again")
    name = list(GAMES)[here.index(ladder.game)]
    arena = arena_of([row.agent for row in ladder.players[str(players)]], (ladder.seed + OTHER_DEALS) % 2**62, name)
    try:
        current = header(arena, [players])
    except ValueError as error:
        raise LadderError(f"{players} players: {error}") from error
    if ladder.tables[str(players)] != current.tables[str(players)]:
        raise LadderError(f"the ladder was played with other tables at {players} players: play it again")
    return arena, current.fingerprints[str(players)]


def sign(ladder: Ladder) -> Ladder:
    """Return a ladder with the current fingerprints; LadderError for another game or other constants."""
    current = {players: _arena_of(ladder, int(players))[1] for players in ladder.players}
    rows = {
        players: [msgspec.structs.replace(row, fingerprint=current[players][row.agent]) for row in each]
        for players, each in ladder.players.items()
    }
    return msgspec.structs.replace(ladder, players=rows)


@dataclass(frozen=True, kw_only=True)
class Play(program.Tournament):
    """Play the tournament and write ladder.json."""


@dataclass(frozen=True, kw_only=True)
class Sign:
    """Write the current fingerprints of the agents into a ladder file, after a change of their sources that changes no
    action."""

    ladder: Path = PUBLISHED
    """a ladder file"""


@dataclass(frozen=True, kw_only=True)
class Check(Sign):
    """Play a sample of the published ladder on other deals."""

    games: tuple[str, ...] = ("40",)
    """for each line-up, like play"""

    jobs: int = 1
    """processes; results do not depend on it"""


_COMMANDS: Any = (
    Annotated[Play, tyro.conf.subcommand("play")]
    | Annotated[Check, tyro.conf.subcommand("check")]
    | Annotated[Sign, tyro.conf.subcommand("sign")]
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`, or 1 for a contradiction."""
    command: Any = program.arguments(_COMMANDS, argv, PROGRAM.name, (__doc__ or "").split("\n\n")[1])
    if isinstance(command, Play):
        with PROGRAM.refusing():
            games = games_of(command.games, command.players or game_entry(command.game).seats)
            arena, folder = checked_arena(command, list(games))
            jobs = command.asked_jobs()
        return PROGRAM.attempt(lambda: _play(arena, games, folder, jobs, command.components))
    with PROGRAM.refusing():
        ladder = read_ladder(command.ladder)
        if not isinstance(command, Check):
            write_ladder(command.ladder, sign(ladder))
            return 0
        at_least(jobs=command.jobs)
        games = games_of(command.games, [int(players) for players in ladder.players])
    return PROGRAM.attempt(lambda: _check(ladder, games, command.jobs), LadderError)


def _play(arena: Arena, games: Mapping[int, int], folder: Path, jobs: Jobs, components: str) -> int:
    with accounts(arena, list(games)):
        results = run(arena, list(games), games, folder, jobs, progress=True)
    report = write_report(folder, results, components=components)
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
