"""The folder of a tournament: ``results.jsonl``, one line a game, and ``times.jsonl``, the time of agents.

The first line of the results describes the tournament: game and version, digests of the constants, agents with their
fingerprints (`Agent.fingerprint`), seed.  Every further line is a game.  Lines are appended as games end, so a run can
be killed at any time: a resumed run drops an incomplete last line.  Except for their order, the lines are a function of
the tournament; times, which are not, have a separate file.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from agents.arena.matches import Match, Pace, Played
from agents.arena.playing import Arena
from porta_nigra_env.core.files import lock
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.positions.checks import joined

T = TypeVar("T")

SCHEMA: Final = 4
RESULTS, TIMES, LOCK = "results.jsonl", "times.jsonl", ".lock"


class ResultsError(ValueError):
    """An invalid file; the message names it and the line."""


class ForeignFolderError(ValueError):
    """A folder with another tournament; the message names the difference."""


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first line of the results: the tournament.

    Attributes:
        schema: SCHEMA.
        game: name and version.
        players: numbers of players, ascending.
        tables: digest of the constants by number of players.
        agents: agent strings, ascending.
        fingerprints: by number of players and agent.
        seed: of the deals.
        sources: names of the columns of `Line.sources`.
        alone: see `Setup`.
    """

    schema: int
    game: str
    players: list[int]
    tables: dict[str, str]
    agents: list[str]
    fingerprints: dict[str, dict[str, str]]
    seed: int
    sources: list[str]
    alone: str = ""

    @property
    def name(self) -> str:
        """Name of the game, without its version."""
        return self.game.rpartition("_v")[0]

    def __post_init__(self) -> None:
        agents = {players: set(by_agent) for players, by_agent in self.fingerprints.items()}
        if agents != {str(players): set(self.agents) for players in self.players}:
            raise ValueError("fingerprints must have one for each agent and number of players")


class Line(msgspec.Struct, omit_defaults=True):
    """Every further line: a game (`agents.arena.matches.Played`)."""

    schema: int
    players: int
    deal: int
    seed: int
    agents: tuple[str, ...]
    scores: tuple[int, ...]
    places: tuple[int, ...]
    decisions: int
    sources: tuple[tuple[int, ...], ...] = ()
    actions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("agents", "scores", "places"):
            _check_length(name, getattr(self, name), self.players)
        if self.sources:
            _check_length("sources", self.sources, self.players)
        if self.actions:
            _check_length("actions", self.actions, self.decisions)

    def checked(self, header: Header) -> Line:
        """Return the line; ValueError if it is no game of the tournament."""
        if self.players not in header.players:
            raise ValueError(f"players must be one of {header.players}, not {self.players}")
        if not set(self.agents) <= set(header.agents):
            raise ValueError(f"agents must be {self.players} of {header.agents}, not {list(self.agents)}")
        if header.sources and not self.sources:
            raise ValueError(f"sources must have {self.players} rows, not 0")
        for points in self.sources:
            _check_length("sources", points, len(header.sources))
        return self


def _check_length(name: str, values: Sequence[Any], length: int) -> None:
    if len(values) != length:
        raise ValueError(f"{name} must be {length} values, not {list(values)}")


@dataclass(frozen=True)
class Results:
    """The contents of a folder.

    Attributes:
        header: the first line.
        games: all complete lines after it.
        size: bytes of the complete lines, without an incomplete last line.
    """

    header: Header
    games: list[Played]
    size: int


def tables_digest(game: Game) -> str:
    """Return the hex SHA-256 of a game's constants."""
    return hashlib.sha256(game.constants.tobytes()).hexdigest()


def header(arena: Arena, players: Sequence[int]) -> Header:
    """Return the first line of a tournament's results."""
    games = {count: arena.game(count) for count in sorted(players)}
    first = next(iter(games.values()))
    return Header(
        schema=SCHEMA,
        game=f"{first.name}_v{first.version}",
        tables={str(count): tables_digest(game) for count, game in games.items()},
        players=list(games),
        agents=sorted(arena.setup.agents),
        fingerprints={str(count): arena.fingerprints(count) for count in games},
        seed=arena.setup.seed,
        sources=list(first.point_sources),
        alone=arena.setup.alone,
    )


def line_of(game: Played) -> Line:
    """Return a game as a line of the results."""
    results = game.scores, game.places, game.decisions, game.sources, game.actions
    return Line(SCHEMA, len(game.scores), game.match.deal, game.seed, game.match.agents, *results)


def _game_of(line: Line) -> Played:
    match = Match(line.deal, line.agents)
    return Played(match, line.seed, line.scores, line.places, line.decisions, line.sources, line.actions)


class _Schema(msgspec.Struct):
    schema: int = 0


def _decode(text: bytes, kind: type[T], description: str) -> T:
    """Decode a line; ValueError or MsgspecError for an invalid one."""
    schema = msgspec.json.decode(text, type=_Schema).schema
    if schema != SCHEMA:
        raise ValueError(f"expected {description} of schema {SCHEMA}, not {schema}; it was written by another version")
    return msgspec.json.decode(text, type=kind)


