"""The server of tables: response times, the cost of idle tables, the time to start.

The server is one process; another simulates a person in every game with random moves.  Both share the machine.  A
response time is the time from sending an action to receiving the changed table.  It is measured with people who think
for `pause` seconds on average, and with people who answer at once.  Idle memory is the proportional set size.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from benchmarks.options import Repeated, Seated, at_least, read

#: Limits of the server: all guests come from one address.
_LIMITS: Final = ("--rate", "1000000", "--share", "1", "--per-address", "100000", "--tables", "100000")
_HERTZ: Final = os.sysconf("SC_CLK_TCK")
#: Seconds for a server to finish loading after it lists its agents.
_LOADING: Final = 10.0
#: Seconds of the measurement of an idle server.
_IDLE: Final = 10.0


@dataclass(frozen=True, kw_only=True)
class Arguments(Repeated, Seated):
    """Measure the server of tables."""

    agent: str = "random"
    """Agent on all seats but one."""
    games: int = 200
    """Games at once."""
    pause: float = 1.0
    """Mean thinking time of a person in seconds."""
    seconds: float = 20.0
    """Duration of play, with thinking and without."""

    def check(self) -> None:
        super().check()
        at_least("games", self.games, 1)


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[int, str]]:
    """Start a server; yield its process id and its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "agents.web.serve", *arguments, "--port", "0", "--keep-in", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield process.pid, process.stdout.readline().split()[0]
            finally:
                process.kill()


def get(address: str) -> bytes:
    """Return the response body."""
    with urllib.request.urlopen(address) as response:
        data: bytes = response.read()
    return data


def open_table(address: str, body: dict[str, Any]) -> str:
    """Open a table and return the token of its person."""
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(
        urllib.request.Request(f"{address}api/tables", json.dumps(body).encode(), headers)
    ) as response:
        (token,) = json.load(response)["tokens"].values()
    return str(token)


