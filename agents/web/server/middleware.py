"""Checks of the Host and Origin headers, and security headers on every response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Names of this machine.
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
#: Headers beside the page's own policy, which cannot set them.
_ALWAYS: Final = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def host_name(host: str) -> str:
    """Return the name in a Host header without its port: ``[::1]:8000`` is ::1."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


def same_origin(headers: Headers) -> bool:
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
                MutableHeaders(scope=message).update(_ALWAYS)
            await send(message)

        name = host_name(Headers(scope=scope).get("host", ""))
        if name in self._names:
            await self._app(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await _refusal(name)(scope, receive, guarded)


def _refusal(name: str) -> Response:
    return PlainTextResponse(f"this server is not called {name[:100]!r}; --allow NAME accepts that name\n", 421)
