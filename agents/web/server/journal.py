"""Journals: each table is a file of JSON lines, in the order of its events.

A line is with the operating system before any seat learns of its event, so a killed server loses nothing that it has
answered. A power failure may lose the last seconds. Actions of agents are written too, since a timed search cannot be
repeated. Tokens are kept as SHA-256 digests. The file holds the seed, so only its owner may read it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from agents.seats.terms import TERMS, Terms, Why
from agents.web.server.messages import DELAY
from agents.web.server.table import ONLOOKER, Table, components_digest
from porta_nigra_env.core.files import replacing
from porta_nigra_env.core.game.game import Game, IllegalActionError, check_seed
from porta_nigra_env.games import GAMES, game_class, make_game

FORMAT: Final = "table/1"
#: Needless lines after which a journal is written again without them.
EXCESS: Final = 200
#: Number of phrases that a table keeps.
RECENT: Final = 30


class JournalError(ValueError):
    """A file that this server cannot resume; the message names the file and the fix."""


class Head(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The first line.

    Attributes:
        seed: a decimal string.
        tokens: hex SHA-256 of tokens and invitations, by seat.
        invited: seats whose token is an invitation.
        programs: seats that programs took.
        terms: of these seats; None for the default ones.
        names: of people, by seat.
        onlooker: hex SHA-256 of the onlookers' token; "" if there is none.
        delay: number of steps by which onlookers see the game late.
        phrases: the recent ones, the oldest first: number of steps before it, seat, and phrase.
    """

    format: str
    table: str
    game: str
    version: int
    components: str
    players: int
    seed: str
    seats: list[str]
    tokens: dict[str, str]
    invited: list[int] = []
    programs: list[int] = []
    terms: Terms | None = None
    names: dict[str, str] = {}
    onlooker: str = ""
    delay: int = DELAY
    phrases: list[tuple[int, int, str]] = []


class Played(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="did", tag="play"):
    """An action.

    Attributes:
        at: the number of steps before it.
        used: seconds that the seat has used so far, if it has a clock.
    """

    at: int
    seat: int
    action: Annotated[int, Meta(ge=0)]
    used: Annotated[float, Meta(ge=0)] | None = None


class TakenBack(Struct, frozen=True, forbid_unknown_fields=True, tag_field="did", tag="back"):
    """A seat has undone its last action; at: the number of steps before that."""

    at: int
    seat: int


class Claimed(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="did", tag="claim"):
    """An invitation was replaced by a token; token: its hex SHA-256; program: whether a program did that."""

    seat: int
    token: str
    program: bool = False


class Renamed(Struct, frozen=True, forbid_unknown_fields=True, tag_field="did", tag="name"):
    """A person has a name, or another one."""

    seat: int
    name: str


class Phrased(Struct, frozen=True, forbid_unknown_fields=True, tag_field="did", tag="say"):
    """A seat has said a phrase; at: the number of steps before it."""

    at: int
    seat: int
    phrase: str


class Forfeited(Struct, frozen=True, forbid_unknown_fields=True, tag_field="did", tag="forfeit"):
    """A seat has forfeited; the fallback plays it from now on."""

    seat: Annotated[int, Meta(ge=0)]
    why: Why


HeadLine = Claimed | Renamed | Phrased
Line = Played | TakenBack | HeadLine | Forfeited
_LINES: Final[msgspec.json.Decoder[Line]] = msgspec.json.Decoder(Line)
#: Beginnings of lines that change the head.
_HEAD_LINES: Final = b'{"did":"claim"', b'{"did":"name"', b'{"did":"say"'
_PLAY: Final = b'{"did":"play"'


def token_digest(token: str) -> str:
    """Return the digest that stands for a token."""
    return hashlib.sha256(token.encode()).hexdigest()


