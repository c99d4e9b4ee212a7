"""Aquileia for `tests.lockstep`: random or eager players, games that begin at the setup or at an odd position
(`tests.games.aquileia.oracle.edits`), and the rare events that have to be met."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from porta_nigra_env.core.positions.components import ComponentSource
from porta_nigra_env.games import make_game
from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.oracle.edits import EDITS, edited
from tests.games.aquileia.oracle.events import EVENTS, count_events, count_result
from tests.games.aquileia.oracle.plans import POLICIES, plan
from tests.games.aquileia.oracle.referee import Board, Referee
from tests.lockstep import trial
from tests.lockstep.trial import Edit, Key, Position


class Trial(trial.Trial):
    """Engine and referee of Aquileia with one component set."""

    policies = POLICIES
    events = EVENTS
    rarest = 3
    edits = tuple(EDITS)
    mistakes: ClassVar[Mapping[Key, Any]] = {
        ("mercatus", "pecunia_vp"): 5,
        ("mercatus", "equi_price"): {"bronze": 2},
        ("arena", "spaces", 2): 3,
    }

    def __init__(self, components: ComponentSource = "standard", ruled: dict[str, Any] | None = None) -> None:
        self.components = components
        self.data = make_game("aquileia", components=components).components.data
        self.referee = Referee(self.data if ruled is None else ruled)
        self.board = Board(self.data)

    def start(self, number: int, players: int) -> tuple[State, str]:
        policy, plies, edits = plan(number, players)
        state = self.edited_start(players, number, plies, edits)
        if plies == 0 and not edits:
            self.check_setup(state)
        return state, policy

    def edited_start(self, players: int, seed: int, plies: int, edits: Sequence[Edit]) -> State:
        """Return a game advanced by some random plies and edited, if it is not over by then."""
        new = partial(State.new, num_players=players, seed=seed, components=self.components)
        state, rng = new(), random.Random(seed)
        for _ in range(plies):
            if state.is_over:
                return new()
            state.apply(rng.choice(state.legal_actions()))
        return State.from_dict(edited(state.to_dict(), self.board, edits), seed=seed) if edits else state

    def count_events(self, before: Position, action: str, after: Position, events: Counter[str]) -> None:
        count_events(before, action, after, self.board, events)

    def count_result(self, position: Position, scores: Any, events: Counter[str]) -> None:
        count_result(position, scores, self.board, events)
