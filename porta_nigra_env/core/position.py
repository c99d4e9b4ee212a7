"""Reading positions: checks of single values; what is wrong is refused with the field it stands in.

A room's reader is made of these; it adds the laws that tie its fields together.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

Json = Mapping[str, Any]
T = TypeVar("T")


class PositionError(ValueError):
    """A position that is not one; the message begins with the field."""


def refuse(field: str, wrong: str) -> NoReturn:
    raise PositionError(f"{field}: {wrong}")


# -- reading single values


def shown(value: object) -> str:
    """A value for a message, shortened; some (an integer of 5,000 digits, a deep list) cannot even be written out."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def key_text(key: object) -> str:
    """A key for a field path: a plain name as it is, anything else as a literal that can be printed."""
    return key if isinstance(key, str) and key.isidentifier() and len(key) <= 80 else shown(key)


def integer(value: object, field: str, low: int, high: int) -> int:
    if type(value) is not int:
        refuse(field, f"expected an integer in {low}..{high}, not {shown(value)}")
    if not low <= value <= high:
        refuse(field, f"must be in {low}..{high}, not {shown(value)}")
    return value


def boolean(value: object, field: str) -> bool:
    if type(value) is not bool:
        refuse(field, f"expected true or false, not {shown(value)}")
    return value


def index(value: object, field: str, names: Sequence[str], what: str) -> int:
    if not isinstance(value, str):
        refuse(field, f"expected the name of a {what}, not {shown(value)}")
    if value not in names:
        close = difflib.get_close_matches(value, names, n=1)
        refuse(field, f"no {what} is called {shown(value)}" + (f"; did you mean {close[0]!r}?" if close else ""))
    return list(names).index(value)


def mapping(value: object, field: str, required: Sequence[str], optional: Sequence[str] = ()) -> Json:
    if not isinstance(value, Mapping):
        refuse(field or "position", f"expected an object, not {shown(value)}")
    prefix = f"{field}." if field else ""
    for key in value:
        if key not in required and key not in optional:
            close = difflib.get_close_matches(key_text(key), [*required, *optional], n=1)
            refuse(f"{prefix}{key_text(key)}", "unknown key" + (f"; did you mean {close[0]!r}?" if close else ""))
    for key in required:
        if key not in value:
            refuse(f"{prefix}{key}", "missing")
    return value


def listed(value: object, field: str, item: Callable[[object, str], T], low: int, high: int) -> list[T]:
    if not isinstance(value, list):
        refuse(field, f"expected a list, not {shown(value)}")
    if not low <= len(value) <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        refuse(field, f"expected {wanted} entries, not {len(value)}")
    return [item(entry, f"{field}[{i}]") for i, entry in enumerate(value)]


def counts(value: object, field: str, names: Sequence[str], high: int) -> list[int]:
    entries = mapping(value, field, names)
    return [integer(entries[name], f"{field}.{name}", 0, high) for name in names]
