"""Layouts: named fields of consecutive integers; they define ids, masks, action strings and documentation."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

#: The largest raw quantity of an observation in bytes; larger ones are shown as this.
LARGEST_BYTE: Final = 255


@dataclass(frozen=True)
class FieldSpec:
    """A field before its layout assigns an offset.

    Attributes:
        name: unique within its layout, ``[a-z0-9_]+``.
        shape: the field as an array in C order; the product is the field's size.
        doc: one phrase for the generated documentation.
        scale: an observation holds the raw quantity divided by this.
        high: largest possible value after scaling (the lowest is always 0).
    """

    name: str
    shape: tuple[int, ...]
    doc: str
    scale: float = 1.0
    high: float = 1.0


@dataclass(frozen=True)
class Field:
    """A field of a layout: the integers ``start .. stop-1``."""

    spec: FieldSpec
    start: int

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def size(self) -> int:
        return prod(self.spec.shape)

    @property
    def stop(self) -> int:
        return self.start + self.size

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)


class Layout:
    """An ordered sequence of fields without gaps; indexed by name.

    >>> layout = Layout([FieldSpec("pass", (1,), "do nothing"), FieldSpec("move", (2, 3), "a piece, a direction")])
    >>> layout.size, layout["move"].start, layout["move"].stop
    (7, 1, 7)
    >>> layout.find(5)[0].name, layout.find(5)[1]
    ('move', 4)
    """

    def __init__(self, specs: Sequence[FieldSpec]) -> None:
        self._fields: dict[str, Field] = {}
        start = 0
        for spec in specs:
            if spec.name in self._fields:
                raise ValueError(f"field {spec.name!r} is named twice")
            self._fields[spec.name] = Field(spec, start)
            start += prod(spec.shape)
        self.size = start
        self._starts = np.array([field.start for field in self._fields.values()])
        self._ordered = tuple(self._fields.values())

    def __getitem__(self, name: str) -> Field:
        return self._fields[name]

    def __iter__(self) -> Iterator[Field]:
        return iter(self._ordered)

    def __len__(self) -> int:
        return len(self._ordered)

    def find(self, index: int) -> tuple[Field, int]:
        """Return the field that holds `index` and the offset within it; raises IndexError outside the layout."""
        if not 0 <= index < self.size:
            raise IndexError(f"{index} is not in 0..{self.size - 1}")
        # Fields of size zero share their start with the next one: take the last that starts at or before the index.
        field = self._ordered[int(np.searchsorted(self._starts, index, side="right")) - 1]
        return field, index - field.start

    def high(self) -> npt.NDArray[np.float32]:
        """Return the upper bounds, float32 (size,): `FieldSpec.high` for every entry of a field."""
        bounds = np.ones(self.size, dtype=np.float32)
        for field in self:
            bounds[field.slice] = field.spec.high
        return bounds

    def scales(self) -> npt.NDArray[np.float32]:
        """Return the divisors of raw quantities, float32 (size,): `FieldSpec.scale` for every entry of a field."""
        factors = np.ones(self.size, dtype=np.float32)
        for field in self:
            factors[field.slice] = field.spec.scale
        return factors


def offsets(layout: Layout) -> Any:
    """Return the offset of every field, int, as a named tuple.

    Compiled code that reads a member of a global named tuple holds the number itself.

    >>> offsets(Layout([FieldSpec("pass_on", (1,), "do nothing"), FieldSpec("move", (2, 3), "a piece")])).move
    1
    """
    return _named(layout, "Offsets", [field.start for field in layout])


def ordinals(layout: Layout) -> Any:
    """Return the number of every field in the order of the layout, int, as a named tuple.

    >>> ordinals(Layout([FieldSpec("pass_on", (2,), "do nothing"), FieldSpec("move", (2, 3), "a piece")])).move
    1
    """
    return _named(layout, "Ordinals", range(len(layout)))


class Units:
    """The base of named tuples made by `units`."""

    __slots__ = ()

    @property
    def raw(self: Any) -> Any:
        """The same tuple for raw quantities: units of 1, float is int, and amounts up to `LARGEST_BYTE`."""
        return self._replace(**dict.fromkeys(self._fields, 1) | {"largest": LARGEST_BYTE})


def units(layout: Layout, largest: int = LARGEST_BYTE) -> Any:
    """Return 1 / scale of every field, float, and `largest`, int, the bound of amounts, as a named tuple.

    A multiplication costs a tenth of a division; the tests of a game should check that both give the same float32.
    Functions that read all units from this tuple can also write raw quantities (`core.compile.raw.in_raw_units`).
    """
    plain = _named(layout, "Units", [1.0 / field.spec.scale for field in layout])
    kind: Any = type("Units", (Units, namedtuple("Units", [*plain._fields, "largest"])), {"__slots__": ()})
    return kind(*plain, largest)


def _named(layout: Layout, name: str, values: Sequence[float]) -> Any:
    factory: Any = namedtuple  # its fields are known at run time only
    names = [field.name + "_" * iskeyword(field.name) for field in layout]
    return factory(name, names)(*values)
