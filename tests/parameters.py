"""Parameters of tests that repeat one check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_by_default(values: Iterable[Any]) -> list[Any]:
    """Return the values of a parameter; all but the first are for long runs."""
    first, *others = values
    return [first, *(pytest.param(value, marks=pytest.mark.long) for value in others)]
