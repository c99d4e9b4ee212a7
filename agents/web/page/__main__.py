"""Writes the page, or shows it: ``python -m agents.web.page --out site``, ``python -m agents.web.page --open``."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from agents.arena import program
from agents.arena.program import Program
from agents.web.page.serving import serve
from agents.web.page.site import Site
from porta_nigra_env.games import game_entry

PROGRAM = Program("agents.web.page")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Make the page on which the games are played, replayed and studied in a browser."""

    out: Path | None = None
    """folder to write it to; any file server can hand it out"""

    open: bool = False
    """serve it on this machine and open a browser"""

    port: int = 8000
    """where it is served with --open; the next free one if it is taken, 0 for any"""

    games: tuple[str, ...] = ()
    """which games it has; by default all"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, Arguments.__doc__ or "")
    with PROGRAM.refusing():
        if arguments.out is None and not arguments.open:
            raise ValueError("--out FOLDER or --open is needed")
        if arguments.out is not None and arguments.out.exists() and not arguments.out.is_dir():
            raise ValueError(f"--out: {arguments.out} is no folder")
        program.check_port(arguments.port)
        for game in arguments.games:
            game_entry(game)
        site = Site.of(arguments.games)
    if arguments.out is not None:
        site.write(arguments.out)
        total = sum(map(len, site.files.values()))
        print(f"{arguments.out}: {len(site.files)} files, {total:,} bytes")
    if arguments.open:
        with serve(site.files, arguments.port) as address:
            print(f"{address}  (Ctrl-C ends it)")
            webbrowser.open(address)
            with suppress(KeyboardInterrupt):
                Event().wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
