"""The names by which Gymnasium and PettingZoo find the environments of all games.

Entry points are texts: nothing of a game is imported, let alone compiled, before an environment is made.
"""

from __future__ import annotations

import gymnasium
import pettingzoo

from porta_nigra_env.games import GAMES


def gymnasium_id(game: str) -> str:
    """The name for ``gymnasium.make``: that of the game, each word with a capital, and a version."""
    return f"{game.title().replace('_', '')}-v{GAMES[game].version}"


def pettingzoo_id(game: str) -> str:
    """The name in PettingZoo's registry: that of the game and a version."""
    return f"{game}-v{GAMES[game].version}"


def register() -> None:
    """Register all games; calling it again changes nothing."""
    for game, room in GAMES.items():
        module, defaults = f"porta_nigra_env.{game}_v{room.version}", {"num_players": room.seats[0]}
        if gymnasium_id(game) not in gymnasium.registry:
            gymnasium.register(
                gymnasium_id(game),
                f"{module}:seat_env",
                kwargs=defaults,
                vector_entry_point=f"{module}:vector_env",
            )
        # PettingZoo has a registry since 1.27; before, its environments were found by module alone.
        if hasattr(pettingzoo, "register") and pettingzoo_id(game) not in pettingzoo.aec_registry:
            pettingzoo.register("aec", pettingzoo_id(game), f"{module}:env", kwargs=defaults)
