"""Copies of functions that write raw quantities: every unit of `core.arrays.layout.units` is 1."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from numba.core.dispatcher import Dispatcher

from porta_nigra_env.core.arrays.layout import Units
from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.compile.identity import name_exactly, named_values, plain_function
from porta_nigra_env.core.compile.template import copy_function


def in_raw_units(function: Any, jit: Callable[[Any], Any]) -> Any:
    """Return a copy of a function that multiplies by 1 where `function`, or a callee, multiplies by a unit.

    A function that reads no unit is returned unchanged.

    Args:
        function: plain or compiled.
        jit: compiler of the copies (`core.compile.jit.compiler`).
    """
    made: dict[Any, Any] = {}

    def replaced(value: Any) -> Any:
        if isinstance(value, Units):
            return value.raw
        if not isinstance(value, Dispatcher | types.FunctionType) or value.__module__.startswith(("numba.", "numpy.")):
            return value
        if value not in made:
            made[value] = value
            plain = plain_function(value)
            if any(replaced(held) is not held for held in named_values(plain)):
                made[value] = compiled(plain)
        return made[value]

    def compiled(plain: Any) -> Any:
        copy = copy_function(plain, replaced)
        copy.__qualname__ = f"{plain.__qualname__}_raw"
        if COMPILED:
            name_exactly(copy)
        return jit(copy)

    return replaced(function)
