"""Compiled reading of facts: the integers of a record by a table of their places, for any game."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

#: Sources of the compiled functions.
SOURCES: Final = (*CORE_SOURCES, Path(__file__))
jit = compiler(*SOURCES)

#: The forms of a `Source`: numbers; bit sets, as 0 or 1 for each member; a list of kinds, as the number of each kind.
ENTRIES, MEMBERS, COUNTS = range(3)
#: The columns of `Layout.table`.
FORM, AT, WIDTH, SIGNED, LENGTH, SIZE, COUNT_AT, COUNT_WIDTH, TOTAL, START = range(10)
NUM_COLUMNS: Final = 10


class Source(NamedTuple):
    """The place of a fact's values in a record.

    Attributes:
        name: of the field.
        form: ENTRIES, MEMBERS or COUNTS.
        size: the number of members, or of kinds.
        counter: the field with the number of leading entries that COUNTS reads.
        total: if positive, COUNTS reads `total` - `counter` entries.
    """

    name: str
    form: int = ENTRIES
    size: int = 0
    counter: str = ""
    total: int = 0

    def shape(self, dtype: np.dtype[Any]) -> tuple[int, ...]:
        """Return the shape of the values in a state dtype."""
        shape = dtype[self.name].shape
        return {ENTRIES: shape, MEMBERS: (*shape, self.size), COUNTS: (self.size,)}[self.form]


class Layout(NamedTuple):
    """The sources of all facts in a state dtype.

    Attributes:
        table: int64 (facts, 10), see the names of the columns.
        starts: int64 (facts + 1,), the first value of each fact in a flat array of all values.
        shapes: of the values of each fact.
    """

    table: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    shapes: tuple[tuple[int, ...], ...]


@cache
def layout_of(dtype: np.dtype[Any], sources: tuple[Source, ...]) -> Layout:
    """Return the layout of sources in a state dtype; KeyError for an unknown field."""
    shapes = tuple(source.shape(dtype) for source in sources)
    starts = np.cumsum([0, *(int(np.prod(shape, dtype=np.int64)) for shape in shapes)])
    table = [[*_row(dtype, source), start] for source, start in zip(sources, starts.tolist(), strict=False)]
    return Layout(np.array(table, dtype=np.int64), starts.astype(np.int64), shapes)


def _row(dtype: np.dtype[Any], source: Source) -> list[int]:
    at, base = place_of(dtype, source.name)
    length = int(np.prod(dtype[source.name].shape, dtype=np.int64))
    count_at, counted = place_of(dtype, source.counter or source.name)
    signed = int(base.kind == "i")
    return [
        source.form, at, base.itemsize, signed, length, source.size, count_at, counted.itemsize, source.total,
    ]  # fmt: skip


def place_of(dtype: np.dtype[Any], name: str) -> tuple[int, np.dtype[Any]]:
    """Return the offset of a field, and the dtype of its entries."""
    fields: Final = dtype.fields
    assert fields is not None
    field, offset = fields[name][:2]
    return int(offset), field.base


@jit
def integer(record: Any, at: int, width: int, signed: int) -> int:
    """Return the little-endian integer at a byte of a record; record: uint8 (itemsize,)."""
    value = int(record[at + width - 1])
    if signed and value > 127:
        value -= 256
    for i in range(at + width - 2, at - 1, -1):
        value = 256 * value + int(record[i])
    return value


@jit
def listed(table: Any, fact: int, record: Any) -> int:
    """Return the number of leading entries that a fact of COUNTS reads."""
    count = integer(record, table[fact, COUNT_AT], table[fact, COUNT_WIDTH], 0)
    if table[fact, TOTAL] > 0:
        count = int(table[fact, TOTAL]) - count
    return min(count, int(table[fact, LENGTH]))


@jit
def kind_at(table: Any, fact: int, record: Any, i: int) -> int:
    """Return an entry of a list of kinds."""
    width = table[fact, WIDTH]
    return integer(record, table[fact, AT] + i * width, width, table[fact, SIGNED])


@jit
def read_fact(table: Any, fact: int, record: Any, values: Any) -> None:
    """Write the values of a fact at their place in `values`, int64 (all values,); record: uint8 (itemsize,)."""
    form, at, width, signed = table[fact, FORM], table[fact, AT], table[fact, WIDTH], table[fact, SIGNED]
    length, size, start = table[fact, LENGTH], table[fact, SIZE], table[fact, START]
    if form == COUNTS:
        for kind in range(size):
            values[start + kind] = 0
        for i in range(listed(table, fact, record)):
            kind = kind_at(table, fact, record, i)
            if 0 <= kind < size:  # hidden cards have no kind
                values[start + kind] += 1
        return
    for i in range(length):
        entry = integer(record, at + i * width, width, signed)
        if form == ENTRIES:
            values[start + i] = entry
        else:
            for member in range(size):
                values[start + i * size + member] = (entry >> member) & 1


@jit
def read_all(table: Any, record: Any, values: Any) -> None:
    """Write the values of all facts; see `read_fact`."""
    for fact in range(table.shape[0]):
        read_fact(table, fact, record, values)