def memory(process: int) -> float:
    """Return the proportional set size in MB."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def busy(process: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _HERTZ


def at_rest(process: int) -> dict[str, float]:
    """Return memory, and the share of a CPU over `_IDLE` seconds."""
    before = busy(process)
    time.sleep(_IDLE)
    return {"memory": memory(process), "processor": (busy(process) - before) / _IDLE}


@dataclass
class Tally:
    """Response times in seconds, and the number of steps of all players."""

    times: list[float]
    steps: int = 0


async def sit(stack: AsyncExitStack, address: str, token: str) -> tuple[ClientConnection, dict[str, Any]]:
    """Take a seat; return the socket and the state of the table."""
    at = f"ws{address.removeprefix('http')}api/seat"
    socket = await stack.enter_async_context(
        connect(at, origin=Origin(address.rstrip("/")), compression=None, max_queue=None)
    )
    await socket.send(json.dumps({"kind": "sit", "token": token}))
    return socket, await next_state(socket)


async def next_state(socket: ClientConnection) -> dict[str, Any]:
    """Wait for the next state of the table."""
    while True:
        message: dict[str, Any] = json.loads(await socket.recv())
        if message["kind"] == "stands":
            return message


async def guest(
    socket: ClientConnection, table: dict[str, Any], rng: random.Random, pause: float, tally: Tally
) -> None:
    """Play at random until the game is over."""
    await asyncio.sleep(rng.uniform(0, pause))
    while table["mover"] >= 0:
        before = table["at"]
        if table["legal"]:
            if pause:
                await asyncio.sleep(rng.expovariate(1 / pause))
            message = json.dumps({"kind": "play", "at": before, "action": rng.choice(table["legal"])})
            sent = time.perf_counter()
            await socket.send(message)
            table = await next_state(socket)
            tally.times.append(time.perf_counter() - sent)
        else:
            table = await next_state(socket)
        tally.steps += table["at"] - before


async def play(address: str, process: int, body: dict[str, Any], options: Arguments, pause: float) -> dict[str, float]:
    """Play games at once until the time or the first game is over.

    Returns response times in milliseconds, steps per second, and CPU milliseconds of the server for each step.
    """
    tokens = [open_table(address, body | {"seed": str(seed)}) for seed in range(options.games)]
    tally = Tally([])
    async with AsyncExitStack() as stack:
        seats = [await sit(stack, address, token) for token in tokens]
        start, before = time.perf_counter(), busy(process)
        guests = [
            asyncio.ensure_future(guest(*seat, random.Random(seed), pause, tally)) for seed, seat in enumerate(seats)
        ]
        await asyncio.wait(guests, timeout=options.seconds, return_when=asyncio.FIRST_COMPLETED)
        lasted = time.perf_counter() - start
        for task in guests:
            task.cancel()
        await asyncio.gather(*guests, return_exceptions=True)
        cost = busy(process) - before
    half, most = np.percentile(tally.times, [50, 99]) * 1000
    return {
        "p50": float(half),
        "p99": float(most),
        "steps": tally.steps / lasted,
        "cost": 1000 * cost / tally.steps,
        "answers": len(tally.times),
    }


async def resting(address: str, process: int, body: dict[str, Any], games: int) -> dict[str, dict[str, float]]:
    """Return the cost of a server without games, with games whose people do not act, and after all people have left."""
    get(f"{address}api/agents")
    time.sleep(_LOADING)
    costs = {"empty": at_rest(process)}
    async with AsyncExitStack() as stack:
        for seed in range(games):
            await sit(stack, address, open_table(address, body | {"seed": str(seed)}))
        # In a thread, so that the sockets still answer pings.
        costs["looked at"] = await asyncio.to_thread(at_rest, process)
    costs["asleep"] = await asyncio.to_thread(at_rest, process)
    return costs


def first_answer(*arguments: str) -> dict[str, float]:
    """Return seconds to the page, CPU seconds in that time, and seconds to the list of agents."""
    start = time.perf_counter()
    with serving(*arguments) as (process, address):
        get(address)
        page, work = time.perf_counter() - start, busy(process)
        get(f"{address}api/agents")
        return {"page": page, "work": work, "agents": time.perf_counter() - start}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = read(Arguments, argv)
    game = options.made()
    body = {
        "game": game.name,
        "players": game.num_players,
        "mine": 0,
        "seats": ["human"] + [options.agent] * (game.num_players - 1),
    }
    alone = (options.agent, "--games", game.name, "--analyse", "")
    starts = {
        name: [first_answer(*given) for _ in range(options.runs)]
        for name, given in {"one agent": alone, "all": ()}.items()
    }
    figures: dict[str, Any] = {"starts": starts}
    with serving(*alone, *_LIMITS) as (process, address):
        figures["rest"] = asyncio.run(resting(address, process, body, options.games))
    with serving(*alone, *_LIMITS) as (process, address):
        get(address)
        get(f"{address}api/agents")
        for name, pause in (("thinking", options.pause), ("at once", 0.0)):
            figures[name] = asyncio.run(play(address, process, body, options, pause))
    show(options, figures)
    options.finish(**figures)
    return 0


def show(options: Arguments, figures: dict[str, Any]) -> None:
    """Print the figures as a table."""
    print(f"{options.game}, {options.games} games at once, one person each against {options.agent}\n")
    for name, people in (("thinking", f"people think for {options.pause:g} s"), ("at once", "people answer at once")):
        one = figures[name]
        print(f"{one['p50']:>10.1f}  ms to a response, median; {one['p99']:.1f} for 99 of 100; {people}")
        work = f"{one['cost']:.2f} ms of the server's work each"
        print(f"{one['steps']:>10,.0f}  steps per second, agents' included; {work}")
    for name, rest in figures["rest"].items():
        title = {"empty": "no games", "looked at": "people at all games", "asleep": "all games asleep"}[name]
        print(f"{rest['memory']:>10.0f}  MB, {rest['processor']:.1%} of a CPU: {title}")
    for name, runs in figures["starts"].items():
        page, work, agents = (statistics.median(run[part] for run in runs) for part in ("page", "work", "agents"))
        print(f"{page:>10.2f}  s to the page, {work:.2f} of them work; {agents:.2f} s to the list of agents: {name}")
