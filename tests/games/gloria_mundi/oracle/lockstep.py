"""Gloria Mundi for `tests.lockstep`.

Games begin at the setup or at an odd position, some with random component files (`oracle.drawn`).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import state_class
from porta_nigra_env.games.gloria_mundi.components.load import SETS, Components
from tests.games.gloria_mundi.oracle.drawn import drawn
from tests.games.gloria_mundi.oracle.events import EVENTS, count_events, count_result
from tests.games.gloria_mundi.oracle.odd import Edit, edited
from tests.games.gloria_mundi.oracle.plans import POLICIES, plan
from tests.games.gloria_mundi.oracle.referees import Referees
from tests.lockstep import trial
from tests.lockstep.trial import Position


@cache
def drawn_components(number: int) -> Components:
    """Return the component set `number` of those drawn at random."""
    data = drawn(number)
    return SETS.from_data(data, data["name"])


class Trial(trial.Trial):
    """Engine and referee of Gloria Mundi.

    Args:
        components: the set that most games are played with; the others have sets drawn at random.
        ruled: the referee's set if it differs, to test that a difference is found.
    """

    policies = POLICIES
    events = EVENTS

    def __init__(self, components: str = "standard", ruled: dict[str, Any] | None = None) -> None:
        self.main = SETS.load(components)
        self.data: dict[str, Any] = self.main.data
        self.referees = Referees()
        self.referees.add(self.data if ruled is None else ruled)
        self.referee = self.referees

    def drawn(self, number: int) -> Components:
        """Return a component set drawn at random, made known to the referees."""
        components = drawn_components(number)
        if components.name not in self.referees:
            self.referees.add(components.data)
        return components

    def start(self, number: int, players: int) -> tuple[State, str]:
        policy, plies, edits, other = plan(number, players)
        state = self.odd_start(players, number, plies, edits, self.main if other is None else self.drawn(other))
        if plies == 0 and not edits:
            position = state.to_dict()
            try:
                self.referees[position["components"]].check_start(position)
            except AssertionError as error:
                raise trial.Difference(f"setup: {error}") from error
        return state, policy

    def odd_start(self, players: int, seed: int, plies: int, edits: Sequence[Edit], components: Components) -> State:
        """A game advanced by some random plies and edited, if it is not over by then."""
        cls = state_class("gloria_mundi")
        state = cls.new(num_players=players, seed=seed, components=components)
        rng = random.Random(seed)
        for _ in range(plies):
            if state.is_over:
                return cls.new(num_players=players, seed=seed, components=components)
            state.apply(rng.choice(state.legal_actions()))
        if not edits:
            return state
        # The digest tells component sets apart that have the same name.
        position = edited(state.to_dict(), self.referees[components.name], edits)
        return cls.from_dict(position | {"components_digest": components.digest}, seed=seed)

    def scores(self, state: Any) -> Any:
        return state.scores()

    def count_events(self, before: Position, action: str, after: Position, events: Counter[str]) -> None:
        count_events(before, after, self.referees.notes, events)

    def count_result(self, position: Position, scores: Any, events: Counter[str]) -> None:
        count_result(scores, events)
