"""Functions made anew for another machine, together with all that they call.

A room's functions are compiled for the processor and name each other as globals.  A compiler for another machine has to
see its own versions of them instead: `Rebuilding` copies a function, and gives the copy such versions in the place of
every function that it names.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from numba.core.dispatcher import Dispatcher


class Rebuilding:
    """Compiles functions, and the functions that they name, once each.

    Args:
        compile: makes of a plain function what others of its kind can call.
        replaced: what stands in for a function: another one, compiled in its place, by the code of the first; or
            whatever the compiler knows by itself, by the object that is named.
    """

    def __init__(self, compile: Callable[[Any], Any], replaced: Mapping[Any, Any]) -> None:
        self._compile, self._replaced = compile, replaced
        self._made: dict[Any, Any] = {}

    def __call__(self, function: Callable[..., Any]) -> Any:
        """What the compiler makes of `function`, which is compiled already or plain.

        Raises:
            ValueError: it calls itself, or is a stand-in (`core.compile.jit.bind`).
        """
        plain: Any = getattr(function, "py_func", function)
        if plain not in self._made:
            if "NotImplementedError" in plain.__code__.co_names:
                raise ValueError(f"{plain.__module__}.{plain.__qualname__} is a stand-in that nothing has replaced")
            self._made[plain] = None
            self._made[plain] = self._compile(self.copied(plain))
        if self._made[plain] is None:
            raise ValueError(f"{plain.__qualname__} calls itself, which is not supported")
        return self._made[plain]

    def copied(self, plain: Any) -> Any:
        """A copy of a plain function that names rebuilt ones."""
        body = self._replaced.get(plain.__code__, plain)
        code, names = body.__code__, {**body.__globals__, **plain.__globals__}
        named = set(_names(code))
        names.update({name: self._seen(names[name], named) for name in named & set(names)})
        cells = tuple(types.CellType(self._seen(cell.cell_contents, named)) for cell in body.__closure__ or ())
        copy = types.FunctionType(code, names, plain.__name__, plain.__defaults__, cells)
        copy.__qualname__, copy.__module__ = plain.__qualname__, plain.__module__
        return copy

    def _seen(self, value: Any, named: set[str]) -> Any:
        """What a function sees instead of a value that it names: rebuilt functions, those of modules as well."""
        if isinstance(value, types.ModuleType):
            members = {name: getattr(value, name) for name in named if hasattr(value, name)}
            changed = {name: self._seen(one, named) for name, one in members.items() if self._is_ours(one)}
            if not changed:
                return value
            shadow = types.ModuleType(value.__name__)
            shadow.__dict__.update(members | changed)
            return shadow
        if not self._is_ours(value):
            return value
        return self._replaced[value] if value in self._replaced else self(value)

    def _is_ours(self, value: Any) -> bool:
        """Whether a value is a function that has to be rebuilt."""
        if isinstance(value, Dispatcher):
            return True
        plain = isinstance(value, types.FunctionType) and value.__module__.partition(".")[0] not in ("numba", "numpy")
        return plain or (callable(value) and not isinstance(value, type) and value in self._replaced)


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that a function's code uses."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
