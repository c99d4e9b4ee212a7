"""Invariants of every game, checked on random games.

An invariant is a function that returns None if it holds, and otherwise a description of the violation.  The first
sentence of its docstring states the invariant and begins the error message.  There are invariants of a game object, of
an episode and of a position.  Position invariants are checked at some positions of every episode, among them the first
and the last two.
"""

from porta_nigra_env.core.conformance.check import (
    INVARIANTS,
    LIMIT,
    POSITION_INVARIANTS,
    Report,
    Violation,
    check_game,
    chosen_plies,
    violations,
)
from porta_nigra_env.core.conformance.episode_invariants import EPISODE_INVARIANTS
from porta_nigra_env.core.conformance.game_invariants import GAME_INVARIANTS
from porta_nigra_env.core.conformance.moments import Episode, Moment, play_episode
from porta_nigra_env.core.conformance.readings import Finding

__all__ = [
    "EPISODE_INVARIANTS",
    "GAME_INVARIANTS",
    "INVARIANTS",
    "LIMIT",
    "POSITION_INVARIANTS",
    "Episode",
    "Finding",
    "Moment",
    "Report",
    "Violation",
    "check_game",
    "chosen_plies",
    "play_episode",
    "violations",
]
