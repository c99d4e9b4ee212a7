"""Measure the server of tables: latency, cost at rest, time to start.

``python -m benchmarks.serving`` starts a server as a separate process. This process plays one person in every game, at
random; both share this machine's cores. Latency is the time from an action to the next state update. It is measured
with people who think for `pause` seconds on average, and with people who do not think. The memory at rest is the
proportional set size of the process.
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
from benchmarks.report import machine_lines, write_json

#: Limits of one address, from which all guests come.
_LIMITS: Final = ("--rate", "1000000", "--per-address", "100000", "--tables", "100000")
_HERTZ: Final = os.sysconf("SC_CLK_TCK")
#: Seconds until a server that lists its agents has loaded the rest.
_SETTLED: Final = 10.0
#: Seconds of observation of a resting server.
_WATCHED: Final = 10.0


@dataclass(frozen=True, kw_only=True)
class Arguments(Repeated, Seated):
    """Measure the server of tables."""

    agent: str = "random"
    """The agent of all seats but one."""

    games: int = 200
    """Number of simultaneous games."""

    pause: float = 1.0
    """Average seconds of thought of a person."""

    seconds: float = 20.0
    """Seconds of play, with thinking and without."""

    def check(self) -> None:
        super().check()
        at_least("games", self.games, 1)


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[int, str]]:
    """A server as a process: its id, and its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "agents.web.serve", *arguments, "--port", "0", "--keep-in", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield process.pid, process.stdout.readline().split()[0]
            finally:
                process.kill()


def get(address: str) -> bytes:
    """Return the answer of a GET request."""
    with urllib.request.urlopen(address) as response:
        data: bytes = response.read()
    return data


def opened(address: str, body: dict[str, Any]) -> str:
    """Open a table; return the token of its only person."""
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
    """Return memory and CPU share over some seconds."""
    before = busy(process)
    time.sleep(_WATCHED)
    return {"memory": memory(process), "processor": (busy(process) - before) / _WATCHED}


@dataclass
class Tally:
    """Latencies in seconds, and the number of steps of all players."""

    times: list[float]
    decisions: int = 0


async def seated(stack: AsyncExitStack, address: str, token: str) -> tuple[ClientConnection, dict[str, Any]]:
    """Take a seat; return the socket and the first update."""
    at = f"ws{address.removeprefix('http')}api/seat"
    socket = await stack.enter_async_context(
        connect(at, origin=Origin(address.rstrip("/")), compression=None, max_queue=None)
    )
    await socket.send(json.dumps({"kind": "sit", "token": token}))
    return socket, await stands_of(socket)


async def stands_of(socket: ClientConnection) -> dict[str, Any]:
    """Return the next state update."""
    while True:
        told: dict[str, Any] = json.loads(await socket.recv())
        if told["kind"] == "stands":
            return told


async def guest(
    socket: ClientConnection, stands: dict[str, Any], chance: random.Random, pause: float, tally: Tally
) -> None:
    """Play at random until the game is over; all guests share a tally."""
    await asyncio.sleep(chance.uniform(0, pause))
    while stands["mover"] >= 0:
        before = stands["at"]
        if stands["legal"]:
            if pause:
                await asyncio.sleep(chance.expovariate(1 / pause))
            said = json.dumps({"kind": "play", "at": before, "action": chance.choice(stands["legal"])})
            sent = time.perf_counter()
            await socket.send(said)
            stands = await stands_of(socket)
            tally.times.append(time.perf_counter() - sent)
        else:
            stands = await stands_of(socket)
        tally.decisions += stands["at"] - before


async def evening(
    address: str, process: int, body: dict[str, Any], options: Arguments, pause: float
) -> dict[str, float]:
    """Play until the time or the first game is over; return latency in ms, steps per second, CPU ms per step."""
    tokens = [opened(address, body | {"seed": str(seed)}) for seed in range(options.games)]
    tally = Tally([])
    async with AsyncExitStack() as stack:
        places = [await seated(stack, address, token) for token in tokens]
        begun, before = time.perf_counter(), busy(process)
        guests = [
            asyncio.ensure_future(guest(*place, random.Random(seed), pause, tally)) for seed, place in enumerate(places)
        ]
        await asyncio.wait(guests, timeout=options.seconds, return_when=asyncio.FIRST_COMPLETED)
        lasted = time.perf_counter() - begun
        for one in guests:
            one.cancel()
        await asyncio.gather(*guests, return_exceptions=True)
        cost = busy(process) - before
    half, most = np.percentile(tally.times, [50, 99]) * 1000
    return {
        "p50": float(half),
        "p99": float(most),
        "decisions": tally.decisions / lasted,
        "cost": 1000 * cost / tally.decisions,
        "answers": len(tally.times),
    }


async def resting(address: str, process: int, body: dict[str, Any], games: int) -> dict[str, dict[str, float]]:
    """Return the cost of an idle server, with connected people who do not play, and after they have left."""
    get(f"{address}api/agents")
    time.sleep(_SETTLED)
    found = {"empty": at_rest(process)}
    async with AsyncExitStack() as stack:
        for seed in range(games):
            await seated(stack, address, opened(address, body | {"seed": str(seed)}))
        # The event loop answers the pings that keep sockets alive.
        found["looked at"] = await asyncio.to_thread(at_rest, process)
    found["asleep"] = await asyncio.to_thread(at_rest, process)
    return found


def first_answer(*arguments: str) -> dict[str, float]:
    """Return the seconds from the start to the page, their CPU share, and the seconds to the list of all agents."""
    begun = time.perf_counter()
    with serving(*arguments) as (process, address):
        get(address)
        page, work = time.perf_counter() - begun, busy(process)
        get(f"{address}api/agents")
        return {"page": page, "work": work, "agents": time.perf_counter() - begun}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for arguments that cannot be used."""
    options = read(Arguments, "serving", "Measure the server of tables.", argv)
    game = options.made()
    body = {
        "game": game.name,
        "players": game.num_players,
        "seats": ["human"] + [options.agent] * (game.num_players - 1),
        "mine": 0,
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
            figures[name] = asyncio.run(evening(address, process, body, options, pause))
    show(options, figures)
    print(f"\n{machine_lines()}")
    if options.json:
        write_json(options.json, {"benchmark": "serving", **options.settings(), **figures})
    return 0


def show(options: Arguments, figures: dict[str, Any]) -> None:
    """Print the figures as a table."""
    print(f"{options.game}, {options.games} games at once, one person each against {options.agent}\n")
    for name, said in (("thinking", f"people think for {options.pause:g} s"), ("at once", "people do not think")):
        one = figures[name]
        print(f"{one['p50']:>10.1f}  ms to an answer, median; {one['p99']:.1f} for 99 of 100; {said}")
        work = f"{one['cost']:.2f} ms of the server's work each"
        print(f"{one['decisions']:>10,.0f}  steps per second, agents' included; {work}")
    for name, rest in figures["rest"].items():
        said = {"empty": "no games", "looked at": "people at all games", "asleep": "all games asleep"}[name]
        print(f"{rest['memory']:>10.0f}  MB, {rest['processor']:.1%} of a CPU: {said}")
    for name, runs in figures["starts"].items():
        page, work, agents = (statistics.median(run[part] for run in runs) for part in ("page", "work", "agents"))
        print(f"{page:>10.2f}  s to the page, {work:.2f} of them work; {agents:.2f} s to the list of agents: {name}")


if __name__ == "__main__":
    raise SystemExit(main())
