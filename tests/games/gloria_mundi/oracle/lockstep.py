"""Gloria Mundi for `tests.lockstep`: games that begin at the setup or at an odd position, some of them with component
files drawn at random (`tests.games.gloria_mundi.oracle.drawn`), and the rare events that have to be met."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from porta_nigra_env.core.state import State
from porta_nigra_env.games import state_class
from porta_nigra_env.games.gloria_mundi.components.load import SETS
from tests.games.gloria_mundi.oracle.drawn import drawn
from tests.games.gloria_mundi.oracle.events import EVENTS, count_events, count_result
from tests.games.gloria_mundi.oracle.odd import Edit, edited
from tests.games.gloria_mundi.oracle.plans import POLICIES, plan
from tests.games.gloria_mundi.oracle.referee import Referee
from tests.games.gloria_mundi.oracle.referees import Referees
from tests.lockstep import trial
from tests.lockstep.differences import differences
from tests.lockstep.trial import Position


class Trial(trial.Trial):
    """Engine and referee of Gloria Mundi.

    Args:
        components: the set that most games are played with; the others have sets drawn at random.
        ruled: what the referee is told instead of that set, to see that a difference is found.
    """

    policies = POLICIES
    events = EVENTS

    def __init__(self, components: str = "standard", ruled: dict[str, Any] | None = None) -> None:
        self._main = SETS.load(components)
        self.data: dict[str, Any] = self._main.data
        self._referees = Referees()
        self.main_referee = self._referees.add(self.data if ruled is None else ruled)
        self.referee = self._referees
        self._drawn: dict[str, Any] = {}

    def _load_drawn(self, number: int) -> tuple[Any, Referee]:
        """A component set drawn at random, and its referee."""
        name = f"drawn_{number}"
        if name not in self._drawn:
            data = drawn(number)
            self._drawn[name] = SETS.from_data(data, name)
            self._referees.add(data)
        return self._drawn[name], self._referees[name]

    def start(self, number: int, players: int) -> tuple[State, str]:
        planned = plan(number, players)
        drawn_number = planned.drawn
        components, referee = (
            (self._main, self.main_referee) if drawn_number is None else self._load_drawn(drawn_number)
        )
        state = self.odd_start(players, number, planned.plies, planned.edits, components, referee)
        if planned.plies == 0 and not planned.edits:
            try:
                referee.check_start(state.to_dict())
            except AssertionError as error:
                raise trial.Difference(f"setup: {error}") from error
        return state, planned.policy

    def odd_start(
        self, players: int, seed: int, plies: int, edits: Sequence[Edit], components: Any = None, referee: Any = None
    ) -> State:
        """A game advanced by some random plies and edited, if it is not over by then."""
        components, referee = components or self._main, referee or self.main_referee
        cls = state_class("gloria_mundi")
        state = cls.new(num_players=players, seed=seed, components=components)
        rng = random.Random(seed)
        for _ in range(plies):
            if state.is_over:
                return cls.new(num_players=players, seed=seed, components=components)
            state.apply(rng.choice(state.legal_actions()))
        return cls.from_dict(_digested(edited(state.to_dict(), referee, edits), state), seed=seed) if edits else state

    def scores(self, state: Any) -> Any:
        return state.scores()

    def differences(self, engine: Position, ruled: Position) -> list[str]:
        return differences(engine, ruled)

    def count_events(self, before: Position, action: str, after: Position, events: Counter[str]) -> None:
        count_events(before, after, self._referees.notes, events)

    def count_result(self, position: Position, scores: Any, events: Counter[str]) -> None:
        count_result(scores, events)


def _digested(position: Position, state: State) -> Position:
    """The position, told apart from those of other component sets that are loaded."""
    return position | {"components_digest": state.components.digest}
