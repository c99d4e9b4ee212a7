"""Named runs of integers: one table from which ids, masks, notation, documentation and network heads follow."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Part:
    """What a span is made of, before it has a place.

    Attributes:
        name: unique within its table, ``[a-z0-9_]+``.
        shape: the part as an array, C order; its product is the span's size.
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
class Span:
    """A part at its place: the integers ``start .. stop-1``."""

    part: Part
    start: int

    @property
    def name(self) -> str:
        return self.part.name

    @property
    def size(self) -> int:
        return prod(self.part.shape)

    @property
    def stop(self) -> int:
        return self.start + self.size

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)


class Spans:
    """An ordered table of spans without gaps; indexed by name.

    >>> spans = Spans([Part("pass", (1,), "do nothing"), Part("move", (2, 3), "a piece, a direction")])
    >>> spans.size, spans["move"].start, spans["move"].stop
    (7, 1, 7)
    >>> spans.find(5)[0].name, spans.find(5)[1]
    ('move', 4)
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._spans: dict[str, Span] = {}
        start = 0
        for part in parts:
            if part.name in self._spans:
                raise ValueError(f"span {part.name!r} is named twice")
            self._spans[part.name] = Span(part, start)
            start += prod(part.shape)
        self.size = start
        self._starts = np.array([span.start for span in self._spans.values()])
        self._ordered = tuple(self._spans.values())

    def __getitem__(self, name: str) -> Span:
        return self._spans[name]

    def __iter__(self) -> Iterator[Span]:
        return iter(self._ordered)

    def __len__(self) -> int:
        return len(self._ordered)

    def find(self, index: int) -> tuple[Span, int]:
        """The span that holds `index`, and the place within it; IndexError outside the table."""
        if not 0 <= index < self.size:
            raise IndexError(f"{index} is not in 0..{self.size - 1}")
        # Spans of size zero share their start with the next one: take the last that starts at or before the index.
        span = self._ordered[int(np.searchsorted(self._starts, index, side="right")) - 1]
        return span, index - span.start

    def high(self) -> npt.NDArray[np.float32]:
        """Upper bounds, float32 (size,): every entry of a span has its part's `high`."""
        bounds = np.ones(self.size, dtype=np.float32)
        for span in self:
            bounds[span.slice] = span.part.high
        return bounds

    def scales(self) -> npt.NDArray[np.float32]:
        """What a raw quantity is divided by, float32 (size,): every entry of a span has its part's `scale`."""
        factors = np.ones(self.size, dtype=np.float32)
        for span in self:
            factors[span.slice] = span.part.scale
        return factors


def offsets(spans: Spans) -> Any:
    """The first place of every span, int, as a named tuple.

    A compiled function that reads a field of a global one holds the number itself.

    >>> offsets(Spans([Part("pass_on", (1,), "do nothing"), Part("move", (2, 3), "a piece, a direction")])).move
    1
    """
    return _named(spans, "Offsets", [span.start for span in spans])


def units(spans: Spans) -> Any:
    """What one of a quantity counts for in every span, float, as a named tuple: 1 / scale.

    Multiplying costs a tenth of dividing; a game's tests should hold that it gives the same float32 for all amounts.
    """
    return _named(spans, "Units", [1.0 / span.part.scale for span in spans])


def _named(spans: Spans, name: str, values: Sequence[float]) -> Any:
    factory: Any = namedtuple  # its fields are known at run time only
    return factory(name, [span.name for span in spans])(*values)
