"""The pieces of a component file as numbers, so that one network can play with any file.

An observation says which card lies where, by its index in the component file.  The numbers say what the cards are:
prices, icons, points.  A game package lists its kinds of pieces in ``components.pieces.pieces_of(components)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.layout import LARGEST_BYTE, Field, FieldSpec, Layout

Ints = npt.NDArray[np.int64]


class Attribute(NamedTuple):
    """One attribute of all pieces of a kind.

    spec: its field of the numbers; the shape begins with the number of pieces.
    values: integers of this shape, at least 0; those above `LARGEST_BYTE` are cut off, as in raw observations.
    """

    spec: FieldSpec
    values: npt.NDArray[Any]


def attribute(name: str, values: npt.NDArray[Any], doc: str, scale: float = 1.0) -> Attribute:
    """Return the attribute with these values, which the numbers hold divided by `scale`."""
    return Attribute(FieldSpec(name, values.shape, doc, scale, LARGEST_BYTE / scale), values)


def one_hot(indices: npt.NDArray[Any], size: int) -> npt.NDArray[np.int64]:
    """Return integers (n,) as one-hot rows (n, size); -1 gives zeros.

    >>> one_hot(np.array([1, -1]), 3).tolist()
    [[0, 1, 0], [0, 0, 0]]
    """
    rows: npt.NDArray[np.int64] = (np.asarray(indices)[:, None] == np.arange(size)).astype(np.int64)
    return rows


def bits_of(sets: npt.NDArray[Any], size: int) -> npt.NDArray[np.int64]:
    """Return bit sets (n,) as rows (n, size) of zeros and ones.

    >>> bits_of(np.array([5]), 3).tolist()
    [[1, 0, 1]]
    """
    rows: npt.NDArray[np.int64] = (np.asarray(sets)[:, None].astype(np.int64) >> np.arange(size)) & 1
    return rows


def entries(within: Field, axis: int = 0, first: int = 0, count: int | None = None) -> Ints:
    """Return the entries of a field that belong to each piece, int64 (pieces, k).

    Args:
        within: a field of an observation, or of the actions.
        axis: the axis of its shape that runs over the pieces.
        first, count: the pieces, by default all along the axis.
    """
    numbers = np.moveaxis(np.arange(within.start, within.stop).reshape(within.spec.shape), axis, 0)
    some = numbers[first : None if count is None else first + count]
    return np.ascontiguousarray(some.reshape(len(some), -1))


@dataclass(frozen=True)
class Pieces:
    """The pieces of one kind in a component set.

    Attributes:
        attributes: what is printed on them.
        observed: int64 (pieces, k), the entries of an observation about each piece, in the same order for all.
        chosen: int64 (pieces, m), the action ids that choose each piece.
    """

    attributes: tuple[Attribute, ...]
    observed: Ints
    chosen: Ints

    @property
    def count(self) -> int:
        """Number of pieces."""
        return self.attributes[0].spec.shape[0]


def pieces(attributes: Sequence[Attribute], observed: Sequence[Ints] = (), chosen: Sequence[Ints] = ()) -> Pieces:
    """Return pieces with the joined `entries` of observations and actions."""
    count = attributes[0].spec.shape[0]
    none = np.zeros((count, 0), dtype=np.int64)
    return Pieces(tuple(attributes), np.hstack([none, *observed]), np.hstack([none, *chosen]))


class ComponentNumbers:
    """The numbers of a component set.

    Args:
        kinds: its kinds of pieces; sets of equal lengths have equal layouts.

    Attributes:
        layout: the fields of the numbers.
        raw: uint8 (size,), read-only; `vector` is divided by the scales.
    """

    def __init__(self, kinds: Sequence[Pieces]) -> None:
        self.kinds = tuple(kinds)
        attributes = [one for kind in kinds for one in kind.attributes]
        self.layout = Layout([one.spec for one in attributes])
        whole = np.concatenate([one.values.reshape(-1) for one in attributes])
        if whole.min() < 0:
            raise ValueError("component numbers: an attribute is negative; use one_hot for indices")
        self.raw = np.minimum(whole, LARGEST_BYTE).astype(np.uint8)
        self.raw.flags.writeable = False

    @cached_property
    def vector(self) -> npt.NDArray[np.float32]:
        """The numbers as observations hold them, float32 (size,), read-only."""
        vector: npt.NDArray[np.float32] = self.raw.astype(np.float32) / self.layout.scales()
        vector.flags.writeable = False
        return vector

    def columns(self, kind: Pieces) -> Ints:
        """Return where the numbers of each piece stand, int64 (pieces, attributes)."""
        return np.hstack([entries(self.layout[one.spec.name]) for one in kind.attributes])
