"""Bit sets against Python's own sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.arrays import bits

members = st.sets(st.integers(0, 319))


def words_of(integers: set[int]) -> np.ndarray:
    words = np.zeros(5, dtype=np.uint64)
    for member in integers:
        bits.add(words, member)
    return words


@settings(deadline=None)
@given(integers=members)
def test_a_set_contains_the_added_integers(integers: set[int]) -> None:
    words = words_of(integers)
    assert {i for i in range(320) if bits.contains(words, i)} == integers
    assert bits.count(words) == len(integers)
    assert [bits.select(words, n) for n in range(len(integers))] == sorted(integers)
    assert bits.select(words, len(integers)) == -1
    mask = np.full(320, 7, dtype=np.int8)
    bits.unpack(words, mask)
    assert np.flatnonzero(mask).tolist() == sorted(integers)
    assert set(mask.tolist()) <= {0, 1}
    short = np.full(290, 7, dtype=np.int8)
    bits.unpack(words, short)
    assert short.tolist() == mask[:290].tolist()


@settings(deadline=None)
@given(integers=members)
def test_taking_the_lowest_empties_a_set_in_order(integers: set[int]) -> None:
    words = words_of(integers)
    taken = []
    while (member := bits.take_lowest(words)) >= 0:
        taken.append(member)
    assert taken == sorted(integers)
    assert not words.any()


@settings(deadline=None)
@given(integers=members, start=st.integers(0, 256), size=st.integers(1, 63), pattern=st.integers(0, 2**63 - 1))
def test_a_run_of_bits_is_added_at_its_offset(integers: set[int], start: int, size: int, pattern: int) -> None:
    pattern &= (1 << size) - 1
    words = words_of(integers)
    bits.put(words, start, pattern, size)
    added = {start + i for i in range(size) if (pattern >> i) & 1}
    assert {i for i in range(320) if bits.contains(words, i)} == integers | added
