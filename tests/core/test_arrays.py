"""Bit sets against Python's own sets, piles that lose no card, layouts without gaps, and seats in turn order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, offsets, units
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
from porta_nigra_env.core.arrays.seats import seen_at
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.raw import in_raw_units

# -- bit sets

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


# -- piles


def pile(opened: list[int], draw: list[int], size: int = 8) -> Any:
    gap = [-1] * (size - len(opened) - len(draw))
    return np.array([*opened, *gap, *draw], dtype=np.int8)


def test_cards_move_between_the_lists() -> None:
    cards = pile([1], [5, 6, 7])
    assert draw_card(cards, 3) == 5
    assert cards.tolist() == pile([1], [6, 7]).tolist()
    stack_card(cards, 2, 4)
    assert cards.tolist() == pile([1], [4, 6, 7]).tolist()
    assert draw_card(cards, 3) == 4, "the stacked card is the next one"
    open_card(cards, 1, 4)
    assert cards.tolist() == pile([1, 4], [6, 7]).tolist()


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


# -- layouts

LAYOUT = Layout(
    [
        FieldSpec("one", (1,), "-"),
        FieldSpec("none", (0,), "-"),
        FieldSpec("six", (2, 3), "-", 4.0, 2.5),
        FieldSpec("last", (2,), "-"),
    ]
)


def test_offsets_follow_from_sizes() -> None:
    assert [(field.name, field.start, field.stop) for field in LAYOUT] == [
        ("one", 0, 1), ("none", 1, 1), ("six", 1, 7), ("last", 7, 9),
    ]  # fmt: skip
    assert LAYOUT.size == 9
    assert len(LAYOUT) == 4
    assert LAYOUT["six"].slice == slice(1, 7)


def test_every_integer_belongs_to_its_field() -> None:
    members = [(LAYOUT.find(i)[0].name, LAYOUT.find(i)[1]) for i in range(LAYOUT.size)]
    assert members == [("one", 0), *(("six", i) for i in range(6)), ("last", 0), ("last", 1)]


@pytest.mark.parametrize("outside", [-1, 9, 10**6])
def test_integers_outside_are_refused(outside: int) -> None:
    with pytest.raises(IndexError, match=str(outside)):
        LAYOUT.find(outside)


def test_repeated_names_are_refused() -> None:
    with pytest.raises(ValueError, match="'a' is named twice"):
        Layout([FieldSpec("a", (1,), "-"), FieldSpec("a", (2,), "-")])


def test_bounds_and_scales_by_entry() -> None:
    layout = Layout(
        [FieldSpec("a", (2,), "", 4.0), FieldSpec("b", (1, 3), "", high=2.5), FieldSpec("c", (0,), "", 9.0, 9.0)]
    )
    assert layout.scales().tolist() == [4, 4, 1, 1, 1]
    assert layout.high().tolist() == [1, 1, 2.5, 2.5, 2.5]


SCALED = Layout(
    [FieldSpec("seat", (3,), "a seat"), FieldSpec("none", (0,), "nothing"), FieldSpec("gold", (2, 2), "gold", 8.0, 4.0)]
)


def test_offsets_are_starts_by_name() -> None:
    at = offsets(SCALED)
    assert at._asdict() == {"seat": 0, "none": 3, "gold": 3}
    assert {type(value) for value in at} == {int}


def test_units_are_reciprocals_of_the_scales() -> None:
    assert units(SCALED, 999)._asdict() == {"seat": 1.0, "none": 1.0, "gold": 0.125, "largest": 999}
    assert units(SCALED, 999).raw._asdict() == {"seat": 1, "none": 1, "gold": 1, "largest": 255}


AT, UNIT = offsets(SCALED), units(SCALED, 999)
jit = compiler(*CORE_SOURCES, Path(__file__))


@jit
def write_gold(out: Any, index: int, gold: int) -> None:
    """Write an observation with offsets and units."""
    out[AT.gold + index] = gold * UNIT.gold


@jit
def write_golds(out: Any, gold: int) -> None:
    """Write the first two amounts."""
    for index in range(2):
        write_gold(out, index, min(gold, UNIT.largest))


def test_compiled_code_reads_offsets_and_units() -> None:
    out = np.zeros(SCALED.size, dtype=np.float32)
    write_gold(out, 2, 3)
    assert out.tolist() == [0, 0, 0, 0, 0, 0.375, 0]


def test_a_copy_in_raw_units_changes_callees_and_bounds_alone() -> None:
    shown = np.zeros(SCALED.size, dtype=np.uint8)
    raw = in_raw_units(write_golds, jit)
    for gold, wanted in ((3, 3), (300, 255)):
        raw(shown, gold)
        assert shown.tolist() == [0, 0, 0, wanted, wanted, 0, 0]
    assert in_raw_units(seen_at, jit) is seen_at
    out = np.zeros(SCALED.size, dtype=np.float32)
    write_golds(out, 300)
    assert out.tolist() == [0, 0, 0, 37.5, 37.5, 0, 0]


# -- seats


@pytest.mark.parametrize("players", [2, 5])
def test_an_observer_is_first_and_the_others_follow_in_turn_order(players: int) -> None:
    for player in range(players):
        for further in range(players):
            seat = np.int8((player + further) % players)
            assert seen_at(seat, player, players) == further
