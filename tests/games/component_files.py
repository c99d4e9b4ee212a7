"""Component files in tests: changes to the data of a file, places in errors, and the cases of a game."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from porta_nigra_env.core.positions.components import ComponentError, ComponentSets
from porta_nigra_env.games import game_class

Data = dict[str, Any]
#: The way to a value: keys of tables and indices of lists.
Key = tuple[str | int, ...]
#: A key, or its steps joined by dots.
Where = str | Key
#: Values by path, `Where`; the key type of a mapping is invariant.
Changes = Mapping[Any, Any]
#: A change with this value removes the entry.
DROP = object()
#: Changes of the standard data, the path that the error must name, and a part of the fix.
Bad = tuple[Changes, Where, str]


def bad(path: Where, value: Any, right: str) -> Bad:
    """Return a single wrong value."""
    return {path: value}, path, right


@dataclass(frozen=True)
class ComponentCases:
    """The component files of a game for the tests of `tests.games.test_components`.

    Attributes:
        game: name of the game, whose tests have a file "other.toml" with all numbers changed.
        rows: number of steps after the table that name a row, by the beginning of a path.
        entries: names of the entries of lists, by table and number of steps after it.
        ranges: smallest and largest integer by path.
        required: paths of entries that must exist.
        bad, good: refused and accepted changes of the standard data.
        families: words that may replace each other.
        words: words for damaged data.
        least: number of values by table, at least, that can change alone.
        unused: whether a value has no effect on the game.
        unread: whether a value is in the digest, but in no constant.
        labels: changes without effect on the digest.
        ordered: tables whose order of keys counts.
        orders: ``orders(data)`` returns changes of orders that count.
        written_out: ``written_out(data)`` writes defaults into a copy of the data, in place.
        check_bounds: checks that states and observations can hold all values of a set.
    """

    game: str
    rows: Mapping[Key, int]
    entries: Mapping[tuple[str, int], Sequence[str]]
    ranges: Mapping[Where, tuple[int, int]]
    required: Sequence[Where]
    bad: Sequence[Bad]
    good: Sequence[Changes]
    families: Sequence[Sequence[str]]
    words: Sequence[str]
    least: Mapping[str, int]
    unread: Callable[[Key], bool]
    labels: Changes
    orders: Callable[[Data], Sequence[Changes]]
    written_out: Callable[[Data], None]
    unused: Callable[[Key], bool] = lambda key: False
    ordered: Sequence[str] = ()
    check_bounds: Callable[[Any], None] = field(default=lambda components: None)

    @property
    def sets(self) -> ComponentSets[Any]:
        """The component sets of the game."""
        sets = game_class(self.game).component_sets
        assert sets is not None
        return sets

    @property
    def files(self) -> tuple[Path, Path]:
        """The standard file and the other one."""
        return self.sets._standard, Path(__file__).parent / self.game / "components" / "other.toml"

    @property
    def standard(self) -> Data:
        """The parsed standard file."""
        return parsed(self.files[0])

    def place(self, data: Data, path: Where) -> str:
        """Return the place of a path in errors about these data."""
        table, *steps = key_of(data, path)
        if not steps and table in ("name", "edition") and table in data:
            return f"field {table}"
        depth = max((n for begin, n in self.rows.items() if (table, *steps)[: len(begin)] == begin), default=0)
        texts: list[str] = []
        inside: Any = data.get(str(table))
        for number, step in enumerate(steps):
            if isinstance(inside, list) and isinstance(step, str):
                depth = number  # a field of all rows
            inside = _inside(inside, step)
            name = inside.get("name") if isinstance(inside, dict) and number < depth else None
            names = self.entries.get((str(table), number + 1))
            text = (names[step] if names else str(step + 1)) if isinstance(step, int) else step
            texts.append(f"{text} ({name[:40]})" if isinstance(name, str) and isinstance(step, int) else text)
        levels = (("row", texts[:depth]), ("field", texts[depth:]))
        return ", ".join([f"table [{table}]", *(f"{level} {'.'.join(part)}" for level, part in levels if part)])

    def check_refused(self, changes: Changes, path: Where, right: str) -> None:
        """Check that an error names file, table, row, field and the fix, in one line."""
        data = changed(self.standard, changes)
        with pytest.raises(ComponentError) as caught:
            self.sets.from_data(data, "my_box.toml")
        message = str(caught.value)
        assert message.startswith(f"my_box.toml: {self.place(data, path)}: ")
        assert right in message.rpartition("; ")[2]
        assert len(message) < 1_000
        assert "\n" not in message


def parsed(path: Path) -> Data:
    """Return the parsed data of a file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _inside(data: Any, step: str | int) -> Any:
    """Return the value of a key or index; None if there is none."""
    if isinstance(data, dict):
        return data.get(step)
    return data[step] if isinstance(data, list) and isinstance(step, int) and step < len(data) else None


def key_of(data: Any, path: Where) -> Key:
    """Return a path as a key: a number is an index in a list."""
    key: list[str | int] = []
    for step in path.split(".") if isinstance(path, str) else path:
        key.append(int(step) if isinstance(data, list) and str(step).isdigit() else step)
        data = _inside(data, key[-1])
    return tuple(key)


def at(data: Any, path: Where) -> Any:
    """The value at a path."""
    for step in key_of(data, path):
        data = data[step]
    return data


def changed(data: Data, changes: Changes) -> Data:
    """A copy of the data with values replaced, added or (`DROP`) removed."""
    data = copy.deepcopy(data)
    for path, value in changes.items():
        *steps, last = key_of(data, path)
        inside = at(data, tuple(steps))
        if value is DROP:
            del inside[last]
        elif isinstance(inside, list) and last == len(inside):
            inside.append(value)
        else:
            inside[last] = value
    return data


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
