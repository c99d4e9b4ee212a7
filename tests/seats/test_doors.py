"""Every door that needs no other library passes the checks; `make test-doors` runs them for the others."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from porta_nigra_env.games import game_class, make_game
from tests.seats import conformance
from tests.seats.checks import DoorChecks, every_game
from tests.seats.doors import LoopDoor, TableDoor


@pytest.fixture(params=(TableDoor, LoopDoor), ids=lambda made: str(made.name))
def door(request: pytest.FixtureRequest) -> TableDoor:
    made: TableDoor = request.param()
    return made


class TestDoor(DoorChecks):
    """The checks of every door."""

    worlds = 2

    def wait(self, door: Any, seconds: float) -> None:
        door.clock.wait(seconds)


@pytest.mark.long
@every_game
def test_a_thousand_games_in_two_worlds(name: str) -> None:
    seats = game_class(name).seats
    for players in seats:
        conformance.check_worlds(TableDoor(), make_game(name, players), -(-1000 // len(seats)))


def test_each_door_with_a_library_has_tests_and_an_environment() -> None:
    """No door is left out silently: `make test-doors` runs every file of tests/doors."""
    root = Path(__file__).parents[2]
    groups = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    tested = {path.stem.removeprefix("test_") for path in (root / "tests" / "doors").glob("test_*.py")}
    assert tested == {path.stem.removesuffix("_door") for path in (root / "agents" / "seats").glob("*_door.py")}
    assert tested == {name.removeprefix("door-") for name in groups if name.startswith("door-")}
