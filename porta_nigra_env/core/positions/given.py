"""Positions from callers: a dict, JSON text, or a state."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from porta_nigra_env.core.game.game import Game, States


def read_position(game: Game, position: object, seed: int) -> States:
    """Return the (1,) state array of a position: a dict, JSON text, or a state with `to_dict`.

    Raises:
        TypeError: the position has another type.
        ValueError: the position is impossible, is for another number of players, or is a finished game.
    """
    if isinstance(position, str):
        position = parse_json(position)
    elif callable(to_dict := getattr(position, "to_dict", None)):
        position = to_dict()
    if not isinstance(position, Mapping):
        raise TypeError(f"position must be a dict, a JSON text or a state, not {position!r}")
    states = game.load_position(dict(position), seed)
    if int(states["num_players"][0]) != game.num_players:
        players = int(states["num_players"][0])
        raise ValueError(f"num_players: the position is for {players} players, the environment for {game.num_players}")
    if int(states["current_player"][0]) < 0:
        raise ValueError("position: the game is over there; give a position with a player to move")
    return states


def parse_json(text: str) -> Mapping[str, Any]:
    """Return a parsed JSON object; ValueError for anything else, repeated keys and NaN included."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        unique = dict(items)
        if len(unique) < len(items):
            twice = min(key for key, count in Counter(key for key, _ in items).items() if count > 1)
            raise ValueError(f"position: key {twice!r} is repeated in one object")
        return unique

    def constant(name: str) -> Any:
        raise ValueError(f"position: {name} is not JSON")

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except RecursionError:
        raise ValueError("position: not JSON: nested too deeply") from None
    except ValueError as error:  # JSONDecodeError, or int() of thousands of digits
        if str(error).startswith("position: "):
            raise
        raise ValueError(f"position: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"position: expected a JSON object, not {type(value).__name__}")
    return value
