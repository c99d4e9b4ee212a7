"""The parts that the environment APIs share: spaces, the options of `reset`, and how a game begins and ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game, States, check_seed, new_seed
from porta_nigra_env.core.game.results import withdraw
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.positions.given import read_position
from porta_nigra_env.envs.render import Rendering, render_boards


@dataclass(frozen=True)
class ObservationFormat:
    """The format of the observations and masks of an environment.

    Attributes:
        mask_in: "info", an observation is one array, and infos hold "action_mask"; or "observation", an observation is
            a dict of the arrays "observation" and "action_mask".
        mask_dtype: "int8", which `gymnasium.spaces.Discrete.sample` takes; or "bool".
    """

    game: Game
    mask_in: str
    mask_dtype: str = "int8"

    def __post_init__(self) -> None:
        if self.mask_in not in ("observation", "info"):
            raise ValueError(f"mask_in must be 'observation' or 'info', not {self.mask_in!r}")
        if self.mask_dtype not in ("int8", "bool"):
            raise ValueError(f"mask_dtype must be 'int8' or 'bool', not {self.mask_dtype!r}")

    @cached_property
    def mask_in_info(self) -> bool:
        """True if masks are in infos."""
        return self.mask_in == "info"

    def space(self) -> gymnasium.spaces.Space[Any]:
        """Return a new space of observations; a space carries its own random state."""
        vector = gymnasium.spaces.Box(0.0, self.game.observations.high(), dtype=np.float32)
        if self.mask_in_info:
            return vector
        mask = gymnasium.spaces.Box(0, 1, (self.game.actions.size,), dtype=np.dtype(self.mask_dtype).type)
        return gymnasium.spaces.Dict({"observation": vector, "action_mask": mask})

    def observation(self, vector: npt.NDArray[Any], mask: Any) -> Any:
        """Return the observation made of a vector and a mask, or of those of many games."""
        return vector if self.mask_in_info else {"observation": vector, "action_mask": mask}

    def info(self, mask: npt.NDArray[Any]) -> dict[str, Any]:
        """Return the entry of infos for a mask; none if it is in the observation."""
        return {"action_mask": mask} if self.mask_in_info else {}


class OneGame(Rendering):
    """The state and the rendering of an environment with one game."""

    game: Game
    _state: State | None = None

    def _running(self) -> State:
        if self._state is None:
            raise RuntimeError("no game has begun; call reset() first")
        return self._state

    @property
    def states(self) -> States:
        """The (1,) state array of the running game, hidden cards included; read-only."""
        return self._running().states

    def _viewer(self) -> int | None:
        """Return the seat whose information the board shows; None for the full state."""
        raise NotImplementedError

    def _boards(self, mode: str) -> Any:
        return render_boards(mode, self.game, self.states, [self._viewer()])[0]

    def close(self) -> None:
        """Close the window of "human"."""
        self._close_window()


def action_space(game: Game) -> gymnasium.spaces.Discrete:
    """Return a new space of action ids."""
    return gymnasium.spaces.Discrete(game.actions.size)


def check_options(options: Mapping[str, Any] | None, known: tuple[str, ...]) -> dict[str, Any]:
    """Return the given options of a `reset`, without those that are None.

    ValueError names a key that is not `known`, which would have no effect.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dict, not {options!r}")
    # PettingZoo's api_test calls reset with {"options": 1}.
    unknown = [key for key in options if key not in known and key != "options"]
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; reset knows {', '.join(map(repr, known))}")
    return {key: value for key, value in options.items() if value is not None}


def next_game(root: int | None, games: int, seed: int | None) -> tuple[int, int]:
    """Return the seed of the first game of a sequence, and the number of the next game in it.

    The game `games` of the sequence `root` runs, if there is one; a seed begins another sequence.
    """
    if seed is not None:
        return check_seed(seed), 0
    return (new_seed(), 0) if root is None else (root, games + 1)


def begin_game(game: Game, seed: int, position: object = None) -> State:
    """Return the state of a new game, at its setup or a position, with the observations that an environment needs."""
    states = game.new_states(seed) if position is None else read_position(game, position, seed)
    return State.unchecked(game, states, observed=True)


def final_info(state: State, illegal_seat: int | None = None) -> dict[str, Any]:
    """Return the final infos of a game: "scores" int32 (players,), and "places" int8 (players,), 1 for the first.

    illegal_seat: the seat whose illegal action ended the game, which is ranked last.
    """
    places = state.places()
    if illegal_seat is not None:
        withdraw(places, illegal_seat)
    return {"scores": state.totals(), "places": places}
