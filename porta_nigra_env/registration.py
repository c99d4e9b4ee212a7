"""Registration of all games with Gymnasium and PettingZoo.

Entry points are strings: a game is imported and compiled when its first environment is made.
"""

from __future__ import annotations

import gymnasium
import pettingzoo

from porta_nigra_env.games import GAMES


def gymnasium_id(game: str) -> str:
    """Return the id for ``gymnasium.make``: the game's name in CamelCase and its version."""
    return f"{game.title().replace('_', '')}-v{GAMES[game].version}"


def pettingzoo_id(game: str) -> str:
    """Return the id in PettingZoo's registry: the game's name and version."""
    return f"{game}-v{GAMES[game].version}"


def register() -> None:
    """Register all games that are not registered."""
    for game, entry in GAMES.items():
        module, defaults = f"porta_nigra_env.{game}_v{entry.version}", {"num_players": entry.seats[0]}
        if gymnasium_id(game) not in gymnasium.registry:
            gymnasium.register(
                gymnasium_id(game), f"{module}:seat_env", kwargs=defaults, vector_entry_point=f"{module}:vector_env"
            )
        # PettingZoo has a registry since 1.27.
        if hasattr(pettingzoo, "register") and pettingzoo_id(game) not in pettingzoo.aec_registry:
            pettingzoo.register("aec", pettingzoo_id(game), f"{module}:env", kwargs=defaults)
