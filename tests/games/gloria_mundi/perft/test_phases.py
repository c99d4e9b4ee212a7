"""The stored counts begin in every phase."""

from __future__ import annotations

from porta_nigra_env.games.gloria_mundi.components.names import PHASES
from porta_nigra_env.games.gloria_mundi.game import State
from tests.perft.counts import counted


def test_all_phases_are_counted_from() -> None:
    phases = {one.position["phase"] for one in counted(State.game_class.name)}
    assert phases == set(PHASES) - {"over"}
