"""Gloria Mundi for `tests.lockstep`.

Games begin at the setup or at an odd position, some with random component files (`oracle.random_components`).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any, ClassVar

from porta_nigra_env.core.positions.components import ComponentSource
from porta_nigra_env.games.gloria_mundi.components.load import SETS, Components
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.oracle.edits import EDITS, edited
from tests.games.gloria_mundi.oracle.events import EVENTS, count_events, count_result
from tests.games.gloria_mundi.oracle.plans import POLICIES, plan
from tests.games.gloria_mundi.oracle.random_components import random_components
from tests.games.gloria_mundi.oracle.referees import Referees
from tests.lockstep import trial
from tests.lockstep.trial import Edit, Key, Position


@cache
def load_random_components(number: int) -> Components:
    """Return the component set `number` of those drawn at random."""
    data = random_components(number)
    return SETS.from_data(data, data["name"])


class Trial(trial.Trial):
    """Engine and referee of Gloria Mundi; most games have the given components, the others random ones."""

    policies = POLICIES
    events = EVENTS
    edits = tuple(EDITS)
    mistakes: ClassVar[Mapping[Key, Any]] = {
        ("building_cards", 0, "steps"): 3,
        ("building_cards", 50, "price", "glory"): 1,
        ("tracks", "goth", 0): "FP",
        ("building_cards", 48, "ability", "repeat"): True,
    }

    def __init__(self, components: ComponentSource = "standard", ruled: dict[str, Any] | None = None) -> None:
        self.main = SETS.load(components)
        self.data = self.main.data
        self.referee = self.referees = Referees()
        self.referees.add(self.data if ruled is None else ruled)

    def add_random_components(self, number: int) -> Components:
        """Return a component set drawn at random, made known to the referees."""
        components = load_random_components(number)
        if components.name not in self.referees:
            self.referees.add(components.data)
        return components

    def start(self, number: int, players: int) -> tuple[State, str]:
        policy, plies, edits, other = plan(number, players)
        components = self.main if other is None else self.add_random_components(other)
        state = self.edited_start(players, number, plies, edits, components)
        if plies == 0 and not edits:
            self.check_setup(state)
        return state, policy

    def edited_start(
        self, players: int, seed: int, plies: int, edits: Sequence[Edit], components: Components | None = None
    ) -> State:
        """Return a game advanced by some random plies and edited, if it is not over by then."""
        components = components or self.main
        new = partial(State.new, num_players=players, seed=seed, components=components)
        state, rng = new(), random.Random(seed)
        for _ in range(plies):
            if state.is_over:
                return new()
            state.apply(rng.choice(state.legal_actions()))
        if not edits:
            return state
        # The digest tells component sets apart that have the same name.
        position = edited(state.to_dict(), self.referees[components.name], edits)
        return State.from_dict(position | {"components_digest": components.digest}, seed=seed)

    def count_events(self, before: Position, action: str, after: Position, events: Counter[str]) -> None:
        count_events(before, after, self.referees.notes, events)

    def count_result(self, position: Position, scores: Any, events: Counter[str]) -> None:
        count_result(scores, events)
