"""Compiled loops over the arrays of a batch, the same for every game: checks, random actions, other number formats."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import policy_below
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES)

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@jit
def first_illegal(words: Any, current: Any, actions: Any, first: int, last: int) -> int:
    """The first row whose action is not in its set; -1 if all are.  Rows whose game is over are not looked at."""
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
    """A uniformly random legal action for each row that is asked, 0 for the others.

    chance: int64 (n, 3) of `core.arrays.rng.policy_below`; actions: any integer array (n,).
    """
    for row in range(first, last):
        if current[row] >= 0:
            actions[row] = bits.select(words[row], policy_below(policy_rng[row], bits.count(words[row])))
        else:
            actions[row] = 0


@jit
def to_bytes(observations: Any, scales: Any, out: Any, first: int, last: int) -> None:
    """Observations as raw quantities: uint8, each entry times its part's scale; larger ones than 255 become 255.

    observations: float32 (n, size); scales: float32 (size,); out: uint8 (n, size).
    """
    for row in range(first, last):
        for i in range(out.shape[1]):
            out[row, i] = int(min(observations[row, i] * scales[i] + np.float32(0.5), np.float32(255)))


@jit
def to_halves(observations: Any, patterns: Any, out: Any, first: int, last: int) -> None:
    """Observations as float16, rounded to nearest, ties to even (numpy's cast does one number at a time).

    observations: float32 (n, size), not negative; patterns: the same memory as int32; out: float16 as uint16 (n, size).
    """
    for row in range(first, last):
        for i in range(out.shape[1]):
            pattern = int(patterns[row, i])
            # Exponents count from 127 in float32 and from 15 in float16, which has 13 bits less behind the point.
            normal = (pattern - (112 << 23) + 0xFFF + ((pattern >> 13) & 1)) >> 13
            small = int(np.rint(observations[row, i] * np.float32(1 << 24)))
            out[row, i] = min(normal, 0x7C00) if pattern >= 113 << 23 else small
