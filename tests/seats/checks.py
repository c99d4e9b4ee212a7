"""The checks of `conformance` for a door with a clock, as tests: a module subclasses `DoorChecks` and has a fixture."""

from __future__ import annotations

import time
from typing import Any

import pytest

from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game
from tests.seats import conformance, transcripts

every_game = pytest.mark.parametrize("name", GAMES)


class DoorChecks:
    """Tests of the fixture `door`.

    worlds: games of a check in two worlds; late: seconds that a time-out lasts longer than the clock.
    """

    worlds = 1
    late = 0.0

    def wait(self, door: Any, seconds: float) -> None:
        """Let time pass for a door."""
        time.sleep(seconds + self.late)

    @every_game
    def test_a_program_that_reads_only_the_texts_plays_whole_games(self, door: Any, name: str) -> None:
        opponent = "builder" if "builder" in game_class(name).policies() else "random"
        conformance.check_reading(door, make_game(name), opponent)

    @every_game
    def test_the_same_seed_and_answers_give_the_same_bytes(self, door: Any, name: str) -> None:
        conformance.check_repeatable(door, make_game(name), "random")

    @every_game
    def test_a_wrong_answer_gets_a_reason_and_changes_nothing(self, door: Any, name: str) -> None:
        conformance.check_refusals(door, make_game(name))

    def test_too_many_refused_answers_forfeit(self, door: Any) -> None:
        conformance.check_forfeits(door, make_game(DEFAULT_GAME, 3))

    def test_no_time_forfeits(self, door: Any) -> None:
        conformance.check_time(door, make_game(DEFAULT_GAME, 3), lambda seconds: self.wait(door, seconds))

    @every_game
    def test_asking_again_gives_the_same_bytes(self, door: Any, name: str) -> None:
        conformance.check_reconnection(door, make_game(name))

    @every_game
    def test_two_worlds_that_a_seat_cannot_tell_apart_look_the_same(self, door: Any, name: str) -> None:
        conformance.check_worlds(door, make_game(name), self.worlds)

    def test_the_transcripts_are_up_to_date(self, door: Any) -> None:
        transcripts.check(door)
