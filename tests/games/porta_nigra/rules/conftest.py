"""Fixtures: two component sets, so that no number hides in code, and two implementations of the rules."""

from __future__ import annotations

import pytest

from porta_nigra_env.games.porta_nigra.components.load import Components, load
from tests.games.porta_nigra.rules import positions


@pytest.fixture(params=["standard", positions.OTHER], ids=["standard", "other"])
def components(request: pytest.FixtureRequest) -> Components:
    """Return a component set; tests compute expected numbers from its data."""
    return load(request.param)


@pytest.fixture(params=["engine", "referee"])
def rules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `Table.state`, `new_game` and `load_game` return games of the engine or of the referee."""
    if request.param == "referee":
        monkeypatch.setattr(positions, "play", positions.played_by_referee)
