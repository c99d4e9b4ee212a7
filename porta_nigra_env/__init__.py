"""Board games as reinforcement-learning environments: one compiled kernel for each, the same APIs for all.

Importing the package only registers the environments: the names below load their modules, and with them the compiled
game, on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from porta_nigra_env.games import GAMES
from porta_nigra_env.registration import environments_module, register_all, register_game

if TYPE_CHECKING:
    from porta_nigra_env.core.game.view import View
    from porta_nigra_env.games import GameEntry, make_game
    from porta_nigra_env.games.porta_nigra.components.load import load
    from porta_nigra_env.games.porta_nigra.game import PortaNigra, State

__version__ = "0.2.0"
__all__ = ["GameEntry", "PortaNigra", "State", "View", "__version__", "load", "make_game", "register_game"]

_MODULES: Final = {
    "GameEntry": "porta_nigra_env.games",
    "PortaNigra": "porta_nigra_env.games.porta_nigra.game",
    "State": "porta_nigra_env.games.porta_nigra.game",
    "View": "porta_nigra_env.core.game.view",
    "load": "porta_nigra_env.games.porta_nigra.components.load",
    "make_game": "porta_nigra_env.games",
}

register_all()
#: Modules of environments by name, such as porta_nigra_v0.
_ENVIRONMENTS: Final = {f"{game}_v{entry.version}": environments_module(game) for game, entry in GAMES.items()}
__all__ += list(_ENVIRONMENTS)


def __getattr__(name: str) -> Any:
    if name in _ENVIRONMENTS:
        return import_module(_ENVIRONMENTS[name])
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
