"""One game for people, tests and tools: texts in, texts out, over the same compiled verbs as everything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core import game as protocol
from porta_nigra_env.core.game import (
    NO_OBSERVATION,
    NO_TOTALS,
    Game,
    IllegalActionError,
    Position,
    States,
    View,
    check_player,
    check_seed,
    copied,
)


class GameState:
    """A game at a decision.  Made by a game's own subclass; here is all that does not depend on the game.

    Every method that changes the state checks its input first: after an error the state is as it was.
    """

    __slots__ = ("_game", "_mask", "_stale", "_states", "_words")

    def __init__(self, game: Game, states: States) -> None:
        """Take over `states`, a (1,) array of the game's dtype, as the position."""
        if states.shape != (1,) or states.dtype != game.dtype:
            raise ValueError(f"a state is an array of shape (1,) and {game.name}'s dtype, not {states.shape}")
        self._game = game
        self._states = states
        self._words = np.zeros(game.num_words, dtype=np.uint64)
        self._mask = np.zeros(game.actions.size, dtype=np.int8)
        self._stale = True

    # -- what is

    @property
    def game(self) -> Game:
        """The game: tables, spans, verbs."""
        return self._game

    @property
    def num_players(self) -> int:
        return self._game.num_players

    @property
    def current_player(self) -> int | None:
        """The seat that is asked for a decision; None when the game is over."""
        player = int(self._states["current_player"][0])
        return None if player < 0 else player

    @property
    def is_over(self) -> bool:
        return bool(self._states["current_player"][0] < 0)

    def _look(self) -> npt.NDArray[np.int8]:
        """The legality mask of the present position, computed once per position."""
        if self._stale:
            self._game.loops.look(
                self._game.tables, self._states, 0, self._words, self._mask, NO_OBSERVATION, NO_TOTALS
            )
            self._stale = False
        return self._mask

    def legal_ids(self) -> list[int]:
        """Ids of the legal actions, ascending; [] when over."""
        return [int(i) for i in np.flatnonzero(self._look())]

    def legal_actions(self) -> list[str]:
        """Texts of the legal actions, sorted by code point; [] when over."""
        texts = self._game.action_texts
        return sorted(texts[i] for i in np.flatnonzero(self._look()))

    def action_mask(self) -> npt.NDArray[np.int8]:
        """The legal actions as zeros and ones, int8 (num_actions,); a copy."""
        return self._look().copy()

    def action_text(self, action: int) -> str:
        """The text of an action id; IllegalActionError outside the ids."""
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise IllegalActionError(f"an action id is an integer, not {action!r}")
        if not 0 <= action < len(self._game.action_texts):
            raise IllegalActionError(f"action id {action} is not in 0..{len(self._game.action_texts) - 1}")
        return self._game.action_texts[action]

    def action_id(self, text: str) -> int:
        """The id of an action text; IllegalActionError names a text that is no action."""
        return self._game.action_id(text)

    # -- what happens

    def apply(self, action: str) -> Self:
        """Carry out an action given as text; returns self.  IllegalActionError (a ValueError) names an action that is
        unreadable or not legal now, and the state stays as it was."""
        return self.apply_id(self.action_id(action))

    def apply_id(self, action: int) -> Self:
        """Carry out an action given as id; as `apply`."""
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise IllegalActionError(f"an action id is an integer, not {action!r}")
        number = int(action) if 0 <= action < len(self._mask) else -1  # larger integers may not fit a compiled call
        result = self._game.loops.advance(
            self._game.tables, self._states, 0, number, self._words, self._mask, NO_OBSERVATION, NO_TOTALS
        )
        if result == -2:
            raise IllegalActionError(self._why_illegal(action))
        self._stale = False
        return self

    def _why_illegal(self, action: int) -> str:
        if self.is_over:
            return f"the game is over, {self.action_text(action)!r} cannot be played"
        legal = self.legal_actions()
        shown = ", ".join(legal[:12]) + (f", ... ({len(legal)} in all)" if len(legal) > 12 else "")
        return f"{self.action_text(action)!r} is not legal now; player {self.current_player} may choose {shown}"

    def _totals(self) -> npt.NDArray[np.int32]:
        totals = np.zeros(self.num_players, dtype=np.int32)
        self._game.kernel.score(self._game.tables, self._states, 0, totals)
        return totals

    def winners(self) -> list[int]:
        """Seats that have won; [] before the end, several on a tie."""
        return protocol.winners(self._totals()) if self.is_over else []

    def returns(self) -> list[float]:
        """Zero-sum result by seat (`core.game.outcome_returns`); zeros before the end."""
        if not self.is_over:
            return [0.0] * self.num_players
        return [float(value) for value in protocol.outcome_returns(self._totals())]

    # -- what a player sees

    def observation(self, player: int) -> npt.NDArray[np.float32]:
        """What `player` may know, float32 (observation_size,)."""
        check_player(player, self.num_players)
        out = np.empty(self._game.observations.size, dtype=np.float32)
        self._game.kernel.observe(self._game.tables, self._states, 0, player, out)
        return out

    def privileged(self) -> npt.NDArray[np.float32]:
        """The vector with everything hidden, for centralised critics only."""
        out = np.empty(self._game.hidden.size, dtype=np.float32)
        self._game.kernel.reveal(self._game.tables, self._states, 0, out)
        return out

    def view(self, player: int) -> View:
        """What an agent on seat `player` may hold."""
        return View(self._game, self._states, 0, player)

    def determinize(self, player: int, seed: int) -> Self:
        """A new state, equal in all that `player` may know, redrawn and reseeded elsewhere."""
        check_player(player, self.num_players)
        check_seed(seed)
        twin = self.clone()
        self._game.kernel.determinize(self._game.tables, twin._states, 0, player, seed)
        return twin

    # -- copies and files

    def clone(self) -> Self:
        """An independent copy."""
        return type(self)(self._game, copied(self._states))

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._game, self._states)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameState):
            return NotImplemented
        same_game = self._game.name == other._game.name and bool((self._game.tables == other._game.tables).all())
        return same_game and self._states.tobytes() == other._states.tobytes()

    def __hash__(self) -> int:
        return hash(self._states.tobytes())

    @property
    def states(self) -> States:
        """The (1,) state array itself, for compiled code; call `touch` after changing it."""
        return self._states

    def touch(self) -> None:
        """Forget what was computed from the state array."""
        self._stale = True

    def to_dict(self, view: int | None = None) -> Position:
        """The position as a dict; with `view`, what that seat cannot see is given as counts only."""
        if view is not None:
            check_player(view, self.num_players)
        return self._game.position(self._states, 0, view)

    def to_json(self, view: int | None = None, indent: int | None = 1) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(view), indent=indent)

    def __str__(self) -> str:
        return self._game.board(self._states)

    def __repr__(self) -> str:
        asked = "over" if self.is_over else f"player {self.current_player} to decide"
        return f"<{type(self).__name__} of {self._game.name}, {self.num_players} players, {asked}>"


def parse_json(text: str) -> Mapping[str, Any]:
    """A JSON object; ValueError for anything else, repeated keys and NaN included."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in items]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(f"position: key {twice[0]!r} stands twice in one object")
        return dict(items)

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
