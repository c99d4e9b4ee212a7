"""Tables for several people and strong agents, on the page: ``python -m agents.web.serve network guided:seconds=1``.

The page is served as `agents.web.page` makes it, and knows that tables are kept here: people at different machines sit at
one, each sees what her seat may see, and agents of the registry play the other seats.
"""

from __future__ import annotations

import asyncio
import math
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import tyro

from agents.arena import program
from agents.arena.program import Program

if TYPE_CHECKING:
    import uvicorn

PROGRAM = Program("agents.web.serve")
#: Agents that are offered where none are named, before the compiled players of the games.
USUAL: Final = ("network", "guided:seconds=1")
#: Connections beside the seats' sockets, at most.
_REQUESTS: Final = 500
#: Seconds after which an address may come again with as many sockets as it may have open, and open as many tables.
_RETURN: Final = 50.0
_REOPEN: Final = 3000.0
#: Seconds in which the seats are told that the server ends.
_FAREWELL: Final = 2.0
_HELP: Final = """Tables for several people and agents, on the page of the games.

Whoever opens a table gets a link for each person's seat and hands them out; nobody needs an account, and a seat is
sent nothing but what it may see.  Games are kept in files and go on after a restart.

  python -m agents.web.serve                                    on this machine, with the usual agents
  python -m agents.web.serve guided:seconds=5 my_module:MyAgent with other ones, one's own among them
  python -m agents.web.serve --host 0.0.0.0 --allow 192.168.1.7 for others in the same network, who then open
                                                            http://192.168.1.7:8100/
  python -m agents.web.serve --allow play.example.org           behind a web server of that name, which does https

python -m agents.registry lists the agents with their parameters."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Keep tables."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """who may be seated, where it plays the game: names of the registry or module:attribute; by default the published
    networks, searches of a second, and the games' compiled players"""

    games: tuple[str, ...] = ()
    """by default all that the page has"""

    analyse: str = "guided:seconds=1"
    """the agent that gives hints and analyses finished games; "" for none"""

    host: str = "127.0.0.1"
    """the address to listen at; 0.0.0.0 lets other machines in"""

    port: int = 8100
    """0 for any free one; another one than that of agents.web.page, whose page a browser may have kept"""

    allow: tuple[str, ...] = ()
    """names or addresses by which others reach this server; requests for others are refused"""

    keep_in: Path = Path("tables")
    """folder of the games"""

    tables: int = 1000
    """kept at most"""

    days: float = 0
    """games in which nobody has decided for so many days are removed; 0 keeps them"""

    rate: float = 50
    """messages a second that one socket may send on average, and four times as many at once"""

    per_address: int = 100
    """sockets that may be open from one address, which many people share, and new tables at once, then in each fifty
    minutes"""

    threads: int = 0
    """decisions that are thought about at the same time, by different agents: one agent has one after the other in a
    game and number of players; by default one a core"""


def checked(arguments: Arguments) -> tuple[str, ...]:
    """The games; ValueError names the option that cannot be used."""
    from agents.web.page.products import released
    from porta_nigra_env.games import game_entry

    program.at_least(1, tables=arguments.tables, per_address=arguments.per_address)
    if not 0 < arguments.rate < math.inf:
        raise ValueError(f"--rate must be a number above 0, not {arguments.rate:g}")
    program.at_least(0, threads=arguments.threads)
    program.check_port(arguments.port)
    if arguments.days < 0:
        raise ValueError(f"--days must be at least 0, not {arguments.days:g}")
    if arguments.keep_in.exists() and not arguments.keep_in.is_dir():
        raise ValueError(f"--keep-in: {arguments.keep_in} is no folder")
    for game in arguments.games:
        game_entry(game)
    return arguments.games or released()


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; ValueError where that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise ValueError(f"--host {host} --port {port}: {error.strerror}; --port 0 takes any free one") from None
    found.listen(1024)
    return found


def opened(arguments: Arguments, games: tuple[str, ...]) -> uvicorn.Server:
    """The server, before it runs; ValueError for agents that cannot be."""
    import uvicorn

    from agents.web.page.site import Site
    from agents.web.server.app import Server
    from agents.web.server.limits import Limits, Rate
    from agents.web.server.lobby import Lobby
    from agents.web.server.messages import LONGEST
    from agents.web.server.players import Players
    from agents.web.server.threads import Workers

    texts = arguments.agents or usual(games)
    each = arguments.per_address
    limits = Limits(
        tables=arguments.tables,
        sockets_an_address=each,
        messages=Rate(arguments.rate, max(1, int(4 * arguments.rate))),
        visits=Rate(each / _RETURN, each),
        openings=Rate(each / _REOPEN, each),
    )
    players = Players(games, texts, arguments.analyse or None, arguments.threads or os.cpu_count() or 1)
    players.check()
    allow_files(2 * (limits.sockets + _REQUESTS))
    lobby = Lobby(arguments.keep_in, players, limits, arguments.days)
    for sentence in lobby.unusable():
        print(f"{PROGRAM.name}: {sentence}", file=sys.stderr)
    making: list[asyncio.Task[Mapping[str, bytes]]] = []

    async def files() -> Mapping[str, bytes]:
        if not making:
            making.append(asyncio.ensure_future(Workers(1).do(lambda: Site.of(games, server=True).files)))
        return await asyncio.shield(making[0])

    config = uvicorn.Config(
        Server(lobby, files).app((*arguments.allow, arguments.host)), log_level="warning", access_log=False,
        ws="websockets-sansio", ws_max_size=LONGEST, ws_per_message_deflate=False, server_header=False,
        timeout_graceful_shutdown=5, limit_concurrency=limits.sockets + _REQUESTS,
    )  # fmt: skip

    class Running(uvicorn.Server):
        """Says goodbye to the seats before the connections are closed."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            lobby.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    while lobby.awake:
                        await asyncio.sleep(0.02)
            await super().shutdown(sockets)

    return Running(config)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other servers from a folder, which is made if it is missing; ValueError where there is one."""
    from agents.files import lock

    try:
        folder.mkdir(parents=True, exist_ok=True)
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
    """Let this process have so many files and sockets open, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def usual(games: Sequence[str]) -> tuple[str, ...]:
    """The agents that are offered where none are named."""
    from porta_nigra_env.games import game_class

    compiled = (name for game in games for name in game_class(game).policies())
    return tuple(dict.fromkeys((*USUAL, *compiled, "random")))


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, _HELP)
    with ExitStack() as stack:
        with PROGRAM.refusing():
            games = checked(arguments)
            listener = stack.enter_context(closing(listening(arguments.host, arguments.port)))
            stack.enter_context(alone(arguments.keep_in))
            server = opened(arguments, games)
        host, port = listener.getsockname()[:2]
        named = f"[{host}]" if ":" in host else host
        print(f"http://{named}:{port}/  (games are kept in {arguments.keep_in}; Ctrl-C ends it)", flush=True)
        # Whatever asks it to end, it ends well.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            server.run([listener])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
