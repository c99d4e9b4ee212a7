"""Functions made anew for another machine, together with all that they call.

A room's functions are compiled for the processor and name each other as globals.  A compiler for another machine has to
see its own versions of them instead: `Rebuilding` copies a function, and gives the copy such versions in the place of
every function that it names.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from numba.core.dispatcher import Dispatcher

from porta_nigra_env.core.compile.template import copy_function


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
            ValueError: it calls itself, or is a placeholder (`core.compile.template`).
        """
        plain: Any = getattr(function, "py_func", function)
        if plain not in self._made:
            if "NotImplementedError" in plain.__code__.co_names:
                raise ValueError(f"{plain.__module__}.{plain.__qualname__} is a placeholder that nothing has replaced")
            self._made[plain] = None
            self._made[plain] = self._compile(self.copied(plain))
        if self._made[plain] is None:
            raise ValueError(f"{plain.__qualname__} calls itself, which is not supported")
        return self._made[plain]

    def copied(self, plain: Any) -> Any:
        """Return a copy of a plain function that calls rebuilt ones."""
        body = plain
        if (other := self._replaced.get(plain.__code__)) is not None:
            names = other.__globals__ | plain.__globals__
            body = types.FunctionType(other.__code__, names, plain.__name__, plain.__defaults__)
        copy = copy_function(body, self._replace)
        copy.__qualname__, copy.__module__ = plain.__qualname__, plain.__module__
        return copy

    def _replace(self, value: Any) -> Any:
        """Return the rebuilt function for one of ours; other values stay."""
        if not self._is_ours(value):
            return value
        return self._replaced[value] if value in self._replaced else self(value)

    def _is_ours(self, value: Any) -> bool:
        """Whether a value is a function that has to be rebuilt."""
        if isinstance(value, Dispatcher):
            return True
        plain = isinstance(value, types.FunctionType) and value.__module__.partition(".")[0] not in ("numba", "numpy")
        return plain or (callable(value) and not isinstance(value, type) and value in self._replaced)
