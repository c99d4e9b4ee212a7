"""What every environment of a game shares: its spaces, and the options of `reset`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from porta_nigra_env.core.game import Game


def observation_space(game: Game) -> gymnasium.spaces.Box:
    """The space of one player's observation; a new object, since a space carries its own random state."""
    return gymnasium.spaces.Box(0.0, game.observations.high(), dtype=np.float32)


def action_space(game: Game) -> gymnasium.spaces.Discrete:
    """The space of action ids; a new object."""
    return gymnasium.spaces.Discrete(game.actions.size)


def mask_space(game: Game) -> gymnasium.spaces.Box:
    """The space of legality masks; a new object."""
    return gymnasium.spaces.Box(0, 1, (game.actions.size,), dtype=np.int8)


def check_options(options: Mapping[str, Any] | None, known: tuple[str, ...]) -> Mapping[str, Any]:
    """The options of a `reset`; ValueError names a key that is not `known`, which would be a slip without effect."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dict, not {options!r}")
    # PettingZoo's api_test calls reset with {"options": 1} and means nothing by it.
    unknown = [key for key in options if key not in known and key != "options"]
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; reset knows {', '.join(map(repr, known))}")
    return options
