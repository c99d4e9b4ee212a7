"""Servers and seats for tests: in this process on a free port, or as a program that can be killed."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from agents.web.server.agent_pool import AgentPool
from agents.web.server.app import Server
from agents.web.server.journal import Journal
from agents.web.server.limits import Limits, Rate, Work
from agents.web.server.lobby import Lobby
from agents.web.server.messages import Request
from agents.web.server.session import Connection, Session
from agents.web.server.sockets import server_config

T = TypeVar("T")
UNLIMITED = Rate(1e9, 10**9)
#: Limits that no test reaches by speed.
WIDE = replace(Limits(), frames=UNLIMITED, frames_per_address=UNLIMITED, visits=UNLIMITED, work=UNLIMITED)
PATIENCE = 60.0


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in another thread, since browser tests in the same process occupy this one's loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def fresh_token(invitation: str) -> str:
    """Return the token that these tests claim an invitation with, always the same one."""
    table, seat, secret = invitation.split(".")
    return f"{table}.{seat}.{secret[::-1]}"


async def sit(lobby: Lobby, token: str, fresh: str | None = None) -> tuple[Session, Connection]:
    """Take a seat, from an address without limits."""
    return await lobby.sit(token, fresh, Work(WIDE))


async def open_table(lobby: Lobby, request: Request, address: str = "") -> tuple[str, dict[str, str]]:
    """Open a table and claim all seats: its name, and the tokens by seat."""
    opened = await lobby.open(request, address)
    tokens = dict(opened.tokens)
    for seat, invitation in opened.invitations.items():
        tokens[seat] = fresh_token(invitation)
        Journal.read(lobby.folder / f"{opened.table}.jsonl").claim(int(seat), tokens[seat])
    return opened.table, tokens


@dataclass(frozen=True)
class Address:
    """The address of a server."""

    port: int

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def post(self, body: object, path: str = "api/tables", **headers: str) -> tuple[int, Any]:
        """Return status and answer of a request, by default for a table; bytes are sent as they are."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
        return self._request(urllib.request.Request(f"{self.origin}/{path}", data, given))

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        """Return status and answer of a request: decoded JSON, or bytes."""
        given = {name.replace("_", "-"): text for name, text in headers.items()}
        return self._request(urllib.request.Request(f"{self.origin}/{path}", headers=given))

    def open_table(self, game: str, seats: Sequence[str], seed: str | None = "7") -> dict[int, str]:
        """Open a table; return a token or an invitation by seat."""
        body = {"game": game, "players": len(seats), "seats": list(seats), "seed": seed, "mine": seats.index("human")}
        status, answer = self.post(body)
        assert status == 201, answer
        return {int(seat): token for seat, token in {**answer["tokens"], **answer["invitations"]}.items()}

    def socket(self, **changed: Any) -> ClientConnection:
        """Open a socket without a seat."""
        return connect(f"ws://127.0.0.1:{self.port}/api/seat", **({"origin": self.origin} | changed))

    @contextmanager
    def person(self, token: str) -> Iterator[Person]:
        """A person at the seat of a token or an invitation."""
        with self.socket() as socket:
            person = Person(socket)
            person.send("sit", token=token, fresh=fresh_token(token))
            person.seated = person.receive("seated")
            yield person

    def _request(self, request: urllib.request.Request) -> tuple[int, Any]:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                data, kind, status = response.read(), response.headers["Content-Type"], response.status
        except urllib.error.HTTPError as error:
            data, kind, status = error.read(), error.headers["Content-Type"], error.code
        return status, json.loads(data) if kind == "application/json" else data


class Person:
    """A person at a seat; `update` is the last state update, `log` player and action of all steps."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.seated: dict[str, Any] = {}
        self.update: dict[str, Any] = {}
        self.log: list[Any] = []

    def send(self, kind: str, **more: Any) -> None:
        self.socket.send(json.dumps({"kind": kind, **more}))

    def receive(self, *kinds: str, patience: float = PATIENCE) -> dict[str, Any]:
        """Return the next message of one of these kinds; TimeoutError if none comes for `patience` seconds."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(patience))
            if message["kind"] == "stands":
                assert message["from"] <= len(self.log), "steps are missing"
                self.log[message["from"] :] = [step[:2] for step in message["log"]]
                assert len(self.log) == message["at"]
                self.update = message
            if message["kind"] in kinds:
                return message

    def await_turn(self) -> bool:
        """Wait for this person's turn; return False when the game is over."""
        while not self.update or (self.update["mover"] >= 0 and not self.update["legal"]):
            self.receive("stands")
        return bool(self.update["mover"] >= 0)

    def play(self, action: int) -> dict[str, Any]:
        """Play an action; return the next update."""
        self.send("play", at=self.update["at"], action=action)
        return self.receive("stands")

    def finish(self, rng: random.Random) -> dict[str, Any]:
        """Play at random to the end; return the last message."""
        while self.await_turn():
            self.play(rng.choice(self.update["legal"]))
        return self.receive("over")

    def closed(self) -> tuple[int, str]:
        """Wait for the end of the socket; return code and reason."""
        with pytest.raises(ConnectionClosed) as raised:
            self.receive("nothing")
        assert raised.value.rcvd is not None
        return raised.value.rcvd.code, raised.value.rcvd.reason

    @property
    def state(self) -> bytes:
        return base64.b64decode(self.update["state"])


@contextmanager
def serve_tables(
    folder: Path,
    agents: Sequence[str] = ("random",),
    games: Sequence[str] = ("porta_nigra",),
    analyst: str | None = None,
    limits: Limits = WIDE,
    patience: float = PATIENCE,
) -> Iterator[Address]:
    """A server in this process."""
    lobby = Lobby(folder, AgentPool(games, agents, analyst, patience=patience), limits)

    app = Server(lobby, {"index.html": b"the page"}).app()
    server = uvicorn.Server(server_config(app, limits, port=0))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    start = time.monotonic()
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() - start < PATIENCE
        time.sleep(0.005)
    try:
        yield Address(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def program(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], Address]]:
    """The program on a free port, killed at the end if it still runs; its errors are appended to `log.txt`."""
    command = [sys.executable, "-m", "agents.web.serve", *arguments, "--port", "0", "--keep-in", str(folder)]
    with (
        (folder / "log.txt").open("a") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith(("http://127.0.0.1:", "http://0.0.0.0:")), (folder / "log.txt").read_text()
            yield process, Address(int(line.split("/")[2].rpartition(":")[2]))
        finally:
            if process.poll() is None:
                process.kill()


def read_journals(folder: Path) -> dict[str, bytes]:
    """Return all journals of a folder."""
    return {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}
