"""The cache of machine code: folders named by a digest of everything the code depends on.

numba's file cache checks only the time stamp of the decorated file. After an edit of a *callee* in another module it
returns stale machine code, and a warm cache ignores ``NUMBA_BOUNDSCHECK``. Here every set of sources has a separate
cache folder, named by a digest of these sources, numba's version and the active flags. The path of the checkout and
file times do not matter, so several environments share a folder. If several processes start cold, one compiles a
function while the others wait for it or compile other functions.

The cache root is ``$PORTA_NIGRA_CACHE_DIR``, else ``$XDG_CACHE_HOME/porta_nigra_env`` (``~/.cache/porta_nigra_env``).
If the home folder is not writable, it is a private folder below the system's temporary directory.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import os
import tempfile
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numba
import numba.core.config
from filelock import BaseFileLock, FileLock, Timeout
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.options import DefaultOptions

from porta_nigra_env.core.compile.cache_folders import lock_name, mark_used, say_compiling, say_waiting
from porta_nigra_env.core.compile.callees import rebuilt

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
#: One lock per file.
_LOCKS: Final[dict[Path, BaseFileLock]] = {}


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


def _cache_folders() -> Iterator[Path]:
    """Yield the documented cache folders, first choice first; each is computed on demand."""
    if named := os.environ.get("PORTA_NIGRA_CACHE_DIR"):
        yield Path(named)
    else:
        # Without a home directory, such as in a container with an unnamed user id, use the next folder.
        with contextlib.suppress(RuntimeError):
            yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "porta_nigra_env"
    # By user id, since a process may carry another user's name; Windows has no user ids.
    user = os.getuid() if hasattr(os, "getuid") else getpass.getuser()
    yield Path(tempfile.gettempdir()) / f"porta_nigra_env_{user}"


def cache_root() -> Path:
    """Return the first documented cache folder that is writable; create it if missing."""
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


def cache_of(
    function: Callable[..., Any],
    folder: Path,
    is_callee: bool = False,
    classes: tuple[Any, Any] = (FunctionCache, CompileResultCacheImpl),
) -> Any:
    """Return numba's file cache of a function in `folder`, or of its code as a callee (`core.compile.callees`).

    classes: numba's cache class and the class of its entries.
    """
    numba_cache, numba_implementation = classes
    kind = ".callee" if is_callee else ""
    locator = types.SimpleNamespace(from_function=lambda py_func, py_file: _Locator(folder, py_func, kind))
    own = {"rebuild": lambda self, target_context, payload: rebuilt(target_context, payload)} if is_callee else {}
    implementation = type("Implementation", (numba_implementation,), {"_locator_classes": [locator], **own})

    def load_overload(self: Any, *arguments: Any) -> Any:
        overload = numba_cache.load_overload(self, *arguments)
        if overload is None:  # numba compiles now
            say_compiling(folder)
        return overload

    # numba would add a hash of the enclosed values, which differs in every process for compiled functions. The folder
    # and the function's name determine them (`core.compile.identity`).
    def index_key(self: Any, signature: Any, codegen: Any) -> Any:
        return signature, codegen.magic_tuple()

    own = {"_impl_class": implementation, "load_overload": load_overload, "_index_key": index_key}
    return type("Cache", (numba_cache,), own)(function)


def compile_once(dispatcher: Any, folder: Path) -> None:
    """Let other processes wait while this one compiles a function; they then load it from the cache.

    A compiling process holds the function's lock and acquires those of its callees. No function is recursive, so two
    processes cannot wait for each other.
    """
    compile_alone = dispatcher.compile
    plain = dispatcher.py_func
    file = folder / lock_name(f"{plain.__module__}.{plain.__qualname__}")

    def compile_locked(signature: Any) -> Any:
        # numba's own lock first: a thread that compiles another function may need this one as well.
        with global_compiler_lock:
            lock = _LOCKS.setdefault(file, FileLock(file))
            try:
                mark_used(folder)
                _acquire(lock, folder)
            except OSError:  # the cache may be read-only
                return compile_alone(signature)
            try:
                return compile_alone(signature)
            finally:
                lock.release()

    dispatcher.compile = compile_locked


def _acquire(lock: BaseFileLock, folder: Path) -> None:
    try:
        lock.acquire(timeout=_PATIENCE)
    except Timeout:
        say_waiting(folder)
        lock.acquire()
