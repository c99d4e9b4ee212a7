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
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from websockets.sync.client import ClientConnection, connect

from agents.web.server.app import Server
from agents.web.server.limits import Limits, Rate
from agents.web.server.lobby import Lobby
from agents.web.server.messages import LONGEST
from agents.web.server.players import Players

T = TypeVar("T")


def finished(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives, run in a thread of its own: a browser's tests in the same process keep theirs busy."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


#: Limits that no test meets by being quick.
WIDE = replace(Limits(), messages=Rate(1e9, 10**9), visits=Rate(1e9, 10**9))
PATIENCE = 60.0


@dataclass(frozen=True)
class Address:
    """Where a server answers."""

    port: int

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def post(self, body: object, **headers: str) -> tuple[int, Any]:
        """Status and answer of a request for a table; the body as it is, where it is bytes."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
        return self._asked(urllib.request.Request(f"{self.origin}/api/tables", data, given))

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        """Status and answer of a request: JSON read, everything else as bytes."""
        given = {name.replace("_", "-"): text for name, text in headers.items()}
        return self._asked(urllib.request.Request(f"{self.origin}/{path}", headers=given))

    def opened(self, game: str, seats: Sequence[str], seed: str | None = "7") -> dict[int, str]:
        """The tokens of a new table."""
        status, answer = self.post({"game": game, "players": len(seats), "seats": list(seats), "seed": seed})
        assert status == 201, answer
        return {int(seat): token for seat, token in answer["tokens"].items()}

    def socket(self, **changed: Any) -> ClientConnection:
        """A socket that nobody sits at yet."""
        return connect(f"ws://127.0.0.1:{self.port}/api/seat", **({"origin": self.origin} | changed))

    @contextmanager
    def session(self, token: str) -> Iterator[Person]:
        """Somebody at a seat."""
        with self.socket() as socket:
            person = Person(socket)
            person.say("sit", token=token)
            person.seated = person.hears("seated")
            yield person

    def _asked(self, request: urllib.request.Request) -> tuple[int, Any]:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                data, kind, status = response.read(), response.headers["Content-Type"], response.status
        except urllib.error.HTTPError as error:
            data, kind, status = error.read(), error.headers["Content-Type"], error.code
        return status, json.loads(data) if kind == "application/json" else data


class Person:
    """Somebody at a seat: what she was told last stands in `stands`."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.seated: dict[str, Any] = {}
        self.stands: dict[str, Any] = {}
        self.log: list[Any] = []

    def say(self, kind: str, **more: Any) -> None:
        self.socket.send(json.dumps({"kind": kind, **more}))

    def hears(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of these kinds."""
        while True:
            told: dict[str, Any] = json.loads(self.socket.recv(PATIENCE))
            if told["kind"] == "stands":
                assert told["from"] <= len(self.log), "there is a gap in what was told"
                self.log[told["from"] :] = told["log"]
                assert len(self.log) == told["at"]
                self.stands = told
            if told["kind"] in kinds:
                return told

    def awaits_turn(self) -> bool:
        """Until it is her turn; False when the game is over."""
        while not self.stands or (self.stands["mover"] >= 0 and not self.stands["legal"]):
            self.hears("stands")
        return bool(self.stands["mover"] >= 0)

    def plays(self, action: int) -> dict[str, Any]:
        """Decide, and hear how the table stands then."""
        self.say("play", at=self.stands["at"], action=action)
        return self.hears("stands")

    def finishes(self, chance: random.Random) -> dict[str, Any]:
        """Play at random to the end; what is told then."""
        while self.awaits_turn():
            self.plays(chance.choice(self.stands["legal"]))
        return self.hears("over")

    @property
    def state(self) -> bytes:
        return base64.b64decode(self.stands["state"])


@contextmanager
def served(
    folder: Path,
    agents: Sequence[str] = ("random",),
    games: Sequence[str] = ("porta_nigra",),
    analyst: str | None = None,
    limits: Limits = WIDE,
) -> Iterator[Address]:
    """A server in this process."""
    lobby = Lobby(folder, Players(games, agents, analyst), limits)

    async def files() -> Mapping[str, bytes]:
        return {"index.html": b"the page"}

    config = uvicorn.Config(
        Server(lobby, files).app(), port=0, log_level="warning", ws="websockets-sansio", ws_max_size=LONGEST
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    begun = time.monotonic()
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.005)
    try:
        yield Address(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def program(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], Address]]:
    """The program on a free port, killed at the end if it still runs; what it complains of is added to `said.txt`."""
    command = [sys.executable, "-m", "agents.web.serve", *arguments, "--port", "0", "--keep-in", str(folder)]
    with (
        (folder / "said.txt").open("a") as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("http://127.0.0.1:"), (folder / "said.txt").read_text()
            yield process, Address(int(line.split("/")[2].rpartition(":")[2]))
        finally:
            if process.poll() is None:
                process.kill()


def journals(folder: Path) -> dict[str, bytes]:
    """All journals of a folder."""
    return {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}
