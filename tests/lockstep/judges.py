"""Two judges of a position, an engine and a referee: both get texts and give texts, so one test is put to both."""

from __future__ import annotations

from typing import Any, Protocol

from porta_nigra_env.games import state_class
from tests.lockstep.differences import UNRULED
from tests.lockstep.trial import Position, Referee


class Judge(Protocol):
    """Knows the rules of a game with its standard components."""

    def legal(self, position: Position) -> list[str]:
        """Texts of the legal actions, sorted."""
        ...

    def play(self, position: Position, *actions: str, seed: int = 0) -> Position:
        """Return the position after these actions, without random state; `seed` fixes chance."""
        ...

    def scores(self, position: Position) -> Any:
        """Scores as if the game ended now."""
        ...

    def winners(self, position: Position) -> list[int]:
        """Return the winners; [] before the end."""
        ...


class Engine:
    """A game's `State`; a valid position round-trips."""

    def __init__(self, game: str) -> None:
        self._states: Any = state_class(game)

    def legal(self, position: Position) -> list[str]:
        """See `Judge`."""
        legal: list[str] = self._states.from_dict(position).legal_actions()
        return legal

    def play(self, position: Position, *actions: str, seed: int = 0) -> Position:
        """See `Judge`."""
        state = self._states.from_dict(position, seed=seed)
        assert _plain(state.to_dict()) == _plain(position)
        for action in actions:
            state.apply(action)
        return _plain(state.to_dict())

    def scores(self, position: Position) -> Any:
        """See `Judge`."""
        return self._states.from_dict(position).scores()

    def winners(self, position: Position) -> list[int]:
        """See `Judge`."""
        winners: list[int] = self._states.from_dict(position).winners()
        return winners


class Ruled:
    """A referee; of a game in which chance decides nothing after the setup, unless `play` is overridden."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    def legal(self, position: Position) -> list[str]:
        """See `Judge`."""
        return self._referee.legal_actions(position)

    def play(self, position: Position, *actions: str, seed: int = 0) -> Position:
        """See `Judge`."""
        for action in actions:
            assert action in self.legal(position), (action, self.legal(position))
            position = self._referee.apply(position, action, position)
        return position

    def scores(self, position: Position) -> Any:
        """See `Judge`."""
        return self._referee.scores(position)

    def winners(self, position: Position) -> list[int]:
        """See `Judge`."""
        return self._referee.winners(position)


def _plain(position: Position) -> Position:
    return {key: value for key, value in position.items() if key not in UNRULED}
