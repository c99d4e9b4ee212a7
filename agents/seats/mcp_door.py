"""Seats through the Model Context Protocol: tools to open a table, read it, and act.

``python -m agents.seats.mcp_stdio`` speaks over standard input and output.  ``python -m agents.web.serve --mcp`` serves
the same tools at ``/mcp``, next to the page: a person in the browser and a program then share a table.  A secret token
opens one seat.  Needs the package mcp 2.3 or newer.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import Route

from agents.seats import prompt as texts
from agents.seats.answers import AnswerError, chosen
from agents.seats.local import rules as texts_of_rules
from agents.seats.terms import TERMS, Terms
from agents.web.server.journal import JournalError
from agents.web.server.limits import Work
from agents.web.server.lobby import Lobby
from agents.web.server.messages import Hint, Play, Request
from agents.web.server.session import Connection, Session
from agents.web.server.table import RefusedError, Table
from porta_nigra_env.core.narration.language import SOURCE, check_language

#: The address that limits count for all programs.
ADDRESS: Final = "mcp"
#: Seconds after which a seat that is not used is left; its token opens it again.
IDLE: Final = 600.0
#: Longest time in seconds that `wait_for_my_turn` and `hint` wait.
LONGEST_WAIT: Final = 300.0
INSTRUCTIONS: Final = """Board games with hidden information.  Open a table with `new_table`, or take a seat with the
invitation that you were given (`take_seat`).  Keep your token secret: it opens your seat.  Read `rules` once.  Then
repeat: `wait_for_my_turn`, and `act` with one of the listed actions or its id.  A refused answer changes nothing.  Too
many of them at one decision, or no time left on your clock, forfeit the game: an agent then plays your seat."""


class Chair:
    """A seat in use: its session, its connection, and the time of its last use."""

    def __init__(self, session: Session, connection: Connection) -> None:
        self.session, self.connection = session, connection
        self.used = time.monotonic()

    @property
    def table(self) -> Table:
        return self.session.table

    @property
    def seat(self) -> int:
        return self.connection.seat

    @property
    def forfeited(self) -> bool:
        return self.seat in self.table.conduct.forfeits

    def terms(self) -> dict[str, Any]:
        """Return the seconds left if there is a clock, and whether the seat has forfeited."""
        left = self.table.conduct.left(self.seat)
        return ({} if left is None else {"seconds_left": round(left, 1)}) | (
            {"forfeited": True} if self.forfeited else {}
        )

    def refuse(self, reason: str, language: str) -> dict[str, Any]:
        """Count an answer that names no legal action, and return the refusal."""
        conduct = self.table.conduct
        if self.seat not in conduct:
            return {"refused": reason}
        left = max(0, conduct.refuse())
        if not left:
            try:
                self.session.forfeit(self.seat, "answers", self.connection.work)
            except RefusedError as error:
                return {"refused": str(error)}
        return {"refused": texts.said(language, texts.REFUSED, reason=reason, left=left), **self.terms()}

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages to this seat since the last call."""
        return [json.loads(text) for text in self.connection.take(self.table)]

    def prompt(self, language: str) -> str:
        """Return the text of a decision, the result of a finished game, or that the seat has forfeited."""
        if self.table.mover < 0:
            return json.dumps(self.table.result().record())
        if self.forfeited:
            return texts.said(language, texts.FORFEITED)
        return texts.prompt(self.table.view(self.seat), self.table.news(self.seat, language), language)


