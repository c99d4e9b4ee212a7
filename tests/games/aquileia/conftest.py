"""The generic part of the suite runs with two component sets, so that no number of the game can hide in the code."""

from __future__ import annotations

import pytest

from porta_nigra_env.games.aquileia.components.load import Components, load
from tests.games.aquileia.rules.positions import OTHER


@pytest.fixture(params=["standard", OTHER], ids=["standard", "other"])
def components(request: pytest.FixtureRequest) -> Components:
    """A component set; tests compute their expectations from its data."""
    return load(request.param)
