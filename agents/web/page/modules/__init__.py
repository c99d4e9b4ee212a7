"""The modules of the page: of every game its verbs, policies, drawing, network and searches in one WebAssembly module.

The files here were built by ``make wasm`` and are named by the digest of their sources.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agents.search.entries import SOURCES, search_entries
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.wasm.build import Product

#: Where the modules lie.
FOLDER: Final = Path(__file__).parent


def product(kind: type[Game]) -> Product:
    """The module of a game."""
    return Product(kind, search_entries(kind), SOURCES)
