"""Every door that needs no other library passes the checks; `make test-doors` runs them for the others."""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.seats.local import LocalTable, Reply
from porta_nigra_env.games import game_class, make_game
from tests.seats import conformance
from tests.seats.checks import DoorChecks, every_game
from tests.seats.doors import LoopDoor, TableDoor

PROMPT, ACT = LocalTable.prompt, LocalTable.act


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
@pytest.mark.timeout(7200)
@every_game
def test_a_thousand_games_in_two_worlds(door: TableDoor, name: str) -> None:
    """The counts are printed; pytest shows them with -s."""
    seats = game_class(name).seats
    for players in seats:
        compared = conformance.check_worlds(door, make_game(name, players), -(-1000 // len(seats)))
        print(f"{door.name}, {name}, {players} players: {compared}", flush=True)


def leaked(table: LocalTable) -> str:
    return str(zlib.crc32(table._state.states.tobytes()))


def leaking_prompt(table: LocalTable, seat: int) -> str:
    return PROMPT(table, seat) + leaked(table)


def leaking_reply(table: LocalTable, seat: int, answer: str) -> Reply:
    reply = ACT(table, seat, answer)
    return reply if reply.action is not None else Reply(None, reply.reason + leaked(table))


@every_game
@pytest.mark.parametrize("leak", [leaking_prompt, leaking_reply])
def test_a_leak_is_found(door: TableDoor, name: str, leak: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalTable, "prompt" if leak is leaking_prompt else "act", leak)
    with pytest.raises(AssertionError, match="shown" if leak is leaking_prompt else "told"):
        conformance.check_worlds(door, make_game(name), 1)


def test_each_door_with_a_library_has_tests_and_an_environment() -> None:
    """No door is left out silently: `make test-doors` runs every file of tests/doors."""
    root = Path(__file__).parents[2]
    groups = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    tested = {path.stem.removeprefix("test_") for path in (root / "tests" / "doors").glob("test_*.py")}
    assert tested == {path.stem.removesuffix("_door") for path in (root / "agents" / "seats").glob("*_door.py")}
    assert tested == {name.removeprefix("door-") for name in groups if name.startswith("door-")}
