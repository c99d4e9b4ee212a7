"""Toy games and refused options for all tests of training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from porta_nigra_env.games import GAMES, GameEntry
from tests.training.small import Refused


@pytest.fixture(autouse=True)
def _register_toy_games(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, players in (("kuhn", (2,)), ("nim", (2,)), ("dice", (2, 3, 4, 5, 6))):
        monkeypatch.setitem(GAMES, name, GameEntry(f"tests.toys.{name}.game", name.capitalize(), players))


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Return a function that asserts exit code 2, a message, and that no folder is made."""

    def check(main: Callable[[Sequence[str]], int], options: Sequence[str], message: str) -> None:
        assert main([*options, "--out", str(tmp_path / "refused")]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "refused").exists()

    return check
