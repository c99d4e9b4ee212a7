"""The folder of a tournament: ``results.jsonl``, one line a game, and ``times.jsonl``, how long decisions took.

The first line of the results tells the tournament: game and version, digests of the tables, agents with fingerprints
of what they played by (`Agent.fingerprint`), seed.  Every further line is a game.  Lines are appended as games end, so
a run can be killed at any time: a last line without its end is dropped when the run goes on.  The lines are a function
of the tournament, but for their order; times, which are not, stand in the other file.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agents.arena.matches import Match, Pace, Played, Room
from agents.files import lock
from porta_nigra_env.core.game import Game

SCHEMA: Final = 2
RESULTS, TIMES = "results.jsonl", "times.jsonl"


class ResultsError(ValueError):
    """A file that cannot be read; the message names it and the line."""


class ForeignFolderError(ValueError):
    """A folder that holds another tournament; the message names what differs."""


@dataclass(frozen=True)
class Results:
    """What a folder holds.

    Attributes:
        header: its first line.
        games: all complete lines after it.
        size: bytes of the complete lines; what follows is a line without its end.
    """

    header: dict[str, Any]
    games: list[Played]
    size: int


def digest(game: Game) -> str:
    """Hex SHA-256 of a game's tables."""
    return hashlib.sha256(game.tables.tobytes()).hexdigest()


def header(room: Room, players: Sequence[int]) -> dict[str, Any]:
    """The first line of a tournament's results."""
    games = {count: room.game(count) for count in sorted(players)}
    first = next(iter(games.values()))
    return {
        "schema": SCHEMA,
        "game": f"{first.name}_v{first.version}",
        "tables": {str(count): digest(game) for count, game in games.items()},
        "players": list(games),
        "agents": sorted(room.setup.agents),
        "fingerprints": {str(count): room.fingerprints(count) for count in games},
        "seed": room.setup.seed,
        "sources": list(room.setup.sheet.columns) if room.setup.sheet else [],
    }


def line_of(game: Played) -> dict[str, Any]:
    """A game as a line of the results."""
    line = {
        "schema": SCHEMA,
        "players": len(game.scores),
        "deal": game.match.deal,
        "seed": game.seed,
        "agents": list(game.match.agents),
        "scores": list(game.scores),
        "decisions": game.decisions,
    }
    return {**line, "sources": [list(points) for points in game.sources]} if game.sources else line


def _integers(value: Any, length: int, name: str) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != length or any(type(number) is not int for number in value):
        raise ValueError(f"{name} must be {length} integers, not {value!r}")
    return tuple(value)


def _game_of(line: Any, header: dict[str, Any]) -> Played:
    """The game of a line; ValueError or KeyError for what is none."""
    if not isinstance(line, dict) or line.get("schema") != SCHEMA:
        raise ValueError(f"expected an object of schema {SCHEMA}")
    players = line["players"]
    if players not in header["players"]:
        raise ValueError(f"players must be one of {header['players']}, not {players!r}")
    agents = line["agents"]
    if not isinstance(agents, list) or len(agents) != players or not all(one in header["agents"] for one in agents):
        raise ValueError(f"agents must be {players} of {header['agents']}, not {agents!r}")
    deal, seed, decisions = _integers([line["deal"], line["seed"], line["decisions"]], 3, "deal, seed and decisions")
    columns = len(header["sources"])
    sources = line["sources"] if columns else []
    if len(sources) != (players if columns else 0):
        raise ValueError(f"sources must have {players} rows, not {len(sources)}")
    return Played(
        Match(deal, tuple(agents)),
        seed,
        _integers(line["scores"], players, "scores"),
        decisions,
        tuple(_integers(points, columns, "sources") for points in sources),
    )


def _header_of(line: Any) -> dict[str, Any]:
    if not isinstance(line, dict) or line.get("schema") != SCHEMA:
        found = f", not {line['schema']!r}" if isinstance(line, dict) and "schema" in line else ""
        raise ValueError(f"expected the header of a tournament of schema {SCHEMA}{found}")
    kinds = {"game": str, "tables": dict, "players": list, "agents": list, "fingerprints": dict, "sources": list}
    for name, kind in kinds.items():
        if not isinstance(line[name], kind):
            raise ValueError(f"{name} must be of type {kind.__name__}, not {line[name]!r}")
    there = {players: set(one) if isinstance(one, dict) else None for players, one in line["fingerprints"].items()}
    if there != {str(players): set(line["agents"]) for players in line["players"]}:
        raise ValueError("fingerprints must have one for each agent and number of players")
    _integers([line["seed"]], 1, "seed")
    return line


