"""Serve the page from memory on this machine's loopback address."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from typing import Any, Final

#: Media types by file ending.
KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


class _Handler(BaseHTTPRequestHandler):
    """Return one of `files`."""

    # A browser asks for some eighty files, several over each connection.
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, files: Mapping[str, bytes], *arguments: Any) -> None:
        self.files = files
        super().__init__(*arguments)

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].removeprefix("/") or "index.html"
        data = self.files.get(name)
        if data is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", KINDS.get(PurePosixPath(name).suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(data)

    def handle(self) -> None:
        """Answer the requests of a connection."""
        # The browser may have left the page.
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def serve(files: Mapping[str, bytes], port: int = 0) -> Iterator[str]:
    """Serve files on this machine while the context lasts; yield the address.

    Args:
        files: the files by name.
        port: the port; any free one if it is 0 or taken.
    """
    handler = partial(_Handler, files)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError:
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
