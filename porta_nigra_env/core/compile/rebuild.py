"""Recompilation of functions for another machine, together with all their callees.

A game's functions are compiled for the CPU and refer to each other as globals. A compiler for another machine (a GPU,
WebAssembly) needs its own versions: `Rebuilding` copies a function and replaces every function it refers to.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from numba.core.dispatcher import Dispatcher

from porta_nigra_env.core.compile.template import copy_function


class Rebuilding:
    """Compiles functions, and the functions they refer to, once each.

    Args:
        compile: compiles a plain function into one that other compiled functions can call.
        replaced: replacements of functions. A key is either the code of a function to compile another one in its place,
            or the referenced object, if the compiler has a version of it.
    """

    def __init__(self, compile: Callable[[Any], Any], replaced: Mapping[Any, Any] = MappingProxyType({})) -> None:
        self._compile, self._replaced = compile, replaced
        #: Compiled versions by plain function, callers before their callees.
        self.made: dict[Any, Any] = {}

    def __call__(self, function: Callable[..., Any]) -> Any:
        """Return the compiled version of `function`, which is a plain or a compiled function.

        Raises:
            ValueError: it calls itself, or is a placeholder (`core.compile.template`).
        """
        plain: Any = getattr(function, "py_func", function)
        if plain not in self.made:
            if "NotImplementedError" in plain.__code__.co_names:
                raise ValueError(f"{plain.__module__}.{plain.__qualname__} is a placeholder that nothing has replaced")
            self.made[plain] = None
            self.made[plain] = self._compile(self.copied(plain))
        if self.made[plain] is None:
            raise ValueError(f"{plain.__qualname__} calls itself, which is not supported")
        return self.made[plain]

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
        """Return the rebuilt version of a function of this package; other values are returned unchanged."""
        if not self._is_ours(value):
            return value
        return self._replaced[value] if value in self._replaced else self(value)

    def _is_ours(self, value: Any) -> bool:
        """Return True if a value is a function that must be rebuilt."""
        if isinstance(value, Dispatcher):
            return True
        plain = isinstance(value, types.FunctionType) and value.__module__.partition(".")[0] not in ("numba", "numpy")
        return plain or (callable(value) and not isinstance(value, type) and value in self._replaced)
