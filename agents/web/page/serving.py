"""The page on this machine: its files from memory, by a server that nobody else reaches."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from typing import Any, Final

#: Media types by the ending of a name.
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
    """Answers with one of `files`."""

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
        # Somebody who works on the page sees what is there now.
        self.send_header("Cache-Control", "no-cache")
        # A browser that has gone on to another page does not wait for this one's files.
        with suppress(ConnectionError):
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: whoever looks at the page looks there."""


@contextmanager
def serve(files: Mapping[str, bytes], port: int = 0) -> Iterator[str]:
    """Serve files on this machine while the context lasts; gives the address.

    Args:
        files: what is handed out, by name.
        port: any free one for 0, and where it is taken.
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
