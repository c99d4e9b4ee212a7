"""The program that checks component files, for every game there is."""

from __future__ import annotations

import types
from pathlib import Path

import pytest

from porta_nigra_env import components
from porta_nigra_env.games import GAMES, game_class

WITH_FILES = [name for name in GAMES if game_class(name).component_sets is not None]


@pytest.mark.parametrize("name", WITH_FILES)
def test_the_packaged_set_is_told_title_by_title(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert components.main(["--game", name]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    found = game_class(name)().components
    titles = [line.partition(":")[0] for line in printed.out.splitlines()]
    assert titles[:3] == ["name", "edition", "digest"]
    assert len(set(titles)) == len(titles) > 3
    assert f"{found.name} (the packaged material)" in printed.out
    assert found.digest in printed.out


@pytest.mark.parametrize("name", WITH_FILES)
def test_a_file_with_a_mistake_is_answered_by_its_place(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('surprise = "x"\n', encoding="utf-8")
    assert components.main([str(path), "--game", name]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"error: {path}: table [surprise]: is unknown; ")


def test_a_game_without_files_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(components, "game_class", lambda name: types.SimpleNamespace(component_sets=None))
    assert components.main([]) == 1
    assert capsys.readouterr().err.endswith(" has no component files\n")


def test_another_game_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        components.main(["--game", "nothing_like_it"])
    assert refused.value.code == 2
    assert "nothing_like_it" in capsys.readouterr().err
