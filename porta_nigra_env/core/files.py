"""Atomic writes and file locks."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock

#: The end of the names of incomplete files, which remain only if a process is killed.
PARTIAL = ".partial"


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Yield an empty file in the folder of `path` that replaces `path` at the end of the block.

    Readers see the old file or the complete new one, also with several writers. If the block raises, `path` does not
    change and the new file is removed.

    Args:
        path: the file to replace, which may be missing.
        mode: permissions of the new file, less the umask.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}{PARTIAL}")
    try:
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield partial
        os.replace(partial, path)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        # A failed write names no file, and the user does not know the partial one.
        if isinstance(error, OSError) and str(error.filename) in ("None", str(partial)):
            error.filename = str(path)
        raise


def write_whole(path: Path, data: str | bytes, mode: int = 0o666) -> None:
    """Write a file atomically (`replacing`) and flush it to the disk."""
    with replacing(path, mode) as partial, open(partial, "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
        file.flush()
        os.fsync(file.fileno())


def lock(path: Path) -> BaseFileLock:
    """Lock a file, which is created if it is missing, until `release` is called.

    Raises:
        TimeoutError: another process holds the lock.
        OSError: the file cannot be created.
    """
    file_lock = FileLock(path, blocking=False)
    file_lock.acquire()
    return file_lock
