"""Aquileia for `tests.lockstep`: random or eager players, games that begin at the setup or at an odd position
(`tests.games.aquileia.oracle.odd`), and the rare events that have to be met."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import make_game, state_class
from tests.games.aquileia.oracle.events import EVENTS, count_events, count_result
from tests.games.aquileia.oracle.odd import Edit, edited
from tests.games.aquileia.oracle.plans import POLICIES, plan
from tests.games.aquileia.oracle.referee import Board, Referee
from tests.lockstep import trial
from tests.lockstep.trial import Position


def odd_start(players: int, seed: int, plies: int, edits: Sequence[Edit], components: str, board: Board) -> State:
    """A game advanced by some random plies and edited, if it is not over by then."""
    cls = state_class("aquileia")
    state = cls.new(num_players=players, seed=seed, components=components)
    rng = random.Random(seed)
    for _ in range(plies):
        if state.is_over:
            return cls.new(num_players=players, seed=seed, components=components)
        state.apply(rng.choice(state.legal_actions()))
    return cls.from_dict(edited(state.to_dict(), board, edits), seed=seed) if edits else state


class Trial(trial.Trial):
    """Engine and referee of Aquileia with one component set.

    Args:
        components: the set.
        ruled: different components for the referee, to prove that a difference is detected.
    """

    policies = POLICIES
    events = EVENTS

    def __init__(self, components: str = "standard", ruled: dict[str, Any] | None = None) -> None:
        self.components = components
        self.data: dict[str, Any] = make_game("aquileia", components=components).components.data
        self._ruled = Referee(self.data if ruled is None else ruled)
        self.referee = self._ruled
        self.board = Board(self.data)

    def start(self, number: int, players: int) -> tuple[State, str]:
        policy, plies, edits = plan(number, players)
        state = odd_start(players, number, plies, edits, self.components, self.board)
        if plies == 0 and not edits:
            try:
                self._ruled.check_start(state.to_dict())
            except AssertionError as error:
                raise trial.Difference(f"setup: {error}") from error
        return state, policy

    def scores(self, state: Any) -> Any:
        return state.scores()

    def count_events(self, before: Position, action: str, after: Position, events: Counter[str]) -> None:
        count_events(before, action, after, self.board, events)

    def count_result(self, position: Position, scores: Any, events: Counter[str]) -> None:
        count_result(position, scores, self.board, events)
