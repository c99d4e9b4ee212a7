"""Atomic writes and file locks."""

from __future__ import annotations

import os
from pathlib import Path

from filelock import BaseFileLock, FileLock


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file atomically; an existing file is replaced."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data.encode() if isinstance(data, str) else data)
    os.replace(partial, path)


def lock(path: Path) -> BaseFileLock:
    """Lock a file, which is created if it is missing, until `release` is called.

    Raises:
        TimeoutError: another process holds the lock.
        OSError: the file cannot be created.
    """
    file_lock = FileLock(path, blocking=False)
    file_lock.acquire()
    return file_lock
