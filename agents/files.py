"""Files that are replaced whole, and folders that one process at a time writes to."""

from __future__ import annotations

from pathlib import Path

from filelock import BaseFileLock, FileLock

from porta_nigra_env.core.files import write_whole

__all__ = ["lock", "write_whole"]


def lock(path: Path) -> BaseFileLock:
    """Hold the lock of a file, made if it is missing, until `release` is called.

    Raises:
        TimeoutError: somebody else holds it.
        OSError: it cannot be made.
    """
    held = FileLock(path, blocking=False)
    held.acquire()
    return held
