"""Read positions; every error begins with the field.

The reader of a game package uses these checks of single values, the frame, piles and the random state.  The frame is
the common part of all positions: format, components, number of players and player to move.  The package adds its own
fields and invariants.  An invariant is a function whose docstring states it and which raises through `refuse`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NoReturn, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.rng import MASK32, seed_key

Json = Mapping[str, Any]
Record = Mapping[str, Any]
T = TypeVar("T")

#: Required and optional keys that every position of a game with component files has.
FRAME_KEYS: Final = ("format", "components", "num_players", "current_player")
OPTIONAL_KEYS: Final = ("rng", "components_digest")
#: Prefix of a random state as text.
_RNG_PREFIX: Final = "p1:"


class Material(Protocol):
    """Name and digest of a component set."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...


class PositionError(ValueError):
    """An invalid position; the message begins with the field."""


def refuse(field: str, wrong: str) -> NoReturn:
    """Raise a PositionError about a field."""
    raise PositionError(f"{field}: {wrong}")


# -- reading single values


def shown(value: object, width: int = 80) -> str:
    """Return a value as text for a message, at most `width` characters."""
    try:  # repr() fails for integers of 5,000 digits and for deep lists
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= width else text[: width - 3] + "..."


def key_text(key: object) -> str:
    """Return a key for a field path: a plain name as it is, any other key as a printable literal."""
    return key if isinstance(key, str) and key.isidentifier() and len(key) <= 80 else shown(key)


def integer(value: object, field: str, low: int, high: int) -> int:
    """Check and return an integer in ``low..high``."""
    if type(value) is not int:
        refuse(field, f"expected an integer in {low}..{high}, not {shown(value)}")
    if not low <= value <= high:
        refuse(field, f"must be in {low}..{high}, not {shown(value)}")
    return value


def boolean(value: object, field: str) -> bool:
    """Check and return a boolean."""
    if type(value) is not bool:
        refuse(field, f"expected true or false, not {shown(value)}")
    return value


def index(value: object, field: str, names: Sequence[str], what: str) -> int:
    """Return the index of a name in `names`; `what` is the word for them in errors."""
    if not isinstance(value, str):
        refuse(field, f"expected the name of a {what}, not {shown(value)}")
    if value not in names:
        close = difflib.get_close_matches(value, names, n=1)
        refuse(field, f"no {what} is called {shown(value)}" + (f"; did you mean {close[0]!r}?" if close else ""))
    return list(names).index(value)


def mapping(value: object, field: str, required: Sequence[str], optional: Sequence[str] = ()) -> Json:
    """Check and return an object with all required keys and no unknown one; the field "" is the position itself."""
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


def refuse_count(value: object, field: str) -> None:
    """Refuse the count that a view has instead of hidden cards."""
    if isinstance(value, Mapping) and "count" in value:
        refuse(field, "is a count: this is what one seat sees; give the position with all of its cards")


def listed(value: object, field: str, item: Callable[[object, str], T], low: int, high: int) -> list[T]:
    """Return a list of `low` to `high` entries; ``item(entry, field)`` reads each."""
    refuse_count(value, field)
    if not isinstance(value, list):
        refuse(field, f"expected a list, not {shown(value)}")
    if not low <= len(value) <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        refuse(field, f"expected {wanted} entries, not {len(value)}")
    return [item(entry, f"{field}[{i}]") for i, entry in enumerate(value)]


def counts(value: object, field: str, names: Sequence[str], high: int) -> list[int]:
    """Return amounts in ``0..high`` in the order of `names`."""
    entries = mapping(value, field, names)
    return [integer(entries[name], f"{field}.{name}", 0, high) for name in names]


# -- the frame


def check_format(position: object, wanted: str) -> None:
    """Refuse a position of another format; call this first, since its other keys also differ."""
    if isinstance(position, Mapping) and position.get("format", wanted) != wanted:
        refuse("format", f"expected {wanted!r}, not {shown(position['format'])}")


def check_components(position: Json, components: Material) -> None:
    """Refuse a position of other components."""
    if position["components"] != components.name:
        refuse("components", f"expected {components.name!r}, not {shown(position['components'])}")
    digest = position.get("components_digest")
    if digest is None:
        return
    if not isinstance(digest, str) or digest != components.digest:
        refuse("components_digest", f"the components in use have {components.digest}, not {shown(digest)}")


@lru_cache(maxsize=4096)
def members(bits: int) -> tuple[int, ...]:
    """Return the indices of the set bits, ascending."""
    return tuple(index for index in range(bits.bit_length()) if bits >> index & 1)


def num_players(position: Json, seats: Sequence[int]) -> int:
    """Check and return the number of players, one of the game's `seats`."""
    players = integer(position["num_players"], "num_players", seats[0], seats[-1])
    if players not in seats:
        refuse("num_players", f"must be one of {', '.join(map(str, seats))}, not {players}")
    return players


def seat(value: object, field: str, players: int) -> int:
    """Check and return a seat."""
    return integer(value, field, 0, players - 1)


def current_player(position: Json, players: int, over: bool) -> int:
    """Return the seat to move, or -1 when the game is over and the position has null."""
    if not over:
        return seat(position["current_player"], "current_player", players)
    if position["current_player"] is not None:
        refuse("current_player", "must be null when the game is over")
    return -1


# -- records, piles and the random state


def plain_record(state: np.void) -> Record:
    """Return the fields of a structured record as Python numbers and nested lists, by name."""
    values = zip(state.dtype.names or (), state.item(), strict=True)
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values}


def fill_pile(cells: npt.NDArray[np.int8], field: str, opened: Sequence[int], draw: Sequence[int]) -> None:
    """Write both lists of a pile array (`core.arrays.piles`), next card of the draw pile first."""
    if len(opened) + len(draw) > len(cells):
        refuse(field, f"more than the {len(cells)} cards there are")
    cells[:] = -1
    cells[: len(opened)] = opened
    cells[len(cells) - len(draw) :] = draw


def rng_text(key: Sequence[int], counters: Sequence[int]) -> str:
    """Return a random state (`core.arrays.rng`) as opaque text: key (2,) and counters (streams,) in hexadecimal."""
    return _RNG_PREFIX + ".".join(f"{number:x}" for number in (*key, *counters))


def read_rng(text: object, key: npt.NDArray[np.int64], counters: npt.NDArray[np.int32]) -> None:
    """Fill `key` and `counters` from the text of `rng_text`; every random state has exactly one text."""
    wrong = f"expected null or a string that to_dict has written, not {shown(text)}"
    if not isinstance(text, str) or not text.startswith(_RNG_PREFIX):
        refuse("rng", wrong)
    try:
        numbers = [int(word, 16) for word in text.removeprefix(_RNG_PREFIX).split(".")]
    except ValueError:
        refuse("rng", wrong)
    limits = [MASK32] * len(key) + [MASK32 >> 1] * len(counters)
    if len(numbers) != len(limits) or any(not 0 <= n <= high for n, high in zip(numbers, limits, strict=True)):
        refuse("rng", wrong)
    key[:], counters[:] = numbers[: len(key)], numbers[len(key) :]
    # int() also reads "0x1", "+1" and "1_0".
    if rng_text(key.tolist(), counters.tolist()) != text:
        refuse("rng", wrong)


def read_rng_or_seed(position: Json, state: np.void, seed: int, purpose: int) -> None:
    """Fill the fields `key` and `counters` of a record from "rng", or from the seed if "rng" is null or absent."""
    text = position.get("rng")
    if text is None:
        seed_key(state["key"], state["counters"], seed, purpose)
    else:
        read_rng(text, state["key"], state["counters"])