class Journal:
    """The file of one table.

    Attributes:
        head: the first line, with the claims, names and phrases of later lines applied.
        excess: number of lines about undone actions, replaced names and phrases.
    """

    def __init__(self, path: Path, head: Head) -> None:
        self.path, self.head, self.excess = path, head, 0

    @classmethod
    def new(
        cls,
        path: Path,
        table: Table,
        tokens: Mapping[int, str],
        invitations: Mapping[int, str] = {},
        programs: Sequence[int] = (),
        terms: Terms | None = None,
        onlooker: str | None = None,
    ) -> Journal:
        """Begin the file of a new table.

        Args:
            tokens, invitations: by seat.
            programs, terms: see `Head`.
            onlooker: the token of onlookers.
        """
        digests = {str(seat): token_digest(token) for seat, token in {**tokens, **invitations}.items()}
        game = table.game
        head = Head(
            FORMAT, path.stem, game.name, game.version, components_digest(game), game.num_players,
            str(table.seed), list(table.seats), digests, sorted(invitations), list(programs), terms,
            onlooker="" if onlooker is None else token_digest(onlooker), delay=table.delay,
        )  # fmt: skip
        journal = cls(path, head)
        journal._rewrite([])
        return journal

    def opens(self, seat: int, token: str) -> bool:
        """Return whether a token, or an invitation, is the one of a seat, or of onlookers."""
        kept = self.head.onlooker if seat == ONLOOKER else self.head.tokens.get(str(seat), "")
        return hmac.compare_digest(kept, token_digest(token))

    def claim(self, seat: int, token: str, program: bool = False) -> None:
        """Replace a seat's invitation by a token; program: whether a program asks. Raises OSError."""
        self._change(Claimed(seat, token_digest(token), program))

    def rename(self, seat: int, name: str) -> None:
        """Keep a person's name. Raises OSError."""
        self._change(Renamed(seat, name))

    def say(self, at: int, seat: int, phrase: str) -> None:
        """Keep a phrase that was said after `at` steps. Raises OSError."""
        self._change(Phrased(at, seat, phrase))

    def _change(self, line: HeadLine) -> None:
        self.append(line)
        self.head = _applied(self.head, line)

    def append(self, line: Line) -> None:
        """Write one line. Raises OSError, and leaves the file unchanged, where that fails."""
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
        self.excess += _excess(line)

    def compact(self, table: Table) -> None:
        """Write the file again without needless lines, if there are many. Raises OSError."""
        if self.excess >= EXCESS:
            last = {mover: at for at, mover in enumerate(table.movers)}
            steps = enumerate(zip(table.movers, table.actions, strict=True))
            played = [Played(at, mover, action, table.used(mover) if last[mover] == at else None)
                      for at, (mover, action) in steps]  # fmt: skip
            self._rewrite([*played, *(Forfeited(seat, why) for seat, why in table.conduct.forfeits.items())])
            self.excess = 0

    @classmethod
    def read(cls, path: Path) -> Journal:
        """Read the head with its changes. Raises JournalError for a game that cannot be resumed."""
        first, *lines = path.read_bytes().split(b"\n")
        try:
            head = msgspec.json.decode(first, type=Head)
            for line in lines[:-1]:
                if line.startswith(_HEAD_LINES):
                    head = _applied(head, msgspec.json.decode(line, type=HeadLine))
        except msgspec.MsgspecError as error:
            raise JournalError(f"{path}: its head is damaged ({error}); remove the file") from None
        if head.format != FORMAT:
            raise JournalError(f"{path}: its format is {head.format!r}, not {FORMAT!r}; {_FIX}")
        if head.game not in GAMES:
            raise JournalError(f"{path}: there is no game {head.game!r} here; {_FIX}")
        version = game_class(head.game).version
        if head.version != version:
            raise JournalError(f"{path}: it is of {head.game} version {head.version}, not {version}; {_FIX}")
        return cls(path, head)

    @staticmethod
    def is_unused(path: Path) -> bool:
        """Return whether no action was ever played."""
        return b"\n" + _PLAY not in path.read_bytes()

    def table(self, game: Game | None = None, clock: Callable[[], float] = time.monotonic) -> Table:
        """Return the table as the file leaves it; cut off a torn last line.

        Args:
            game: the game with this number of players; None makes it.
            clock: returns seconds, for the seats' clocks.

        Raises:
            JournalError: other components, or a line that does not fit the game.
        """
        head = self.head
        try:
            game = make_game(head.game, head.players) if game is None else game
            seed = check_seed(int(head.seed))
            table = Table(
                game, seed, head.seats, terms=head.terms or TERMS, programs=head.programs, clock=clock, delay=head.delay
            )
        except ValueError as error:
            raise JournalError(f"{self.path}: its head is damaged ({error}); remove the file") from None
        if components_digest(game) != head.components:
            raise JournalError(f"{self.path}: {head.game} was played with other components; {_FIX}")
        for number, line in enumerate(self._lines()[1:], start=2):
            try:
                self._replay(_LINES.decode(line), table)
            except (msgspec.MsgspecError, IllegalActionError) as error:
                fix = "cut the file off before that line to resume from there, or remove it"
                raise JournalError(f"{self.path}: line {number} is not valid: {error}; {fix}") from None
        self.compact(table)
        return table

    def _replay(self, line: Line, table: Table) -> None:
        self.excess += _excess(line)
        if isinstance(line, HeadLine):
            return
        if isinstance(line, Forfeited):
            if line.seat not in table.conduct or line.seat in table.conduct.forfeits:
                raise IllegalActionError(f"seat {line.seat} cannot forfeit")
            table.conduct.forfeit(line.seat, line.why)
            return
        if (line.at, line.seat) != (table.at, table.mover):
            raise IllegalActionError(f"player {line.seat} acts at step {line.at}")
        if isinstance(line, Played):
            table.play(line.action)
            if line.used is not None:
                table.conduct.restore(line.seat, line.used)
        else:
            table.undo()

    def _lines(self) -> list[bytes]:
        """Return the complete lines of the file."""
        data = self.path.read_bytes()
        whole, _, torn = data.rpartition(b"\n")
        if torn:
            print(f"{self.path}: a torn last line of {len(torn)} bytes was cut off", file=sys.stderr)
            os.truncate(self.path, len(data) - len(torn))
        return whole.split(b"\n")

    def _rewrite(self, lines: Sequence[Line]) -> None:
        """Replace the file, which only its owner may read."""
        with replacing(self.path, mode=0o600) as partial:
            partial.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in (self.head, *lines)))


def _excess(line: Line) -> int:
    """Return how many lines a later line makes needless, itself included."""
    return 2 if isinstance(line, TakenBack) else 1 if isinstance(line, Renamed | Phrased) else 0


def _applied(head: Head, line: HeadLine) -> Head:
    """Return the head after a line that changes it."""
    if isinstance(line, Phrased):
        phrases = [*head.phrases, (line.at, line.seat, line.phrase)]
        return msgspec.structs.replace(head, phrases=phrases[-RECENT:])
    if isinstance(line, Renamed):
        return msgspec.structs.replace(head, names={**head.names, str(line.seat): line.name})
    return msgspec.structs.replace(
        head,
        tokens={**head.tokens, str(line.seat): line.token},
        invited=[seat for seat in head.invited if seat != line.seat],
        programs=[*head.programs, *([line.seat] if line.program else [])],
    )


_FIX: Final = "resume with the version of this project that wrote it, or remove the file"
