"""Files that are replaced whole, and folders that one process at a time writes to."""

from __future__ import annotations

import os
from pathlib import Path
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


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file; one that is there is replaced whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data.encode() if isinstance(data, str) else data)
    os.replace(partial, path)
