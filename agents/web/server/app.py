"""The web application: the page's files, the requests of `api/`, and a socket for each seat, `api/seat`."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import PurePosixPath
from typing import Any, Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from agents.web.page.serving import KINDS
from agents.web.server.invite import CodeError, code_of, makes_codes
from agents.web.server.journal import JournalError
from agents.web.server.limits import Bucket, PerAddress, Work, address_key
from agents.web.server.lobby import Lobby, LobbyFullError
from agents.web.server.messages import (
    LONGEST,
    Code,
    Network,
    ProtocolError,
    Refused,
    Sit,
    encode,
    read_code_request,
    read_message,
    read_request,
)
from agents.web.server.session import BAD_DATA, REFUSED, TOO_BIG, Connection, Session
from agents.web.server.table import RefusedError

#: Names of this machine.
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
#: Headers beside the page's own policy, which cannot set them.
_HEADERS: Final = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Closing(Exception):
    """A reason to close a socket, with its code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


class Server:
    """The endpoints of a lobby.

    Args:
        files: the page's files by name.
        origin: the server's address in its local network; None if it listens to this machine alone.
    """

    def __init__(self, lobby: Lobby, files: Mapping[str, bytes], origin: str | None = None) -> None:
        limits = lobby.limits
        self.lobby, self._files, self._limits, self._origin = lobby, files, limits, origin
        self._visits = PerAddress(lambda: Bucket(limits.visits))
        self._openings = PerAddress(lambda: Bucket(limits.openings))
        self._frames = PerAddress(lambda: Bucket(limits.frames_per_address))
        self._work = PerAddress(lambda: Work(limits))
        self._sockets: Counter[str] = Counter()

    def app(self, names: Sequence[str] = ()) -> Starlette:
        """Return the application; names: accepted host names besides those of this machine."""
        routes = [
            Route("/api/agents", self.agents),
            Route("/api/tables", self.tables, methods=["POST"]),
            Route("/api/network", self.network),
            Route("/api/code", self.code, methods=["POST"]),
            WebSocketRoute("/api/seat", self.seat),
            Route("/{name:path}", self.file),
        ]
        return Starlette(routes=routes, middleware=[Middleware(HostMiddleware, names=names)], lifespan=self._living)

    @asynccontextmanager
    async def _living(self, _: Starlette) -> AsyncIterator[None]:
        loading = asyncio.ensure_future(self.lobby.agents.load())
        yield
        loading.cancel()
        self.lobby.close()

    # -- HTTP

    async def file(self, request: Request) -> Response:
        """Return one of the page's files."""
        name = request.path_params["name"] or "index.html"
        data = self._files.get(name)
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

    async def network(self, _: Request) -> Response:
        """Return how invitations reach other machines."""
        return _json(Network(self._origin, makes_codes()))

    async def code(self, request: Request) -> Response:
        """Return the QR code of a link, which is in the body since addresses are logged."""
        body = await self._body(request)
        if isinstance(body, Response):
            return body
        work = self._work[_address(request)]
        await work.wait()
        try:
            with work.measure():
                return _json(Code(code_of(read_code_request(body).link)))
        except ProtocolError as error:
            return _error(422, str(error))
        except CodeError as error:
            return _error(501, str(error))

    async def tables(self, request: Request) -> Response:
        """Open a table."""
        address, body = _address(request), await self._body(request)
        if isinstance(body, Response):
            return body
        try:
            asked = read_request(body)
            if not self._openings[address].take():
                return _error(429, "too many new tables; wait a while and try again")
            return _json(await self.lobby.open(asked, address), 201)
        except ProtocolError as error:
            return _error(422, str(error))
        except LobbyFullError as error:
            return _error(503, str(error))
        except OSError as error:
            print(f"a table could not be written: {error}", file=sys.stderr, flush=True)
            return _error(503, "the server could not write the table; try again")

    async def _body(self, request: Request) -> bytes | Response:
        """Return the body of a request that posts JSON, or the answer why it is refused."""
        if "origin" in request.headers and not _same_origin(request.headers):
            return _error(403, "Origin: only this server's own page may ask for this")
        if not self._visits[_address(request)].take():
            return _error(429, "too many requests; wait a moment and try again")
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return _error(415, "Content-Type: application/json is needed")
        try:
            async with asyncio.timeout(self._limits.patience):
                body = await _body(request)
        except TimeoutError:
            return _error(408, "the request did not arrive in time")
        return _error(413, f"a request has at most {LONGEST} bytes") if body is None else body

    # -- the socket of a seat

    async def seat(self, socket: WebSocket) -> None:
        """Serve a socket from its first message to its end."""
        address, limits = _address(socket), self._limits
        full = self._sockets.total() >= limits.sockets or self._sockets[address] >= limits.sockets_per_address
        if not _same_origin(socket.headers) or full or not self._visits[address].take():
            await socket.close(REFUSED)  # before it is accepted: 403
            return
        if "budget" in socket.scope.get("state", {}):
            socket.scope["state"]["budget"].buckets.append(self._frames[address])
        self._sockets[address] += 1
        try:
            await socket.accept()
            await self._serve(socket, self._work[address])
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

    async def _serve(self, socket: WebSocket, work: Work) -> None:
        session, connection = await self._join(socket, work)
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

    async def _join(self, socket: WebSocket, work: Work) -> tuple[Session, Connection]:
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
        await work.wait()
        try:
            return await self.lobby.sit(message.token, message.fresh, work, called=message.name)
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
        await connection.work.wait()
        try:
            with connection.work.measure():
                session.handle(connection, read_message(text))
        except ProtocolError as error:
            raise Closing(BAD_DATA, str(error)) from None


async def _write(socket: WebSocket, session: Session, connection: Connection, patience: float) -> None:
    while True:
        await connection.pending.wait()
        if connection.closing is not None:
            raise Closing(*connection.closing)
        # Meanwhile updates of the state replace each other.
        await connection.work.wait()
        with connection.work.measure():
            texts = connection.take(session.table)
        try:
            for text in texts:
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


def _error(status: int, reason: str) -> Response:
    return _json({"error": reason}, status)


def _same_origin(headers: Headers) -> bool:
    """Return whether a request comes from a page of the requested host."""
    host = headers.get("host", "").lower()
    return headers.get("origin", "").lower() in (f"http://{host}", f"https://{host}")


class HostMiddleware:
    """Refuse requests for other hosts than `names`, and add the security headers.

    The check of hosts prevents DNS rebinding: another site's name that resolves to this machine.
    """

    def __init__(self, app: ASGIApp, names: Sequence[str]) -> None:
        self._app, self._names = app, {name.lower() for name in (*LOOPBACK, *names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        host = Headers(scope=scope).get("host", "")
        name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0].lower()
        if name in self._names:
            await self._app(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": REFUSED})
        else:
            reason = f"this server is not called {name[:100]!r}; --allow NAME accepts that name\n"
            await PlainTextResponse(reason, 421)(scope, receive, guarded)
