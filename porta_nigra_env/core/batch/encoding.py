"""Compiled loops over the arrays of a batch, for every game: checks, random actions, number formats."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import MASK32, philox, policy_below
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
#: Bits of float32: the difference of the biases, those cut off, less than half of them, and the least normal float16.
_BIAS, _SHORTER, _HALF, _NORMAL = np.int32(112 << 23), np.int32(13), np.int32(0xFFF), np.int32(113 << 23)
#: Bits of an infinite float16.
_INFINITY = np.int32(0x7C00)


@jit
def first_illegal(words: Any, current: Any, actions: Any, first: int, last: int) -> int:
    """Return the first row whose action is not in its set, or -1. Rows whose game is over are skipped."""
    members = 64 * words.shape[1]
    for row in range(first, last):
        action = int(actions[row])
        if current[row] >= 0:
            if action < 0 or action >= members:
                return row
            if (words[row, action >> 6] >> np.uint64(action & 63)) & _ONE == _ZERO:
                return row
    return -1


@jit
def sample(words: Any, current: Any, policy_rng: Any, actions: Any, first: int, last: int) -> None:
    """Write a uniformly random legal action for each row with a player to move, 0 for the others.

    policy_rng: int64 (n, 3) of `core.arrays.rng.policy_below`; actions: any integer array (n,).
    """
    for row in range(first, last):
        if current[row] >= 0:
            actions[row] = bits.select(words[row], policy_below(policy_rng[row], bits.count(words[row])))
        else:
            actions[row] = 0


@jit
def agent_seeds(bookkeeping: Any, rows: Any, seeds: Any) -> None:
    """Write a seed in ``[0, 2**63)`` for the agents of each row's running game; it does not show the game's own seed.

    bookkeeping: (n,) of `core.batch.bookkeeping.BOOKKEEPING`; rows: integers (k,); seeds: int64 (k,), written.
    """
    for i in range(rows.shape[0]):
        game = bookkeeping[rows[i]]
        seed, number = int(game["seed"]), int(game["games"])
        low, high, _, _ = philox(seed & MASK32, (seed >> 32) & MASK32, number & MASK32, number >> 32, 3, 3)
        seeds[i] = low | ((high & 0x7FFFFFFF) << 32)


@jit
def to_halves(observations: Any, patterns: Any, out: Any, first: int, last: int) -> None:
    """Write observations as float16, rounded to nearest, ties to even (numpy's cast is one number at a time).

    The loop stays in numbers of 32 bits, which processors convert eight at a time.

    observations: float32 (n, size), not negative; patterns: the same memory as int32; out: float16 as uint16 (n, size).
    """
    for row in range(first, last):
        for i in range(out.shape[1]):
            pattern = patterns[row, i]
            # The exponent bias is 127 in float32 and 15 in float16, whose mantissa is 13 bits shorter.
            rounding = np.int32(_HALF + np.int32(np.int32(pattern >> _SHORTER) & np.int32(1)))
            normal = np.int32(np.int32(np.int32(pattern - _BIAS) + rounding) >> _SHORTER)
            small = np.int32(np.rint(observations[row, i] * np.float32(1 << 24)))
            out[row, i] = min(normal, _INFINITY) if pattern >= _NORMAL else small
