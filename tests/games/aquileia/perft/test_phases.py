"""The stored counts begin in every phase, at every number of players."""

from __future__ import annotations

import pytest

from porta_nigra_env.games.aquileia.components.names import PHASES
from porta_nigra_env.games.aquileia.game import State
from tests.perft.counts import counted


@pytest.mark.parametrize("players", State.game_class.seats)
def test_all_phases_are_counted_from(players: int) -> None:
    phases = {one.position["phase"] for one in counted(State.game_class.name) if one.position["num_players"] == players}
    assert phases == set(PHASES) - {"over"}
