"""Whole files: readers see the old file or the new one, and no other files stay."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porta_nigra_env.core.files import replacing, write_whole

ROOT = Path(__file__).parents[2]
# Writes whole files of one letter until it is killed.
WRITER = """
import sys
from pathlib import Path
from porta_nigra_env.core.files import write_whole
sizes = [10, 300_000]
while True:
    write_whole(Path(sys.argv[1]), sys.argv[2] * sizes[0])
    sizes.reverse()
"""


def test_readers_see_whole_files_of_two_writers(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_whole(file, "a" * 10)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), letter], cwd=ROOT, stderr=subprocess.PIPE)
        for letter in "ab"
    ]
    try:
        seen: set[tuple[str, int]] = set()
        begin = time.monotonic()
        while time.monotonic() < begin + 2 or (len(seen) < 4 and time.monotonic() < begin + 60):
            text = file.read_text()
            seen.add((text[0], len(text)))
            assert text == text[0] * len(text)
        assert seen == {(letter, size) for letter in "ab" for size in (10, 300_000)}
        assert all(writer.poll() is None for writer in writers), "both write until they are killed"
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()


def interrupt(file: Path) -> None:
    """Fail in the middle of a file."""
    with replacing(file) as partial:
        partial.write_bytes(b"new")
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("fail", "error"),
    [
        (interrupt, KeyboardInterrupt),
        (lambda file: write_whole(file, 5), TypeError),  # type: ignore[arg-type]
        (lambda file: write_whole(file.parent / "nowhere" / "file", b"new"), FileNotFoundError),
        (lambda file: write_whole(file.parent, b"new"), IsADirectoryError),
    ],
)
def test_a_failed_write_leaves_no_files(tmp_path: Path, fail: Callable[[Any], None], error: type[Exception]) -> None:
    file = tmp_path / "file"
    write_whole(file, b"old")
    with pytest.raises(error):
        fail(file)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"file": b"old"}
    assert not list(tmp_path.parent.glob(f".{tmp_path.name}*"))


def test_an_error_names_the_file_that_the_caller_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the partial file, and no file of an error that has another cause."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(FileNotFoundError) as missing:
        write_whole(tmp_path / "nowhere" / "file", b"new")
    assert missing.value.filename == str(tmp_path / "nowhere" / "file")
    with pytest.raises(FileNotFoundError) as other, replacing(tmp_path / "file"):
        (tmp_path / "other").read_text()
    assert str(other.value.filename) == str(tmp_path / "other")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as failed:
        write_whole(tmp_path / "file", b"new")
    assert failed.value.filename == str(tmp_path / "file")


def test_modes_follow_the_umask(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        write_whole(tmp_path / "file", "text")
        write_whole(tmp_path / "private", "text", mode=0o600)
    finally:
        os.umask(umask)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("file", "private")] == [0o640, 0o600]
