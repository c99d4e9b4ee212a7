"""The registry of games, the only module outside a game package that knows the names of games.

A game package is a folder here.  One line of `GAMES` registers it; environments, agents, training programs and
benchmarks follow from that line.  `porta_nigra_env.register_game` adds games of other distributions.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from porta_nigra_env.core.game.game import Game
    from porta_nigra_env.core.game.state import State
    from porta_nigra_env.core.positions.components import ComponentSource


class GameEntry(NamedTuple):
    """The location of a game, and its properties that need no import.

    Attributes:
        module: module of the game class and the class `State`; loaded on first use.
        game_class: name of the game class.
        seats: the supported numbers of players, ascending.
        version: version of the environment.
        environments: module with the environments (`envs.make.Factories`), by default
            ``porta_nigra_env.<name>_v<version>``.
    """

    module: str
    game_class: str
    seats: tuple[int, ...]
    version: int = 0
    environments: str = ""


GAMES: Final[dict[str, GameEntry]] = {
    "porta_nigra": GameEntry("porta_nigra_env.games.porta_nigra.game", "PortaNigra", (2, 3, 4)),
    "aquileia": GameEntry("porta_nigra_env.games.aquileia.game", "Aquileia", (3, 4, 5)),
    "gloria_mundi": GameEntry("porta_nigra_env.games.gloria_mundi.game", "GloriaMundi", (2, 3, 4, 5, 6)),
}

#: The default game of programs.
DEFAULT_GAME: Final = next(iter(GAMES))


def game_entry(name: str) -> GameEntry:
    """Return the entry of a game; raises ValueError for an unknown name."""
    if name not in GAMES:
        raise ValueError(f"there is no game {name!r}; there are {', '.join(GAMES)}")
    return GAMES[name]


def game_class(name: str) -> type[Game]:
    """Import the module of a game and return its game class."""
    entry = game_entry(name)
    game: type[Game] = getattr(import_module(entry.module), entry.game_class)
    return game


def state_class(name: str) -> type[State]:
    """Import the module of a game and return its `State`."""
    state: type[State] = import_module(game_entry(name).module).State
    return state


def make_game(name: str, num_players: int | None = None, components: ComponentSource | None = None) -> Game:
    """Return a game by its name.

    Args:
        name: one of `GAMES`.
        num_players: the smallest supported number by default.
        components: "standard" (the default), the path of a component file, or a loaded set.

    Raises:
        ValueError: unknown game, unsupported number of players, or invalid component file.
    """
    return game_class(name)(num_players, components)
