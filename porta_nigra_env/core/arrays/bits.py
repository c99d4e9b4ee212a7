"""Sets of small integers as bits of uint64 words: member i is bit ``i & 63`` of word ``i >> 6``."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.compile.bit_scan import lowest_bit
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES)

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@jit
def put(words: Any, start: int, members: int, size: int) -> None:
    """Add ``{start + i : bit i of members is set}``; members is a non-negative int64 below ``2**size``, size <= 63."""
    word = start >> 6
    shift = start & 63
    words[word] |= np.uint64(members) << np.uint64(shift)
    if shift + size > 64:
        words[word + 1] |= np.uint64(members) >> np.uint64(64 - shift)


@jit
def add(words: Any, member: int) -> None:
    """Add one integer."""
    words[member >> 6] |= _ONE << np.uint64(member & 63)


@jit
def contains(words: Any, member: int) -> bool:
    """Return True if the integer is in the set."""
    return bool((words[member >> 6] >> np.uint64(member & 63)) & _ONE)


@jit
def count(words: Any) -> int:
    """Return the number of members."""
    total = 0
    for i in range(words.shape[0]):
        word = words[i]
        while word != _ZERO:
            word &= word - _ONE
            total += 1
    return total


@jit
def lowest(word: Any) -> int:
    """Return the index of the lowest set bit of a nonzero uint64."""
    return int(lowest_bit(word))


@jit
def select(words: Any, nth: int) -> int:
    """Return the nth smallest member, counted from 0; -1 if the set is too small."""
    left = nth
    for i in range(words.shape[0]):
        word = words[i]
        while word != _ZERO:
            if left == 0:
                return 64 * i + lowest(word)
            word &= word - _ONE
            left -= 1
    return -1


@jit
def take_lowest(words: Any) -> int:
    """Remove the smallest member and return it; -1 from the empty set."""
    for i in range(words.shape[0]):
        if words[i] != _ZERO:
            bit = lowest(words[i])
            words[i] &= words[i] - _ONE
            return 64 * i + bit
    return -1


@jit
def unpack(words: Any, mask: Any) -> None:
    """Write the set as zeros and ones into int8 `mask`; members beyond its length are dropped."""
    size = mask.shape[0]
    for i in range(words.shape[0]):
        word = words[i]
        first = 64 * i
        for bit in range(min(64, size - first)):
            mask[first + bit] = (word >> np.uint64(bit)) & _ONE
