"""The referee counts the same sequences of actions as the engine has counted."""

from __future__ import annotations

import pytest

from tests.games.component_files import parsed
from tests.games.gloria_mundi.components.files import OTHER
from tests.games.gloria_mundi.oracle.referee import Position
from tests.games.gloria_mundi.rules.positions import REFEREES
from tests.perft.counts import Counted, counted

POSITIONS = counted("gloria_mundi")
#: Nodes the plain-Python referee walks for one position.
PATIENCE = 1_500
REFEREES.add(parsed(OTHER))


def sequences(position: Position, depth: int) -> int:
    """Return the number of action sequences of a length; a finished game counts once."""
    referee = REFEREES[position["components"]]
    if depth == 0 or position["phase"] == "over":
        return 1
    legal = referee.legal_actions(position)
    if depth == 1:
        return len(legal)
    return sum(sequences(referee.apply(position, action), depth - 1) for action in legal)


@pytest.mark.parametrize("one", POSITIONS, ids=str)
def test_the_referee_counts_the_same_sequences(one: Counted) -> None:
    depths = [depth for depth, count in enumerate(one.counts, 1) if count <= PATIENCE]
    assert sequences(one.position, depths[-1]) == one.counts[depths[-1] - 1]
