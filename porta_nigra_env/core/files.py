"""Files that are replaced whole."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file; one that is there is replaced whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data.encode() if isinstance(data, str) else data)
    os.replace(partial, path)
