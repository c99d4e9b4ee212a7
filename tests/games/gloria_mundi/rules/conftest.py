"""Every test of the rules is put to both judges."""

from __future__ import annotations

import pytest

from tests.games.gloria_mundi.rules.positions import REFEREES
from tests.lockstep.judges import Engine, Judge, Ruled


@pytest.fixture(params=["engine", "referee"])
def judge(request: pytest.FixtureRequest) -> Judge:
    """The engine or the referee."""
    return Engine("gloria_mundi") if request.param == "engine" else Ruled(REFEREES)
