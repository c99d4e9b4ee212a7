"""Compiled loops that repeat one kernel function over many states, for ``python -m benchmarks kernel``.

Every loop runs `repeats` times over all rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game import contract as kernel
from porta_nigra_env.core.game.game import Game


class KernelLoops(NamedTuple):
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


template = Template()


@template
def reset(constants: Any, states: Any, players: int, repeats: int) -> None:
    """New games."""
    for repeat in range(repeats):
        for row in range(states.shape[0]):
            kernel.reset(constants, states, row, row + repeat, players)


@template
def step(constants: Any, states: Any, scratch: Any, actions: Any, repeats: int) -> None:
    """One step in a copy of each state; the copy is part of the time."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            copy_row(scratch, row, states, row)
            kernel.step(constants, scratch, row, actions[row])


@template
def legal(constants: Any, states: Any, words: Any, repeats: int) -> None:
    """The legal actions as bit sets."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            kernel.legal(constants, states, row, words[row])


@template
def unpack(words: Any, masks: Any, repeats: int) -> None:
    """Bit sets as bytes."""
    for _ in range(repeats):
        for row in range(words.shape[0]):
            bits.unpack(words[row], masks[row])


@template
def observe(constants: Any, states: Any, observations: Any, repeats: int) -> None:
    """The observation of the player to move."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            kernel.observe(constants, states, row, int(states[row]["current_player"]), observations[row])


@template
def determinize(constants: Any, states: Any, scratch: Any, repeats: int) -> None:
    """A copy of each state with everything hidden sampled again."""
    for repeat in range(repeats):
        for row in range(states.shape[0]):
            copy_row(scratch, row, states, row)
            kernel.determinize(constants, scratch, row, int(states[row]["current_player"]), row + repeat)


@template
def redact(constants: Any, states: Any, scratch: Any, repeats: int) -> None:
    """A copy of each state, redacted for the player to move."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            copy_row(scratch, row, states, row)
            kernel.redact(constants, scratch, row, int(states[row]["current_player"]))


@template
def score(constants: Any, states: Any, totals: Any, repeats: int) -> None:
    """Every seat's total as if the game ended now."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            kernel.score(constants, states, row, totals[row])


@template
def clone(states: Any, scratch: Any, repeats: int) -> None:
    """Copies, in and out of 16 rows that stay in the nearest cache, as the nodes of a search do."""
    for _ in range(repeats):
        for row in range(states.shape[0]):
            copy_row(scratch, row & 15, states, (row + 7) & 15)


def compile_kernel_loops(game: Game) -> KernelLoops:
    """Return the loops over a game's kernel functions."""
    compiled = template.specialize(game.name, game.kernel.replacements, compiler(*game.sources, Path(__file__)))
    return KernelLoops(*(compiled[function] for function in template.functions))
