"""What every environment of a game shares: its spaces, the options of `reset`, and how a game begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import withdraw
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.positions.given import read_position
from porta_nigra_env.envs.batch_inputs import chosen_rows
from porta_nigra_env.envs.rows_seen import RowsSeen


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


def check_asked(games: RowsSeen, rows: object) -> None:
    """ValueError where an episode that has begun from a position in `rows` ended before its learner was asked."""
    over = np.flatnonzero(chosen_rows(rows, games.num_envs) & (games.current_player < 0))
    if len(over):
        seat = int(games.learners[over[0]])
        raise ValueError(f"game {over[0]} ended before the learner on seat {seat} was asked; begin earlier")


def result(state: State, gave_away: int | None = None) -> dict[str, Any]:
    """What the infos of a game's end tell: "scores" int32 (players,), and "places" int8 (players,), 1 for the first.

    gave_away: the seat whose illegal action ended it, which is last then.
    """
    places = state.places()
    if gave_away is not None:
        withdraw(places, gave_away)
    return {"scores": state.totals(), "places": places}


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
