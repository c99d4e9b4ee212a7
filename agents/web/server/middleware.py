"""Who is let in: requests for a name of this server, and from a page that it has served itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Names of this machine.
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
#: The page's own policy stands in it; what a policy in a page cannot say, and the rest, stands here.
_ALWAYS: Final = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def name_of(host: str) -> str:
    """The name in a Host header, without its port: ``[::1]:8000`` is ::1."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


def same_origin(headers: Headers) -> bool:
    """Whether a request comes from a page of the host that it asks."""
    return headers.get("origin", "").lower() in {f"{scheme}://{headers.get('host', '').lower()}" for scheme in _SCHEMES}


_SCHEMES: Final = ("http", "https")


class HostMiddleware:
    """Lets in what asks for one of `names`, and puts the headers of security on what goes out.

    Without the first, a page of somebody else could have its name lead to this machine (DNS rebinding).
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

        headers = Headers(scope=scope)
        if name_of(headers.get("host", "")) in self._names:
            await self._app(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._refused(headers)(scope, receive, guarded)

    def _refused(self, headers: Headers) -> Any:
        asked = name_of(headers.get("host", ""))
        return PlainTextResponse(f"no server of the name {asked[:100]!r} is here; --allow NAME lets it in\n", 421)
