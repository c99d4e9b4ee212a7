"""Seats for the client that started this program, over standard input and output: ``python -m agents.seats.mcp_stdio``.

The tools are those of ``agents.seats.mcp_door``.  Needs the package mcp 2.3 or newer.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import tyro

from agents.arena import program
from agents.arena.program import Program
from agents.web.serve import check_games, default_agents, lock_folder

PROGRAM = Program("agents.seats.mcp_stdio")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Serve tables over standard input and output."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ("builder", "random")
    """agents that may be seated"""

    games: tuple[str, ...] = ()
    """names of the games (default: all)"""

    analyse: str = ""
    """agent that gives hints (default: none)"""

    keep_in: Path | None = None
    """folder of the games (default: a temporary one)"""


async def serve(arguments: Arguments, folder: Path, games: tuple[str, ...]) -> None:
    """Serve until the input ends."""
    from agents.seats.mcp_door import make_server
    from agents.web.server.agent_pool import AgentPool
    from agents.web.server.limits import Limits
    from agents.web.server.lobby import Lobby

    pool = AgentPool(games, arguments.agents or default_agents(games), arguments.analyse or None)
    pool.check()
    lobby = Lobby(folder, pool, Limits())
    try:
        await make_server(lobby).run_stdio_async()
    finally:
        lobby.close()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, __doc__ or "")
    with ExitStack() as stack, PROGRAM.refusing():
        if find_spec("mcp") is None:
            raise ValueError("the package mcp is needed: pip install 'mcp>=2.3'")
        games = check_games(arguments.games)
        folder = arguments.keep_in or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(lock_folder(folder))
        asyncio.run(serve(arguments, folder, games))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
