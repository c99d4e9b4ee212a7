"""Helpers for tests of component files: the data of a file, and changes to it."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from porta_nigra_env.core.positions.components import ComponentError, ComponentSets

Data = dict[str, Any]
#: The way to a value: keys of tables and places of lists.
Key = tuple[str | int, ...]
#: A change with this value removes the entry.
DROP = object()


def parsed(path: Path) -> Data:
    """Return the parsed data of a file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def at(data: Any, key: Key) -> Any:
    """The value at a key."""
    for step in key:
        data = data[step]
    return data


def changed(data: Data, changes: dict[Key, Any]) -> Data:
    """A copy of the data with values replaced, added or (`DROP`) removed."""
    data = copy.deepcopy(data)
    for key, value in changes.items():
        inside = at(data, key[:-1])
        if value is DROP:
            del inside[key[-1]]
        elif isinstance(inside, list) and key[-1] == len(inside):
            inside.append(value)
        else:
            inside[key[-1]] = value
    return data


def check_refused(sets: ComponentSets[Any], data: Data, place: str, right: str) -> None:
    """Check that an error names file, table, row, field and the fix, in one line."""
    with pytest.raises(ComponentError) as caught:
        sets.from_data(data, "my_box.toml")
    message = str(caught.value)
    assert message.startswith(f"my_box.toml: {place}: ")
    assert right in message.rpartition("; ")[2]
    assert len(message) < 600
    assert "\n" not in message


def leaves(value: Any, key: Key = ()) -> Iterator[tuple[Key, Any]]:
    """Every value that is no table and no list, with its key."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield from leaves(inside, (*key, name))
    elif isinstance(value, list):
        for place, inside in enumerate(value):
            yield from leaves(inside, (*key, place))
    else:
        yield key, value


def _values(words: Sequence[str]) -> st.SearchStrategy[Any]:
    """Return a strategy for any TOML value; these words come often."""
    scalars = st.one_of(
        st.integers(-2, 130), st.integers(), st.booleans(), st.none(), st.floats(), st.datetimes(),
        st.sampled_from(words), st.text(max_size=4), st.binary(max_size=2),
    )  # fmt: skip
    return st.recursive(
        scalars,
        lambda inside: (
            st.lists(inside, max_size=6) | st.dictionaries(st.sampled_from(words) | st.integers(0, 5), inside)
        ),
        max_leaves=6,
    )


@st.composite
def damaged(draw: st.DrawFn, files: Sequence[Path], words: Sequence[str]) -> Data:
    """The data of one of the files with up to three values dropped, replaced or added anywhere."""
    data, values = parsed(draw(st.sampled_from(files))), _values(words)
    for _ in range(draw(st.integers(1, 3))):
        inside: Any = data
        while True:
            keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
            deeper = [key for key in keys if isinstance(inside[key], dict | list) and inside[key]]
            if not deeper or draw(st.integers(0, 3)) == 0:
                break
            inside = inside[draw(st.sampled_from(deeper))]
        kind = draw(st.sampled_from(["drop", "replace", "replace", "add"])) if keys else "add"
        if kind == "drop":
            del inside[draw(st.sampled_from(keys))]
        elif kind == "replace":
            inside[draw(st.sampled_from(keys))] = draw(values)
        elif isinstance(inside, list):
            inside.insert(draw(st.integers(0, len(inside))), draw(values))
        else:
            inside[draw(st.sampled_from(words) | st.text(max_size=3) | st.integers(0, 9))] = draw(values)
    return data
