"""Layouts cover their integers without gaps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, offsets, units
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

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


def test_bounds_are_those_of_the_fields() -> None:
    assert LAYOUT.high().tolist() == [1.0] + [2.5] * 6 + [1.0] * 2


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
    assert units(SCALED)._asdict() == {"seat": 1.0, "none": 1.0, "gold": 0.125}


AT, UNIT = offsets(SCALED), units(SCALED)


@compiler(*CORE_SOURCES, Path(__file__))
def write_gold(out: Any, index: int, gold: int) -> None:
    """Write an observation with offsets and units."""
    out[AT.gold + index] = gold * UNIT.gold


def test_compiled_code_reads_offsets_and_units() -> None:
    out = np.zeros(SCALED.size, dtype=np.float32)
    write_gold(out, 2, 3)
    assert out.tolist() == [0, 0, 0, 0, 0, 0.375, 0]
