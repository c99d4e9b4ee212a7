"""The referee counts the same sequences as the engine."""

from __future__ import annotations

from typing import Any

import pytest

from porta_nigra_env.games.porta_nigra.components.load import load
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.referee import Referee
from tests.perft.counts import Counted, counted

POSITIONS = counted(State.game_class.name)
#: Nodes the plain-Python referee walks for one position in the short run.
PATIENCE = 3_000


def referee_count(state: State, position: dict[str, Any], referee: Referee, depth: int) -> int:
    """Count with the referee's legal actions and positions; the engine only supplies the shuffles."""
    if depth == 0 or position["phase"] == "over":
        return 1
    total = 0
    for action in referee.legal_actions(position):
        child = state.clone().apply(action)
        total += referee_count(child, referee.apply(position, action, child.to_dict()), referee, depth - 1)
    return total


def check_with_the_referee(one: Counted, patience: int) -> None:
    state = State.from_dict(one.position)
    referee = Referee(load().data)
    depths = [depth for depth, count in enumerate(one.counts, 1) if count <= patience]
    assert depths
    assert referee_count(state, state.to_dict(), referee, depths[-1]) == one.counts[depths[-1] - 1]


@pytest.mark.parametrize("one", POSITIONS, ids=str)
def test_the_referee_counts_as_stored(one: Counted) -> None:
    check_with_the_referee(one, PATIENCE)


@pytest.mark.long
@pytest.mark.parametrize("one", POSITIONS, ids=str)
def test_the_referee_counts_as_stored_deeper(one: Counted) -> None:
    check_with_the_referee(one, 30_000)


def test_all_phases_are_counted_from() -> None:
    phases = {one.position["phase"] for one in POSITIONS}
    assert phases >= {"place_builder", "choose_card", "main", "crown", "split_tens", "split_units", "appoint"}
