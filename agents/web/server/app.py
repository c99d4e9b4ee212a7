"""The web application: the page's files, `api/agents`, `api/tables`, and a socket for each seat, `api/seat`."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import PurePosixPath
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from agents.web.page.serving import KINDS
from agents.web.server.journal import JournalError
from agents.web.server.limits import Buckets, address_key
from agents.web.server.lobby import Lobby, LobbyFullError
from agents.web.server.messages import LONGEST, ProtocolError, Refused, Sit, encode, read_message, read_request
from agents.web.server.middleware import HostMiddleware, same_origin
from agents.web.server.session import BAD_DATA, REFUSED, TOO_BIG, Connection, Session
from agents.web.server.table import RefusedError

#: Returns the page's files once they are made.
Files = Callable[[], Awaitable[Mapping[str, bytes]]]


class Closing(Exception):
    """A reason to close a socket, with its code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


class Server:
    """The endpoints of a lobby.

    Args:
        lobby: the tables.
        files: the page's files by name.
    """

    def __init__(self, lobby: Lobby, files: Files) -> None:
        self.lobby, self._files, self._limits = lobby, files, lobby.limits
        self._visits, self._openings = Buckets(lobby.limits.visits), Buckets(lobby.limits.openings)
        self._frames = Buckets(lobby.limits.frames_per_address)
        self._sockets: Counter[str] = Counter()

    def app(self, names: Sequence[str] = ()) -> Starlette:
        """Return the application; names: accepted host names besides those of this machine."""
        routes = [
            Route("/api/agents", self.agents),
            Route("/api/tables", self.tables, methods=["POST"]),
            WebSocketRoute("/api/seat", self.seat),
            Route("/{name:path}", self.file),
        ]
        return Starlette(routes=routes, middleware=[Middleware(HostMiddleware, names=names)], lifespan=self._living)

    @asynccontextmanager
    async def _living(self, _: Starlette) -> AsyncIterator[None]:
        loading = asyncio.ensure_future(self._load())
        yield
        loading.cancel()
        self.lobby.close()

    async def _load(self) -> None:
        """Make the page first, since agents may take long."""
        await self._files()
        await self.lobby.agents.load()

    # -- HTTP

    async def file(self, request: Request) -> Response:
        """Return one of the page's files."""
        name = request.path_params["name"] or "index.html"
        data = (await self._files()).get(name)
        if data is None:
            return PlainTextResponse("there is no such file\n", 404)
        tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        kind = KINDS.get(PurePosixPath(name).suffix, "application/octet-stream")
        return Response(data, headers=headers, media_type=kind)

    async def agents(self, _: Request) -> Response:
        """Return the agents of each game."""
        return _json(await self.lobby.agents.offered())

    async def tables(self, request: Request) -> Response:
        """Open a table."""
        address = _address(request)
        if "origin" in request.headers and not same_origin(request.headers):
            return _json({"error": "Origin: only this server's own page may open a table"}, 403)
        if not self._visits.take(address):
            return _json({"error": "too many requests; wait a moment and try again"}, 429)
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return _json({"error": "Content-Type: application/json is needed"}, 415)
        try:
            async with asyncio.timeout(self._limits.patience):
                body = await _body(request)
        except TimeoutError:
            return _json({"error": "the request did not arrive in time"}, 408)
        if body is None:
            return _json({"error": f"a request has at most {LONGEST} bytes"}, 413)
        try:
            asked = read_request(body)
            if not self._openings.take(address):
                return _json({"error": "too many new tables; wait a while and try again"}, 429)
            return _json(await self.lobby.open(asked, address), 201)
        except ProtocolError as error:
            return _json({"error": str(error)}, 422)
        except LobbyFullError as error:
            return _json({"error": str(error)}, 503)
        except OSError as error:
            print(f"a table could not be written: {error}", file=sys.stderr, flush=True)
            return _json({"error": "the server could not write the table; try again"}, 503)

    # -- the socket of a seat

    async def seat(self, socket: WebSocket) -> None:
        """Serve a socket from its first message to its end."""
        address = _address(socket)
        limits = self._limits
        full = self._sockets.total() >= limits.sockets or self._sockets[address] >= limits.sockets_per_address
        if not same_origin(socket.headers) or full or not self._visits.take(address):
            await socket.close(REFUSED)  # before it is accepted: 403
            return
        if "budget" in socket.scope.get("state", {}):
            socket.scope["state"]["budget"].buckets.append(self._frames.of(address))
        self._sockets[address] += 1
        try:
            await socket.accept()
            await self._serve(socket)
        except WebSocketDisconnect:
            pass
        except Closing as closing:
            with suppress(TimeoutError):  # a reader that does not read
                async with asyncio.timeout(limits.patience):
                    await _close(socket, closing.code, closing.reason)
        finally:
            self._sockets[address] -= 1
            if not self._sockets[address]:
                del self._sockets[address]

    async def _serve(self, socket: WebSocket) -> None:
        session, connection = await self._join(socket)
        reading = asyncio.ensure_future(_read(socket, session, connection))
        writing = asyncio.ensure_future(_write(socket, session, connection, self._limits.patience))
        try:
            done, _ = await asyncio.wait((reading, writing), return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            session.leave(connection)
            for task in (reading, writing):
                task.cancel()
            await asyncio.gather(reading, writing, return_exceptions=True)

    async def _join(self, socket: WebSocket) -> tuple[Session, Connection]:
        """Take the seat that the first message names."""
        try:
            async with asyncio.timeout(self._limits.patience):
                message = read_message(await _text(socket))
        except TimeoutError:
            raise Closing(REFUSED, "no seat was named in time") from None
        except ProtocolError as error:
            raise Closing(BAD_DATA, str(error)) from None
        if not isinstance(message, Sit):
            raise Closing(REFUSED, "the first message must be of the kind sit")
        try:
            return await self.lobby.sit(message.token, message.fresh)
        except RefusedError as error:
            why = str(error)
        except (JournalError, OSError) as error:
            print(error, file=sys.stderr, flush=True)
            why = "this table cannot be resumed here; the server's log says why"
        await socket.send_text(encode(Refused(why)))
        raise Closing(REFUSED, why)


async def _read(socket: WebSocket, session: Session, connection: Connection) -> None:
    while True:
        text = await _text(socket)
        try:
            message = read_message(text)
        except ProtocolError as error:
            raise Closing(BAD_DATA, str(error)) from None
        session.handle(connection, message)


async def _write(socket: WebSocket, session: Session, connection: Connection, patience: float) -> None:
    while True:
        await connection.pending.wait()
        if connection.closing is not None:
            raise Closing(*connection.closing)
        try:
            for text in connection.take(session.table):
                async with asyncio.timeout(patience):
                    await socket.send_text(text)
        except TimeoutError:
            raise Closing(REFUSED, "too slow a reader") from None


async def _text(socket: WebSocket) -> str:
    """Return the next message; raise Closing if it is binary or too long."""
    message: Any = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code") or 1005)
    text: str | None = message.get("text")
    if text is None:
        raise Closing(BAD_DATA, "messages must be text")
    if len(text) > LONGEST:
        raise Closing(TOO_BIG, f"a message has at most {LONGEST} bytes")
    return text


async def _close(socket: WebSocket, code: int, reason: str) -> None:
    """Close a socket unless it is closed; a reason has at most 123 bytes (RFC 6455, 5.5)."""
    if socket.application_state is WebSocketState.CONNECTED:
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(code, reason.encode()[:123].decode(errors="ignore"))


async def _body(request: Request) -> bytes | None:
    """Return the body of a request; None if it is too long."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST:
            return None
    return body


def _address(connection: HTTPConnection) -> str:
    return "" if connection.client is None else address_key(connection.client.host)


def _json(value: Any, status: int = 200) -> Response:
    return Response(encode(value), status, {"Cache-Control": "no-store"}, "application/json")
