"""What is kept of a table: a file of JSON lines that only grows, in the order in which things happened.

A line is with the operating system before anybody is told what it says, so a server that is killed loses nothing it
has answered.  (A machine that loses its power may lose the last seconds.)  Agents' decisions stand there too, since a
search by the clock cannot be repeated; of tokens only their SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from agents.web.server.table import Table, components_digest
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game, IllegalActionError, check_seed
from porta_nigra_env.games import GAMES, game_class, make_game

FORMAT: Final = "table/1"


class JournalError(ValueError):
    """A file that is no journal, or none that this server can go on with; it names file and cure."""


class Head(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line; tokens: hex SHA-256 by seat; seed: a decimal text."""

    format: str
    table: str
    game: str
    version: int
    components: str
    players: int
    seed: str
    seats: list[str]
    tokens: dict[str, str]


class Played(Struct, frozen=True, forbid_unknown_fields=True, tag_field="did", tag="play"):
    """A decision; at: how many there were before."""

    at: int
    seat: int
    action: Annotated[int, Meta(ge=0)]


class TakenBack(Struct, frozen=True, forbid_unknown_fields=True, tag_field="did", tag="back"):
    """A seat took its last decision back; at: how many there were before."""

    at: int
    seat: int


_LINES: Final = msgspec.json.Decoder(Played | TakenBack)


def token_digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


class Journal:
    """The file of one table.

    Attributes:
        head: its first line.
    """

    def __init__(self, path: Path, head: Head) -> None:
        self.path, self.head = path, head

    @classmethod
    def new(cls, path: Path, table: Table, tokens: Mapping[int, str]) -> Journal:
        """Begin the file of a new table; tokens by seat."""
        digests = {str(seat): token_digest(token) for seat, token in tokens.items()}
        game = table.game
        head = Head(
            FORMAT, path.stem, game.name, game.version, components_digest(game), game.num_players,
            str(table.seed), list(table.seats), digests,
        )  # fmt: skip
        write_whole(path, msgspec.json.encode(head) + b"\n")
        return cls(path, head)

    def append(self, line: Played | TakenBack) -> None:
        """Keep one line; OSError, and the file as it was, where that cannot be done."""
        data = msgspec.json.encode(line) + b"\n"
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            size = os.fstat(file).st_size
            try:
                if os.write(file, data) != len(data):
                    raise OSError(f"{self.path}: the disk is full")
            except OSError:
                os.ftruncate(file, size)
                raise
        finally:
            os.close(file)

    @classmethod
    def read_head(cls, path: Path) -> Journal:
        """The journal by its first line; JournalError where the game cannot be gone on with."""
        try:
            with path.open("rb") as file:
                head = msgspec.json.decode(file.readline(), type=Head)
        except msgspec.MsgspecError as error:
            raise JournalError(f"{path}: its first line is no journal's ({error}); remove the file") from None
        if head.format != FORMAT:
            raise JournalError(f"{path}: its format is {head.format!r}, not {FORMAT!r}; {_CURE}")
        if head.game not in GAMES:
            raise JournalError(f"{path}: there is no game {head.game!r} here; {_CURE}")
        version = game_class(head.game).version
        if head.version != version:
            raise JournalError(f"{path}: it is of {head.game} version {head.version}, not {version}; {_CURE}")
        return cls(path, head)

    def table(self, game: Game | None = None) -> Table:
        """The table as the file leaves it; a torn last line is cut off.

        Args:
            game: of this name and number of players; made by default.

        Raises:
            JournalError: other components, or a line that cannot be.
        """
        head = self.head
        try:
            game = make_game(head.game, head.players) if game is None else game
            table = Table(game, check_seed(int(head.seed)), head.seats)
        except ValueError as error:
            raise JournalError(f"{self.path}: its first line is no journal's ({error}); remove the file") from None
        if components_digest(game) != head.components:
            raise JournalError(f"{self.path}: {head.game} was played with other components; {_CURE}")
        for number, line in enumerate(self._lines()[1:], start=2):
            try:
                done = _LINES.decode(line)
                if (done.at, done.seat) != (table.at, table.mover):
                    raise IllegalActionError(f"player {done.seat} decides at {done.at}")
                table.play(done.action) if isinstance(done, Played) else table.take_back()
            except (msgspec.MsgspecError, IllegalActionError) as error:
                cure = "cut the file off before that line to go on from there, or remove it"
                raise JournalError(f"{self.path}: line {number} cannot be: {error}; {cure}") from None
        return table

    def _lines(self) -> list[bytes]:
        """The whole lines of the file."""
        data = self.path.read_bytes()
        whole, _, torn = data.rpartition(b"\n")
        if torn:
            print(f"{self.path}: a torn last line of {len(torn)} bytes was cut off", file=sys.stderr)
            os.truncate(self.path, len(data) - len(torn))
        return whole.split(b"\n")


_CURE: Final = "go on with the version of this project that wrote it, or remove the file"
