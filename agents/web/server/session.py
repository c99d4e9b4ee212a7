"""A table at which somebody looks: its sockets, and the agents that think for it."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections import deque
from collections.abc import Callable
from typing import Final

from agents.web.server.journal import Journal, Played, TakenBack
from agents.web.server.limits import Limits
from agents.web.server.messages import Advice, Undo, Here, Hint, Play, Refused, Seat, Seated, Sit, ServerMessage, written
from agents.web.server.players import Players
from agents.web.server.table import HUMAN, RefusedError, Table, components_digest
from porta_nigra_env.core.game.view import View

#: Answers that wait for a slow reader, at most; how a table stands is told once, however long that takes.
_WAITING: Final = 100
#: Codes with which sockets are closed (RFC 6455, 7.4.1).
GOING_AWAY, BAD_DATA, REFUSED, TOO_BIG = 1001, 1003, 1008, 1009


class Connection:
    """One socket's connection at a table: what it still has to be told.

    Attributes:
        seat: whose it is.
        known: how many decisions it was told that still stand.
        news: set when there is something to tell, or it has to close.
        closing: code and reason, once it has to.
    """

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.known = 0
        self.news = asyncio.Event()
        self.closing: tuple[int, str] | None = None
        self._stale = True
        self._ended = False
        self._answers: deque[ServerMessage] = deque()

    def answer(self, told: ServerMessage) -> None:
        """Something beside how the table stands."""
        self._answers.append(told)
        if len(self._answers) > _WAITING:
            self.close(REFUSED, "too slow a reader")
        self.news.set()

    def changed(self, at: int) -> None:
        """The table stands otherwise; at: how many decisions there are."""
        self.known, self._stale = min(self.known, at), True
        self.news.set()

    def close(self, code: int, reason: str) -> None:
        """The socket is to be closed."""
        self.closing = self.closing or (code, reason)
        self.news.set()

    def take(self, table: Table) -> list[str]:
        """What is to be sent now."""
        self.news.clear()
        told: list[ServerMessage] = list(self._answers)
        self._answers.clear()
        if self._stale:
            told.append(table.stands(self.seat, self.known))
            self.known, self._stale = table.at, False
            if table.mover < 0 and not self._ended:
                told.append(table.over())
                self._ended = True
        return [written(one) for one in told]


class Session:
    """A table in memory.

    Args:
        table, journal: the table and what is kept of it.
        players: agents.
        analysis: the agent that gives hints in this game; None for none.
        limits: numbers of sockets.
        empty: called when nobody looks any longer and no agent thinks.
    """

    def __init__(
        self, table: Table, journal: Journal, players: Players, analysis: str | None, limits: Limits,
        empty: Callable[[], None],
    ) -> None:  # fmt: skip
        self.table, self.journal = table, journal
        self._players, self._analysis, self._limits, self._empty = players, analysis, limits, empty
        self._connections: list[Connection] = []
        self._agents: asyncio.Task[None] | None = None
        self._hinting: dict[Connection, asyncio.Task[None]] = {}

    # -- who looks

    def enter(self, seat: int) -> Connection:
        """Somebody comes with a seat's token; the oldest of too many sockets of this seat has to go."""
        of_seat = [one for one in self._connections if one.seat == seat]
        if len(of_seat) >= self._limits.sockets_a_seat:
            self._remove(of_seat[0])
            of_seat[0].close(REFUSED, "this seat was opened elsewhere")
        connection = Connection(seat)
        self._connections.append(connection)
        connection.answer(self._seated(seat))
        if not of_seat:
            self._tell_here(connection)
        self._go_on()
        return connection

    def leave(self, connection: Connection) -> None:
        """A socket is gone."""
        self._remove(connection)
        if connection in self._hinting:
            self._hinting[connection].cancel()
        if all(one.seat != connection.seat for one in self._connections):
            self._tell_here(None)
        self._sleep()

    def close(self, code: int, reason: str) -> None:
        """All sockets have to go."""
        for connection in self._connections:
            connection.close(code, reason)
        if self._agents is not None:
            self._agents.cancel()

    # -- what is asked

    def ask(self, connection: Connection, message: Sit | Play | Undo | Hint) -> None:
        """A seat's message; what cannot be had is answered, and nothing changed."""
        try:
            match message:
                case Play(at=at, action=action):
                    self.table.check(connection.seat, at, action)
                    self._play(action)
                    self._go_on()
                case Undo(at=at):
                    self.table.check_back(connection.seat, at)
                    self._keep(TakenBack(self.table.at, connection.seat))
                    self.table.take_back()
                    self._tell_change()
                case Hint(at=at):
                    self._check_hint(connection, at)
                    hint = self._hint(connection, at, self.table.view(self.table.mover_at(at), at))
                    self._hinting[connection] = task = asyncio.ensure_future(hint)
                    task.add_done_callback(lambda _: self._hinted(connection))
                case Sit():
                    raise RefusedError("this socket has a seat already")
        except RefusedError as error:
            connection.answer(Refused(str(error)))

    def _check_hint(self, connection: Connection, at: int) -> None:
        table = self.table
        if self._analysis is None:
            raise RefusedError("this server gives no hints in this game")
        if any(one.seat == connection.seat for one in self._hinting):
            raise RefusedError("a hint is being thought about already")
        if table.mover >= 0 and (at != table.at or table.mover != connection.seat):
            raise RefusedError("a hint is given at one's own decision, and at any connection once the game is over")
        if not 0 <= at <= table.at or table.mover_at(at) < 0:
            raise RefusedError(f"there is no decision {at} in this game")

    async def _hint(self, connection: Connection, at: int, view: View) -> None:
        assert self._analysis is not None
        try:
            found = await self._players.judge(view)
            connection.answer(Advice(at, self._analysis, found.actions, found.values))
        except Exception:
            self._report(f"the analysing agent {self._analysis!r} failed")
            connection.answer(Refused(f"{self._analysis} could not answer"))

    def _hinted(self, connection: Connection) -> None:
        del self._hinting[connection]
        self._sleep()

    # -- what happens

    def _play(self, action: int) -> None:
        self._keep(Played(self.table.at, self.table.mover, action))
        self.table.play(action)
        self._tell_change()

    def _keep(self, line: Played | TakenBack) -> None:
        try:
            self.journal.append(line)
        except OSError as error:
            print(f"{self.journal.path}: {error}", file=sys.stderr)
            raise RefusedError("the server could not keep this; try again") from None

    def _go_on(self) -> None:
        """Agents are asked as long as it is their turn."""
        if self.table.waits_for_agent and (self._agents is None or self._agents.done()):
            self._agents = asyncio.ensure_future(self._ask_agents())
            self._agents.add_done_callback(self._asked_agents)

    async def _ask_agents(self) -> None:
        table = self.table
        while table.waits_for_agent:
            text, view = table.seats[table.mover], table.view(table.mover)
            legal = view.legal_ids()
            try:
                action = int(legal[0]) if len(legal) == 1 else await self._players.act(text, view)
                table.check(table.mover, table.at, action)
                self._play(action)
                await asyncio.sleep(0)  # other tables have their turn
            except Exception:
                # What it says may be what its seat alone can see.
                self._report(f"player {table.mover}, {text!r}, failed at decision {table.at}")
                told = f"player {table.mover} ({text}) could not answer; it is asked again when somebody comes in anew"
                for connection in self._connections:
                    connection.answer(Refused(told))
                return

    def _asked_agents(self, done: asyncio.Task[None]) -> None:
        if self._agents is done:
            self._agents = None
        self._sleep()

    def _report(self, what: str) -> None:
        """What went wrong, for who runs the server."""
        print(f"table {self.journal.head.table}: {what}\n{traceback.format_exc()}", file=sys.stderr, flush=True)

    # -- what is told

    def _seated(self, seat: int) -> Seated:
        game, here = self.table.game, self._here()
        seats = [Seat(text, there) for text, there in zip(self.table.seats, here, strict=True)]
        return Seated(
            self.journal.head.table, game.name, game.version, components_digest(game), game.num_players, seat, seats,
            self._analysis,
        )  # fmt: skip

    def _here(self) -> list[bool]:
        there = {connection.seat for connection in self._connections}
        return [text != HUMAN or seat in there for seat, text in enumerate(self.table.seats)]

    def _tell_here(self, but: Connection | None) -> None:
        for connection in self._connections:
            if connection is not but:
                connection.answer(Here(self._here()))

    def _tell_change(self) -> None:
        for connection in self._connections:
            connection.changed(self.table.at)

    def _remove(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)

    def _sleep(self) -> None:
        if not self._connections and not self._hinting and self._agents is None:
            self._empty()
