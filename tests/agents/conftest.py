"""Fixtures of the tests of programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

#: A program's `main`, invalid arguments, and the error message.
Refuses = Callable[[Callable[[Sequence[str]], int], Sequence[str], str], None]


@pytest.fixture
def refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refuses:
    """Run a program in an empty folder: it ends with 2, says why, and leaves the folder empty."""

    def check(main: Callable[[Sequence[str]], int], arguments: Sequence[str], message: str) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert message in capsys.readouterr().err
        assert not list(tmp_path.iterdir())

    return check
