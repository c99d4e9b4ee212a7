"""Invariants of every game, checked on random games (`check.check_game`).

An invariant is a function that returns None if it holds, and otherwise a description of the violation.  The first
sentence of its docstring states the invariant and begins the error message.  There are invariants of a game object, of
an episode and of a position.  Position invariants are checked at some positions of every episode, among them the first
and the last two.
"""

from porta_nigra_env.core.conformance.check import INVARIANTS, check_game

__all__ = ["INVARIANTS", "check_game"]
