"""The page's WebAssembly modules: rules, policies, drawing, network and searches of each game.

``make wasm`` builds the files; their names hold the digest of their sources.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agents.search.entries import SOURCES, search_entries
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.wasm.build import Product

#: The folder of the modules.
FOLDER: Final = Path(__file__).parent


def product(kind: type[Game]) -> Product:
    """Return the build product of a game."""
    return Product(kind, search_entries(kind), SOURCES)
