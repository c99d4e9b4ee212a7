"""Compilation: one decorator for all compiled functions, and one template compiled for several games.

What is compiled can be called from Python as any function of numba.  Calls between compiled functions go to a twin of
the function that is cheaper to make: without a way in from Python, and with one version for integers of every width and
for constants, where numba would make a version for each.  That halves the time of a cold start (docs/speed.md).
"""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
import numba.core.types
import numpy as np
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

from porta_nigra_env.core.compile.cache import COMPILED, LEAN, cache_of, cache_root, compile_once, sources_digest
from porta_nigra_env.core.compile.callees import CalleeCompiler, EntryCompiler

F = TypeVar("F", bound=Callable[..., Any])

# Some of the options used here are not in numba's type information.
_njit: Any = numba.njit
_types: Any = numba.core.types

#: The sources of `core` that go into compiled code; a game's compiler names them beside its own.
CORE_SOURCES: Final = tuple(
    Path(__file__).parents[1] / f"{name}.py"
    for name in ("compile/cache", "compile/callees", "compile/jit", "compile/records", "arrays/rng", "arrays/bits",
                 "arrays/layout", "arrays/piles", "arrays/seats", "game/results", "game/kernel", "game/record_kernel",
                 "batch/loops", "batch/policy", "batch/valuation", "batch/bookkeeping", "batch/encoding", "batch/batch")
)  # fmt: skip


def _compiled_callees(function: Any) -> Iterator[Any]:
    """The compiled functions that `function` names: globals, and those of modules among them."""
    code, names = function.__code__, function.__globals__
    for name in code.co_names:
        found = [names.get(name)]
        if isinstance(found[0], types.ModuleType):
            found = [getattr(found[0], attribute, None) for attribute in code.co_names]
        for one in found:
            if isinstance(one, Dispatcher):
                yield one


def is_strange(dispatcher: Any, named: Collection[Path]) -> bool:
    """Whether no digest covers a compiled function: it is from elsewhere, or calls one that is."""
    return isinstance(dispatcher._cache, NullCache) or not _is_named(dispatcher.py_func, named)


def _is_named(function: Callable[..., Any], named: Collection[Path]) -> bool:
    """Whether `function` was read from one of the files or folders."""
    file = _resolved(function.__code__.co_filename)
    return file in named or any(folder in named for folder in file.parents)


@functools.cache
def _resolved(file: str) -> Path:
    return Path(file).resolve()


def _options(allocates: bool) -> dict[str, Any]:
    """What numba is told.

    Without its runtime for references a tuple of arrays is handed on for nothing instead of being copied and counted,
    2 ns for 16 arrays instead of 259; such a function cannot make arrays.  That option is not a public one (`LEAN`).
    """
    plain = {"nogil": True, "error_model": "numpy"}
    if not LEAN:
        return plain
    return {**plain, "no_cfunc_wrapper": True, **({} if allocates else {"_nrt": False})}


def _widened(argument: Any) -> Any:
    """An argument's type in a call between compiled functions: signed integers, constants too, all as int64."""
    argument = _types.unliteral(argument)
    return _types.int64 if isinstance(argument, _types.Integer) and argument.signed else argument


def _call_twin(dispatcher: Any, folder: Path | None, options: dict[str, Any]) -> None:
    """Let compiled code call a twin of the function that has no way in from Python and one version for all integers.

    folder: of its cache; None for a function that is not cached.
    """
    twin = _njit(dispatcher.py_func, **options, no_cpython_wrapper=True, pipeline_class=CalleeCompiler)
    twin.add_overload = lambda result: twin.overloads.update({tuple(result.signature.args): result})
    if folder is not None:
        twin._cache = cache_of(dispatcher.py_func, folder, is_callee=True)
        compile_once(twin, folder)

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        _, folded = twin.fold_argument_types(arguments, keywords)
        return twin.get_call_template(tuple(map(_widened, folded)), {})

    dispatcher.get_call_template, dispatcher.get_overload = get_call_template, twin.get_overload


def compiler(*paths: Path, allocates: bool = False) -> Callable[[F], F]:
    """A decorator that compiles functions without the GIL and caches them under the digest of `paths`.

    Name every source that a decorated function may call or read a constant from.  A function from elsewhere, or one
    that calls a compiled function from elsewhere (a policy in a notebook's cell, say), is compiled anew in each
    process, since no digest tells its versions apart.  Division follows numpy (no exception branches); bounds checks
    follow ``NUMBA_BOUNDSCHECK``.

    Args:
        paths: the sources.
        allocates: whether the functions make arrays; those that do pay for every array they hand on.
    """
    folder = cache_root() / sources_digest(paths) if COMPILED else Path()
    named = frozenset(path.resolve() for path in paths)
    options = _options(allocates)

    def jit(function: F) -> F:
        if not COMPILED:
            return function
        dispatcher = _njit(function, **options, **({"pipeline_class": EntryCompiler} if LEAN else {}))
        kept = _is_named(function, named) and not any(is_strange(one, named) for one in _compiled_callees(function))
        if kept:
            dispatcher._cache = cache_of(function, folder)
            compile_once(dispatcher, folder)
        if LEAN:
            _call_twin(dispatcher, folder if kept else None, options)
        return cast(F, dispatcher)

    return jit


def _as_bytes(value: Any) -> bytes:
    """A value that a function holds, as bytes that tell it apart from others."""
    if isinstance(value, types.CodeType):
        parts = (value.co_consts, value.co_names, value.co_varnames)
        return value.co_code + b"".join(_as_bytes(one) for part in parts for one in part)
    if isinstance(value, Dispatcher | types.FunctionType):
        return identity(value).encode()
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}".encode() + value.tobytes()
    return repr(value).encode()


def identity(function: Callable[..., Any]) -> str:
    """A text that tells a function apart from every other one: where it stands, what it does, and what it encloses.

    Two functions that one factory made differ in what they enclose.  The text is the same in every process as long as
    the enclosed values are plain; others are told apart by their addresses, in one process only.
    """
    plain = getattr(function, "py_func", function)
    digest = hashlib.sha256(_as_bytes(plain.__code__) + _as_bytes(plain.__defaults__))
    for cell in plain.__closure__ or ():
        digest.update(_as_bytes(cell.cell_contents))
    return f"{plain.__module__}.{plain.__qualname__}.{digest.hexdigest()[:16]}"


def bind(template: Callable[..., Any], game: str, stand_ins: dict[str, Any], jit: Callable[[F], F]) -> Any:
    """Compile a copy of `template` in which the globals named in `stand_ins` are replaced.

    A dispatcher passed as an argument costs 15-22 us a call and is never cached, a closure is never cached either.  A
    copy with other globals is an ordinary function to numba.  `game` enters the copy's name, and with it the cache's
    key: two games bind the same template without reading each other's code.
    """
    copy = types.FunctionType(template.__code__, {**template.__globals__, **stand_ins}, template.__name__)
    copy.__qualname__ = f"{template.__qualname__}__{game}"
    copy.__module__ = template.__module__
    copy.__doc__ = template.__doc__
    compiled: Any = jit
    return compiled(copy)
