"""The folders of machine code: their location, messages during compilation, and removal of old folders.

The cache root is ``$PORTA_NIGRA_CACHE_DIR``, else ``$XDG_CACHE_HOME/porta_nigra_env`` (``~/.cache/porta_nigra_env``).
If it is not writable, code in it is still loaded. New code is then saved in a private folder below the system's
temporary directory.

Every version of the sources has separate folders (`core.compile.cache`), so folders of old versions accumulate. A
process that uses a folder sets its modification time, which is therefore the time of its last use.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import getpass
import multiprocessing
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

#: Number of most recently used folders that are never removed. A game with its policies takes about five.
KEPT: Final = 24
#: Minimum age in seconds of a removed folder, for processes that compile now or are about to start.
SPARED: Final = 3600.0

#: Names of this package's folders and files; other files are never removed.
_FOLDER: Final = re.compile("[0-9a-f]{24}")
_FILES: Final = "*.nb[ic]*"
_LOCKS: Final = ".*.lock"

#: Folders that this process has loaded code from, or compiled it into: caches, and that of the archives.
IN_USE: Final[set[Path]] = set()

#: Messages printed in this process; each is printed once.
_PRINTED: Final[set[str]] = set()


class CacheFolder(NamedTuple):
    """A folder of machine code; used: time of last use, seconds since the epoch; size: in bytes."""

    path: Path
    used: float
    size: int


def _documented_roots() -> Iterator[Path]:
    """Yield the documented cache folders, first choice first; each is computed on demand."""
    if named := os.environ.get("PORTA_NIGRA_CACHE_DIR"):
        yield Path(named)
    else:
        # Without a home directory, such as in a container with an unnamed user id, use the next folder.
        with contextlib.suppress(RuntimeError):
            yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "porta_nigra_env"
    if (folder := _temporary_root()) is not None:
        yield folder


def _temporary_root() -> Path | None:
    """Return a folder below the temporary directory in which no other user can plant code.

    Another user may have created the folder of our name, and the index of a cache is a pickle.
    """
    # By user id, since a process may carry another user's name; Windows has no user ids.
    user = os.getuid() if hasattr(os, "getuid") else getpass.getuser()
    folder = Path(tempfile.gettempdir()) / f"porta_nigra_env_{user}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700)
    with contextlib.suppress(OSError):
        status = folder.lstat()
        is_own = stat.S_ISDIR(status.st_mode) and (isinstance(user, str) or status.st_uid == user)
        if is_own and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            folder.chmod(0o700)
            return folder
    return _process_root(f"{folder.name}_")


@functools.cache
def _process_root(prefix: str) -> Path | None:
    """Return a new private folder that is removed when this process ends; None if none can be created."""
    try:
        folder = tempfile.mkdtemp(prefix=prefix)
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def cache_root() -> Path:
    """Return the first documented cache folder that is writable, created if missing; else the first of all."""
    for folder in _documented_roots():
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK | os.X_OK):
                return folder
    return next(_documented_roots())


@functools.cache
def read_only_folder(folder: Path) -> Path | None:
    """Return the folder of the same name in a documented cache that can be read but not written."""
    for root in _documented_roots():
        if root == folder.parent:
            return None
        if os.access(root / folder.name, os.R_OK | os.X_OK):
            return root / folder.name
    return None


def mark_used(folder: Path) -> None:
    """Set a folder's time of last use to now; create the folder if missing."""
    IN_USE.add(folder.parent)
    with contextlib.suppress(OSError):  # the cache may be read-only
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)


def folders(root: Path) -> list[CacheFolder]:
    """Return the folders of machine code in a cache, most recently used first."""
    result = []
    for path in root.iterdir() if root.is_dir() else ():
        with contextlib.suppress(OSError):  # removed by another process
            if _FOLDER.fullmatch(path.name) and path.is_dir():
                size = sum(file.stat().st_size for file in path.rglob("*"))
                result.append(CacheFolder(path, path.stat().st_mtime, size))
    return sorted(result, key=lambda folder: -folder.used)


def prune(root: Path, keep: int = KEPT, spared: float = SPARED) -> list[CacheFolder]:
    """Remove folders unused for `spared` seconds, except the `keep` used last; return the removed ones.

    A process that still uses a removed folder loses only time: it keeps its loaded code and recompiles the rest.
    Folders with a compilation in progress are not removed.
    """
    oldest = time.time() - spared
    return [folder for folder in folders(root)[keep:] if folder.used <= oldest and _remove(folder.path, oldest)]


def _remove(folder: Path, oldest: float) -> bool:
    """Remove a folder unless a process compiles there or has used it meanwhile; return True on success."""
    from filelock import FileLock  # a warm start needs no locks

    try:
        used = folder.stat().st_mtime  # taking a lock counts as a use
        locks = list(folder.glob(_LOCKS))
        with contextlib.ExitStack() as held:
            for file in locks:
                held.enter_context(FileLock(file).acquire(timeout=0))
            if used > oldest:
                return False
            for file in _inside(folder):
                file.unlink(missing_ok=True)
        for file in locks:
            file.unlink(missing_ok=True)
        for inner in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
            inner.rmdir()
        folder.rmdir()
    except OSError:  # a compilation in progress, foreign files, or missing permissions
        return False
    return True


def _inside(folder: Path) -> Iterator[Path]:
    return (file for file in list(folder.rglob(_FILES)) if file.is_file())


def say_compiling(folder: Path) -> None:
    """Print, once per process, that a function is being compiled; prune the growing cache."""
    if print_once(f"compiling into {folder.parent}, once: half a minute or more now, about a second at later starts"):
        with contextlib.suppress(OSError):
            prune(folder.parent)


def say_waiting(folder: Path) -> None:
    """Print, once per process, that it waits for the compilation of another process."""
    print_once(f"waiting for another process that compiles into {folder.parent}")


def say_unsaved(folder: Path, error: OSError) -> None:
    """Print, once per process, that compiled code could not be saved."""
    print_once(f"compiled code cannot be saved in {folder.parent} ({error.strerror}); set PORTA_NIGRA_CACHE_DIR")


def print_once(text: str) -> bool:
    """Print a line to stderr and return True if it is new; worker processes leave it to their parent."""
    if text in _PRINTED or multiprocessing.parent_process() is not None:
        return False
    _PRINTED.add(text)
    if sys.stderr is not None:
        print(f"porta_nigra_env: {text}", file=sys.stderr, flush=True)
    return True
