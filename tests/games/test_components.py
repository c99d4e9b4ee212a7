"""Component files of every game there is: accepted and refused files, sets as values, and the program."""

from __future__ import annotations

import copy
import pickle
import re
import types
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porta_nigra_env import components
from porta_nigra_env.core.positions.components import ComponentError
from porta_nigra_env.games import GAMES, game_class
from tests.games.component_files import DROP, Bad, Changes, ComponentCases, Data, Key, changed, damaged, leaves, parsed

WITH_FILES = [name for name in GAMES if game_class(name).component_sets is not None]
CASES: dict[str, ComponentCases] = {
    name: import_module(f"tests.games.{name}.components.files").CASES for name in WITH_FILES
}
every_game = pytest.mark.parametrize("cases", CASES.values(), ids=CASES)
every_file = pytest.mark.parametrize(
    ("cases", "path"),
    [pytest.param(cases, path, id=f"{name}-{path.stem}") for name, cases in CASES.items() for path in cases.files],
)

# ------------------------------------------------------------------------------------------------ sets


@every_file
def test_data_equals_the_file(cases: ComponentCases, path: Path) -> None:
    assert cases.sets.load(path).data == parsed(path)


@every_file
def test_copies_and_pickles_are_the_same_set(
    cases: ComponentCases, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = cases.sets
    components = sets.load(path)
    assert copy.copy(components) is components
    assert copy.deepcopy([components])[0] is components
    stored = pickle.dumps(components)
    # As in another process.
    monkeypatch.setattr(sets, "_by_digest", {})
    monkeypatch.setattr(sets, "_compiled", sets._compiled.__wrapped__)
    again = pickle.loads(stored)
    assert again is not components
    assert again == components
    assert hash(again) == hash(components)
    assert (again.document, again.packaged) == (components.document, components.packaged)
    assert again.constants.tobytes() == components.constants.tobytes()
    assert not again.constants.flags.writeable
    assert {components: 1}[again] == 1


@every_game
def test_the_origin_of_every_table_is_documented(cases: ComponentCases) -> None:
    page = cases.files[0].with_name("SOURCES.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|`([a-z_.]+)`\|(\w+)\|", page, re.MULTILINE)
    assert dict(rows) == cases.sets.load().data["provenance"]


# ------------------------------------------------------------------------------------------------ the digest


@every_file
def test_digest_ignores_order_defaults_and_labels(cases: ComponentCases, path: Path) -> None:
    def reordered(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            items = value.items() if key in cases.ordered else reversed(value.items())
            return {name: reordered(inside, name) for name, inside in items}
        return [reordered(inside) for inside in value] if isinstance(value, list) else value

    sets, data = cases.sets, parsed(path)
    components = sets.load(path)
    assert sets.from_data(reordered(data), "reordered").digest == components.digest
    written_out = copy.deepcopy(data)
    cases.written_out(written_out)
    assert written_out != data
    assert sets.from_data(written_out, "written out").document == components.document
    relabelled = sets.from_data(changed(data, {"edition": "second", **cases.labels}), "relabelled")
    assert (relabelled.digest, relabelled.packaged) == (components.digest, components.packaged)
    assert relabelled.constants.tobytes() == components.constants.tobytes()
    assert relabelled.edition == "second"


def options_of(cases: ComponentCases, value: Any) -> Iterator[Any]:
    """Yield other values of the same kind."""
    if type(value) is bool:
        yield not value
    elif type(value) is int:
        yield from (value + 1, value - 1)
    else:
        yield from (word for words in cases.families if value in words for word in words if word != value)
        yield from (f"{value}_x", f"{value}F", "C")


@every_file
def test_every_value_reaches_digest_and_constants(cases: ComponentCases, path: Path) -> None:
    """Change each number and each word by itself, where the file stays valid: a forgotten constant shows here."""
    sets, data = cases.sets, parsed(path)
    components = sets.load(path)
    tried: Counter[str] = Counter()
    for key, value in leaves(data):
        if key[0] in ("edition", "provenance") or cases.unused(key):
            continue
        for option in options_of(cases, value):
            try:
                variant = sets.from_data(changed(data, {key: option}), "variant")
            except ComponentError:
                continue
            assert variant.digest != components.digest, key
            assert variant.constants["digest"].tobytes().hex() == variant.digest
            if key[-1] != "name" and not cases.unread(key):
                fields = [name for name in components.constants.dtype.names or () if name != "digest"]
                same = all(np.array_equal(variant.constants[name], components.constants[name]) for name in fields)
                assert not same, key
            tried[str(key[0])] += 1
            break
    # Nearly all values of most tables can change by themselves.
    assert {table: min(tried[table], number) for table, number in cases.least.items()} == cases.least


@every_file
def test_orders_reach_digest_and_constants(cases: ComponentCases, path: Path) -> None:
    data, components = parsed(path), cases.sets.load(path)
    for change in cases.orders(data):
        variant = cases.sets.from_data(changed(data, change), "variant")
        assert variant.digest != components.digest, change
        assert variant.constants.tobytes()[:-32] != components.constants.tobytes()[:-32], change
        assert pickle.loads(pickle.dumps(variant)) == variant


# ------------------------------------------------------------------------------------------------ single files

#: Mistakes that every game refuses.
BAD_FRAME: list[Bad] = [
    *(({"name": name}, "name", "a-z, 0-9 and _") for name in ("My Box", "", "a\n", 7)),
    *(({"edition": edition}, "edition", "a text") for edition in (7, " ")),
    *(({table: DROP}, table, "add it") for table in ("name", "edition", "provenance", "constants")),
    ({"constants": [1]}, "constants", "give a table with"),
    ({"constant": {}}, "constant", "did you mean constants?"),
]


def bad_files(cases: ComponentCases) -> Iterator[Bad]:
    """Yield all refused files of a game."""
    yield from BAD_FRAME
    yield from (({path: DROP}, path, "add it") for path in cases.required)
    for path, (low, high) in cases.ranges.items():
        for value in (low - 1, high + 1, 2**64, 16**9999, True, float(low), str(low)):
            yield {path: value}, path, f"an integer from {low} to {high}"
    yield from cases.bad


BAD = [
    pytest.param(cases, *bad, id=f"{name}-{number:03}-{bad[1]}")
    for name, cases in CASES.items()
    for number, bad in enumerate(bad_files(cases))
]


@pytest.mark.parametrize(("cases", "changes", "path", "right"), BAD)
def test_bad_file(cases: ComponentCases, changes: Changes, path: str, right: str) -> None:
    cases.check_refused(changes, path, right)


def nodes(value: Any, key: Key = ()) -> Iterator[tuple[Key, Any]]:
    """Yield every value of a file with its key, but only the first three entries of a list."""
    if key:
        yield key, value
    if isinstance(value, dict | list) and key != ("constants", "players"):
        items = value.items() if isinstance(value, dict) else list(enumerate(value))[:3]
        for step, inside in items:
            yield from nodes(inside, (*key, step))


@every_game
def test_a_value_of_another_type_is_refused_by_its_place(cases: ComponentCases) -> None:
    for key, value in nodes(cases.standard):
        others: tuple[Any, ...] = (None, 1.5, "1" if type(value) is int else 1, {} if isinstance(value, list) else [])
        for other in others:
            cases.check_refused({key: other}, key, "")


@every_game
def test_an_unknown_key_is_refused_by_its_place(cases: ComponentCases) -> None:
    for key, value in nodes(cases.standard):
        if isinstance(value, dict) and key[-1] not in cases.ordered:
            cases.check_refused({(*key, "surprise"): 1}, (*key, "surprise"), "")


@every_game
def test_limits_are_inclusive(cases: ComponentCases) -> None:
    """The integers at both ends of a range pass the check of their field."""
    for path, ends in cases.ranges.items():
        for value in ends:
            data = changed(cases.standard, {path: value})
            try:
                cases.sets.from_data(data, "limit")
            except ComponentError as error:
                assert f"{cases.place(data, path)}: {value} is not allowed; give an integer" not in str(error)


GOOD = [
    pytest.param(cases, changes, id=f"{name}-{number}")
    for name, cases in CASES.items()
    for number, changes in enumerate(cases.good)
]


@pytest.mark.parametrize(("cases", "changes"), GOOD)
def test_good_file(cases: ComponentCases, changes: Changes) -> None:
    components = cases.sets.from_data(changed(cases.standard, changes), "my_box.toml")
    labels = all((path if isinstance(path, str) else str(path[0])).startswith("provenance") for path in changes)
    assert (components.digest == cases.sets.load().digest) == labels
    assert cases.sets.from_data(components.data, "again").constants.tobytes() == components.constants.tobytes()
    cases.check_bounds(components)


@every_game
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_data_loads_or_is_refused(cases: ComponentCases, data: st.DataObject) -> None:
    """Any data gives a complete set or a ComponentError, and stays unchanged."""
    broken: Data = data.draw(damaged(cases.files, cases.words))
    before = repr(broken)
    loaded = None
    try:
        loaded = cases.sets.from_data(broken, "damaged")
    except ComponentError as error:
        assert str(error).startswith("damaged: ")
    assert repr(broken) == before
    if loaded is not None:
        cases.check_bounds(loaded)
        assert cases.sets.from_data(loaded.data, "again").document == loaded.document


# ------------------------------------------------------------------------------------------------ the program


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
