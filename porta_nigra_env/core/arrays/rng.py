"""Random numbers from the state: the counter-based generator Philox4x32-10.

Salmon, Moraes, Dror, Shaw: *Parallel random numbers: as easy as 1, 2, 3* (SC 2011).  A number is a pure function of
``(key, stream, index)``: the key is the game's seed, each purpose (a deck, a pile) has its own stream, and the index
counts the numbers taken from that stream.  The order of one deck never depends on shuffles of another.  A game is the
same on every machine, compiled or interpreted.

All arithmetic uses int64 with 32-bit masks, except products of two words, which fill 64 bits: numba lets its compiler
assume that signed products do not overflow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES)

#: Seeds are integers in ``[0, SEED_LIMIT)``: they fit a signed 64-bit argument of a compiled function.
SEED_LIMIT = 2**63

#: Purpose of the key of redrawn chance (`seed_key`).  Games have other numbers for theirs.
REDRAW_PURPOSE = 8

MASK32 = 0xFFFFFFFF
_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_HALF = np.uint64(32)
_LOW = np.uint64(MASK32)
_WEYL_0 = 0x9E3779B9
_WEYL_1 = 0xBB67AE85
_ROUNDS = 10


@jit
def philox(key0: int, key1: int, c0: Any, c1: Any, c2: Any, c3: Any) -> tuple[int, int, int, int]:
    """Return one Philox4x32-10 block: four 32-bit words for a 64-bit key and a 128-bit counter."""
    for _ in range(_ROUNDS):
        product0 = np.uint64(c0) * _MULTIPLIER_0
        product1 = np.uint64(c2) * _MULTIPLIER_1
        c0 = np.int64(product1 >> _HALF) ^ c1 ^ key0
        c1 = np.int64(product1 & _LOW)
        c2 = np.int64(product0 >> _HALF) ^ c3 ^ key1
        c3 = np.int64(product0 & _LOW)
        key0 = (key0 + _WEYL_0) & MASK32
        key1 = (key1 + _WEYL_1) & MASK32
    return c0, c1, c2, c3


@jit
def random_at(key: Any, stream: int, index: int, n: int) -> int:
    """Return the uniform integer in ``[0, n)`` at `index` of `stream`, ``1 <= n <= 2**16``; no counter changes.

    key: int64 (2,).  The bias of the multiply-and-shift method is below ``n / 2**32``.
    """
    return (philox(int(key[0]), int(key[1]), index, stream, 0, 0)[0] * n) >> 32


@jit
def random_below(key: Any, counters: Any, stream: int, n: int) -> int:
    """Return `random_at` the next index of `stream`.

    counters: int32 (streams,), advanced by one at `stream`.
    """
    index = int(counters[stream])
    counters[stream] = (index + 1) & MASK32
    return random_at(key, stream, index, n)


@jit
def shuffle(key: Any, counters: Any, stream: int, cards: Any, start: int, stop: int) -> None:
    """Shuffle ``cards[start:stop]`` in place (Fisher-Yates) with numbers from `stream`."""
    for last in range(stop - 1, start, -1):
        other = start + random_below(key, counters, stream, last - start + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card


@jit
def seed_key(key: Any, counters: Any, seed: int, purpose: int) -> None:
    """Set `key` from a seed and set all counters to zero.

    `purpose` separates uses of one seed: a game with seed 7 and a determinization with seed 7 share no numbers.
    """
    word0, word1, _, _ = philox(seed & MASK32, (seed >> 32) & MASK32, purpose, 0, 0, 1)
    key[0] = word0
    key[1] = word1
    for stream in range(counters.shape[0]):
        counters[stream] = 0


@jit
def reseed(constants: Any, states: Any, row: int, seed: int) -> None:
    """Give a game a new random key: the kernel function `redraw` of games whose future chance comes from it alone."""
    seed_key(states[row]["key"], states[row]["counters"], seed, REDRAW_PURPOSE)


@jit
def later_seed(seed: int, number: int) -> int:
    """Return the seed of the game `number` games after the game of `seed`; `seed` itself for number 0.

    Environments use it after each episode, so that a row of a batch and a single environment play the same games.
    """
    if number == 0:
        return seed
    low, high, _, _ = philox(seed & MASK32, (seed >> 32) & MASK32, number & MASK32, number >> 32, 0, 3)
    return low | ((high & 0x7FFFFFFF) << 32)


@jit
def random_seat(seed: int, number: int, players: int) -> int:
    """Return a uniform seat for game `number` after `seed`, independent of the cards of that game."""
    word = philox(seed & MASK32, (seed >> 32) & MASK32, number & MASK32, number >> 32, 1, 3)[0]
    return (word * players) >> 32


@jit
def policy_below(policy_rng: Any, sides: int) -> int:
    """Return a uniform integer in ``[0, sides)``, ``1 <= sides <= 2**16``, for a choice outside the state.

    policy_rng: int64 (3,), two 32-bit key words and a counter, which is advanced.
    """
    index = int(policy_rng[2])
    word = philox(int(policy_rng[0]), int(policy_rng[1]), index & MASK32, index >> 32, 0, 2)[0]
    policy_rng[2] = index + 1
    return (word * sides) >> 32


@jit
def seed_policy_rng(policy_rng: Any, seed: int) -> None:
    """Set the `policy_rng` of `policy_below` from a seed."""
    word0, word1, _, _ = philox(seed & MASK32, (seed >> 32) & MASK32, 0, 0, 2, 3)
    policy_rng[0] = word0
    policy_rng[1] = word1
    policy_rng[2] = 0


@jit
def decision_seed(information_state: Any, seed: int) -> int:
    """Return a seed in ``[0, 2**63)`` for a step: a hash of `information_state`, uint8 (n,), under the key `seed`."""
    word0: int = information_state.shape[0]
    word1 = 4
    for i in range(0, information_state.shape[0], 8):
        low = high = 0
        for byte in range(min(4, information_state.shape[0] - i)):
            low |= int(information_state[i + byte]) << (8 * byte)
        for byte in range(4, min(8, information_state.shape[0] - i)):
            high |= int(information_state[i + byte]) << (8 * byte - 32)
        word0, word1, _, _ = philox(seed & MASK32, (seed >> 32) & MASK32, word0 ^ low, word1 ^ high, i, 5)
    return word0 | ((word1 & 0x7FFFFFFF) << 32)
