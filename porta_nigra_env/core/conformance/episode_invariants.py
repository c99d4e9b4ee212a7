"""Laws of the course of a whole game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from porta_nigra_env.core.conformance.moments import Course
from porta_nigra_env.core.conformance.readings import Finding, played_out, rounds_of


def game_ends(course: Course) -> Finding:
    """Every game comes to an end."""
    return f"still going on after {course.limit} decisions" if len(course.actions) == course.limit else None


def same_seed_same_game(course: Course) -> Finding:
    """The same seed and the same actions give the same states, byte for byte."""
    game = course.game
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.constants, states, 0, course.seed, game.num_players)
    for ply, record in enumerate(course.records):
        if states.tobytes() != record:
            return f"other bytes after {ply} decisions"
        if ply < len(course.actions):
            game.kernel.step(game.constants, states, 0, course.actions[ply])
    return None


def reset_overwrites_everything(course: Course) -> Finding:
    """A new game does not depend on what stood in the record before."""
    game = course.game
    for before in (course.records[-1], b"\xff" * game.dtype.itemsize, b"\x5a" * game.dtype.itemsize):
        states = np.frombuffer(bytearray(before), dtype=game.dtype)
        game.kernel.reset(game.constants, states, 0, course.seed, game.num_players)
        if states.tobytes() != course.records[0]:
            kept = [
                name
                for name in game.dtype.names or ()
                if states[name].tobytes() != np.frombuffer(course.records[0], dtype=game.dtype)[name].tobytes()
            ]
            return f"kept something in {', '.join(kept)}"
    return None


def seeds_make_games(course: Course) -> Finding:
    """Different seeds give different states, in the whole range of seeds."""
    game = course.game
    states = np.zeros(1, dtype=game.dtype)
    for other in (course.seed + 1, course.seed + 2**32, course.seed + 2**62):
        game.kernel.reset(game.constants, states, 0, other, game.num_players)
        if states.tobytes() == course.records[0]:
            return f"seed {other} gives the same state"
    return None


def playout_is_a_game(course: Course) -> Finding:
    """A playout ends, counts its decisions, stops at its limit, and is a function of its chance."""
    game = course.game
    if course.is_stuck:
        return None  # a playout would carry out an action that does not exist
    ends = []
    for _ in range(2):
        states = np.frombuffer(bytearray(course.records[0]), dtype=game.dtype)
        decisions = played_out(game, states, course.limit, (course.seed & 0xFFFFFFFF, 5, 0))
        if int(states["current_player"][0]) >= 0:
            return f"no end after {decisions} decisions"
        ends.append((decisions, states.tobytes()))
    if ends[0] != ends[1]:
        return "the same chance gave two games"
    states = np.frombuffer(bytearray(course.records[0]), dtype=game.dtype)
    for number in range(ends[0][0]):
        if played_out(game, states, 1, (course.seed & 0xFFFFFFFF, 5, number)) != 1:
            return "a limit of one decision is not kept"
    return None if states.tobytes() == ends[0][1] else "decision by decision it is another game"


def rounds_never_fall(course: Course) -> Finding:
    """Rounds are counted from 0 or 1, and never fall."""
    before = 0
    for ply, record in enumerate(course.records):
        now = rounds_of(course.game, np.frombuffer(bytearray(record), dtype=course.game.dtype))
        if now < before or (ply == 0 and now > 1):
            return f"round {now} after {ply} decisions, round {before} before"
        before = now
    return None


COURSE_LAWS: Final[tuple[Callable[[Course], Finding], ...]] = (
    game_ends,
    same_seed_same_game,
    reset_overwrites_everything,
    seeds_make_games,
    playout_is_a_game,
    rounds_never_fall,
)
