"""Every door that needs no other library passes the checks; `make test-doors` runs them for the others."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game
from tests.seats import conformance, transcripts
from tests.seats.doors import LoopDoor, TableDoor

DOORS = (TableDoor, LoopDoor)
every_door = pytest.mark.parametrize("door", DOORS, ids=lambda door: str(door.name))
every_game = pytest.mark.parametrize("name", GAMES)


@every_door
@every_game
def test_a_program_that_reads_only_the_texts_plays_whole_games(door: type[TableDoor], name: str) -> None:
    opponent = "builder" if "builder" in game_class(name).policies() else "random"
    conformance.check_reading(door(), make_game(name), opponent)


@every_door
@every_game
def test_the_same_seed_and_answers_give_the_same_bytes(door: type[TableDoor], name: str) -> None:
    conformance.check_repeatable(door(), make_game(name), "random")


@every_door
@every_game
def test_a_wrong_answer_gets_a_reason_and_changes_nothing(door: type[TableDoor], name: str) -> None:
    conformance.check_refusals(door(), make_game(name))


@every_door
def test_too_many_refused_answers_forfeit(door: type[TableDoor]) -> None:
    conformance.check_forfeits(door(), make_game(DEFAULT_GAME, 3))


@every_door
def test_no_time_forfeits(door: type[TableDoor]) -> None:
    each = door()
    conformance.check_time(each, make_game(DEFAULT_GAME, 3), each.clock.wait)


@every_door
@every_game
def test_asking_again_gives_the_same_bytes(door: type[TableDoor], name: str) -> None:
    conformance.check_reconnection(door(), make_game(name))


@every_door
@every_game
def test_two_worlds_that_a_seat_cannot_tell_apart_look_the_same(door: type[TableDoor], name: str) -> None:
    conformance.check_worlds(door(), make_game(name), 2)


@every_door
def test_the_transcripts_are_up_to_date(door: type[TableDoor]) -> None:
    transcripts.check(door())


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
