"""Two judges of a position: the engine and the referee.  Both get texts and give texts."""

from __future__ import annotations

import random
from typing import Any, Protocol

from porta_nigra_env.games import state_class
from tests.games.aquileia.oracle.alone import Thrown
from tests.games.aquileia.oracle.referee import KEYS_LEFT_OUT, Position, Referee


class Judge(Protocol):
    """Knows the rules with the standard components."""

    def legal(self, position: Position) -> list[str]:
        """Texts of the legal actions, sorted."""
        ...

    def play(self, position: Position, *actions: str, seed: int = 0) -> Position:
        """The position after these actions, without random state; `seed` fixes what chance does."""
        ...

    def scores(self, position: Position) -> list[dict[str, Any]]:
        """Scores as if the game ended now."""
        ...

    def winners(self, position: Position) -> list[int]:
        """Who has won; nobody before the end."""
        ...


class Engine:
    """The room's `State`; a lawful position comes back as it was."""

    def __init__(self) -> None:
        self._states: Any = state_class("aquileia")

    def _state(self, position: Position, seed: int = 0) -> Any:
        return self._states.from_dict(position, seed=seed)

    def legal(self, position: Position) -> list[str]:
        """See `Judge`."""
        legal: list[str] = self._state(position).legal_actions()
        return legal

    def play(self, position: Position, *actions: str, seed: int = 0) -> Position:
        """See `Judge`."""
        state = self._state(position, seed)
        assert _plain(state.to_dict()) == _plain(position)
        for action in actions:
            state.apply(action)
        return _plain(state.to_dict())

    def scores(self, position: Position) -> list[dict[str, Any]]:
        """See `Judge`."""
        scores: list[dict[str, Any]] = self._state(position).scores()
        return scores

    def winners(self, position: Position) -> list[int]:
        """See `Judge`."""
        winners: list[int] = self._state(position).winners()
        return winners


class Ruled:
    """The referee with dice and shuffles of its own."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    def legal(self, position: Position) -> list[str]:
        """See `Judge`."""
        return self._referee.legal_actions(position)

    def play(self, position: Position, *actions: str, seed: int = 0) -> Position:
        """See `Judge`."""
        chance = Thrown(random.Random(seed), self._referee.board.die)
        for action in actions:
            position = self._referee.follow(position, action, chance)
        return position

    def scores(self, position: Position) -> list[dict[str, Any]]:
        """See `Judge`."""
        return self._referee.scores(position)

    def winners(self, position: Position) -> list[int]:
        """See `Judge`."""
        return self._referee.winners(position)


def _plain(position: Position) -> Position:
    return {key: value for key, value in position.items() if key not in KEYS_LEFT_OUT}
