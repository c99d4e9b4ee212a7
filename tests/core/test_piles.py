"""Piles in one array: cards move between the two lists without loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.arrays.piles import (
    draw_card,
    lay_out,
    open_card,
    shuffle_draw,
    sort_draw,
    stack_card,
    take_open,
)
from porta_nigra_env.core.arrays.rng import seed_key


def pile(opened: list[int], draw: list[int], size: int = 8) -> Any:
    gap = [-1] * (size - len(opened) - len(draw))
    return np.array([*opened, *gap, *draw], dtype=np.int8)


def test_the_next_card_is_drawn_and_leaves_a_gap() -> None:
    cards = pile([1], [5, 6, 7])
    assert draw_card(cards, 3) == 5
    assert cards.tolist() == pile([1], [6, 7]).tolist()


def test_a_stacked_card_is_the_next_one() -> None:
    cards = pile([1], [6, 7])
    stack_card(cards, 2, 5)
    assert cards.tolist() == pile([1], [5, 6, 7]).tolist()
    assert draw_card(cards, 3) == 5


def test_a_card_is_laid_open_at_the_end() -> None:
    cards = pile([1], [6])
    open_card(cards, 1, 4)
    assert cards.tolist() == pile([1, 4], [6]).tolist()


@pytest.mark.parametrize(
    ("wanted", "drawn", "after"),
    [
        (4, 2, pile([1, 2, 5, 6], [7])),
        (9, 3, pile([1, 2, 5, 6, 7], [])),
        (2, 0, pile([1, 2], [5, 6, 7])),
        (0, 0, pile([1, 2], [5, 6, 7])),
    ],
)
def test_cards_are_laid_out_up_to_the_wanted_number(wanted: int, drawn: int, after: Any) -> None:
    cards = pile([1, 2], [5, 6, 7])
    assert lay_out(cards, 2, 3, wanted) == drawn
    assert cards.tolist() == after.tolist()


def test_a_full_array_is_laid_out_without_losing_a_card() -> None:
    cards = pile([], [3, 1, 2, 0], size=4)
    assert lay_out(cards, 0, 4, 4) == 4
    assert cards.tolist() == [3, 1, 2, 0]


def test_the_first_of_equal_cards_is_taken_and_the_gap_closed() -> None:
    cards = pile([4, 2, 3, 2], [2])
    assert take_open(cards, 4, 2)
    assert cards.tolist() == pile([4, 3, 2], [2]).tolist()


def test_a_card_of_the_draw_pile_does_not_lie_open() -> None:
    cards = pile([4, 3], [2])
    assert not take_open(cards, 2, 2)
    assert cards.tolist() == pile([4, 3], [2]).tolist()


@settings(deadline=None)  # the first call compiles
@given(st.permutations(range(8)), st.integers(0, 8), st.integers(0, 2**40))
def test_only_the_draw_pile_is_shuffled_and_sorted(order: list[int], drawable: int, seed: int) -> None:
    cards = np.array(order, dtype=np.int8)
    key, counters = np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int32)
    seed_key(key, counters, seed, 1)
    shuffle_draw(key, counters, 2, cards, drawable)
    opened = 8 - drawable
    assert cards[:opened].tolist() == order[:opened]
    assert sorted(cards[opened:].tolist()) == sorted(order[opened:])
    assert counters.tolist() == [0, 0, max(0, drawable - 1)]
    sort_draw(cards, drawable)
    assert cards[:opened].tolist() == order[:opened]
    assert cards[opened:].tolist() == sorted(order[opened:])


def test_orders_differ_by_seed() -> None:
    orders = set()
    for seed in range(20):
        cards = np.arange(8, dtype=np.int8)
        key, counters = np.zeros(2, dtype=np.int64), np.zeros(1, dtype=np.int32)
        seed_key(key, counters, seed, 1)
        shuffle_draw(key, counters, 0, cards, 8)
        orders.add(tuple(cards.tolist()))
    assert len(orders) == 20
