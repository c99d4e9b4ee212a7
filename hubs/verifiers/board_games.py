"""The environment of `agents.seats.verifiers_door` under the name that verifiers and its hub import."""

from importlib import import_module
from importlib.util import find_spec

# An installed wheel has the programs inside the package, a checkout next to it.
_PROGRAMS = "porta_nigra_env.agents" if find_spec("porta_nigra_env.agents") else "agents"
_DOOR = import_module(f"{_PROGRAMS}.seats.verifiers_door")
BoardGames, BoardGamesEnv = _DOOR.BoardGames, _DOOR.BoardGamesEnv
SeatHarness, load_environment = _DOOR.SeatHarness, _DOOR.load_environment

__all__ = ["BoardGames", "BoardGamesEnv", "SeatHarness", "load_environment"]
