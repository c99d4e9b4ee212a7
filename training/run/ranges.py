"""Ranges of options as annotations, checked by one function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

#: Upper bound of training seeds: seeds of deals and later games are derived by addition.
LARGEST_SEED: Final = 2**62 - 1


@dataclass(frozen=True)
class Range:
    """Annotation of an option: finite numbers from `low` to `high`; `above` excludes `low`."""

    low: float
    high: float = math.inf
    above: bool = False

    def problem(self, value: float) -> str | None:
        """Return the violated condition, or None."""
        if self.low <= value <= self.high and value < math.inf and not (self.above and value == self.low):
            return None
        if self.high == math.inf:
            return "must be positive" if self.above else f"must be at least {self.low}"
        return f"must be in {'(' if self.above else '['}{self.low}, {self.high}]"


@dataclass(frozen=True)
class Choice:
    """Annotation of an option: one of these strings."""

    values: tuple[str, ...]

    def problem(self, value: str) -> str | None:
        """Return the violated condition, or None."""
        *others, last = self.values
        return None if value in self.values else f"must be {' or '.join([*filter(None, [', '.join(others)]), last])}"


NonNegativeInt = Annotated[int, Range(0)]
PositiveInt = Annotated[int, Range(1)]
NonNegative = Annotated[float, Range(0)]
Positive = Annotated[float, Range(0, above=True)]
#: Greater than 0, at most 1.
Fraction = Annotated[float, Range(0, 1, above=True)]
#: 0 to 1.
Probability = Annotated[float, Range(0, 1)]
Seed = Annotated[int, Range(0, LARGEST_SEED)]


def option(name: str) -> str:
    """Return the command-line form of a field's name."""
    return f"--{name.replace('_', '-')}"


def check_ranges(options: DataclassInstance) -> None:
    """Raise ValueError for the first option outside its annotated `Range` or `Choice`."""
    for name, hint in get_type_hints(type(options), include_extras=True).items():
        value = getattr(options, name)
        for rule in getattr(hint, "__metadata__", ()):
            if isinstance(rule, Range | Choice) and value is not None and (problem := rule.problem(value)):
                raise ValueError(f"{option(name)} {problem}, not {value!r}")
