"""One running game, with the checks and buffers that every environment needs."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Final, Self

import gymnasium
import numpy as np
import numpy.typing as npt

from porta_nigra_env.core import bits
from porta_nigra_env.core.game import NO_TOTALS, Game, IllegalActionError, States, copied
from porta_nigra_env.core.state import parse_json
from porta_nigra_env.core.view import View

Observation = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]

#: `Match.player` when the game is over, and before the first game.
OVER: Final = -1
NOT_STARTED: Final = -2

#: What `loops.advance` answers to an action that is not legal.
_REFUSED: Final = -2


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


def read_position(game: Game, position: object, seed: int) -> States:
    """The (1,) state array of a position given as a dict, as JSON text, or as a state with `to_dict`.

    Raises:
        TypeError: something else.
        ValueError: an impossible position, one for another number of players, or one with nothing left to decide.
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
        raise ValueError("position: the game is over there, so nobody could be asked for an action")
    return states


class Match:
    """One running game: the state array and the buffers that compiled calls fill.

    Attributes:
        game: the game.
        states: (1,) array, overwritten by every decision.
        player: the seat asked for a decision; OVER or NOT_STARTED.
        mask, observation: what that seat gets, overwritten by the next decision; the mask is zeros at the end.
    """

    __slots__ = ("_advance", "_size", "_tables", "_words", "game", "mask", "observation", "player", "states")

    def __init__(self, game: Game) -> None:
        self.game = game
        self.states: States = np.zeros(1, dtype=game.dtype)
        self.player = NOT_STARTED
        self.mask: Mask = np.zeros(game.actions.size, dtype=np.int8)
        self.observation: Observation = np.zeros(game.observations.size, dtype=np.float32)
        self._words = np.zeros(game.num_words, dtype=np.uint64)
        # Kept beside the game because a step is a microsecond and each look-up through the protocol a tenth of one.
        self._advance = game.loops.advance
        self._tables = game.tables
        self._size = game.actions.size

    # -- a game's course

    def start(self, seed: int, position: object = None) -> None:
        """A new game from `seed`, or from a position, whose future `seed` fixes if it has no random state."""
        if position is None:
            self.game.kernel.reset(self.game.tables, self.states, 0, seed, self.game.num_players)
        else:
            self.states[:] = read_position(self.game, position, seed)
        self._look()

    def number(self, action: object) -> int:
        """`action` as an id of the action space; IllegalActionError for whatever is none."""
        if type(action) is not int:
            try:
                # Integers of numpy, and arrays of one integer without a dimension, are ids; True and 1.0 are not.
                if isinstance(action, bool):
                    raise TypeError
                action = operator.index(action)  # type: ignore[arg-type]  # that is the question
            except TypeError:
                raise IllegalActionError(f"an action is an integer id, not {action!r}{self._asked()}") from None
        if not 0 <= action < self._size:
            raise IllegalActionError(f"action id {action} is not in 0..{self._size - 1}{self._asked()}")
        return action

    def play(self, action: object) -> None:
        """One decision of the seat that is asked; IllegalActionError leaves everything as it was."""
        action = self.number(action)
        player = self._advance(
            self._tables, self.states, 0, action, self._words, self.mask, self.observation, NO_TOTALS
        )
        if player == _REFUSED:
            raise IllegalActionError(self.why_illegal(action))
        self.player = player

    def play_random(self, rng: np.random.Generator) -> None:
        """One decision, uniform over the legal actions."""
        choices = bits.count(self._words)
        self.play(bits.select(self._words, int(rng.random() * choices)))

    def why_illegal(self, action: int) -> str:
        """A sentence about an action id that is not legal now."""
        text = self.game.action_texts[action]
        return f"action {action} ({text!r}) is not legal now{self._asked()}"

    def legal_actions(self) -> list[str]:
        """Texts of the legal actions, sorted by code point; [] when the game is over."""
        self._check_started()
        texts = self.game.action_texts
        return sorted(texts[i] for i in np.flatnonzero(self.mask))

    # -- what a seat sees

    def observe(self, player: int) -> Observation:
        """The observation of any seat, a new array."""
        self._check_started()
        out = np.empty_like(self.observation)
        self.game.kernel.observe(self.game.tables, self.states, 0, player, out)
        return out

    def reveal(self) -> Observation:
        """The privileged vector, a new array."""
        self._check_started()
        out = np.empty(self.game.privileged.size, dtype=np.float32)
        self.game.kernel.privileged(self.game.tables, self.states, 0, out)
        return out

    def view(self, player: int) -> View:
        """What an agent on that seat may hold."""
        self._check_started()
        return View(self.game, self.states, 0, player)

    def board(self, view: int | None) -> str:
        """The text board; with `view`, only what that seat may see."""
        self._check_started()
        return self.game.board(self.states, 0, view)

    # -- copies

    def clone(self) -> Self:
        """An independent copy."""
        twin = object.__new__(type(self))
        twin.game, twin.player = self.game, self.player
        twin.states = copied(self.states)
        twin.mask, twin.observation, twin._words = self.mask.copy(), self.observation.copy(), self._words.copy()
        twin._advance, twin._tables, twin._size = self._advance, self._tables, self._size
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        # The buffers follow from the state.
        return _resume, (self.game, self.states, self.player != NOT_STARTED)

    def _look(self) -> None:
        self.player = self.game.loops.inspect(
            self._tables, self.states, 0, self._words, self.mask, self.observation, NO_TOTALS
        )

    def _check_started(self) -> None:
        if self.player == NOT_STARTED:
            raise RuntimeError("no game has begun; call reset() first")

    def _asked(self) -> str:
        if self.player < 0:
            return ""
        legal = self.legal_actions()
        shown = ", ".join(legal[:12]) + (f", ... ({len(legal)} in all)" if len(legal) > 12 else "")
        return f"; player_{self.player} may choose {shown}"


def _resume(game: Game, states: States, started: bool) -> Match:
    match = Match(game)
    match.states[:] = states
    if started:
        match._look()
    return match
