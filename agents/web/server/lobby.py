"""All tables of a server: those at which somebody looks are in memory, the others sleep in their journals."""

from __future__ import annotations

import hmac
import re
import secrets
import sys
import time
from pathlib import Path
from typing import Final

from agents.web.server.journal import Journal, JournalError, token_digest
from agents.web.server.limits import Limits
from agents.web.server.messages import ProtocolError, Request
from agents.web.server.players import Players
from agents.web.server.session import GOING_AWAY, Connection, Session
from agents.web.server.table import HUMAN, RefusedError, Table
from porta_nigra_env.core.game.game import Game, check_seed, new_seed

_TOKEN: Final = re.compile(r"(?P<table>[0-9a-f]{16})\.(?P<seat>[0-9]{1,2})\.[\w-]{32}", re.ASCII)
_DAY: Final = 86_400


class LobbyFullError(ValueError):
    """There are as many tables as there may be."""


class Lobby:
    """The tables of a folder.

    Args:
        folder: of the journals; made if it is missing.
        players: agents.
        limits: numbers of tables and of sockets.
        days: a journal that nothing was added to for so long is removed; 0 to keep all.
    """

    def __init__(self, folder: Path, players: Players, limits: Limits, days: float = 0.0) -> None:
        self.folder, self.players, self.limits, self.days = folder, players, limits, days
        folder.mkdir(parents=True, exist_ok=True)
        self._awake: dict[str, Session] = {}
        self._closed = False
        self._kept = self._there()
        self._remove_old()

    @property
    def awake(self) -> int:
        """How many tables are in memory."""
        return len(self._awake)

    def __len__(self) -> int:
        return len(self._kept)

    def unusable(self) -> list[str]:
        """What is wrong with journals that cannot be gone on with, a sentence for each."""
        wrong = []
        for name in sorted(self._kept):
            try:
                Journal.read_head(self._path(name))
            except (JournalError, OSError) as error:
                wrong.append(str(error))
        return wrong

    async def open(self, request: Request) -> tuple[str, dict[str, str]]:
        """A new table: its id, and the tokens of the people's seats.

        Raises:
            ProtocolError: names the field that cannot be and what would be right.
            LobbyFullError: there are too many tables.
        """
        game = await self._game(request)
        people = [seat for seat, text in enumerate(request.seats) if text == HUMAN]
        seed = self._seed(request)
        self._make_room()
        name = secrets.token_hex(8)
        tokens = {seat: f"{name}.{seat}.{secrets.token_urlsafe(24)}" for seat in people}
        Journal.new(self._path(name), Table(game, seed, request.seats), tokens)
        self._kept.add(name)
        return name, {str(seat): token for seat, token in tokens.items()}

    async def sit(self, token: str) -> tuple[Session, Connection]:
        """Take the seat of a token.

        Raises:
            RefusedError: there is no such seat.
            JournalError: the table cannot be gone on with.
        """
        if self._closed:
            raise RefusedError("the server ends; come back in a while")
        found = _TOKEN.fullmatch(token)
        if found is None or found["table"] not in self._kept:
            raise RefusedError(_NO_SEAT)
        name, seat = found["table"], int(found["seat"])
        awake = self._awake.get(name)
        journal = Journal.read_head(self._path(name)) if awake is None else awake.journal
        if not hmac.compare_digest(journal.head.tokens.get(str(seat), ""), token_digest(token)):
            raise RefusedError(_NO_SEAT)
        session = await self._woken(name, journal)
        return session, session.enter(seat)

    def close(self) -> None:
        """Send everybody away: the server ends."""
        self._closed = True
        for session in list(self._awake.values()):
            session.close(GOING_AWAY, "the server ends; the game is kept")

    async def _woken(self, name: str, journal: Journal) -> Session:
        """The table in memory.  Between looking and putting it there nothing is awaited, so there is one of each."""
        if name in self._awake:
            return self._awake[name]
        head = journal.head
        try:
            game = await self.players.game(head.game, head.players)
        except ValueError as error:
            raise JournalError(f"{journal.path}: {error}") from None
        analysis = await self.players.analyst_of(head.game, head.players)
        if name not in self._awake:
            table = journal.table(game)

            def empty() -> None:
                # A socket that left late belongs to a session that is over, not to the one that came after it.
                if self._awake.get(name) is session:
                    del self._awake[name]

            self._awake[name] = session = Session(table, journal, self.players, analysis, self.limits, empty)
        return self._awake[name]

    async def _game(self, request: Request) -> Game:
        try:
            game = await self.players.game(request.game, request.players)
        except ValueError as error:
            text = str(error)
            raise ProtocolError(text if text.startswith("game") else f"players: {text}") from None
        if len(request.seats) != request.players:
            raise ProtocolError(f"seats: {request.players} are needed, not {len(request.seats)}")
        if HUMAN not in request.seats:
            raise ProtocolError(f'seats: at least one has to be "{HUMAN}"')
        for seat, text in enumerate(request.seats):
            if text != HUMAN and (why := await self.players.why_not(text, request.game, request.players)):
                raise ProtocolError(f"seats: seat {seat}: {why}")
        return game

    def _seed(self, request: Request) -> int:
        try:
            return new_seed() if request.seed is None else check_seed(int(request.seed))
        except ValueError as error:
            raise ProtocolError(f"seed: {error}") from None

    def _there(self) -> set[str]:
        return {path.stem for path in self.folder.glob("*.jsonl")}

    def _make_room(self) -> None:
        full = len(self._kept) >= self.limits.tables
        if full:
            # Whoever runs the server may have removed some.
            self._kept = self._there() | set(self._awake)
        if full or time.time() - self._looked > _DAY / 24:
            self._remove_old()
        if len(self._kept) >= self.limits.tables:
            raise LobbyFullError(
                f"this server keeps {self.limits.tables} tables and no more; whoever runs it can remove journals, "
                "or allow more with --tables"
            )

    def _remove_old(self) -> None:
        self._looked = time.time()
        if self.days <= 0:
            return
        for name in sorted(self._kept - set(self._awake)):
            path = self._path(name)
            if path.exists() and time.time() - path.stat().st_mtime > self.days * _DAY:
                path.unlink()
                self._kept.discard(name)
                print(f"{path}: removed, nobody has played there for {self.days:g} days", file=sys.stderr)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"


_NO_SEAT: Final = "there is no such seat; the link of a seat is #seat?k= and its token"
