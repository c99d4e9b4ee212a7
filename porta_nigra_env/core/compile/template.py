"""Templates: functions that are compiled once for each game or policy.

The functions of a template call placeholders, such as the kernel functions of `core.game.contract`, and each other::

    template = Template()

    @template
    def playout(constants: ConstantsArray, states: States, row: int) -> None:
        legal(constants, states, row, words)

    compiled = template.specialize("nim", {legal: NIM_KERNEL.legal}, jit)
    compiled[playout](constants, states, 0)

A compiled function passed as an argument costs 15-22 us a call and is never cached.  A copy of a function with other
globals is an ordinary function to numba.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.compile.identity import global_names, name_exactly, names_of

F = TypeVar("F", bound=Callable[..., Any])

#: Functions by the placeholder or template function that they replace.
Replacements = Mapping[Any, Any]


class Template:
    """Functions to specialize, in the order of their definition: each may call placeholders and earlier functions."""

    def __init__(self) -> None:
        self.functions: list[Callable[..., Any]] = []

    def __call__(self, function: F) -> F:
        """Add a function; the decorated name stays the plain function."""
        self.functions.append(function)
        return function

    def specialize(self, name: str, replacements: Replacements, jit: Callable[[Any], Any]) -> dict[Any, Any]:
        """Compile a copy of every function in which placeholders are replaced.

        Args:
            name: of the game, for the names of the copies.  Their names end in a digest of all that they call, so
                that copies with other replacements never share cached code.
            replacements: functions by placeholder.
            jit: compiler of the copies (`core.compile.jit.compiler`).

        Returns:
            `replacements` and the compiled copies by template function.
        """
        made = dict(replacements)

        def replace(value: Any) -> Any:
            return made.get(value, value) if isinstance(value, types.FunctionType) else value

        for function in self.functions:
            copy = copy_function(function, replace)
            copy.__qualname__ = f"{function.__qualname__}__{name}"
            if COMPILED:
                name_exactly(copy)
            made[function] = jit(copy)
        return made


def copy_function(function: Any, replace: Callable[[Any], Any]) -> types.FunctionType:
    """Return a copy of a function with `replace` applied to its globals, enclosed values and attributes of modules."""
    code, names = function.__code__, names_of(function.__code__)

    def replaced(value: Any) -> Any:
        if not isinstance(value, types.ModuleType):
            return replace(value)
        members = {name: getattr(value, name) for name in names if hasattr(value, name)}
        changed = {name: new for name, member in members.items() if (new := replace(member)) is not member}
        if not changed:
            return value
        shadow = types.ModuleType(value.__name__)
        vars(shadow).update(members | changed)
        return shadow

    loaded = global_names(code) & function.__globals__.keys()
    named = {name: replaced(function.__globals__[name]) for name in loaded}
    cells = tuple(types.CellType(replaced(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = types.FunctionType(code, function.__globals__ | named, function.__name__, function.__defaults__, cells)
    copy.__qualname__, copy.__module__, copy.__doc__ = function.__qualname__, function.__module__, function.__doc__
    copy.__kwdefaults__, copy.__annotations__ = function.__kwdefaults__, function.__annotations__
    return copy
