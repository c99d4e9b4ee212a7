"""Reading positions: what is wrong is refused with the field it stands in.

A room's reader is made of these: checks of single values, of what every game's position has (its frame: format,
components, players, whose decision it is), of piles and of the random state.  The room adds its own fields, and the
laws that tie them together: functions whose docstring is the law, each of which raises through `refuse`.
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
T = TypeVar("T")

#: Keys that the position of a game with component files has besides its own, required and optional ones.
FRAME_KEYS: Final = ("format", "components", "num_players", "current_player")
OPTIONAL_KEYS: Final = ("rng", "components_digest")
#: What begins the text of a random state.
_RNG_PREFIX: Final = "p1:"


class Material(Protocol):
    """What a position names of a component set."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...


class PositionError(ValueError):
    """A position that is not one; the message begins with the field."""


def refuse(field: str, wrong: str) -> NoReturn:
    """Raise the PositionError about a field."""
    raise PositionError(f"{field}: {wrong}")


# -- reading single values


def shown(value: object, width: int = 80) -> str:
    """A value for a message, cut off at `width` characters; some (an integer of 5,000 digits, a deep list) cannot even
    be written out."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= width else text[: width - 3] + "..."


def key_text(key: object) -> str:
    """A key for a field path: a plain name as it is, anything else as a literal that can be printed."""
    return key if isinstance(key, str) and key.isidentifier() and len(key) <= 80 else shown(key)


def integer(value: object, field: str, low: int, high: int) -> int:
    """An integer in ``low..high``."""
    if type(value) is not int:
        refuse(field, f"expected an integer in {low}..{high}, not {shown(value)}")
    if not low <= value <= high:
        refuse(field, f"must be in {low}..{high}, not {shown(value)}")
    return value


def boolean(value: object, field: str) -> bool:
    """True or false."""
    if type(value) is not bool:
        refuse(field, f"expected true or false, not {shown(value)}")
    return value


def index(value: object, field: str, names: Sequence[str], what: str) -> int:
    """The index of a name among `names`; `what` is what they are names of."""
    if not isinstance(value, str):
        refuse(field, f"expected the name of a {what}, not {shown(value)}")
    if value not in names:
        close = difflib.get_close_matches(value, names, n=1)
        refuse(field, f"no {what} is called {shown(value)}" + (f"; did you mean {close[0]!r}?" if close else ""))
    return list(names).index(value)


def mapping(value: object, field: str, required: Sequence[str], optional: Sequence[str] = ()) -> Json:
    """An object with all required keys and no unknown one; the field "" is the position itself."""
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
    """Refuse what a view writes in the place of hidden cards."""
    if isinstance(value, Mapping) and "count" in value:
        refuse(field, "is a count: this is what one seat sees; give the position with all of its cards")


def listed(value: object, field: str, item: Callable[[object, str], T], low: int, high: int) -> list[T]:
    """A list of `low` to `high` entries; ``item(entry, field)`` reads each."""
    refuse_count(value, field)
    if not isinstance(value, list):
        refuse(field, f"expected a list, not {shown(value)}")
    if not low <= len(value) <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        refuse(field, f"expected {wanted} entries, not {len(value)}")
    return [item(entry, f"{field}[{i}]") for i, entry in enumerate(value)]


def counts(value: object, field: str, names: Sequence[str], high: int) -> list[int]:
    """Amounts in ``0..high`` by name, in the order of `names`."""
    entries = mapping(value, field, names)
    return [integer(entries[name], f"{field}.{name}", 0, high) for name in names]


# -- the frame


def check_format(position: object, wanted: str) -> None:
    """Refuse a position of another format; asked first, since its other keys are another format's too."""
    if isinstance(position, Mapping) and position.get("format", wanted) != wanted:
        refuse("format", f"expected {wanted!r}, not {shown(position['format'])}")


def check_components(position: Json, components: Material) -> None:
    """Refuse a position of other components than those it is read with."""
    if position["components"] != components.name:
        refuse("components", f"expected {components.name!r}, not {shown(position['components'])}")
    digest = position.get("components_digest")
    if digest is None:
        return
    if not isinstance(digest, str) or digest != components.digest:
        refuse("components_digest", f"the components in use have {components.digest}, not {shown(digest)}")


@lru_cache(maxsize=4096)
def members(bits: int) -> tuple[int, ...]:
    """The places of the bits that are set, ascending."""
    return tuple(place for place in range(bits.bit_length()) if bits >> place & 1)


def num_players(position: Json, seats: Sequence[int]) -> int:
    """The number of players, one of the game's `seats`."""
    players = integer(position["num_players"], "num_players", seats[0], seats[-1])
    if players not in seats:
        refuse("num_players", f"must be one of {', '.join(map(str, seats))}, not {players}")
    return players


def seat(value: object, field: str, players: int) -> int:
    """A seat."""
    return integer(value, field, 0, players - 1)


def current_player(position: Json, players: int, over: bool) -> int:
    """The seat that is asked, -1 when the game is over; then the position has null there."""
    if not over:
        return seat(position["current_player"], "current_player", players)
    if position["current_player"] is not None:
        refuse("current_player", "must be null when the game is over")
    return -1


# -- piles and the random state


def fill_pile(cells: npt.NDArray[np.int8], field: str, opened: Sequence[int], draw: Sequence[int]) -> None:
    """Write both lists of a pile array (`core.arrays.piles`), next card of the draw pile first."""
    if len(opened) + len(draw) > len(cells):
        refuse(field, f"more than the {len(cells)} cards there are")
    cells[:] = -1
    cells[: len(opened)] = opened
    cells[len(cells) - len(draw) :] = draw


def rng_text(key: npt.NDArray[np.int64], counters: npt.NDArray[np.int32]) -> str:
    """A random state (`core.arrays.rng`) as an opaque text: key (2,) and counters (streams,) in hexadecimal."""
    return _RNG_PREFIX + ".".join(f"{number:x}" for number in (*key.tolist(), *counters.tolist()))


def read_rng(text: object, key: npt.NDArray[np.int64], counters: npt.NDArray[np.int32]) -> None:
    """Fill `key` and `counters` from the text of `rng_text`; one random state has one text."""
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
    if rng_text(key, counters) != text:
        refuse("rng", wrong)


def read_rng_or_seed(position: Json, state: np.void, seed: int, purpose: int) -> None:
    """Fill the fields `key` and `counters` of a record from "rng", or from a seed where that is null or absent."""
    text = position.get("rng")
    if text is None:
        seed_key(state["key"], state["counters"], seed, purpose)
    else:
        read_rng(text, state["key"], state["counters"])
