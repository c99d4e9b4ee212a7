"""Keys of nodes, 62 bits each, and the hash tables they stand in."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES, Path(__file__))

#: Key of a tree's first node.
ROOT: Final = 1
_MASK31: Final = (1 << 31) - 1


@jit
def mixed(key: int, number: int) -> int:
    """A key of 62 bits, never 0, from another one and a number in ``[0, 2**31)``; two lanes of 31 bits, so that no
    product leaves 63 bits."""
    high, low = key >> 31, key & _MASK31
    high = ((high ^ number ^ (high >> 15)) * 0x2C1B3C6D) & _MASK31
    high = ((high ^ (high >> 12)) * 0x297A2D39) & _MASK31
    high ^= high >> 15
    low = ((low ^ (low >> 13)) + number + high) & _MASK31
    low = (low * 0x165667B1) & _MASK31
    low = ((low ^ (low >> 14)) * 0x27D4EB2F) & _MASK31
    low ^= low >> 16
    return (high << 31) | low | 1


@jit
def mixed_infoset(key: int, infoset: Any) -> int:
    """`mixed` with every byte of an information state, uint8 (n,), three at a time."""
    for i in range(0, infoset.shape[0] - 2, 3):
        key = mixed(key, int(infoset[i]) | int(infoset[i + 1]) << 8 | int(infoset[i + 2]) << 16)
    for i in range(infoset.shape[0] - infoset.shape[0] % 3, infoset.shape[0]):
        key = mixed(key, int(infoset[i]))
    return key


@jit
def find(keys: Any, key: int) -> int:
    """The place of a key in the table, or of the empty one where it belongs."""
    last: int = keys.shape[0] - 1
    place = (key >> 7) & last
    while keys[place] != 0 and keys[place] != key:
        place = (place + 1) & last
    return place
