"""Registration of games: with this package, and with Gymnasium and PettingZoo.

Entry points are strings: a game is imported and compiled when its first environment is made.
"""

from __future__ import annotations

import re
import warnings
from importlib import metadata
from typing import Final

import gymnasium
import pettingzoo

from porta_nigra_env.games import GAMES, GameEntry

#: The group of entry points of other distributions: a game's name and its `GameEntry`, such as ``my_game.entry:ENTRY``.
GROUP: Final = "porta_nigra_env.games"


def gymnasium_id(game: str) -> str:
    """Return the id for ``gymnasium.make``: the game's name in CamelCase and its version."""
    return f"{game.title().replace('_', '')}-v{GAMES[game].version}"


def pettingzoo_id(game: str) -> str:
    """Return the id in PettingZoo's registry: the game's name and version."""
    return f"{game}-v{GAMES[game].version}"


def environments_module(game: str) -> str:
    """Return the name of the module with a game's environments."""
    return GAMES[game].environments or f"porta_nigra_env.{game}_v{GAMES[game].version}"


def register_game(name: str, entry: GameEntry) -> None:
    """Register a game of another distribution, for all environments and programs of this process.

    A distribution does this for all processes with an entry point of the group `GROUP`.

    Args:
        name: the game's name, as in its class.
        entry: its location; `environments` must name a module.

    Raises:
        ValueError: the name is invalid or taken by another game, or the entry is incomplete.
    """
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise ValueError(f"name: {name!r} is not a name; give one of a-z, 0-9 and _ only, like my_game")
    if GAMES.get(name, entry) != entry:
        raise ValueError(f"name: there is another game {name!r}, of {GAMES[name].module}")
    if not entry.environments:
        raise ValueError(f"entry: name the module of the environments of {name!r} in `environments`")
    if not entry.seats or sorted(set(entry.seats)) != list(entry.seats):
        raise ValueError(f"entry: `seats` must be ascending numbers of players, got {entry.seats}")
    GAMES[name] = entry
    _register_ids(name)


def _register_ids(game: str) -> None:
    module, defaults = environments_module(game), {"num_players": GAMES[game].seats[0]}
    if gymnasium_id(game) not in gymnasium.registry:
        gymnasium.register(
            gymnasium_id(game), f"{module}:seat_env", kwargs=defaults, vector_entry_point=f"{module}:vector_env"
        )
    # PettingZoo has a registry since 1.27.
    if hasattr(pettingzoo, "register") and pettingzoo_id(game) not in pettingzoo.aec_registry:
        pettingzoo.register("aec", pettingzoo_id(game), f"{module}:env", kwargs=defaults)


def register_all() -> None:
    """Register the games of this package and of all entry points; an entry point that fails is reported."""
    for game in GAMES:
        _register_ids(game)
    for point in metadata.entry_points(group=GROUP):
        try:
            register_game(point.name, point.load())
        except Exception as error:  # an entry point may fail in any way
            warnings.warn(f"the game {point.name!r} of {point.value} is not registered: {error!r}", stacklevel=2)
