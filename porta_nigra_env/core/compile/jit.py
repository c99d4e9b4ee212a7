"""Compilation: one decorator for all compiled functions.

Python calls a compiled function like any numba function. Compiled callers use a cheaper twin of the function: it has no
Python entry point, and one version for constants and integers of every width. numba would compile a version for each.
The twin halves the time of a cold start (docs/speed.md).
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final, TypeVar, cast
from weakref import WeakValueDictionary

import numba
import numba.core.types
from numba.core import serialize
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

from porta_nigra_env.core.compile.cache import COMPILED, LEAN, enable_cache, sources_digest
from porta_nigra_env.core.compile.cache_folders import cache_root
from porta_nigra_env.core.compile.callees import CalleeCompiler, EntryCompiler
from porta_nigra_env.core.compile.identity import name_exactly, named_values
from porta_nigra_env.core.compile.template import copy_function

F = TypeVar("F", bound=Callable[..., Any])

# Some of the options used here are not in numba's type information.
_njit: Any = numba.njit
_types: Any = numba.core.types
_serialize: Any = serialize

#: Compiled functions by cache folder, module and qualified name: those that can be unpickled.
_CACHED: Final[WeakValueDictionary[tuple[Path, str, str], Any]] = WeakValueDictionary()

#: Sources of `core` that are part of compiled code; a game's compiler adds its own.
CORE_SOURCES: Final = tuple(
    Path(__file__).parents[1] / f"{name}.py"
    for name in (
        "compile/bit_scan", "compile/cache", "compile/callees", "compile/identity", "compile/jit", "compile/records",
        "compile/template", "arrays/rng", "arrays/bits", "arrays/layout", "arrays/piles", "arrays/seats",
        "game/contract", "game/kernel", "game/record_kernel", "game/results", "batch/loops", "batch/policy",
        "batch/valuation", "batch/bookkeeping", "batch/encoding", "batch/batch"
    )
)  # fmt: skip


def is_strange(dispatcher: Any, named: Collection[Path]) -> bool:
    """Return True if no digest covers a compiled function: it, or a function it calls, is from another file."""
    return isinstance(dispatcher._cache, NullCache) or not _is_named(dispatcher.py_func, named)


def _is_cacheable(function: Any, named: Collection[Path]) -> bool:
    """Return True if the digest of the sources and the function's name determine its compiled code."""
    if not getattr(function, "is_exact", True) or not _is_named(function, named):
        return False
    return not any(isinstance(value, Dispatcher) and is_strange(value, named) for value in named_values(function))


def _is_named(function: Callable[..., Any], named: Collection[Path]) -> bool:
    """Return True if `function` was read from one of the files or folders."""
    file = _resolved(function.__code__.co_filename)
    return file in named or any(folder in named for folder in file.parents)


@functools.cache
def _resolved(file: str) -> Path:
    return Path(file).resolve()


def _options(allocates: bool, inline: bool, reassociates: bool) -> dict[str, Any]:
    """Return the options for numba.

    Without numba's reference-counting runtime, passing a tuple of arrays needs no copy and no counting: 2 ns for 16
    arrays instead of 259. Such a function cannot create arrays. The option is not public (`LEAN`).
    """
    # Given to every function: callees without the option would inherit that of the caller that compiles them first.
    plain: dict[str, Any] = {"nogil": True, "error_model": "numpy", "forceinline": inline}
    if reassociates:
        plain["fastmath"] = {"reassoc", "contract"}
    if not LEAN:
        return plain
    return {**plain, "no_cfunc_wrapper": True, **({} if allocates else {"_nrt": False})}


def widened(argument: Any) -> Any:
    """Return an argument's type in a call between compiled functions; signed integers and constants become int64."""
    argument = _types.unliteral(argument)
    return _types.int64 if isinstance(argument, _types.Integer) and argument.signed else argument


def _call_twin(dispatcher: Any, folder: Path | None, options: dict[str, Any]) -> None:
    """Let compiled code call a twin without a Python entry point and with one version for all integers.

    folder: of its cache; None for a function that is not cached.
    """

    @functools.cache  # a warm start needs no twins
    def make_twin() -> Any:
        twin = _njit(dispatcher.py_func, **options, no_cpython_wrapper=True, pipeline_class=CalleeCompiler)
        twin.add_overload = lambda result: twin.overloads.update({tuple(result.signature.args): result})
        if folder is not None:
            enable_cache(twin, folder, is_callee=True)
        return twin

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        _, folded = make_twin().fold_argument_types(arguments, keywords)
        return make_twin().get_call_template(tuple(map(widened, folded)), {})

    dispatcher.get_call_template = get_call_template
    dispatcher.get_overload = lambda signature: make_twin().get_overload(signature)


def _reduce(dispatcher: Any, paths: tuple[Path, ...], options: dict[str, bool], protocol: int) -> str | tuple[Any, ...]:
    """Pickle a cached function by reference, or else with its sources, by which another process finds its code."""
    plain = dispatcher.py_func
    named = getattr(sys.modules.get(plain.__module__), plain.__qualname__, None)
    if named is dispatcher and plain.__module__ not in ("__main__", "__mp_main__"):
        return str(plain.__qualname__)
    return _unpickle, (plain.__module__, plain.__qualname__, _serialize.dumps(plain), paths, options)


def _unpickle(module: str, name: str, plain: bytes, paths: tuple[Path, ...], options: dict[str, bool]) -> Any:
    """Return the cached function of `_reduce`; it is recompiled on a machine without its sources."""
    paths = tuple(path for path in paths if path.exists())
    function = _CACHED.get((cache_root() / sources_digest(paths), module, name))
    return compiler(*paths, **options)(_serialize.loads(plain)) if function is None else function


def compiler(
    *paths: Path, allocates: bool = False, inline: bool = False, reassociates: bool = False
) -> Callable[[F], F]:
    """Return a decorator that compiles functions without the GIL and caches them under the digest of `paths`.

    Name every source that a decorated function may call or read a constant from. Functions from other files, or with
    callees from other files (such as a policy in a notebook cell), are recompiled in each process: no digest identifies
    their versions. Division follows numpy (no exception branches); bounds checks follow ``NUMBA_BOUNDSCHECK``.

    Args:
        paths: the sources.
        allocates: true if the functions create arrays; passing arrays is then slower.
        inline: true to inline every function into its compiled callers: worth it for short ones with many arrays.
        reassociates: true if sums may be taken in another order, so that the compiler can use vector instructions.
    """
    folder = cache_root() / sources_digest(paths) if COMPILED else Path()
    named = frozenset(path.resolve() for path in paths)
    chosen = {"allocates": allocates, "inline": inline, "reassociates": reassociates}
    options = _options(**chosen)

    def jit(function: F) -> F:
        if not COMPILED:
            return function
        if "<" in function.__qualname__ and not hasattr(function, "is_exact"):
            # Functions of one factory need different names: numba links compiled functions by name.
            function = cast(F, copy_function(function, lambda value: value))
            name_exactly(cast(types.FunctionType, function))
        dispatcher = _njit(function, **options, **({"pipeline_class": EntryCompiler} if LEAN else {}))
        if cacheable := _is_cacheable(function, named):
            enable_cache(dispatcher, folder)
            dispatcher.__reduce_ex__ = functools.partial(_reduce, dispatcher, paths, chosen)
            _CACHED[folder, function.__module__, function.__qualname__] = dispatcher
        if LEAN:
            _call_twin(dispatcher, folder if cacheable else None, options)
        return cast(F, dispatcher)

    return jit
