"""Builds the modules of the page where their sources or manifests have changed: ``python -m agents.web.page.modules``."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.arena.program import arguments
from agents.web.page.modules import FOLDER, product
from porta_nigra_env.games import GAMES, game_class


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Which modules are built, and where."""

    game: tuple[str, ...] = tuple(GAMES)
    """Games; by default all."""
    out: Path = FOLDER
    """The folder; older modules of the same game are removed from it."""
    always: bool = False
    """Build what is there already, too."""


def main(argv: Sequence[str] | None = None) -> None:
    """Build what the command line asks for, one game after the other."""
    asked = arguments(Arguments, argv, "agents.web.page.modules", __doc__ or "")
    if len(asked.game) > 1:
        # Each in a process of its own: what was compiled for one game has no part in another's module.
        for game in asked.game:
            options = ["--out", str(asked.out), *(["--always"] if asked.always else [])]
            subprocess.run([sys.executable, "-m", "agents.web.page.modules", "--game", game, *options], check=True)
        return
    for game in asked.game:
        made = product(game_class(game))
        paths = [asked.out / f"{made.stem}{ending}" for ending in (".wasm", ".json")]
        if asked.always or not all(path.exists() for path in paths):
            made.write(asked.out)
        elif paths[1].read_text(encoding="utf-8") != made.described:
            made.describe(asked.out)
        for path in paths:
            data = path.read_bytes()
            print(f"{path}  {len(data):,} bytes, {len(gzip.compress(data, 9, mtime=0)):,} with gzip", flush=True)
        for old in asked.out.glob(f"{game}.*"):
            if old not in paths:
                old.unlink()


if __name__ == "__main__":
    main()
