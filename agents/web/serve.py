"""Serve the page with tables for several people and agents: ``python -m agents.web.serve network guided:seconds=1``.

The page is the one of `agents.web.page`. People at different machines share a table, each sees the view of one seat,
and agents of the registry play the other seats.
"""

from __future__ import annotations

import asyncio
import math
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import tyro

from agents.arena import program
from agents.arena.program import Program

if TYPE_CHECKING:
    import uvicorn

    from agents.web.server.limits import Limits

PROGRAM = Program("agents.web.serve")
#: Agents that are offered by default, before the compiled policies of the games.
DEFAULTS: Final = ("network", "guided:seconds=1")
#: Largest number of connections besides the sockets of seats.
_REQUESTS: Final = 500
#: Seconds in which an address regains its full number of new sockets, and of new tables.
_RETURN: Final = 50.0
_REOPEN: Final = 3000.0
#: Seconds for the last messages to the seats when the server ends.
_FAREWELL: Final = 2.0
_HELP: Final = """Tables for several people and agents, on the page of the games.

The opener of a table gets one seat and an invitation for each other person. An invitation opens a seat once, without an
account. A seat receives only its own view. Games are kept in files and survive a restart.

  python -m agents.web.serve guided:seconds=5 my_module:MyAgent    with other agents, one of them custom
  python -m agents.web.serve --host 0.0.0.0                        for the local network; prints its address there

python -m agents.registry lists the agents with their parameters."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Serve tables."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """agents that may be seated: names of the registry or module:attribute; by default networks, searches of one
    second, and the compiled policies of the games"""

    games: tuple[str, ...] = ()
    """the games; by default all games of the page"""

    analyse: str = "guided:seconds=1"
    """the agent that gives hints and analyses finished games; "" for none"""

    host: str = "127.0.0.1"
    """the address to listen at; 0.0.0.0 accepts other machines, under the printed address and those of --allow"""

    port: int = 8100
    """the port; 0 for any free one"""

    allow: tuple[str, ...] = ()
    """further names or addresses of this server; requests for any other name are refused"""

    keep_in: Path = Path("tables")
    """the folder of the games"""

    tables: int = 1000
    """largest number of tables; those without any action are removed after a day"""

    rate: float = 50
    """frames per second of one socket on average, four times as many at once; an address has eight times as many"""

    per_address: int = 100
    """largest number of open sockets, and of unfinished tables, of an IPv4 address or IPv6 /64 network"""

    share: float = 0.25
    """largest share of the server's thread for one address on average; above it, messages of that address wait"""

    threads: int = 0
    """decisions of different agents that are computed at the same time; by default one per core"""

    agent_timeout: float = 120
    """seconds after which an agent that does not answer has failed"""

    mcp: bool = False
    """also let programs take seats, through the Model Context Protocol at /mcp; needs the package mcp"""


def check(arguments: Arguments) -> tuple[str, ...]:
    """Return the games. Raises ValueError, which names the option that cannot be used."""
    program.at_least(1, tables=arguments.tables, per_address=arguments.per_address)
    for name in ("rate", "share", "agent_timeout"):
        if not 0 < (value := getattr(arguments, name)) < math.inf:
            raise ValueError(f"--{name.replace('_', '-')} must be a number above 0, not {value:g}")
    program.at_least(0, threads=arguments.threads)
    program.check_port(arguments.port)
    if arguments.keep_in.exists() and not arguments.keep_in.is_dir():
        raise ValueError(f"--keep-in must be a folder, not {arguments.keep_in}")
    if arguments.mcp and find_spec("mcp") is None:
        raise ValueError("--mcp needs the package mcp: pip install 'mcp>=2.3'")
    return check_games(arguments.games)


