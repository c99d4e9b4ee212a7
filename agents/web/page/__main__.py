"""Write the page, show it, or build its modules: ``python -m agents.web.page --out site``."""

from __future__ import annotations

import gzip
import webbrowser
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from threading import Event

from agents.arena import program
from agents.arena.program import Program
from agents.web.page.card import card_bytes
from agents.web.page.products import FOLDER, build_module, paths_of
from agents.web.page.serving import serve
from agents.web.page.site import Site
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import GAMES, game_class, game_entry

PROGRAM = Program("agents.web.page")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Make the page on which the games are played, replayed and studied in a browser."""

    out: Path | None = None
    """the folder of the page, for any file server; with --build-modules that of the modules"""

    open: bool = False
    """serve the page on this machine and open a browser"""

    port: int = 8000
    """the port for --open; another free one if it is taken, 0 for any"""

    games: tuple[str, ...] = ()
    """the games; by default all"""

    build_modules: bool = False
    """build the cards of games, and the WebAssembly modules whose sources or manifests have changed, a minute each"""

    always: bool = False
    """build modules that are up to date, too"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for arguments that cannot be used."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, Arguments.__doc__ or "")
    with PROGRAM.refusing():
        if arguments.out is None and not arguments.open and not arguments.build_modules:
            raise ValueError("--out FOLDER, --open or --build-modules is needed")
        if arguments.out is not None and arguments.out.exists() and not arguments.out.is_dir():
            raise ValueError(f"--out must be a folder, not {arguments.out}")
        program.check_port(arguments.port)
        for game in arguments.games:
            game_entry(game)
        if arguments.build_modules:
            return build_modules(arguments.games or tuple(GAMES), arguments.out or FOLDER, arguments.always)
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


def build_modules(games: Sequence[str], folder: Path, always: bool) -> int:
    """Build the outdated modules and the cards of some games, and remove older ones of these games."""
    for game in games:
        # In a process that compiles nothing else: other compiled code must not reach a module.
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            process.submit(build_module, game, folder, always).result()
        paths = paths_of(game, folder)
        write_whole(paths[2], card_bytes(game_class(game)))
        for path in paths:
            data = path.read_bytes()
            print(f"{path}  {len(data):,} bytes, {len(gzip.compress(data, 9, mtime=0)):,} with gzip", flush=True)
        for old in folder.glob(f"{game}.*"):
            if old not in paths:
                old.unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
