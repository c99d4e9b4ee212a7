"""Reading component files: checks of single values and of tables; every complaint names the place it is about.

A room describes what its file may hold by putting these checks together, and adds the laws that tie tables together::

    GUARD = table({"name": name, "strength": integer(1, 6)}, {"colour": one_of(COLOURS)})
    FILE = table({"guards": list_of(GUARD, 1, 12, level="row")}, level="table")
    data = FILE(tomllib.loads(text), Place("my.toml"))
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from porta_nigra_env.core.positions.components import ComponentError
from porta_nigra_env.core.positions.position import shown

Level = Literal["table", "row", "field"]

#: Most characters of a value that a message repeats.
_WIDTH: Final = 60


@dataclass(frozen=True)
class Place:
    """Where a value stands; every complaint is made here, so all of them read alike.

    Attributes:
        source: what errors call the file.
        table, row, field: the way to the value, as far as it goes; steps on one level are joined by dots.
    """

    source: str
    table: str = ""
    row: str = ""
    field: str = ""

    def at(self, level: Level, key: object) -> Place:
        """The place one step further in."""
        before = getattr(self, level)
        return replace(self, **{level: f"{before}.{key}" if before else str(key)})

    def error(self, wrong: str, right: str) -> ComponentError:
        """The complaint about this place: what is wrong, and what would be right."""
        parts = (("table", self.table and f"[{self.table}]"), ("row", self.row), ("field", self.field))
        where = ", ".join(f"{level} {key}" for level, key in parts if key) or "top level"
        return ComponentError(f"{self.source}: {where}: {wrong}; {right}")


#: Takes a value and its place; gives the value as plain data or raises the place's error.
Check = Callable[[object, Place], Any]


def joined(options: Iterable[object]) -> str:
    """Options for a message."""
    return ", ".join(str(option) for option in options)


def suggested(value: object, options: Sequence[str]) -> str:
    """What to give instead of a value that is none of the options: the closest of them, or all."""
    close = difflib.get_close_matches(value, options, 1) if isinstance(value, str) else []
    return f"did you mean {close[0]}?" if close else f"give one of {joined(options)}"


# -- single values


def integer(low: int, high: int) -> Check:
    """An integer in ``low..high``."""

    def check(value: object, place: Place) -> int:
        # type() and not isinstance(): true is no 1.
        if type(value) is not int or not low <= value <= high:
            right = f"an integer from {low} to {high}" if low < high else f"the integer {low}"
            raise place.error(f"{shown(value, _WIDTH)} is not allowed", f"give {right}")
        return value

    return check


def boolean(value: object, place: Place) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise place.error(f"{shown(value, _WIDTH)} is not allowed", "give true or false")
    return value


def text(value: object, place: Place) -> str:
    """A text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise place.error(f"{shown(value, _WIDTH)} is not allowed", "give a text that is not empty")
    return str(value)


def name(value: object, place: Place) -> str:
    """A name of a-z, 0-9 and _."""
    if not isinstance(value, str) or not re.fullmatch("[a-z0-9_]+", value):
        raise place.error(f"{shown(value, _WIDTH)} is not a name", "give one of a-z, 0-9 and _ only, like two_torches")
    return str(value)


def one_of(options: Sequence[str]) -> Check:
    """One of these texts."""

    def check(value: object, place: Place) -> str:
        if not isinstance(value, str) or value not in options:
            raise place.error(f"{shown(value, _WIDTH)} is not known here", suggested(value, options))
        return str(value)

    return check


# -- lists and tables


def list_of(item: Check, low: int, high: int, *, level: Level = "field", distinct: bool = False) -> Check:
    """A list of `low` to `high` items, counted from 1 in places; a row that has a name is called by it too."""

    def check(value: object, place: Place) -> list[Any]:
        right = f"give a list of {low}" + ("" if low == high else f" to {high}")
        if not isinstance(value, list | tuple):
            raise place.error(f"{shown(value, _WIDTH)} is not a list", right)
        if not low <= len(value) <= high:
            raise place.error(f"{len(value)} entries stand here", right)
        result = []
        for number, entry in enumerate(value, 1):
            called = entry.get("name") if level == "row" and isinstance(entry, Mapping) else None
            checked = item(entry, place.at(level, f"{number} ({called[:40]})" if isinstance(called, str) else number))
            if distinct and checked in result:
                raise place.at(level, number).error(f"{shown(entry, _WIDTH)} stands here twice", "give each only once")
            result.append(checked)
        return result

    return check


def entries(**items: Check) -> Check:
    """A list with a fixed meaning of each entry; gives a list."""

    def check(value: object, place: Place) -> list[Any]:
        if not isinstance(value, list | tuple) or len(value) != len(items):
            raise place.error(f"{shown(value, _WIDTH)} is not allowed", f"give a list [{joined(items)}]")
        return [item(entry, place.at("field", key)) for (key, item), entry in zip(items.items(), value, strict=True)]

    return check


def keys(
    value: object, place: Place, level: Level, required: Iterable[str], optional: Iterable[str] = ()
) -> Mapping[str, Any]:
    """The value as a table that has every required key and no unknown one; `level` is what its keys are in places."""
    required, known = tuple(required), (*required, *optional)
    if not isinstance(value, Mapping):
        raise place.error(f"{shown(value, _WIDTH)} is not a table", f"give a table with {joined(known)}")
    for key in value:
        if key not in known:
            here = place.at(level, key if isinstance(key, str) else shown(key, _WIDTH))
            raise here.error("is unknown", suggested(key, known))
    for key in required:
        if key not in value:
            raise place.at(level, key).error("is missing", "add it")
    return value


def table(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None, level: Level = "field") -> Check:
    """A table; gives a dict in the order of the checks.  `level` is what its keys are in places."""
    items = {**required, **(optional or {})}

    def check(value: object, place: Place) -> dict[str, Any]:
        found = keys(value, place, level, required, optional or {})
        return {key: item(found[key], place.at(level, key)) for key, item in items.items() if key in found}

    return check


def collectible(collected: Mapping[str, Mapping[str, int]], most: int, top: Place) -> None:
    """Refuse tables by which one player could collect more of a thing in a game than a state can hold.

    collected: how many of each thing she could collect at most, by the table they come from.
    """
    for what, sources in collected.items():
        total = sum(sources.values())
        if total > most:
            largest = max(sources, key=lambda table: sources[table])
            wrong = f"a player could collect {total} {what} in a game, {sources[largest]} of them by this table"
            raise top.at("table", largest).error(wrong, f"lower the numbers until at most {most} are possible")


def distinct_names(rows: Sequence[Mapping[str, Any]], place: Place, what: str) -> None:
    """Refuse a list of tables in which two have the same `name`; `what` is what a row is called."""
    first: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
        if row["name"] in first:
            here = place.at("row", f"{number} ({row['name']})").at("field", "name")
            raise here.error(f"row {first[row['name']]} has the same name", f"give every {what} its own")
        first[row["name"]] = number