def check_games(games: tuple[str, ...]) -> tuple[str, ...]:
    """Return the games, by default those of the page. Raises ValueError for an unknown one."""
    from agents.web.page.products import released
    from porta_nigra_env.games import game_entry

    for game in games:
        game_entry(game)
    return games or released()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises ValueError where that is not possible."""
    family, dual = (socket.AF_INET6, True) if ":" in host else (socket.AF_INET, False)
    try:
        return socket.create_server((host, port), family=family, backlog=1024, dualstack_ipv6=dual)
    except OSError as error:
        raise ValueError(f"--host {host} --port {port}: {error.strerror}; --port 0 takes any free one") from None


def local_origin(host: str, port: int) -> str | None:
    """Return the address of a server in its local network; None if it does not listen there."""
    from agents.web.server.invite import hears_all, lan_address

    found = lan_address() if hears_all(host) else None
    return None if found is None else f"http://{found}:{port}"


def make_limits(arguments: Arguments) -> Limits:
    """Return the limits that the options ask for."""
    from agents.web.server.limits import Limits, Rate

    each, rate = arguments.per_address, arguments.rate
    return Limits(
        tables=arguments.tables,
        tables_per_address=each,
        sockets_per_address=each,
        frames=Rate(rate, max(1, int(4 * rate))),
        frames_per_address=Rate(8 * rate, max(1, int(32 * rate))),
        visits=Rate(each / _RETURN, each),
        openings=Rate(each / _REOPEN, each),
        work=Rate(arguments.share, 4 * arguments.share),
    )


def make_server(arguments: Arguments, games: tuple[str, ...], origin: str | None = None) -> uvicorn.Server:
    """Return the server, which does not run yet. Raises ValueError for agents that cannot be used.

    Args:
        origin: its address in the local network, if it listens there.
    """
    import uvicorn

    from agents.web.page.site import Site
    from agents.web.server.agent_pool import AgentPool
    from agents.web.server.app import LOOPBACK, Server
    from agents.web.server.lobby import Lobby
    from agents.web.server.sockets import server_config

    limits = make_limits(arguments)
    agents = AgentPool(
        games, arguments.agents or default_agents(games), arguments.analyse or None,
        arguments.threads or os.cpu_count() or 1, arguments.agent_timeout,
    )  # fmt: skip
    agents.check()
    allow_files(2 * (limits.sockets + _REQUESTS))
    lobby = Lobby(arguments.keep_in, agents, limits)
    for sentence in lobby.unusable():
        print(f"{PROGRAM.name}: {sentence}", file=sys.stderr)

    class ClosingServer(uvicorn.Server):
        """A server that sends the last messages to the seats before it closes their sockets."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            lobby.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    while lobby.awake:
                        await asyncio.sleep(0.02)
            await super().shutdown(sockets)

    # Another site's name cannot resolve to an address in a request's host, so that address may be accepted.
    reached = () if origin is None else (str(urlsplit(origin).hostname),)
    names = (*arguments.allow, arguments.host, *reached)
    app = Server(lobby, Site.of(games, server=True).files, origin).app(names)
    if arguments.mcp:
        from agents.seats.mcp_door import with_mcp

        app = with_mcp(app, lobby, (*LOOPBACK, *names))
    return ClosingServer(
        server_config(app, limits, timeout_graceful_shutdown=5, limit_concurrency=limits.sockets + _REQUESTS)
    )


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder, made if missing, for this server. Raises ValueError where another server has it."""
    from porta_nigra_env.core.files import lock

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = lock(folder / ".lock")
    except TimeoutError:
        raise ValueError(f"--keep-in {folder}: another server keeps its tables there") from None
    except OSError as error:
        raise ValueError(f"--keep-in {folder}: {error.strerror}") from None
    try:
        yield
    finally:
        held.release()


def allow_files(count: int) -> None:
    """Raise the limit of open files and sockets to `count`, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def default_agents(games: Sequence[str]) -> tuple[str, ...]:
    """Return the agents that are offered by default."""
    from porta_nigra_env.games import game_class

    compiled = (name for game in games for name in game_class(game).policies())
    return tuple(dict.fromkeys((*DEFAULTS, *compiled, "random")))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for arguments that cannot be used."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, _HELP)
    with ExitStack() as stack:
        with PROGRAM.refusing():
            games = check(arguments)
            listener = stack.enter_context(closing(listen(arguments.host, arguments.port)))
            stack.enter_context(lock_folder(arguments.keep_in))
            host, port = listener.getsockname()[:2]
            origin = local_origin(host, port)
            server = make_server(arguments, games, origin)
        named = f"[{host}]" if ":" in host else host
        print(f"http://{named}:{port}/  (games are kept in {arguments.keep_in}; Ctrl-C ends it)", flush=True)
        if origin is not None:
            print(f"{origin}/  for others in your network", flush=True)
        # SIGTERM ends the server like Ctrl-C.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            server.run([listener])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