def read(folder: Path) -> Results | None:
    """Return the results in a folder; None if there are none, or no complete line.

    Raises:
        ResultsError: a line is no game of this tournament, or repeats one.
    """
    path = folder / RESULTS
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    size = data.rfind(b"\n") + 1
    header: Header | None = None
    games: list[Played] = []
    seen: dict[Match, int] = {}
    for number, text in enumerate(data[:size].splitlines(), 1):
        try:
            if header is None:
                header = _decode(text, Header, "the header of a tournament")
                continue
            game = _game_of(_decode(text, Line, "a game").checked(header))
            if game.match in seen:
                raise ValueError(f"it repeats the game of line {seen[game.match]}")
        except (ValueError, msgspec.MsgspecError) as error:
            raise ResultsError(f"{path} line {number}: {error}") from None
        seen[game.match] = number
        games.append(game)
    return None if header is None else Results(header, games, size)


def check_same(folder: Path, stored: Header, wanted: Header) -> None:
    """Raise ForeignFolderError unless both headers are equal."""
    for name in Header.__struct_fields__:
        ours, theirs = getattr(wanted, name), getattr(stored, name)
        if ours == theirs:
            continue
        if name == "players":
            raise ForeignFolderError(
                f"{folder} holds games of {joined(theirs)} players, here they are {joined(ours)}; name another folder "
                "for other numbers of players"
            )
        if name == "fingerprints":
            # Players and agents are compared before it, and equal.
            players, agent = next(
                (i, name) for i, each in ours.items() for name in each if theirs[i][name] != each[name]
            )
            raise ForeignFolderError(
                f"{folder} holds games of another {agent}: its weights or sources at {players} players have the "
                f"fingerprint {theirs[players][agent]!r}, here {ours[players][agent]!r}"
            )
        raise ForeignFolderError(f"{folder} holds another tournament: its {name} is {theirs!r}, here it is {ours!r}")


class BusyFolderError(OSError):
    """Another process is writing to the folder."""


class Writer:
    """Appends to the files of a folder, after the last complete line.

    The folder is locked until `close`.

    Args:
        folder: created if it is missing.
        header: of the tournament.
        stored: the result of `read`.
        jobs: the executor, for the record.

    Raises:
        BusyFolderError: another process is writing there, or has written since `read`.
    """

    def __init__(self, folder: Path, header: Header, stored: Results | None, jobs: str = "1 processes") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = lock(folder / LOCK)
        except TimeoutError:
            raise BusyFolderError(f"{folder}: another process is writing there") from None
        # Not "ab": an incomplete last line is overwritten.
        path = folder / RESULTS
        path.touch()
        self._results = path.open("r+b")
        size = stored.size if stored else 0
        self._results.seek(size)
        # Only an incomplete line may follow.
        if b"\n" in self._results.read():
            self._results.close()
            self._lock.release()
            raise BusyFolderError(f"{folder}: another process has written there")
        self._results.truncate(size)
        self._results.seek(size)
        self._times = (folder / TIMES).open("ab")
        if stored is None:
            self._put(self._results, [header])
        self._put(self._times, [{"machine": machine(), "jobs": jobs}])

    def add(self, games: Iterable[Played], paces: Iterable[Pace]) -> None:
        """Append games and times."""
        self._put(self._results, [line_of(game) for game in games])
        self._put(self._times, [asdict(pace) for pace in paces])

    def close(self) -> None:
        """Close both files, and release the lock."""
        self._results.close()
        self._times.close()
        self._lock.release()

    @staticmethod
    def _put(file: Any, lines: Sequence[Header | Line | Mapping[str, Any]]) -> None:
        file.write(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
        file.flush()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def machine() -> str:
    """Return CPU model, number of cores, and Python version."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    cpu = names[0] if names else platform.processor() or platform.machine()
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}"


def read_times(folder: Path) -> tuple[dict[tuple[int, str], float], list[str]]:
    """Return milliseconds a step by (players, agent), and the machines of the measurements with their jobs.

    Invalid lines are skipped: nothing depends on times.
    """
    path = folder / TIMES
    sums: dict[tuple[int, str], tuple[int, float]] = {}
    machines: list[str] = []
    for text in path.read_bytes().splitlines() if path.exists() else []:
        try:
            line = json.loads(text)
            if "machine" in line:
                jobs = line["jobs"]
                machines.append(f"{line['machine']}, {jobs if isinstance(jobs, str) else f'{jobs} processes'}")
                continue
            key = (int(line["players"]), str(line["agent"]))
            decisions, seconds = int(line["decisions"]), float(line["seconds"])
        except (ValueError, KeyError, TypeError):
            continue
        count, spent = sums.get(key, (0, 0.0))
        sums[key] = (count + decisions, spent + seconds)
    return {key: 1000 * spent / count for key, (count, spent) in sums.items() if count}, list(dict.fromkeys(machines))
