"""Maintenance of the cache folders of machine code: messages during compilation, and removal of old folders.

Every version of the sources has separate folders (`core.compile.cache`), so folders of old versions accumulate. A
process that uses a folder sets its modification time, which is therefore the time of its last use.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from filelock import FileLock

#: Number of most recently used folders that are never removed. A game with its policies takes about five.
KEPT: Final = 24
#: Minimum age in seconds of a removed folder, for processes that compile now or are about to start.
SPARED: Final = 3600.0

#: Names of this package's folders and files; other files are never removed.
_FOLDER: Final = re.compile("[0-9a-f]{24}")
_FILES: Final = "*.nb[ic]*"
_LOCKS: Final = ".*.lock"

#: Messages printed in this process; each is printed once.
_PRINTED: Final[set[str]] = set()


class CacheFolder(NamedTuple):
    """A folder of machine code; used: time of last use, seconds since the epoch; size: in bytes."""

    path: Path
    used: float
    size: int


def lock_name(function: str) -> str:
    """Return the name of the lock file that a process holds while it compiles a function."""
    return f".{re.sub('[^0-9A-Za-z_.]', '', function)}.lock"


def mark_used(folder: Path) -> None:
    """Set a folder's time of last use to now; create the folder if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):  # the cache may be read-only
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
    if _print_once(f"compiling into {folder.parent}, once: half a minute or more now, about a second at later starts"):
        with contextlib.suppress(OSError):
            prune(folder.parent)


def say_waiting(folder: Path) -> None:
    """Print, once per process, that it waits for the compilation of another process."""
    _print_once(f"waiting for another process that compiles into {folder.parent}")


def _print_once(text: str) -> bool:
    """Print a line to stderr and return True if it is new; worker processes leave it to their parent."""
    if text in _PRINTED or multiprocessing.parent_process() is not None:
        return False
    _PRINTED.add(text)
    if sys.stderr is not None:
        print(f"porta_nigra_env: {text}", file=sys.stderr, flush=True)
    return True
