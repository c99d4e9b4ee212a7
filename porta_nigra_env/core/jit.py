"""Compilation with a cache that cannot be stale.

numba's file cache looks at the time stamp of the decorated file only: after an edit of a *callee* in another module it
hands back the old machine code, and a warm cache ignores ``NUMBA_BOUNDSCHECK``.  `compiler` therefore gives every set
of sources a cache folder of its own, named by a digest of all those sources, numba's version and the flags in force.

The cache root is ``$PORTA_NIGRA_CACHE_DIR``, else ``$XDG_CACHE_HOME/porta_nigra_env`` (``~/.cache/porta_nigra_env``),
else a private folder below the system's temporary directory where the home folder cannot be written to.
"""

from __future__ import annotations

import contextlib
import functools
import getpass
import hashlib
import os
import tempfile
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
import numba.core.config
from filelock import BaseFileLock, FileLock
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.options import DefaultOptions

F = TypeVar("F", bound=Callable[..., Any])

# numba fills this module's names in at run time, where a type checker cannot see them.
numba_config: Any = numba.core.config

#: The sources of `core` that go into compiled code; a game's compiler names them beside its own.
CORE_SOURCES: Final = tuple(
    Path(__file__).with_name(f"{name}.py")
    for name in (
        "jit",
        "rng",
        "bits",
        "spans",
        "results",
        "kernel",
        "loops",
        "policy",
        "bookkeeping",
        "encoding",
        "batch",
    )
)

#: True when numba compiles; False under ``NUMBA_DISABLE_JIT=1``, where the same source runs as plain Python.
COMPILED: bool = not numba_config.DISABLE_JIT


#: Whether functions are compiled without numba's runtime for references (`_options`).
LEAN: bool = hasattr(DefaultOptions, "_nrt") and os.environ.get("PORTA_NIGRA_NRT", "0") in ("", "0")


def sources_digest(paths: Iterable[Path]) -> str:
    """Hex digest of the Python sources in `paths` (files, or folders taken whole), numba's version and its flags."""
    digest = hashlib.sha256()
    flags = (
        numba.__version__,
        str(numba_config.BOUNDSCHECK),
        str(numba_config.OPT),
        str(numba_config.DEBUGINFO_DEFAULT),
        str(LEAN),
    )
    digest.update(repr(flags).encode())
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.name.encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:24]


def _cache_folders() -> Iterator[Path]:
    """The documented cache folders, first choice first; each is worked out only when it is asked for."""
    if named := os.environ.get("PORTA_NIGRA_CACHE_DIR"):
        yield Path(named)
    else:
        # Without a home, e.g. in a container that runs as a number without a name, the next one has to do.
        with contextlib.suppress(RuntimeError):
            yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "porta_nigra_env"
    # By number, since a process may carry another user's name; Windows has no numbers.
    user = os.getuid() if hasattr(os, "getuid") else getpass.getuser()
    yield Path(tempfile.gettempdir()) / f"porta_nigra_env_{user}"


def cache_root() -> Path:
    """The first of the documented cache folders that can be written to (created when missing)."""
    tried = []
    for folder in _cache_folders():
        tried.append(str(folder))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    raise OSError(
        f"no folder for compiled code can be written to; tried {', '.join(tried)}. "
        "Set PORTA_NIGRA_CACHE_DIR to a writable folder."
    )


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


def _is_strange(dispatcher: Any, named: Collection[Path]) -> bool:
    """Whether no digest covers a compiled function: it is from elsewhere, or calls one that is."""
    return isinstance(dispatcher._cache, NullCache) or not _is_named(dispatcher.py_func, named)


def _is_named(function: Callable[..., Any], named: Collection[Path]) -> bool:
    """Whether `function` was read from one of the files or folders."""
    file = _resolved(function.__code__.co_filename)
    return file in named or any(folder in named for folder in file.parents)


@functools.cache
def _resolved(file: str) -> Path:
    return Path(file).resolve()


class _Locator(_CacheLocator):  # type: ignore[misc]  # numba has hardly any type information
    """Where a function's machine code lies: in a folder whose name tells all that it was made of, under the function's
    own name.  Neither the place of the checkout nor the time of a file matters, so that all of them share it."""

    def __init__(self, folder: Path, function: Callable[..., Any]) -> None:
        self._folder = folder
        self._own = f"{function.__module__}.{function.__code__.co_firstlineno}"

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return self._own

    @classmethod
    def from_function(cls, py_func: Any, py_file: Any) -> None:
        return None


def _cache_of(function: Callable[..., Any], folder: Path) -> Any:
    """numba's file cache of a function in `folder`."""

    numba_cache: Any = FunctionCache
    numba_implementation: Any = CompileResultCacheImpl
    locator = types.SimpleNamespace(from_function=lambda py_func, py_file: _Locator(folder, py_func))
    implementation = type("Implementation", (numba_implementation,), {"_locator_classes": [locator]})
    return type("Cache", (numba_cache,), {"_impl_class": implementation})(function)


#: One lock for each folder of machine code, so that of several processes that start cold one compiles.
_LOCKS: Final[dict[Path, BaseFileLock]] = {}


def _compile_once(dispatcher: Any, folder: Path) -> None:
    """Let other processes wait while this one compiles; they then find the code in the cache."""
    compile_alone = dispatcher.compile

    def compile_locked(signature: Any) -> Any:
        # numba's own lock first: a thread that compiles something else may come to need this function as well.
        with global_compiler_lock:
            lock = _LOCKS.setdefault(folder, FileLock(folder / ".lock"))
            try:
                lock.acquire()
            except OSError:  # a cache that can only be read
                return compile_alone(signature)
            try:
                return compile_alone(signature)
            finally:
                lock.release()

    dispatcher.compile = compile_locked


def _options(allocates: bool) -> dict[str, Any]:
    """What numba is told.  Without its runtime for references a tuple of arrays is handed on for nothing instead of
    being copied and counted, 2 ns for 16 arrays instead of 259; such a function cannot make arrays.  The option is not
    a public one: ``PORTA_NIGRA_NRT=1`` does without, and so does a numba that does not know it."""
    lean = {} if allocates or not LEAN else {"_nrt": False}
    return {"nogil": True, "error_model": "numpy", **lean}


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

    def jit(function: F) -> F:
        if not COMPILED:
            return function
        dispatcher = numba.njit(function, **_options(allocates))
        if not _is_named(function, named) or any(_is_strange(one, named) for one in _compiled_callees(function)):
            return cast(F, dispatcher)
        folder.mkdir(parents=True, exist_ok=True)
        dispatcher._cache = _cache_of(function, folder)
        _compile_once(dispatcher, folder)
        return cast(F, dispatcher)

    return jit


def identity(function: Callable[..., Any]) -> str:
    """A text that tells a function apart from every other one: where it stands, what it does, and what it encloses.

    Two functions that one factory made differ in what they enclose.  The text is the same in every process as long as
    the enclosed values are plain; others are told apart by their addresses, in one process only.
    """
    plain = getattr(function, "py_func", function)
    code = plain.__code__
    digest = hashlib.sha256(code.co_code)
    for part in (code.co_names, code.co_varnames, plain.__defaults__):
        digest.update(repr(part).encode())
    for constant in code.co_consts:
        digest.update((repr(constant.co_code) if isinstance(constant, types.CodeType) else repr(constant)).encode())
    for cell in plain.__closure__ or ():
        value = cell.cell_contents
        digest.update((identity(value) if isinstance(value, Dispatcher | types.FunctionType) else repr(value)).encode())
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
