"""The parts that the environment APIs share: spaces, the options of `reset`, and how a game begins and ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import withdraw
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.positions.given import read_position
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.batch_inputs import row_mask


def observation_space(game: Game) -> gymnasium.spaces.Box:
    """Return a new space of one player's observation; a space carries its own random state."""
    return gymnasium.spaces.Box(0.0, game.observations.high(), dtype=np.float32)


def action_space(game: Game) -> gymnasium.spaces.Discrete:
    """Return a new space of action ids."""
    return gymnasium.spaces.Discrete(game.actions.size)


def mask_space(game: Game) -> gymnasium.spaces.Box:
    """Return a new space of legality masks."""
    return gymnasium.spaces.Box(0, 1, (game.actions.size,), dtype=np.int8)


def check_options(options: Mapping[str, Any] | None, known: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the options of a `reset`; ValueError names a key that is not `known`, which would have no effect."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dict, not {options!r}")
    # PettingZoo's api_test calls reset with {"options": 1}.
    unknown = [key for key in options if key not in known and key != "options"]
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; reset knows {', '.join(map(repr, known))}")
    return options


def check_not_over(games: BatchEnv, rows: object) -> None:
    """Raise ValueError if a game that began from a position in `rows` ended before the learner's turn."""
    over = np.flatnonzero(row_mask(rows, games.num_envs) & (games.current_player < 0))
    if len(over):
        seat = int(games.learners[over[0]])
        raise ValueError(f"game {over[0]} ended before the learner on seat {seat} was asked; begin earlier")


def final_info(state: State, illegal_seat: int | None = None) -> dict[str, Any]:
    """Return the final infos of a game: "scores" int32 (players,), and "places" int8 (players,), 1 for the first.

    illegal_seat: the seat whose illegal action ended the game, which is ranked last.
    """
    places = state.places()
    if illegal_seat is not None:
        withdraw(places, illegal_seat)
    return {"scores": state.totals(), "places": places}


def begin_game(game: Game, previous: State | None, seed: int, position: object = None) -> State:
    """Return the state of a new game, with the observations that an environment needs.

    Args:
        game: the game.
        previous: a state to reuse; None for the first game.
        seed: of the game, or of the future if the position has no random state; in 0..2**63-1.
        position: as in `read_position`; by default the setup.
    """
    if previous is None:
        states = game.new_states(seed) if position is None else read_position(game, position, seed)
        return State(game, states, observed=True)
    previous.restart(seed, position)
    return previous
