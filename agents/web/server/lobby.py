"""The lobby: all tables of a server. Tables with connections are in memory, the others only in their journals."""

from __future__ import annotations

import os
import re
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from agents.seats.terms import Terms
from agents.web.server.agent_pool import FALLBACK, AgentPool
from agents.web.server.journal import Journal, JournalError
from agents.web.server.limits import Limits, Work
from agents.web.server.messages import DELAY, Opened, ProtocolError, Request
from agents.web.server.people import checked_name
from agents.web.server.session import GOING_AWAY, Connection, Session
from agents.web.server.table import HUMAN, ONLOOKER, RefusedError, Table
from porta_nigra_env.core.game.game import Game, check_seed, new_seed

_TOKEN: Final = re.compile(r"(?P<table>[0-9a-f]{16})\.(?P<seat>[0-9]{1,2}|look)\.[\w-]{32}", re.ASCII)
_HOUR: Final = 3600
_NO_SEAT: Final = "there is no such seat; the link of a seat is #seat?k= and its token"
_USED: Final = "this invitation was used already; if that was not you, another person has the seat: open a new table"


class LobbyFullError(ValueError):
    """The largest number of tables is reached."""


class Lobby:
    """The tables of a folder.

    Args:
        folder: the folder of the journals; made if missing, for this user alone.
        agents: the agents of the server.
        limits: the limits of tables and sockets.
        clock: returns seconds, for the clocks of programs.
    """

    def __init__(
        self, folder: Path, agents: AgentPool, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.folder, self.agents, self.limits, self._clock = folder, agents, limits, clock
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in folder.glob("*.jsonl"):
            with suppress(OSError):  # another user's file
                path.chmod(0o600)
        self._awake: dict[str, Session] = {}
        self._closed = False
        self._names = self._find()
        #: Addresses that opened tables since the start, by table.
        self._openers: dict[str, str] = {}
        self._remove_unused()

    @property
    def awake(self) -> int:
        """The number of tables in memory."""
        return len(self._awake)

    def __len__(self) -> int:
        return len(self._names)

    def unusable(self) -> list[str]:
        """Return a sentence for each journal that cannot be resumed."""
        wrong = []
        for name in sorted(self._names):
            try:
                Journal.read(self._path(name))
            except (JournalError, OSError) as error:
                wrong.append(str(error))
        return wrong

    async def open(self, request: Request, address: str = "", terms: Terms | None = None) -> Opened:
        """Open a table.

        Args:
            terms: of the seats that programs take, the opener's seat among them; None if a person opens the table.

        Raises:
            ProtocolError: a field cannot be used; the message names it and the fix.
            LobbyFullError: there are too many tables, of this address or in all.
        """
        game = await self._game(request)
        seed = self._seed(request)
        fallback = FALLBACK if terms is None else terms.fallback
        if fallback != FALLBACK and (why := await self.agents.why_not(fallback, request.game, request.players)):
            raise ProtocolError(f"fallback: {why}")
        self._check_space(address)
        name = secrets.token_hex(8)
        people = [seat for seat, text in enumerate(request.seats) if text == HUMAN]
        drawn = {seat: f"{name}.{seat}.{secrets.token_urlsafe(24)}" for seat in people}
        tokens = {seat: token for seat, token in drawn.items() if seat == request.mine}
        invitations = {seat: token for seat, token in drawn.items() if seat != request.mine}
        table = Table(game, seed, request.seats, delay=DELAY if request.delay is None else request.delay)
        onlooker = None if request.delay is None else f"{name}.look.{secrets.token_urlsafe(24)}"
        programs = [] if terms is None else list(tokens)
        Journal.new(self._path(name), table, tokens, invitations, programs, terms, onlooker)
        self._names.add(name)
        self._openers[name] = address
        by_seat = [{str(seat): text for seat, text in one.items()} for one in (tokens, invitations)]
        return Opened(name, by_seat[0], by_seat[1], onlooker)

    async def sit(
        self, token: str, fresh: str | None, work: Work, program: bool = False, called: str | None = None
    ) -> tuple[Session, Connection]:
        """Take the seat of a token, or look on.

        Args:
            fresh: the token that replaces an invitation; with it the same call may be repeated.
            work: the work for the address of the caller.
            program: whether a program asks; the seat of its invitation is then under the terms of the table.
            called: the person's name; None leaves it as it is.

        Raises:
            RefusedError: there is no such seat, the invitation was used, or the name cannot be used.
            JournalError: the table cannot be resumed.
            OSError: the claim or the name cannot be written.
        """
        if self._closed:
            raise RefusedError("the server ends; come back in a while")
        name, seat = self._parse(token)
        if seat == ONLOOKER and program:
            raise RefusedError("this is a link for onlookers; a program needs an invitation")
        if called is not None:
            called = checked_name(called)
        journal = self._journal(name)
        if fresh is not None and journal.opens(seat, fresh):
            token = fresh
        if not journal.opens(seat, token):
            raise RefusedError(_NO_SEAT if fresh is None else _USED)
        if seat in journal.head.invited and (fresh is None or fresh == token or self._parse(fresh) != (name, seat)):
            raise RefusedError(f"an invitation needs `fresh`, a new token {name}.{seat}. and 32 random characters")
        session = await self._wake(name, journal, work)
        # Another person may have used the invitation while the table was loaded.
        if not session.journal.opens(seat, token):
            session.sleep()
            raise RefusedError(_USED)
        if seat in session.journal.head.invited and fresh is not None:
            session.journal.claim(seat, fresh, program)
            if program:
                session.table.conduct.add(seat)
        try:
            if called is not None and seat != ONLOOKER:
                session.rename(seat, called)
            with work.measure():
                return session, session.enter(seat, work)
        finally:
            session.sleep()

    def close(self) -> None:
        """Close all sockets, since the server ends."""
        self._closed = True
        for session in list(self._awake.values()):
            session.close(GOING_AWAY, "the server ends; the game is kept")

    def _parse(self, token: str) -> tuple[str, int]:
        """Return table and seat of a token. Raises RefusedError."""
        parts = _TOKEN.fullmatch(token)
        if parts is None or parts["table"] not in self._names:
            raise RefusedError(_NO_SEAT)
        return parts["table"], ONLOOKER if parts["seat"] == "look" else int(parts["seat"])

    def _journal(self, name: str) -> Journal:
        session = self._awake.get(name)
        return Journal.read(self._path(name)) if session is None else session.journal

    async def _wake(self, name: str, journal: Journal, work: Work) -> Session:
        """Load a table. Nothing is awaited between the last check and the entry, so each table is loaded once."""
        if name in self._awake:
            return self._awake[name]
        head = journal.head
        try:
            game = await self.agents.game(head.game, head.players)
        except ValueError as error:
            raise JournalError(f"{journal.path}: {error}") from None
        analysis = await self.agents.analyst_of(head.game, head.players)
        if name not in self._awake:
            with work.measure():
                journal = Journal.read(self._path(name))
                table = journal.table(game, self._clock)

            def fall_asleep() -> None:
                # A late socket may belong to an earlier session of the same table.
                if self._awake.get(name) is session:
                    del self._awake[name]
                    if table.mover < 0:
                        self._openers.pop(name, None)

            self._awake[name] = session = Session(table, journal, self.agents, analysis, self.limits, fall_asleep)
        return self._awake[name]

    async def _game(self, request: Request) -> Game:
        try:
            game = await self.agents.game(request.game, request.players)
        except ValueError as error:
            text = str(error)
            raise ProtocolError(text if text.startswith("game") else f"players: {text}") from None
        if len(request.seats) != request.players:
            raise ProtocolError(f"seats: {request.players} are needed, not {len(request.seats)}")
        if HUMAN not in request.seats:
            raise ProtocolError(f'seats: at least one must be "{HUMAN}"')
        if request.mine is not None and request.seats[request.mine : request.mine + 1] != [HUMAN]:
            raise ProtocolError(f'mine: seat {request.mine} is not "{HUMAN}"')
        for seat, text in enumerate(request.seats):
            if text != HUMAN and (why := await self.agents.why_not(text, request.game, request.players)):
                raise ProtocolError(f"seats: seat {seat}: {why}")
        return game

    def _seed(self, request: Request) -> int:
        try:
            return new_seed() if request.seed is None else check_seed(int(request.seed))
        except ValueError as error:
            raise ProtocolError(f"seed: {error}") from None

    def _find(self) -> set[str]:
        return {path.stem for path in self.folder.glob("*.jsonl")}

    def _check_space(self, address: str) -> None:
        """Raise LobbyFullError where no further table fits; remove old tables first."""
        full = len(self._names) >= self.limits.tables
        if full:
            # Journals may have been removed by hand.
            self._forget(self._names - self._find() - set(self._awake))
        if full or time.time() - self._looked > _HOUR:
            self._remove_unused()
        if list(self._openers.values()).count(address) >= self.limits.tables_per_address:
            raise LobbyFullError(
                f"your address has {self.limits.tables_per_address} unfinished tables here; finish some of them first"
            )
        if len(self._names) >= self.limits.tables:
            raise LobbyFullError(
                f"this server keeps at most {self.limits.tables} tables; its owner can remove journals, "
                "or raise --tables"
            )

    def _remove_unused(self) -> None:
        """Remove old journals without any action."""
        self._looked = now = time.time()
        for name in sorted(self._names - set(self._awake)):
            path, hours = self._path(name), self.limits.unused_hours
            with suppress(FileNotFoundError):
                if now - os.stat(path).st_mtime > hours * _HOUR and Journal.is_unused(path):
                    path.unlink()
                    self._forget({name})
                    print(f"{path}: removed, no action was played within {hours:g} hours", file=sys.stderr)

    def _forget(self, names: set[str]) -> None:
        self._names -= names
        for name in names:
            self._openers.pop(name, None)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"
