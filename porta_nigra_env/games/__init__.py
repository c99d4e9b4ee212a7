"""The games: one room each, and this list, the only place outside a room that knows their names.

A room is a folder here; it is made known by one line of `GAMES`, and everything else follows from that: environments,
their registration, agents, training programs, benchmarks.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from porta_nigra_env.core.game.game import Game
    from porta_nigra_env.core.game.state import State
    from porta_nigra_env.core.positions.components import ComponentSource


class GameEntry(NamedTuple):
    """Where a game is, and what can be told of it without importing it.

    Attributes:
        module: holds the class of games and the class `State`; nothing of it is loaded before it is asked for.
        game_class: name of the former.
        seats: the numbers of players there may be, ascending.
        version: of the environment.
    """

    module: str
    game_class: str
    seats: tuple[int, ...]
    version: int = 0


GAMES: Final = {
    "porta_nigra": GameEntry("porta_nigra_env.games.porta_nigra.game", "PortaNigra", (2, 3, 4)),
    "aquileia": GameEntry("porta_nigra_env.games.aquileia.game", "Aquileia", (3, 4, 5)),
    "gloria_mundi": GameEntry("porta_nigra_env.games.gloria_mundi.game", "GloriaMundi", (2, 3, 4, 5, 6)),
}

#: The game of programs that are told no other.
DEFAULT_GAME: Final = next(iter(GAMES))


def game_entry(name: str) -> GameEntry:
    """The entry of a game; ValueError names those there are."""
    if name not in GAMES:
        raise ValueError(f"there is no game {name!r}; there are {', '.join(GAMES)}")
    return GAMES[name]


def game_class(name: str) -> type[Game]:
    """The class of a game; its module is loaded now."""
    room = game_entry(name)
    found: type[Game] = getattr(import_module(room.module), room.game_class)
    return found


def state_class(name: str) -> type[State]:
    """The game's own `State`."""
    found: type[State] = import_module(game_entry(name).module).State
    return found


def make_game(name: str, num_players: int | None = None, components: ComponentSource | None = None) -> Game:
    """A game by its name.

    Args:
        name: one of `GAMES`.
        num_players: by default the fewest there may be.
        components: "standard" (the default), the path of a component file, or a loaded set.

    Raises:
        ValueError: no such game, another number of players than it allows, or a component file that breaks a rule.
    """
    return game_class(name)(num_players, components)
