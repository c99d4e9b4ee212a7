"""What every environment of a game shares: its spaces, the options of `reset`, and how a game begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from porta_nigra_env.core.game import Game
from porta_nigra_env.core.given import read_position
from porta_nigra_env.core.state import State


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


def begun(game: Game, before: State | None, seed: int, position: object = None) -> State:
    """The state of a game that begins, with the observations that an environment wants.

    Args:
        game: the game.
        before: a state that is not needed any more and whose place the new one takes; None for the first one.
        seed: of the game, or of the future where the position has no random state; in 0..2**63-1.
        position: as of `read_position`; by default the setup.
    """
    if before is None:
        states = game.new_states(seed) if position is None else read_position(game, position, seed)
        return State(game, states, observed=True)
    before.restart(seed, position)
    return before
