"""An endpoint in a thread that answers as a test says, and keeps all requests."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: The API key of all tests.
KEY = "sk-secret-of-the-tests-0123456789"


@dataclass
class Reply:
    """A reply: status, body, headers; seconds before it; cut: bytes that are sent before the connection drops."""

    body: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None


@dataclass
class Request:
    """A request: its bytes, headers and messages."""

    body: bytes
    headers: dict[str, str]

    @property
    def messages(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = json.loads(self.body)["messages"]
        return found


Script = Callable[[int, Request], Reply]


def said(text: str, tokens: tuple[int, int] | None = (100, 10), **more: Any) -> Reply:
    """Return a chat completion with all fields that the interface requires."""
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    usage = {} if tokens is None else {"usage": dict(zip(names, (*tokens, sum(tokens)), strict=True))}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "stub"}
    return Reply(json.dumps({**head, "choices": [choice], **usage}), **more)


def legal_ids(request: Request) -> list[int]:
    """Return the ids in the list of legal actions of the first decision in a request."""
    text = request.messages[1]["content"].partition("Your legal actions")[2]
    return [int(one) for one in re.findall(r"^([0-9]+) ", text, re.M)]


def last_legal(number: int, request: Request) -> Reply:
    """Answer with the last legal action, after some prose."""
    return said(f"I have thought about it.\naction: {legal_ids(request)[-1]}")


@dataclass
class Stub:
    """The endpoint: its URL and the requests so far."""

    url: str = ""
    requests: list[Request] = field(default_factory=list)


@contextmanager
def serving(script: Script) -> Iterator[Stub]:
    """Serve until the end of the block; the script gets the number of the request, from 0."""
    stub, lock = Stub(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = Request(self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers))
            assert self.path == "/v1/chat/completions"
            with lock:
                number = len(stub.requests)
                stub.requests.append(request)
            reply = script(number, request)
            time.sleep(reply.delay)
            data = reply.body.encode()
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(data)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[: reply.cut])
            if reply.cut is not None:
                self.wfile.flush()
                self.connection.close()
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # clients that stop waiting close their connections

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        try:
            yield stub
        finally:
            server.shutdown()
