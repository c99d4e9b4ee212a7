"""Folders that one process at a time writes to."""

from __future__ import annotations

from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def lock(file: IO[Any]) -> None:
    """Keep an open file from others until it is closed, where the system has locks (`fcntl`).

    Raises:
        OSError: another process has it.
    """
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
