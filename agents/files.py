"""Files that are replaced whole, and folders that one process at a time writes to."""

from __future__ import annotations

import os
from pathlib import Path

from filelock import BaseFileLock, FileLock


def lock(path: Path) -> BaseFileLock:
    """Hold the lock of a file, made if it is missing, until `release` is called.

    Raises:
        OSError: somebody else holds it.
    """
    held = FileLock(path, blocking=False)
    held.acquire()
    return held


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file; one that is there is replaced whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data.encode() if isinstance(data, str) else data)
    os.replace(partial, path)
