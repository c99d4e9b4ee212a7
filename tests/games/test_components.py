"""Component files of every game there is: sets as values, and the program that checks files."""

from __future__ import annotations

import copy
import pickle
import types
from pathlib import Path
from typing import Any

import pytest

from porta_nigra_env import components
from porta_nigra_env.core.positions.components import ComponentSets
from porta_nigra_env.games import GAMES, game_class
from tests.games.component_files import parsed

WITH_FILES = [name for name in GAMES if game_class(name).component_sets is not None]
#: The packaged file of every game, and a file of its tests with every number changed.
FILES = [(name, kind) for name in WITH_FILES for kind in ("standard", "other")]


def sets_and_file(name: str, kind: str) -> tuple[ComponentSets[Any], Path]:
    """The component sets of a game, and one of its files."""
    sets = game_class(name).component_sets
    assert sets is not None
    packaged = sets._standard
    return sets, packaged if kind == "standard" else Path(__file__).parent / name / "components" / "other.toml"


@pytest.mark.parametrize(("name", "kind"), FILES)
def test_data_equals_the_file(name: str, kind: str) -> None:
    sets, path = sets_and_file(name, kind)
    assert sets.load(path).data == parsed(path)


@pytest.mark.parametrize(("name", "kind"), FILES)
def test_copies_and_pickles_are_the_same_set(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sets, path = sets_and_file(name, kind)
    components = sets.load(path)
    assert copy.copy(components) is components
    assert copy.deepcopy([components])[0] is components
    stored = pickle.dumps(components)
    # As in another process.
    monkeypatch.setattr(sets, "_by_digest", {})
    monkeypatch.setattr(sets, "_compiled", sets._compiled.__wrapped__)  # type: ignore[attr-defined]
    again = pickle.loads(stored)
    assert again is not components
    assert again == components
    assert hash(again) == hash(components)
    assert (again.document, again.packaged) == (components.document, components.packaged)
    assert again.constants.tobytes() == components.constants.tobytes()
    assert not again.constants.flags.writeable
    assert {components: 1}[again] == 1


@pytest.mark.parametrize("name", WITH_FILES)
def test_the_summary_of_the_packaged_set(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert components.main(["--game", name]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    component_set = game_class(name)().components
    titles = [line.partition(":")[0] for line in printed.out.splitlines()]
    assert titles[:3] == ["name", "edition", "digest"]
    assert len(set(titles)) == len(titles) > 3
    assert f"{component_set.name} (the packaged material)" in printed.out
    assert component_set.digest in printed.out


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
