"""The folders that machine code is kept in, as a user meets them: a word when something is compiled, and tidying up.

Every state of the sources has folders of its own (`core.compile.cache`), so that those of states that are gone pile up.  A
folder was used last at its time of modification: it is set whenever a process makes use of the folder.
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

#: How many folders are kept in any case, those used last.  A game with its policies takes about five.
KEPT: Final = 24
#: Seconds for which a folder is kept after its last use: whoever compiles now, or starts processes that will.
SPARED: Final = 3600.0

#: What this package names its folders and files; anything else is somebody else's, and stays.
_FOLDER: Final = re.compile("[0-9a-f]{24}")
_FILES: Final = "*.nb[ic]*"
_LOCKS: Final = ".*.lock"

#: What has been said in this process: each word once.
_SAID: Final[set[str]] = set()


class CacheFolder(NamedTuple):
    """A folder of machine code; used: when it was used last, seconds since the epoch; size: in bytes."""

    path: Path
    used: float
    size: int


def lock_name(function: str) -> str:
    """The name of the file by which a process tells others that it compiles a function."""
    return f".{re.sub('[^0-9A-Za-z_.]', '', function)}.lock"


def mark_used(folder: Path) -> None:
    """Remember that a folder is used now; it is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):  # a cache that can only be read
        os.utime(folder)


def folders(root: Path) -> list[CacheFolder]:
    """The folders of machine code in a cache, those used last first."""
    found = []
    for path in root.iterdir() if root.is_dir() else ():
        with contextlib.suppress(OSError):  # removed by another process
            if _FOLDER.fullmatch(path.name) and path.is_dir():
                size = sum(file.stat().st_size for file in path.rglob("*"))
                found.append(CacheFolder(path, path.stat().st_mtime, size))
    return sorted(found, key=lambda one: -one.used)


def prune(root: Path, keep: int = KEPT, spared: float = SPARED) -> list[CacheFolder]:
    """Remove folders that have not been used for `spared` seconds, but for the `keep` used last; returns the removed.

    A process that still holds a removed folder loses nothing but time: it goes on with what it has loaded, and what it
    has not it compiles anew.  A folder in which somebody compiles at the moment stays.
    """
    oldest = time.time() - spared
    return [one for one in folders(root)[keep:] if one.used <= oldest and _removed(one.path, oldest)]


def _removed(folder: Path, oldest: float) -> bool:
    """Whether a folder could be removed: nobody was compiling there, and nobody had used it meanwhile."""
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
        for inner in sorted((one for one in folder.rglob("*") if one.is_dir()), reverse=True):
            inner.rmdir()
        folder.rmdir()
    except OSError:  # somebody compiles there, somebody else's files are in it, or it is not ours to remove
        return False
    return True


def _inside(folder: Path) -> Iterator[Path]:
    return (file for file in list(folder.rglob(_FILES)) if file.is_file())


def say_compiling(folder: Path) -> None:
    """Tell, once for a process, that something is compiled; and tidy up, since the cache grows now."""
    if _said(f"compiling into {folder.parent}, once: half a minute or more now, about a second at later starts"):
        with contextlib.suppress(OSError):
            prune(folder.parent)


def say_waiting(folder: Path) -> None:
    """Tell, once for a process, that another one compiles what this one needs."""
    _said(f"waiting for another process that compiles into {folder.parent}")


def _said(text: str) -> bool:
    """Write a line to stderr; whether it was new.  Worker processes leave it to the one that started them."""
    if text in _SAID or multiprocessing.parent_process() is not None:
        return False
    _SAID.add(text)
    if sys.stderr is not None:
        print(f"porta_nigra_env: {text}", file=sys.stderr, flush=True)
    return True
