"""WebSockets with a budget: every frame counts, unread answers are bounded, closed sockets end."""

from __future__ import annotations

from typing import Any, ClassVar

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ProtocolError
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request
from websockets.server import ServerProtocol

from agents.web.server.limits import Bucket, Limits
from agents.web.server.messages import LONGEST


class FrameBudget:
    """The buckets from which each frame of a socket takes a token: the socket's own, and its address's once known."""

    def __init__(self, *buckets: Bucket) -> None:
        self.buckets = list(buckets)

    def take(self) -> bool:
        """Take a token of every bucket; return False if one is empty."""
        return all(bucket.take() for bucket in self.buckets)


class _CountingProtocol(ServerProtocol):
    """A protocol that fails with 1008 when its budget is spent, before it answers a ping."""

    def __init__(self, budget: FrameBudget) -> None:
        super().__init__(max_size=LONGEST)
        self._budget, self._spent = budget, False

    def recv_frame(self, frame: Frame) -> None:
        if not self._budget.take():
            self._spent = True
            raise ProtocolError("too many messages")
        super().recv_frame(frame)

    def fail(self, code: CloseCode | int, reason: str = "") -> None:
        super().fail(CloseCode.POLICY_VIOLATION if self._spent else code, reason)


class BoundedSocket(WebSocketsSansIOProtocol):
    """A WebSocket of uvicorn with bounded input, output and closing time.

    The application finds the `FrameBudget` as ``scope["state"]["budget"]``.
    """

    limits: ClassVar[Limits] = Limits()

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.budget = FrameBudget(Bucket(self.limits.frames))
        self.conn = _CountingProtocol(self.budget)

    def handle_connect(self, event: Request) -> None:
        self.app_state = {**self.app_state, "budget": self.budget}
        super().handle_connect(event)

    def handle_ping(self) -> None:
        super().handle_ping()
        if self.transport.get_write_buffer_size() > self.limits.unwritten:
            self.transport.abort()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._abort_later()

    async def run_asgi(self) -> None:
        await super().run_asgi()
        self._abort_later()

    def _abort_later(self) -> None:
        """End a closed socket whose peer does not read the last bytes."""
        self.loop.call_later(self.limits.patience, self.transport.abort)


def server_config(app: ASGIApp, limits: Limits, **more: Any) -> uvicorn.Config:
    """Return a configuration of uvicorn that holds sockets to the limits."""
    socket = type("Socket", (BoundedSocket,), {"limits": limits})
    return uvicorn.Config(
        app, log_level="warning", access_log=False, ws=socket, ws_max_size=LONGEST, ws_per_message_deflate=False,
        server_header=False, **more,
    )  # fmt: skip
