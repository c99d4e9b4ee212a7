"""Build a game's WebAssembly module: ``python -m porta_nigra_env.wasm [--game NAME] [--out FOLDER]``."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from porta_nigra_env.games import DEFAULT_GAME, game_class
from porta_nigra_env.wasm.build import Product


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Build a game's kernel functions, policies and loops as a module for browsers, with the manifest for its users."""

    game: str = DEFAULT_GAME
    """The name of the game (porta_nigra_env.games)."""
    out: Path = Path("wasm")
    """The folder for both files, which are named by the digest of their sources."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the module that the command line asks for and print the files and sizes."""
    options = tyro.cli(Arguments, args=arguments, prog="python -m porta_nigra_env.wasm", description=Arguments.__doc__)
    for path in Product(game_class(options.game)).write(options.out):
        data = path.read_bytes()
        print(f"{path}  {len(data):,} bytes, {len(gzip.compress(data, 9, mtime=0)):,} with gzip")


if __name__ == "__main__":
    main()