def read(folder: Path) -> Results | None:
    """The results in a folder; None if there are none, or no complete line.

    Raises:
        ResultsError: a line that is no game of this tournament, or a game that stands there twice.
    """
    path = folder / RESULTS
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    size = data.rfind(b"\n") + 1
    header: dict[str, Any] = {}
    games: list[Played] = []
    seen: dict[Match, int] = {}
    for number, text in enumerate(data[:size].splitlines(), 1):
        try:
            line = json.loads(text)
            if number == 1:
                header = _header_of(line)
                continue
            game = _game_of(line, header)
            if game.match in seen:
                raise ValueError(f"the same game stands in line {seen[game.match]}")
        except KeyError as error:
            raise ResultsError(f"{path} line {number}: {error.args[0]!r} is missing") from None
        except (ValueError, TypeError) as error:
            raise ResultsError(f"{path} line {number}: {error}") from None
        seen[game.match] = number
        games.append(game)
    return Results(header, games, size) if header else None


def check_same(folder: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """ForeignFolderError unless both headers are the same."""
    for name, value in wanted.items():
        other: Any = found.get(name)
        if other == value:
            continue
        if name == "fingerprints":
            # Players and agents stand before it, and are the same.
            players, agent = next((i, one) for i, ours in value.items() for one in ours if other[i][one] != ours[one])
            raise ForeignFolderError(
                f"{folder} holds games of another {agent}: its weights or sources at {players} players have the "
                f"fingerprint {other[players][agent]!r}, here {value[players][agent]!r}"
            )
        raise ForeignFolderError(f"{folder} holds another tournament: its {name} is {other!r}, here it is {value!r}")


class BusyFolderError(OSError):
    """Another process is writing to the folder."""


class Writer:
    """Appends to the files of a folder; made anew or cut behind the last complete line.

    The results are locked until `close`, where the system has locks (`fcntl`).

    Args:
        folder: made if it is missing.
        header: of the tournament.
        found: what `read` has found there.
        jobs: processes, for the record.

    Raises:
        BusyFolderError: another process is writing there, or has written since `found` was read.
    """

    def __init__(self, folder: Path, header: dict[str, Any], found: Results | None, jobs: int = 1) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        # Not "ab": where the file ends in half a line, that is overwritten.
        path = folder / RESULTS
        path.touch()
        self._results = path.open("r+b")
        try:
            self._lock(found)
        except OSError:
            self._results.close()
            raise BusyFolderError(f"{folder}: another process is writing there") from None
        self._results.truncate(found.size if found else 0)
        self._results.seek(0, os.SEEK_END)
        self._times = (folder / TIMES).open("ab")
        if found is None:
            self._put(self._results, [header])
        self._put(self._times, [{"machine": machine(), "jobs": jobs}])

    def _lock(self, found: Results | None) -> None:
        lock(self._results)
        # Half a line is all that may follow what has been read.
        self._results.seek(found.size if found else 0)
        if b"\n" in self._results.read():
            raise OSError

    def add(self, games: Iterable[Played], paces: Iterable[Pace]) -> None:
        """Append games and what they took."""
        self._put(self._results, [line_of(game) for game in games])
        self._put(
            self._times,
            [
                {"players": one.players, "agent": one.agent, "decisions": one.decisions, "seconds": one.seconds}
                for one in paces
            ],
        )

    def close(self) -> None:
        """Close both files."""
        self._results.close()
        self._times.close()

    @staticmethod
    def _put(file: Any, lines: Sequence[dict[str, Any]]) -> None:
        file.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode())
        file.flush()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def machine() -> str:
    """The processor, its cores, and the interpreter."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}"


def read_times(folder: Path) -> tuple[dict[tuple[int, str], float], list[str]]:
    """Milliseconds a decision by (players, agent), and the machines, with their jobs, that this was measured on.

    Lines that cannot be read are passed over: times are a record, nothing depends on them.
    """
    path = folder / TIMES
    sums: dict[tuple[int, str], tuple[int, float]] = {}
    machines: list[str] = []
    for text in path.read_bytes().splitlines() if path.exists() else []:
        try:
            line = json.loads(text)
            if "machine" in line:
                machines.append(f"{line['machine']}, {line['jobs']} processes")
                continue
            key = (int(line["players"]), str(line["agent"]))
            decisions, seconds = int(line["decisions"]), float(line["seconds"])
        except (ValueError, KeyError, TypeError):
            continue
        count, spent = sums.get(key, (0, 0.0))
        sums[key] = (count + decisions, spent + seconds)
    return {key: 1000 * spent / count for key, (count, spent) in sums.items() if count}, list(dict.fromkeys(machines))
