"""Engine and referee behind one interface, so that a test of the rules runs with both."""

from __future__ import annotations

import copy
from typing import Any, Protocol, Self

from porta_nigra_env.core.game.state import State
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
        legal: list[str] = self._states.from_dict(position).legal_actions()
        return legal

    def play(self, position: Position, *actions: str, seed: int = 0) -> Position:
        state = self._states.from_dict(position, seed=seed)
        assert _plain(state.to_dict()) == _plain(position)
        for action in actions:
            state.apply(action)
        return _plain(state.to_dict())

    def scores(self, position: Position) -> Any:
        return self._states.from_dict(position).scores()

    def winners(self, position: Position) -> list[int]:
        winners: list[int] = self._states.from_dict(position).winners()
        return winners


class Ruled:
    """A referee; of a game in which chance decides nothing after the setup, unless `play` is overridden."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    def legal(self, position: Position) -> list[str]:
        return self._referee.legal_actions(position)

    def play(self, position: Position, *actions: str, seed: int = 0) -> Position:
        for action in actions:
            assert action in self.legal(position), (action, self.legal(position))
            position = self._referee.apply(position, action, position)
        return position

    def scores(self, position: Position) -> Any:
        return self._referee.scores(position)

    def winners(self, position: Position) -> list[int]:
        return self._referee.winners(position)


class RefereeState:
    """A referee with the methods of `State` that tests of the rules use.

    An engine state plays the same game and supplies the results of chance; the referee checks and applies them.
    """

    def __init__(self, engine: State, referee: Referee, position: Position | None = None) -> None:
        self.engine, self.referee = engine, referee
        self.position = _plain(engine.to_dict()) if position is None else position

    @property
    def current_player(self) -> int | None:
        seat: int | None = self.position["current_player"]
        return seat

    @property
    def is_over(self) -> bool:
        return self.current_player is None

    def legal_actions(self) -> list[str]:
        return self.referee.legal_actions(self.position)

    def apply(self, action: str) -> Self:
        outcome = self.engine.apply(action).to_dict()
        self.position = self.referee.apply(self.position, action, outcome)
        return self

    def scores(self) -> Any:
        return self.referee.scores(self.position)

    def winners(self) -> list[int]:
        return self.referee.winners(self.position)

    def returns(self) -> list[float]:
        return self.engine.returns()

    def clone(self) -> RefereeState:
        return RefereeState(self.engine.clone(), self.referee, self.position)

    def determinize(self, player: int, seed: int) -> RefereeState:
        return RefereeState(self.engine.determinize(player, seed), self.referee, self.position)

    def to_dict(self, view: int | None = None) -> Position:
        # The digest tells apart component sets of one name.
        digest = {"components_digest": self.engine.components.digest}
        return copy.deepcopy(self.position) | digest if view is None else self.engine.to_dict(view)


def _plain(position: Position) -> Position:
    return {key: value for key, value in position.items() if key not in UNRULED}