class Chairs:
    """The seats that programs use; lobby: the tables."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self._chairs: dict[str, Chair] = {}
        self._work = Work(lobby.limits)

    async def of(self, token: str, fresh: str | None = None) -> Chair:
        """Return the chair of a token, with the clock checked. Raises ToolError for an unknown or used one."""
        self._leave_idle()
        chair = self._chairs.get(fresh or token)
        if chair is None or chair.connection.closing is not None:
            await self._work.wait()
            try:
                chair = Chair(*await self.lobby.sit(token, fresh, self._work, program=True))
            except RefusedError as error:
                raise ToolError(str(error)) from None
            except (JournalError, OSError) as error:
                print(error, file=sys.stderr, flush=True)
                raise ToolError("this table cannot be resumed here; the server's log says why") from None
            self._chairs[fresh or token] = chair
        chair.used = time.monotonic()
        try:
            chair.session.check_time(self._work)
        except RefusedError as error:
            raise ToolError(str(error)) from None
        return chair

    def _leave_idle(self) -> None:
        now = time.monotonic()
        for token, chair in list(self._chairs.items()):
            if chair.connection.closing is not None or now - chair.used > IDLE:
                del self._chairs[token]
                chair.session.leave(chair.connection)


def make_server(lobby: Lobby) -> MCPServer[Any]:
    """Return the server of a lobby's tables."""
    chairs, server = Chairs(lobby), MCPServer[Any]("board-games", instructions=INSTRUCTIONS, log_level="WARNING")

    async def games() -> dict[str, Any]:
        """List the games, their numbers of players, and the agents that can be seated."""
        return await lobby.agents.offered()

    async def new_table(
        game: str,
        seats: list[str],
        mine: int = 0,
        seed: str | None = None,
        retries: int = TERMS.retries,
        seconds: float | None = TERMS.seconds,
        fallback: str = TERMS.fallback,
    ) -> dict[str, Any]:
        """Open a table.

        Each seat is "human", for a person or a program, or an agent of `games`.  You get the token of seat `mine`, and
        an invitation for each other "human" seat.  The same seed deals the same game.

        A program's seat forfeits by one refused answer more than `retries` at a decision, or when it has used `seconds`
        of thinking time in the game.  The agent `fallback` then plays it.
        """
        try:
            terms = Terms(retries=retries, seconds=seconds, fallback=fallback)
            opened = await lobby.open(Request(game, len(seats), seats, seed, mine), ADDRESS, terms)
        except ValueError as error:
            raise ToolError(str(error)) from None
        return {"table": opened.table, "token": opened.tokens[str(mine)], "invitations": opened.invitations}

    async def take_seat(invitation: str) -> dict[str, Any]:
        """Take the seat of an invitation, which works once; you get the seat's token."""
        fresh = f"{invitation.rpartition('.')[0]}.{secrets.token_urlsafe(24)}"
        chair = await chairs.of(invitation, fresh)
        return {"token": fresh, "seat": chair.seat}

    async def rules(token: str, language: str = SOURCE) -> str:
        """Return the rules in short, and who sits where with ratings; languages: en, de."""
        table = (await chairs.of(token)).table
        return texts_of_rules(table.game, table.seats, _checked(language))

    async def my_view(token: str, language: str = SOURCE) -> str:
        """Return everything for a decision: events since your last one, the board, the legal actions."""
        return (await chairs.of(token)).prompt(_checked(language))

    async def events(token: str, language: str = SOURCE) -> list[str]:
        """Return what happened since your last decision, a line for each turn of a player."""
        chair = await chairs.of(token)
        return chair.table.news(chair.seat, _checked(language))

    async def legal_actions(token: str, language: str = SOURCE) -> list[dict[str, Any]]:
        """Return your legal actions with their effects; none if you are not to move."""
        chair = await chairs.of(token)
        legal = [] if chair.forfeited else texts.choices(chair.table.view(chair.seat), _checked(language))
        return [{"id": one.action, "action": one.text, "sentence": one.sentence} for one in legal]

    async def act(token: str, answer: str, language: str = SOURCE) -> dict[str, Any]:
        """Play an action, named by its id, its text, or words that only one legal action has."""
        chair = await chairs.of(token)
        table, at = chair.table, chair.table.at
        if chair.forfeited:
            return {"refused": texts.said(_checked(language), texts.FORFEITED), **chair.terms()}
        try:
            table.check_turn(chair.seat, at)
            action = chosen(table.view(chair.seat), answer, _checked(language))
        except RefusedError as error:
            return {"refused": str(error)}
        except AnswerError as error:
            return chair.refuse(str(error), language)
        chair.messages()
        chair.session.handle(chair.connection, Play(at, action))
        if table.at == at:
            return {"refused": "; ".join(one["why"] for one in chair.messages() if one["kind"] == "refused")}
        return {"played": table.game.action_texts[action], "your_turn": table.mover == chair.seat, **chair.terms()}

    async def wait_for_my_turn(token: str, seconds: float = 30.0, language: str = SOURCE) -> dict[str, Any]:
        """Wait until you are to move or the game is over, at most some seconds."""
        chair, end = await chairs.of(token), time.monotonic() + min(max(seconds, 0.0), LONGEST_WAIT)
        while (
            not chair.forfeited and chair.table.mover not in (chair.seat, -1) and (left := end - time.monotonic()) > 0
        ):
            try:
                await asyncio.wait_for(chair.connection.pending.wait(), left)
            except TimeoutError:
                break
            if failed := [one["why"] for one in chair.messages() if one["kind"] == "refused"]:
                return {"your_turn": False, "over": False, "text": "; ".join(failed)}
            if chair.connection.closing is not None:
                raise ToolError(chair.connection.closing[1])
        your_turn, over = chair.table.mover == chair.seat and not chair.forfeited, chair.table.mover < 0
        return {"your_turn": your_turn, "over": over, "text": chair.prompt(_checked(language)), **chair.terms()}

    async def hint(token: str) -> dict[str, Any]:
        """Return the actions that the table's analysis agent would choose, with probabilities, if the table has one."""
        chair, end = await chairs.of(token), time.monotonic() + LONGEST_WAIT
        chair.messages()
        chair.session.handle(chair.connection, Hint(chair.table.at))
        while (left := end - time.monotonic()) > 0:
            await asyncio.wait_for(chair.connection.pending.wait(), left)
            for one in chair.messages():
                if one["kind"] == "refused":
                    raise ToolError(one["why"])
                if one["kind"] == "hint":
                    names = chair.table.game.action_texts
                    return {
                        "agent": one["agent"],
                        "actions": {names[action]: share for action, share in one["actions"]},
                    }
        raise ToolError("no hint came in time")

    async def leave(token: str) -> dict[str, Any]:
        """Forfeit the game: the fallback plays your seat from now on, and your place is last."""
        chair = await chairs.of(token)
        try:
            chair.session.forfeit(chair.seat, "left", chair.connection.work)
        except RefusedError as error:
            raise ToolError(str(error)) from None
        return chair.terms()

    async def result(token: str) -> dict[str, Any]:
        """Return places, totals, points and forfeits of the finished game."""
        try:
            return (await chairs.of(token)).table.result().record()
        except RefusedError as error:
            raise ToolError(str(error)) from None

    for tool in (
        games,
        new_table,
        take_seat,
        rules,
        my_view,
        events,
        legal_actions,
        act,
        wait_for_my_turn,
        hint,
        leave,
        result,
    ):
        server.add_tool(tool)
    return server


def _checked(language: str) -> str:
    try:
        return check_language(language)
    except ValueError as error:
        raise ToolError(str(error)) from None


def with_mcp(app: Starlette, lobby: Lobby, hosts: Sequence[str]) -> Starlette:
    """Add the tools at ``/mcp`` to the server of tables; hosts: accepted host names, ports aside."""
    server = make_server(lobby)
    names = [name for host in hosts for name in (host, f"{host}:*")]
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    inner = server.streamable_http_app(transport_security=security)
    route = next(one for one in inner.routes if isinstance(one, Route) and one.path == "/mcp")
    app.router.routes.insert(0, route)
    outer = app.router.lifespan_context

    @asynccontextmanager
    async def living(running: Starlette) -> AsyncIterator[None]:
        async with outer(running), server.session_manager.run():
            yield

    app.router.lifespan_context = living
    return app
