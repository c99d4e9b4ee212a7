"""The rules tests run against two implementations: the engine, and the referee behind the interface of a `State`."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.oracle.referee import Position, Referee
from tests.games.aquileia.rules.positions import Table
from tests.lockstep.judges import RefereeState


@cache
def referee_of(components: Components) -> Referee:
    """Return the referee for a component set."""
    return Referee(components.data)


class PlayedByReferee:
    """Take the place of the class of states."""

    @staticmethod
    def from_dict(position: Position, seed: int = 0) -> Any:
        state = State.from_dict(position, seed)
        return RefereeState(state, referee_of(state.components))


@pytest.fixture(params=["engine", "referee"])
def implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play the tables of a test with the engine, and again with the referee."""
    if request.param == "referee":
        monkeypatch.setattr(Table, "state_class", PlayedByReferee)
