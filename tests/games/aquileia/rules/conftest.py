"""Every test of the rules is put to both judges."""

from __future__ import annotations

import pytest

from tests.games.aquileia.rules.judges import Engine, Judge, Ruled
from tests.games.aquileia.rules.positions import REFEREE


@pytest.fixture(params=["engine", "referee"])
def judge(request: pytest.FixtureRequest) -> Judge:
    """The engine or the referee."""
    return Engine() if request.param == "engine" else Ruled(REFEREE)
