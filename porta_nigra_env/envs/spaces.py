"""The parts that the environment APIs share: spaces, the options of `reset`, and how a game begins and ends."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game, States, check_seed, new_seed
from porta_nigra_env.core.game.results import withdraw
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.events import EventLog
from porta_nigra_env.core.narration.history import TOKEN, History, check_history
from porta_nigra_env.core.positions.given import read_position
from porta_nigra_env.core.positions.pieces import ComponentNumbers
from porta_nigra_env.envs.batch_options import check_observed
from porta_nigra_env.envs.render import Rendering, render_boards


@dataclass(frozen=True)
class ObservationFormat:
    """The format of the observations and masks of an environment.

    Attributes:
        mask_in: "info", an observation is one array, and infos hold "action_mask"; or "observation", an observation is
            a dict of the arrays "observation" and "action_mask".
        mask_dtype: "int8", which `gymnasium.spaces.Discrete.sample` takes; or "bool".
        history: number of events in the entry "history" of observations, int16 (history, 4), which are dicts then; see
            `core.narration.history`.
        observe_components: true if the component numbers follow the observation (`core.positions.pieces`).
    """

    game: Game
    mask_in: str
    mask_dtype: str = "int8"
    history: int = 0
    observe_components: bool = False

    def __post_init__(self) -> None:
        if self.mask_in not in ("observation", "info"):
            raise ValueError(f"mask_in must be 'observation' or 'info', not {self.mask_in!r}")
        if self.mask_dtype not in ("int8", "bool"):
            raise ValueError(f"mask_dtype must be 'int8' or 'bool', not {self.mask_dtype!r}")
        check_history(self.game, self.history)
        check_observed(self.game, self.observe_components)

    @cached_property
    def mask_in_info(self) -> bool:
        """True if masks are in infos."""
        return self.mask_in == "info"

    @cached_property
    def _numbers(self) -> ComponentNumbers | None:
        return self.game.component_numbers() if self.observe_components else None

    def vector(self, observation: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return an observation of the game with the component numbers, if they are observed."""
        return observation if self._numbers is None else np.concatenate([observation, self._numbers.vector])

    def space(self) -> gymnasium.spaces.Space[Any]:
        """Return a new space of observations; a space carries its own random state."""
        high = self.game.observations.high()
        if self._numbers is not None:
            high = np.concatenate([high, self._numbers.layout.high()])
        vector = gymnasium.spaces.Box(0.0, high, dtype=np.float32)
        limits = np.iinfo(np.int16)
        mask = gymnasium.spaces.Box(0, 1, (self.game.actions.size,), dtype=np.dtype(self.mask_dtype).type)
        history = gymnasium.spaces.Box(limits.min, limits.max, (self.history, TOKEN), dtype=np.int16)
        made = self.observation(vector, mask, history)
        return gymnasium.spaces.Dict(made) if isinstance(made, dict) else vector

    def observation(self, vector: Any, mask: Any, history: Any) -> Any:
        """Return the observation made of a vector, a mask and a history, or of those of many games."""
        parts = {} if self.mask_in_info else {"action_mask": mask}
        parts |= {"history": history} if self.history else {}
        return {"observation": vector, **parts} if parts else vector

    def info(self, mask: npt.NDArray[Any]) -> dict[str, Any]:
        """Return the entry of infos for a mask; none if it is in the observation."""
        return {"action_mask": mask} if self.mask_in_info else {}


class Watch:
    """Record of what seats have seen in one game: their last events as tokens, and their events since they acted.

    Args:
        history: number of tokens; 0 for none.
        seats: those whose events are kept for infos; () for none.
    """

    def __init__(self, game: Game, history: int, seats: Sequence[int]) -> None:
        self._history = History(game, history) if history else None
        self._log = EventLog(game, seats) if seats else None

    def begin(self, states: States) -> None:
        """Begin a game."""
        if self._history is not None:
            self._history.begin(states)
        if self._log is not None:
            self._log.begin(states)

    def update(self, states: States, actor: int) -> None:
        """Record a step of `actor`, after it."""
        if self._history is not None:
            self._history.update(states)
        if self._log is not None:
            self._log.update(states, actor)

    def tokens(self, seat: int) -> npt.NDArray[np.int16] | None:
        """Return the history of a seat, int16 (history, 4); None without one."""
        return None if self._history is None else self._history.tokens(seat)

    def info(self, seat: int) -> dict[str, Any]:
        """Return the entry "events" of infos: the events of a seat since its last action as dicts; {} without them."""
        return {} if self._log is None else {"events": self._log.records(seat)}

    def clone(self) -> Watch:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin._history = None if self._history is None else self._history.clone()
        twin._log = None if self._log is None else self._log.clone()
        return twin


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
