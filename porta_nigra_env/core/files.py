"""Atomic writes, and locks of files."""

from __future__ import annotations

import os
from pathlib import Path

from filelock import BaseFileLock, FileLock


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file; an existing one is replaced atomically."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data.encode() if isinstance(data, str) else data)
    os.replace(partial, path)


def lock(path: Path) -> BaseFileLock:
    """Lock a file, which is created if it is missing, until `release` is called.

    Raises:
        TimeoutError: another process has the lock.
        OSError: the file cannot be created.
    """
    held = FileLock(path, blocking=False)
    held.acquire()
    return held
