"""Players by name, for the opponents of environments.

Every game has "random"; a game package adds its compiled policies (`Game.policies`) and, as "network", the network
published for the number of players and the components (`Game.published`).
"""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.published import NetworkPlayer, published_player

NETWORK: Final = "network"


def names(game: Game) -> tuple[str, ...]:
    """Return the names of the players."""
    published = (NETWORK,) if game.published() is not None else ()
    return (RANDOM.name, *game.policies(), *published)


def named(game: Game, name: str) -> Policy | NetworkPlayer:
    """Return a player; the same object for the same game and name.

    Raises:
        ValueError: an unknown name; the message lists the known ones.
        CheckpointError: the components have other sizes than the published network (a ValueError).
    """
    if name not in names(game):
        hint = "; agents with parameters are made by agents.registry.make(text, game)" if ":" in name else ""
        raise ValueError(f"there is no player {name!r} of {game.name}; there are {', '.join(names(game))}{hint}")
    if name == NETWORK:
        return published_player(game)
    return RANDOM if name == RANDOM.name else game.policies()[name]
