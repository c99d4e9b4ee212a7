"""The cache of machine code: folders named by a digest of everything the code depends on.

numba's file cache checks only the time stamp of the decorated file. After an edit of a *callee* in another module it
returns stale machine code, and a warm cache ignores ``NUMBA_BOUNDSCHECK``. Here every set of sources has a separate
cache folder, named by a digest of these sources, numba's version and the active flags. The path of the checkout and
file times do not matter, so several environments share a folder (`core.compile.cache_folders`). If several processes
start cold, one compiles a function while the others wait for it or compile other functions.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import numba
import numba.core.config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.options import DefaultOptions

from porta_nigra_env.core.compile.cache_folders import (
    mark_used,
    read_only_folder,
    say_compiling,
    say_unsaved,
    say_waiting,
)
from porta_nigra_env.core.compile.callees import rebuilt
from porta_nigra_env.core.compile.prebuilt import stored_function

if TYPE_CHECKING:
    from filelock import BaseFileLock

# numba sets this module's names at run time, where a type checker cannot see them.
numba_config: Any = numba.core.config

#: True if numba compiles; False under ``NUMBA_DISABLE_JIT=1``, where the same source runs as plain Python.
COMPILED: Final[bool] = not numba_config.DISABLE_JIT

#: True to compile with fewer features than numba's defaults (`core.compile.jit`): without its reference-counting
#: runtime and without unused entry points. ``PORTA_NIGRA_PLAIN_JIT=1`` selects the defaults, as does a numba version
#: without these options.
LEAN: Final[bool] = hasattr(DefaultOptions, "_nrt") and os.environ.get("PORTA_NIGRA_PLAIN_JIT", "0") in ("", "0")

#: Seconds after which a process that waits for another one prints a message.
_PATIENCE: Final = 1.0
#: Longest wait in seconds of a process that itself holds a lock: two processes may wait for each other.
_LONGEST_WAIT: Final = 30.0
#: Locks held by this process, which only the thread with numba's compiler lock changes.
_HELD: Final[list[BaseFileLock]] = []

if COMPILED and hasattr(os, "register_at_fork"):
    # A child of a process in which another thread compiles would wait forever for a lock that no thread holds.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )


def sources_digest(paths: Iterable[Path]) -> str:
    """Return the hex digest of the Python sources in `paths` (files or whole folders), numba's version and flags."""
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


class _Locator(_CacheLocator):
    """The location of a function's machine code: a file with the function's name in a folder named by a digest.

    The path of the checkout and file times do not matter, so all checkouts share the folder.
    """

    def __init__(self, folder: Path, function: Callable[..., Any], kind: str) -> None:
        self._folder = folder
        self._own = f"{function.__module__}.{function.__code__.co_firstlineno}{kind}"

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return self._own

    @classmethod
    def from_function(cls, py_func: Any, py_file: Any) -> None:
        return None


@functools.cache
def _cache_class(numba_cache: Any, numba_implementation: Any, is_callee: bool) -> Any:
    """Return a subclass of numba's cache for our folders, with locks between processes."""
    kind = ".callee" if is_callee else ""

    class Implementation(numba_implementation):  # type: ignore[misc]
        def __init__(self, function: Any, folder: Path) -> None:
            locator = _Locator(folder, function, kind)
            self._locator_classes = [SimpleNamespace(from_function=lambda py_func, py_file: locator)]
            super().__init__(function)

        def rebuild(self, target_context: Any, payload: Any) -> Any:
            return rebuilt(target_context, payload) if is_callee else super().rebuild(target_context, payload)

    class Cache(numba_cache):  # type: ignore[misc]
        _cache_file: Any

        def __init__(self, function: Any, folder: Path) -> None:
            self._impl_class = functools.partial(Implementation, folder=folder)
            super().__init__(function)
            self._folder: Final = folder
            self._lock: BaseFileLock | None = None

        def load_overload(self, *arguments: Any) -> Any:
            """Load a function; on a miss, return None and hold the function's lock until `release`."""
            stored = stored_function(self._folder.name, self._impl.filename_base)
            if stored is not None and (overload := self._load_from(stored, *arguments)) is not None:
                return overload
            mark_used(self._folder)
            overload = self._load_from_folders(*arguments)
            if overload is None and self._acquire():
                overload = self._load_from_folders(*arguments)  # another process may have compiled it meanwhile
            if overload is None:  # numba compiles now
                say_compiling(self._folder)
            return overload

        def _load_from_folders(self, *arguments: Any) -> Any:
            """Load from the writable folder, else from a read-only one."""
            overload = super().load_overload(*arguments)
            if overload is None and (shared := read_only_folder(self._folder)) is not None:
                files = type(self._cache_file)(str(shared), self._impl.filename_base, shared.name)
                overload = self._load_from(files, *arguments)
            return overload

        def _load_from(self, files: Any, *arguments: Any) -> Any:
            """Load from other files than the writable ones."""
            own, self._cache_file = self._cache_file, files
            try:
                return super().load_overload(*arguments)
            finally:
                self._cache_file = own

        def save_overload(self, *arguments: Any) -> None:
            """Save a function; the program continues with a message if the disk is full or read-only."""
            try:
                super().save_overload(*arguments)
            except OSError as error:
                say_unsaved(self._folder, error)

        def _acquire(self) -> bool:
            """Wait until no other process compiles the function; return False if locks are not possible."""
            from filelock import FileLock, Timeout  # a warm start needs no locks

            lock: BaseFileLock = FileLock(self._folder / f".{self._impl.filename_base}.lock")
            try:
                try:
                    lock.acquire(timeout=_PATIENCE)
                except Timeout:
                    say_waiting(self._folder)
                    lock.acquire(timeout=_LONGEST_WAIT if _HELD else -1)
            except (OSError, NotImplementedError):  # a read-only or full disk, or one without locks
                return False
            self._lock = lock
            _HELD.append(lock)
            return True

        def release(self) -> None:
            """Release the function's lock if it is held."""
            if self._lock is not None:
                _HELD.remove(self._lock)
                self._lock.release()
                self._lock = None

        # numba would add a hash of the enclosed values, which differs in every process for compiled functions. The
        # folder and the function's name determine them (`core.compile.identity`).
        def _index_key(self, signature: Any, codegen: Any) -> Any:
            return signature, codegen.magic_tuple()

    return Cache


def enable_cache(
    dispatcher: Any,
    folder: Path,
    is_callee: bool = False,
    classes: tuple[Any, Any] = (FunctionCache, CompileResultCacheImpl),
) -> None:
    """Let a dispatcher load its machine code from `folder`, and save it there while other processes wait.

    A compiling process holds the function's lock and acquires those of its callees.

    Args:
        dispatcher: of a function that the digest in the folder's name and the function's name identify.
        folder: the cache folder.
        is_callee: true for the function's code as a callee (`core.compile.callees`).
        classes: numba's cache class and the class of its entries.
    """
    cache = _cache_class(*classes, is_callee)(dispatcher.py_func, folder)
    compile_alone = dispatcher.compile

    def compile_locked(signature: Any) -> Any:
        # numba's own lock first: a thread that compiles another function may need this one as well.
        with global_compiler_lock:
            try:
                return compile_alone(signature)
            finally:
                cache.release()

    dispatcher._cache, dispatcher.compile = cache, compile_locked
