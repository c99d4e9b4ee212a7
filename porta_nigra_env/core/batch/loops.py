"""Loops over one game at a time: a template over the kernel functions of `core.game.contract`.

Shapes: `states` (n,) of the game's dtype, `words` uint64 (num_words,), `mask` int8 (num_actions,), `observation`
float32 (observation_size,) or (0,) for none, `totals` int32 (players,) or (0,) for none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import policy_below
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game import contract
from porta_nigra_env.core.game.contract import ConstantsArray, PolicyRng, States, Totals, Vector, Words
from porta_nigra_env.core.game.kernel import Kernel

#: The action with which `advance` only inspects the position.
NO_ACTION: Final = -(1 << 62)

template = Template()


class Loops(NamedTuple):
    """The compiled functions of this module for one game."""

    inspect: Callable[..., Any]
    advance: Callable[..., Any]
    playout: Callable[..., Any]
    perft: Callable[..., Any]


@template
def inspect(
    constants: ConstantsArray,
    states: States,
    row: int,
    words: Words,
    mask: npt.NDArray[np.int8],
    observation: Vector,
    totals: Totals,
) -> int:
    """Fill mask, observation of the player to move and totals of the position; return the player to move."""
    player = int(states[row]["current_player"])
    contract.legal(constants, states, row, words)
    bits.unpack(words, mask)
    if observation.shape[0] > 0 and player >= 0:
        contract.observe(constants, states, row, player, observation)
    if totals.shape[0] > 0:
        contract.score(constants, states, row, totals)
    return player


@template
def advance(
    constants: ConstantsArray,
    states: States,
    row: int,
    action: int,
    words: Words,
    mask: npt.NDArray[np.int8],
    observation: Vector,
    totals: Totals,
) -> int:
    """Call `step`, then `inspect`: all outputs of an environment step in one call.

    An illegal action changes nothing and returns -2. NO_ACTION only inspects: one compiled function serves both, which
    saves a second of compilation.
    """
    if action == NO_ACTION:
        return inspect(constants, states, row, words, mask, observation, totals)
    if action < 0 or action >= mask.shape[0]:
        return -2
    contract.legal(constants, states, row, words)
    if not bits.contains(words, action):
        return -2
    contract.step(constants, states, row, action)
    return inspect(constants, states, row, words, mask, observation, totals)


@template
def playout(
    constants: ConstantsArray, states: States, row: int, words: Words, policy_rng: PolicyRng, limit: int
) -> int:
    """Play uniformly random legal actions until the end or `limit` steps; return the number of steps.

    policy_rng: for the choices only; the game's own randomness is in its state.
    """
    steps = 0
    while int(states[row]["current_player"]) >= 0 and steps < limit:
        contract.legal(constants, states, row, words)
        choices = bits.count(words)
        if choices == 0:  # a broken game: a step without a legal action would write anywhere
            break
        contract.step(constants, states, row, bits.select(words, policy_below(policy_rng, choices)))
        steps += 1
    return steps


@template
def perft(constants: ConstantsArray, states: States, words: npt.NDArray[np.uint64], depth: int) -> int:
    """Count action sequences of length `depth`, shorter where a game ends, from the position in row 0.

    states: (depth + 1,), rows 1.. are scratch; words: uint64 (depth + 1, num_words), scratch. Chance events use the
    random state of the position, so the count depends on it.
    """
    if depth == 0 or int(states[0]["current_player"]) < 0:
        return 1
    leaves = 0
    level = 0
    contract.legal(constants, states, 0, words[0])
    while level >= 0:
        action = bits.take_lowest(words[level])
        if action < 0:
            level -= 1
            continue
        copy_row(states, level + 1, states, level)
        contract.step(constants, states, level + 1, action)
        if level + 1 == depth or int(states[level + 1]["current_player"]) < 0:
            leaves += 1
        else:
            level += 1
            contract.legal(constants, states, level, words[level])
    return leaves


def compile_loops(game: str, kernel: Kernel, jit: Callable[[Any], Any]) -> Loops:
    """Return the loops of this module over `kernel`; `jit` is the game's compiler."""
    compiled = template.specialize(game, kernel.replacements, jit)
    return Loops(compiled[inspect], compiled[advance], compiled[playout], compiled[perft])
