"""The random number generator matches its published vectors, and its results are uniform."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numba
import numpy as np
import pytest

from porta_nigra_env.core.arrays.rng import (
    SEED_LIMIT,
    later_seed,
    philox,
    policy_below,
    random_at,
    random_below,
    random_seat,
    seed_key,
    seed_policy_rng,
    shuffle,
)
from porta_nigra_env.core.compile.cache import COMPILED

ONES = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("key", "counter", "expected"),
    [
        ((0, 0), (0, 0, 0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ONES, ONES), (ONES, ONES, ONES, ONES), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0xA4093822, 0x299F31D0),
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_its_published_vectors(
    key: tuple[int, int], counter: tuple[int, int, int, int], expected: tuple[int, int, int, int]
) -> None:
    # Known answers of Random123, the reference library, for philox4x32-10.
    assert philox(*key, *counter) == expected


def test_products_of_words_may_overflow_in_compiled_code() -> None:
    if COMPILED:
        dispatcher: Any = philox
        compiled = numba.njit(dispatcher.py_func)
        compiled(1, 2, 3, 4, 5, 6)
        text = compiled.inspect_llvm(compiled.signatures[0])
        assert " mul " in text
        assert "mul nsw" not in text
    else:
        # Interpreted code does not round: products of two words are exact in unsigned 64 bits.
        assert all(int(word) <= ONES for word in philox(ONES, ONES, ONES, ONES, ONES, ONES))


def generator(seed: int, purpose: int = 1) -> tuple[np.ndarray, np.ndarray]:
    key, counters = np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int32)
    seed_key(key, counters, seed, purpose)
    return key, counters


def test_streams_do_not_disturb_each_other() -> None:
    key, counters = generator(5)
    alone = [random_below(key, counters, 1, 1000) for _ in range(20)]
    key, counters = generator(5)
    mixed = []
    for i in range(20):
        for _ in range(i % 3):
            random_below(key, counters, 0, 7)
        mixed.append(random_below(key, counters, 1, 1000))
    assert mixed == alone
    assert counters.tolist() == [sum(i % 3 for i in range(20)), 20, 0]


def test_a_number_depends_on_its_index_only() -> None:
    key, counters = generator(5)
    assert [random_at(key, 1, index, 1000) for index in range(9)] == [
        random_below(key, counters, 1, 1000) for _ in range(9)
    ]
    assert [random_at(key, 1, index, 1000) for index in (8, 0)] == [random_at(key, 1, index, 1000) for index in (8, 0)]
    assert counters.tolist() == [0, 9, 0]


def test_seeds_purposes_and_streams_give_different_numbers() -> None:
    seen = set()
    for seed, purpose, stream in itertools.product((0, 1, 2**32, 2**62), (1, 2), (0, 1)):
        key, counters = generator(seed, purpose)
        seen.add(tuple(random_below(key, counters, stream, 2**16) for _ in range(4)))
    assert len(seen) == 16


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10])
def test_numbers_below_n_are_uniform(n: int) -> None:
    key, counters = generator(9)
    samples = 2_000 * n if COMPILED else 300 * n
    counts = Counter(random_below(key, counters, 0, n) for _ in range(samples))
    assert set(counts) == set(range(n))
    expected = samples / n
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < 45  # one in a million for 9 degrees of freedom


def test_all_orders_of_four_cards_are_equally_likely() -> None:
    key, counters = generator(3)
    samples = 12_000 if COMPILED else 2_400
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(samples):
        cards = np.array([9, 0, 1, 2, 3, 9], dtype=np.int8)
        shuffle(key, counters, 2, cards, 1, 5)
        assert cards[0] == cards[5] == 9, "only the slice is shuffled"
        counts[tuple(cards[1:5].tolist())] += 1
    expected = samples / 24
    assert len(counts) == 24
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 74.7


def test_later_seeds_are_seeds_and_differ() -> None:
    seeds = [later_seed(seed, number) for seed in (0, 1, 2**62, SEED_LIMIT - 1) for number in range(500)]
    assert len(set(seeds)) == len(seeds)
    assert min(seeds) >= 0
    assert max(seeds) < SEED_LIMIT
    assert later_seed(77, 0) == 77
    # The seeds use the whole range: every bit varies.
    for bit in range(63):
        assert 0.3 < sum(seed >> bit & 1 for seed in seeds) / len(seeds) < 0.7


def test_random_seats_are_fair() -> None:
    for players in (2, 3, 4):
        drawn = Counter(random_seat(seed, number, players) for seed in range(40) for number in range(100))
        assert sorted(drawn) == list(range(players))
        expected = 4000 / players
        assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 17  # chi-squared, p < 0.001


def test_policy_numbers_are_uniform_and_indexed_by_the_counter() -> None:
    policy_rng = np.zeros(3, dtype=np.int64)
    seed_policy_rng(policy_rng, 12345678901234567)
    drawn = Counter(policy_below(policy_rng, 7) for _ in range(7000))
    assert int(policy_rng[2]) == 7000
    assert sum((count - 1000) ** 2 / 1000 for count in drawn.values()) < 23  # chi-squared, p < 0.001
    again = np.zeros(3, dtype=np.int64)
    seed_policy_rng(again, 12345678901234567)
    again[2] = 6999
    seed_policy_rng(policy_rng, 12345678901234567)
    last = [policy_below(policy_rng, 1000) for _ in range(7000)][-1]
    assert policy_below(again, 1000) == last
