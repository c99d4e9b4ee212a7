"""Checks of component files: single values, lists and tables; every error names the location of the value.

A game package composes these checks into a schema of its file and adds invariants between tables::

    GUARD = table({"name": name, "strength": integer(1, 6)}, {"colour": one_of(COLOURS)})
    FILE = {"guards": list_of(GUARD, 1, 12, level="row")}
    data = check_file(tomllib.loads(text), "my.toml", FILE, provenance(FILE), (check_strengths,))
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from porta_nigra_env.core.positions.components import ComponentError
from porta_nigra_env.core.positions.position import shown

Level = Literal["table", "row", "field"]

#: Most characters of a value that a message repeats.
_WIDTH: Final = 60


@dataclass(frozen=True)
class Place:
    """The location of a value; it makes all errors, so that they have one format.

    Attributes:
        source: name of the file in errors.
        table, row, field: path to the value, as far as it goes; steps on one level are joined by dots.
    """

    source: str
    table: str = ""
    row: str = ""
    field: str = ""

    def at(self, level: Level, key: object) -> Place:
        """Return the location one step further in."""
        before = getattr(self, level)
        return replace(self, **{level: f"{before}.{key}" if before else str(key)})

    def of(self, table: str, row: object = "", field: object = "") -> Place:
        """Return the location of a table, row and field in the same source."""
        return Place(self.source, table, str(row), str(field))

    def error(self, wrong: str, right: str) -> ComponentError:
        """Return the error about this location: the fault and the fix."""
        parts = (("table", self.table and f"[{self.table}]"), ("row", self.row), ("field", self.field))
        where = ", ".join(f"{level} {key}" for level, key in parts if key) or "top level"
        return ComponentError(f"{self.source}: {where}: {wrong}; {right}")


#: Takes a value and its location; returns the value as plain data or raises the error of the location.
Check = Callable[[object, Place], Any]
Data = Mapping[str, Any]
#: Checks the data of a whole file, whose fields are valid; takes its top place.
FileCheck = Callable[[Data, Place], None]


def joined(options: Iterable[object]) -> str:
    """Return the options as one text for a message."""
    return ", ".join(str(option) for option in options)


def suggested(value: object, options: Sequence[str]) -> str:
    """Return the fix for an unknown value: the closest option, or all options."""
    close = difflib.get_close_matches(value, options, 1) if isinstance(value, str) else []
    return f"did you mean {close[0]}?" if close else f"give one of {joined(options)}"


# -- single values


def integer(low: int, high: int) -> Check:
    """Return a check for an integer in ``low..high``."""

    def check(value: object, place: Place) -> int:
        # type(), not isinstance(): True is not accepted as 1.
        if type(value) is not int or not low <= value <= high:
            right = f"an integer from {low} to {high}" if low < high else f"the integer {low}"
            raise place.error(f"{shown(value, _WIDTH)} is not allowed", f"give {right}")
        return value

    return check


def boolean(value: object, place: Place) -> bool:
    """Check that the value is true or false."""
    if type(value) is not bool:
        raise place.error(f"{shown(value, _WIDTH)} is not allowed", "give true or false")
    return value


def text(value: object, place: Place) -> str:
    """Check that the value is a text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise place.error(f"{shown(value, _WIDTH)} is not allowed", "give a text that is not empty")
    return str(value)


def name(value: object, place: Place) -> str:
    """Check that the value is a name of a-z, 0-9 and _."""
    if not isinstance(value, str) or not re.fullmatch("[a-z0-9_]+", value):
        raise place.error(f"{shown(value, _WIDTH)} is not a name", "give one of a-z, 0-9 and _ only, like two_torches")
    return str(value)


def one_of(options: Sequence[str]) -> Check:
    """Return a check for one of these texts."""

    def check(value: object, place: Place) -> str:
        if not isinstance(value, str) or value not in options:
            raise place.error(f"{shown(value, _WIDTH)} is not known here", suggested(value, options))
        return str(value)

    return check


#: Origin of a table.
ORIGIN: Final = one_of(("rulebook", "reconstruction", "printed"))


def exactly(wanted: list[int]) -> Check:
    """Return a check for this list of integers, which the game fixes."""

    def check(value: object, place: Place) -> list[int]:
        if value != wanted or any(type(number) is not int for number in value):
            raise place.error(f"{shown(value, _WIDTH)} is not allowed", f"give {wanted}")
        return list(wanted)

    return check


# -- lists and tables


