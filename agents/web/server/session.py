"""A session: a table with connected sockets, and the agents that play at it."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from agents.seats.terms import Why
from agents.web.server.agent_pool import AgentPool
from agents.web.server.journal import Forfeited, Journal, Played, TakenBack
from agents.web.server.limits import Bucket, Limits, Work
from agents.web.server.messages import (
    Advice,
    Forfeit,
    Here,
    Hint,
    Named,
    Play,
    Refused,
    Retry,
    Said,
    Say,
    Seat,
    Seated,
    SeatMessage,
    ServerMessage,
    Sit,
    Tell,
    Undo,
    encode,
)
from agents.web.server.people import check_phrase
from agents.web.server.table import HUMAN, ONLOOKER, RefusedError, Table, components_digest
from porta_nigra_env.core.game.view import View

#: Largest number of answers that wait for a slow reader.
_WAITING: Final = 100
#: Close codes of sockets (RFC 6455, 7.4.1).
GOING_AWAY, BAD_DATA, REFUSED, TOO_BIG = 1001, 1003, 1008, 1009


class Connection:
    """One socket at a table, with the messages that it still has to send.

    Attributes:
        seat: its seat, or `ONLOOKER`.
        work: the work for its address.
        known: number of steps that it has sent and that still stand.
        pending: set when there is something to send, or the socket has to close.
        closing: close code and reason, once it has to close.
    """

    def __init__(self, seat: int, work: Work) -> None:
        self.seat, self.work = seat, work
        self.known = 0
        self.pending = asyncio.Event()
        self.closing: tuple[int, str] | None = None
        self._stale = True
        self._ended = False
        self._answers: deque[ServerMessage] = deque()

    def answer(self, message: ServerMessage) -> None:
        """Queue a message; close the socket if too many wait."""
        self._answers.append(message)
        if len(self._answers) > _WAITING:
            self.close(REFUSED, "too slow a reader")
        self.pending.set()

    def mark_changed(self, at: int) -> None:
        """Note that the table has changed; at: the number of steps that may be seen now."""
        self.known, self._stale = min(self.known, at), True
        self.pending.set()

    def close(self, code: int, reason: str) -> None:
        """Have the socket closed."""
        self.closing = self.closing or (code, reason)
        self.pending.set()

    def take(self, table: Table) -> list[str]:
        """Return the texts to send now, and forget them."""
        self.pending.clear()
        messages: list[ServerMessage] = list(self._answers)
        self._answers.clear()
        if self._stale:
            messages.append(table.update(self.seat, self.known))
            self.known, self._stale = table.seen(self.seat), False
            if table.mover < 0 and not self._ended:
                messages.append(table.over())
                self._ended = True
        return [encode(message) for message in messages]


class Session:
    """A table in memory.

    Args:
        table, journal: the table and its file.
        agents: the agents of the server.
        analysis: the agent that gives hints in this game; None for none.
        limits: the limits of sockets.
        on_empty: called when no socket is left, no agent is thinking, and no clock runs.
    """

    def __init__(
        self, table: Table, journal: Journal, agents: AgentPool, analysis: str | None, limits: Limits,
        on_empty: Callable[[], None],
    ) -> None:  # fmt: skip
        self.table, self.journal = table, journal
        self._pool, self._analysis, self._limits, self._on_empty = agents, analysis, limits, on_empty
        self._connections: list[Connection] = []
        self._agents: asyncio.Task[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._hints: dict[Connection, asyncio.Task[None]] = {}
        self._phrases: dict[int, Bucket] = {}

    # -- connections

    def enter(self, seat: int, work: Work) -> Connection:
        """Connect a socket to a seat; the oldest of too many sockets of the seat is closed.

        Raises:
            RefusedError: too many onlookers.
        """
        of_seat = [connection for connection in self._connections if connection.seat == seat]
        if seat == ONLOOKER and len(of_seat) >= self._limits.onlookers:
            raise RefusedError(f"this table has {self._limits.onlookers} onlookers already; come back later")
        if seat != ONLOOKER and len(of_seat) >= self._limits.sockets_per_seat:
            self._remove(of_seat[0])
            of_seat[0].close(REFUSED, "this seat was opened elsewhere")
        connection = Connection(seat, work)
        self._connections.append(connection)
        connection.answer(self._seated(seat))
        if seat != ONLOOKER:
            if not of_seat:
                self._report_presence(connection)
            self._proceed(work)
        return connection

    def rename(self, seat: int, name: str) -> None:
        """Give a person's seat a checked name. Raises OSError where it cannot be written."""
        if self.journal.head.names.get(str(seat)) != name:
            self.journal.rename(seat, name)
            self._compact()
            self._broadcast(Named(seat, name))

    def leave(self, connection: Connection) -> None:
        """Disconnect a socket."""
        self._remove(connection)
        if connection in self._hints:
            self._hints[connection].cancel()
        if all(other.seat != connection.seat for other in self._connections) and connection.seat != ONLOOKER:
            self._report_presence(None)
        self.sleep()

    def close(self, code: int, reason: str) -> None:
        """Close all sockets."""
        for connection in self._connections:
            connection.close(code, reason)
        if self._agents is not None:
            self._agents.cancel()
        self._still()

    def sleep(self) -> None:
        """Call `on_empty` if the session has nothing left to do."""
        if not self._connections and not self._hints and self._agents is None and self._alarm is None:
            self._on_empty()

    # -- requests

    def handle(self, connection: Connection, message: SeatMessage) -> None:
        """Carry out a seat's message, or answer why it is refused."""
        try:
            if connection.seat == ONLOOKER:
                raise RefusedError("onlookers only look on; a seat needs an invitation")
            self.check_time(connection.work)
            if connection.seat in self.table.conduct.forfeits and isinstance(message, Play | Undo):
                raise RefusedError("this seat has forfeited the game")
            match message:
                case Play(at=at, action=action):
                    self.table.check(connection.seat, at, action)
                    self._play(action)
                    self._proceed(connection.work)
                case Undo(at=at):
                    self._undo(connection.seat, at)
                    self._proceed(connection.work)
                case Hint(at=at):
                    self._check_hint(connection, at)
                    hint = self._hint(connection, at, self.table.view(self.table.mover_at(at), at))
                    self._hints[connection] = task = asyncio.ensure_future(hint)
                    task.add_done_callback(lambda _: self._end_hint(connection))
                case Tell(from_=since, language=language, why=why):
                    connection.answer(self.table.told(connection.seat, since, language, why))
                case Retry():
                    self._proceed(connection.work)
                case Say(phrase=phrase):
                    self._say(connection.seat, phrase)
                case Sit():
                    raise RefusedError("this socket has a seat already")
        except RefusedError as error:
            connection.answer(Refused(str(error)))

    def _say(self, seat: int, phrase: str) -> None:
        check_phrase(phrase)
        if not self._phrases.setdefault(seat, Bucket(self._limits.phrases)).take():
            raise RefusedError("too many phrases; wait a moment")
        try:
            self.journal.say(self.table.at, seat, phrase)
        except OSError as error:
            print(f"{self.journal.path}: {error}", file=sys.stderr)
        self._compact()
        self._broadcast(Said(seat, phrase))

    def _check_hint(self, connection: Connection, at: int) -> None:
        table = self.table
        if self._analysis is None:
            raise RefusedError("this server gives no hints in this game")
        if any(other.seat == connection.seat for other in self._hints):
            raise RefusedError("a hint for this seat is being computed already")
        elsewhere = at != table.at or table.mover != connection.seat or connection.seat in table.conduct.forfeits
        if table.mover >= 0 and elsewhere:
            raise RefusedError("a hint is given at your own decision, and at any step after the end of the game")
        if not 0 <= at <= table.at or table.mover_at(at) < 0:
            raise RefusedError(f"`at` must be a step of this game, in 0..{table.at}, not {at}")

    async def _hint(self, connection: Connection, at: int, view: View) -> None:
        assert self._analysis is not None
        try:
            estimate = await self._pool.estimate(view, connection.work)
            connection.answer(Advice(at, self._analysis, estimate.actions, estimate.values))
        except Exception:
            self._log_failure(f"the analysis agent {self._analysis!r} failed")
            connection.answer(Refused(f"{self._analysis} could not answer"))

    def _end_hint(self, connection: Connection) -> None:
        del self._hints[connection]
        self.sleep()

    # -- steps

    def check_time(self, work: Work) -> None:
        """Let the seat to move forfeit if its time is up. Raises RefusedError if that cannot be written.

        Args:
            work: of the address for which the fallback plays.
        """
        if self.table.conduct.late:
            self.forfeit(self.table.mover, "time", work)

    def forfeit(self, seat: int, why: Why, work: Work) -> None:
        """Let the fallback play a program's seat from now on; see `check_time`."""
        conduct = self.table.conduct
        if seat not in conduct:
            raise RefusedError("a person's seat cannot forfeit")
        if seat in conduct.forfeits or self.table.mover < 0:
            return
        self._write(Forfeited(seat, why))
        conduct.forfeit(seat, why)
        self._broadcast(Forfeit(seat, why))
        self._report_change()
        self._proceed(work)

    def _play(self, action: int) -> None:
        mover = self.table.mover
        self._write(Played(self.table.at, mover, action, self.table.used(mover)))
        self.table.play(action)
        self._report_change()

    def _undo(self, seat: int, at: int) -> None:
        self.table.check_undo(seat, at)
        self._write(TakenBack(self.table.at, seat))
        self.table.undo()
        self._report_change()
        self._compact()

    def _compact(self) -> None:
        try:
            self.journal.compact(self.table)
        except OSError as error:
            print(f"{self.journal.path}: {error}", file=sys.stderr)

    def _write(self, line: Played | TakenBack | Forfeited) -> None:
        try:
            self.journal.append(line)
        except OSError as error:
            print(f"{self.journal.path}: {error}", file=sys.stderr)
            raise RefusedError("the server could not write this step; try again") from None

    def _proceed(self, work: Work) -> None:
        """Ask agents as long as they are to move, else watch the clock; work: of the address that made them move."""
        self._watch(work)
        if self.table.waits_for_agent and (self._agents is None or self._agents.done()):
            self._agents = asyncio.ensure_future(self._play_agents(work))
            self._agents.add_done_callback(lambda done: self._end_agents(done, work))

    def _watch(self, work: Work) -> None:
        """Wake up when the time of the seat to move is up."""
        self._still()
        mover = self.table.mover
        left = None if mover < 0 or self.table.waits_for_agent else self.table.conduct.left(mover)
        if left is not None:
            # Without time left, the forfeit could not be written.
            self._alarm = asyncio.get_running_loop().call_later(left or 1.0, self._ring, work)

    def _still(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _ring(self, work: Work) -> None:
        self._alarm = None
        with suppress(RefusedError):
            self.check_time(work)
        self._proceed(work)
        self.sleep()

    async def _play_agents(self, work: Work) -> None:
        table = self.table
        while table.waits_for_agent:
            await work.wait()
            text, view = table.agent(table.mover), table.view(table.mover)
            legal = view.legal_ids()
            try:
                action = int(legal[0]) if len(legal) == 1 else await self._pool.act(text, view, work)
                table.check(table.mover, table.at, action)
                with work.measure():
                    self._play(action)
                await asyncio.sleep(0)  # lets other tables run
            except Exception as error:
                # The exception's text may hold the seat's secrets: only the log gets it.
                self._log_failure(f"player {table.mover}, {text!r}, failed at step {table.at}")
                reason = "did not answer in time" if isinstance(error, TimeoutError) else "failed"
                self._broadcast(Refused(f"player {table.mover} ({text}) {reason}; ask it again, or reload the page"))
                return

    def _end_agents(self, done: asyncio.Task[None], work: Work) -> None:
        if self._agents is done:
            self._agents = None
        if not done.cancelled():
            self._watch(work)
        self.sleep()

    def _log_failure(self, event: str) -> None:
        """Log an event with the current exception."""
        print(f"table {self.journal.head.table}: {event}\n{traceback.format_exc()}", file=sys.stderr, flush=True)

    # -- reports to the seats

    def _seated(self, seat: int) -> Seated:
        game = self.table.game
        forfeits, present = self.table.conduct.forfeits, self._present()
        names, onlooks = self.journal.head.names, seat == ONLOOKER
        seats = [
            Seat(text, present[each], forfeits.get(each), names.get(str(each)))
            for each, text in enumerate(self.table.seats)
        ]
        # The number of steps that onlookers do not see yet is no news for them.
        seen = self.table.seen(seat)
        said = [(min(at, seen), by, phrase) for at, by, phrase in self.journal.head.phrases]
        return Seated(
            self.journal.head.table, game.name, game.version, components_digest(game), game.num_players, seat, seats,
            None if onlooks else self._analysis, self.table.delay if onlooks else None, said,
        )  # fmt: skip

    def _present(self) -> list[bool]:
        connected = {connection.seat for connection in self._connections}
        return [text != HUMAN or seat in connected for seat, text in enumerate(self.table.seats)]

    def _report_presence(self, newcomer: Connection | None) -> None:
        self._broadcast(Here(self._present()), newcomer)

    def _broadcast(self, message: ServerMessage, but: Connection | None = None) -> None:
        for connection in self._connections:
            # The failure of an agent tells whose turn it is now; onlookers see it late.
            late = isinstance(message, Refused) and connection.seat == ONLOOKER
            if connection is not but and not late:
                connection.answer(message)

    def _report_change(self) -> None:
        for connection in self._connections:
            at = self.table.seen(connection.seat)
            # Without a new step onlookers hear nothing.
            if connection.seat != ONLOOKER or at != connection.known or self.table.mover < 0:
                connection.mark_changed(at)

    def _remove(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
