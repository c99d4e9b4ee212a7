"""Compiled loops that repeat one verb over many states, for ``python -m benchmarks.kernel``.

Templates in the manner of `core.batch.loops`; the stand-ins are replaced by a game's verbs.  Every loop goes `repeats` times
over all rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.compile.jit import bind, compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.game.game import Game


class VerbLoops(NamedTuple):
    """The loops of this module for one game."""

    reset: Any
    step: Any
    legal: Any
    unpack: Any
    observe: Any
    determinize: Any
    redact: Any
    score: Any
    clone: Any


# Stand-ins, replaced by `bind_verbs`.
def reset(*_: Any) -> Any:
    raise NotImplementedError("stand-in for a game's verb")


step = legal = observe = determinize = redact = score = reset


def _reset(constants: Any, states: Any, players: int, repeats: int) -> None:
    """New games."""
    for repeat in range(repeats):
        for row in range(states.shape[0]):
            reset(constants, states, row, row + repeat, players)


def _step(constants: Any, states: Any, scratch: Any, actions: Any, repeats: int) -> None:
    """One decision in a copy of each state; the copy is part of the time."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            copy_row(scratch, row, states, row)
            step(constants, scratch, row, actions[row])


def _legal(constants: Any, states: Any, words: Any, repeats: int) -> None:
    """The legal actions as bit sets."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            legal(constants, states, row, words[row])


def _unpack(words: Any, masks: Any, repeats: int) -> None:
    """Bit sets as bytes."""
    for _ in range(repeats):
        for row in range(words.shape[0]):
            bits.unpack(words[row], masks[row])


def _observe(constants: Any, states: Any, observations: Any, repeats: int) -> None:
    """What the player to move may know."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            observe(constants, states, row, int(states[row]["current_player"]), observations[row])


def _determinize(constants: Any, states: Any, scratch: Any, repeats: int) -> None:
    """A copy of each state with everything hidden drawn anew."""
    for repeat in range(repeats):
        for row in range(states.shape[0]):
            copy_row(scratch, row, states, row)
            determinize(constants, scratch, row, int(states[row]["current_player"]), row + repeat)


def _redact(constants: Any, states: Any, scratch: Any, repeats: int) -> None:
    """A copy of each state without what the player to move cannot know."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            copy_row(scratch, row, states, row)
            redact(constants, scratch, row, int(states[row]["current_player"]))


def _score(constants: Any, states: Any, totals: Any, repeats: int) -> None:
    """Every seat's total as if the game ended now."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            score(constants, states, row, totals[row])


def _clone(states: Any, scratch: Any, repeats: int) -> None:
    """Copies, in and out of 16 rows that stay in the nearest cache, as the nodes of a search do."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            copy_row(scratch, row & 15, states, (row + 7) & 15)


def bind_verbs(game: Game) -> VerbLoops:
    """The loops, compiled over a game's verbs."""
    jit = compiler(*game.sources, Path(__file__))
    verbs = {name: getattr(game.kernel, name) for name in game.kernel._fields}
    templates = (_reset, _step, _legal, _unpack, _observe, _determinize, _redact, _score, _clone)
    return VerbLoops(*(bind(template, game.name, verbs, jit) for template in templates))