def list_of(item: Check, low: int, high: int, *, level: Level = "field", distinct: bool = False) -> Check:
    """Return a check for a list of `low` to `high` items; errors count them from 1 and add the name of a named row.

    Names of rows differ from each other, and so do the items if `distinct`.
    """

    def check(value: object, place: Place) -> list[Any]:
        right = f"give a list of {low}" + ("" if low == high else f" to {high}")
        if not isinstance(value, list | tuple):
            raise place.error(f"{shown(value, _WIDTH)} is not a list", right)
        if not low <= len(value) <= high:
            raise place.error(f"{len(value)} entries are not allowed", right)
        result: list[Any] = []
        names: dict[str, int] = {}
        for number, entry in enumerate(value, 1):
            called = entry.get("name") if level == "row" and isinstance(entry, Mapping) else None
            here = place.at(level, f"{number} ({called[:40]})" if isinstance(called, str) else number)
            checked = item(entry, here)
            if distinct and checked in result:
                raise place.at(level, number).error(f"{shown(entry, _WIDTH)} is repeated", "give each entry only once")
            if isinstance(called, str) and names.setdefault(called, number) != number:
                wrong = f"row {names[called]} has the same name"
                raise here.at("field", "name").error(wrong, "give every row its own name")
            result.append(checked)
        return result

    return check


def entries(**items: Check) -> Check:
    """Return a check for a list in which each position has its own check."""

    def check(value: object, place: Place) -> list[Any]:
        if not isinstance(value, list | tuple) or len(value) != len(items):
            raise place.error(f"{shown(value, _WIDTH)} is not allowed", f"give a list [{joined(items)}]")
        return [item(entry, place.at("field", key)) for (key, item), entry in zip(items.items(), value, strict=True)]

    return check


def keys(
    value: object, place: Place, level: Level, required: Iterable[str], optional: Iterable[str] = ()
) -> Mapping[str, Any]:
    """Return the value as a table with every required key and no unknown one; `level` is the level of its keys."""
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
    """Return a check for a table: a dict in the order of the checks.  `level` is the level of its keys."""
    items = {**required, **(optional or {})}

    def check(value: object, place: Place) -> dict[str, Any]:
        given = keys(value, place, level, required, optional or {})
        return {key: item(given[key], place.at(level, key)) for key, item in items.items() if key in given}

    return check


def without_empty(item: Check, fields: Iterable[str] | None = None) -> Check:
    """Return a check for a table that leaves out these fields (all by default) where they are 0, empty or false."""

    def check(value: object, place: Place) -> dict[str, Any]:
        inside = item(value, place).items()
        return {key: entry for key, entry in inside if entry or (fields is not None and key not in fields)}

    return check


def amounts(options: Mapping[str, Check], fewest: int = 0) -> Check:
    """Return a check for a table of amounts, of which at least `fewest` are positive; it leaves out zeros."""
    check_amounts = without_empty(table({}, options))

    def check(value: object, place: Place) -> dict[str, int]:
        positive: dict[str, int] = check_amounts(value, place)
        if len(positive) < fewest:
            raise place.error(f"{shown(value, _WIDTH)} is nothing", f"give at least {fewest} of {joined(options)}")
        return positive

    return check


# -- whole files


def provenance(parts: Iterable[str]) -> Check:
    """Return a check for the table with the origin of each part of a file."""
    return table(dict.fromkeys(parts, ORIGIN), level="row")


def check_file(
    data: object, source: str, tables: Mapping[str, Check], origins: Check, invariants: Sequence[FileCheck]
) -> dict[str, Any]:
    """Return the data of a file as plain JSON values in a fixed order; raises ComponentError.

    Args:
        data, source: parsed data of the file, and its name in errors.
        tables: a check for each table of the game.
        origins: the check of the table `provenance`.
        invariants: checks across fields, in the order in which they run once every table is valid.
    """
    top = Place(source)
    given = keys(data, top, "table", ("name", "edition", "provenance", *tables))
    result = {
        "name": name(given["name"], top.at("field", "name")),
        "edition": text(given["edition"], top.at("field", "edition")),
        "provenance": origins(given["provenance"], top.at("table", "provenance")),
        **{part: check(given[part], top.at("table", part)) for part, check in tables.items()},
    }
    for check_invariant in invariants:
        check_invariant(result, top)
    return result


def rows_of(rows: Iterable[Data], place: Place) -> Iterator[tuple[Data, Place]]:
    """Yield named rows and their places."""
    for number, row in enumerate(rows, 1):
        yield row, place.at("row", f"{number} ({row['name']})")


def collectible(collected: Mapping[str, Mapping[str, int]], most: int, top: Place) -> None:
    """Refuse tables that let one player collect more of a resource than a state can hold.

    collected: largest amount of each resource that a player can collect, by the table it comes from.
    """
    for resource, sources in collected.items():
        total = sum(sources.values())
        if total > most:
            largest = max(sources, key=lambda table: sources[table])
            wrong = f"a player could collect {total} {resource} in a game, {sources[largest]} of them by this table"
            raise top.at("table", largest).error(wrong, f"lower the numbers until at most {most} are possible")
