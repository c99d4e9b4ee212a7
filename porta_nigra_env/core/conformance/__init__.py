"""The laws that every game keeps, tried on random games.

A law is a function; the first sentence of its docstring is the law and the beginning of the error message.  It answers
None where the law holds, and otherwise what it found.  There are laws of a game as such, of the course of a whole game,
and of a position; the last are tried at some positions of every course, its first and last decision and its end among
them.
"""

from porta_nigra_env.core.conformance.check import (
    LAWS,
    LIMIT,
    POSITION_LAWS,
    Breach,
    Report,
    breaches,
    check_game,
    chosen_plies,
)
from porta_nigra_env.core.conformance.episode_invariants import COURSE_LAWS
from porta_nigra_env.core.conformance.game_invariants import GAME_LAWS
from porta_nigra_env.core.conformance.moments import Course, Moment, play_course
from porta_nigra_env.core.conformance.readings import Finding

__all__ = [
    "COURSE_LAWS",
    "GAME_LAWS",
    "LAWS",
    "LIMIT",
    "POSITION_LAWS",
    "Breach",
    "Course",
    "Finding",
    "Moment",
    "Report",
    "breaches",
    "check_game",
    "chosen_plies",
    "play_course",
]
