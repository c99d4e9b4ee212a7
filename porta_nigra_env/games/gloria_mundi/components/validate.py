"""Validate a component file: every table and field, and the data in canonical form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from porta_nigra_env.core.positions.checks import Check, Place, integer, keys, list_of, name, one_of, table, text
from porta_nigra_env.core.positions.position import shown
from porta_nigra_env.games.gloria_mundi.components import names
from porta_nigra_env.games.gloria_mundi.components.abilities import ability
from porta_nigra_env.games.gloria_mundi.components.consistency import CHECKS
from porta_nigra_env.games.gloria_mundi.components.names import BASES, LETTERS, SEATS, STONES, TYPES

#: Number of cards or stones in the box.
_CONTENTS: Final = integer(0, 9_999)


def _players(value: object, place: Place) -> list[int]:
    """Return the smallest and the largest number of players, which the game fixes."""
    wanted = [SEATS[0], SEATS[-1]]
    if value != wanted or any(type(players) is not int for players in value):
        raise place.error(f"{shown(value)} is not allowed", f"give {wanted}")
    return wanted


def _province(value: object, place: Place) -> str:
    """Return the symbols of a province as letters."""
    letters = "".join(LETTERS)
    if not isinstance(value, str) or not re.fullmatch(f"[{letters}]{{1,{names.MAX_SYMBOLS}}}", value):
        right = f"give 1 to {names.MAX_SYMBOLS} letters of {', '.join(LETTERS)}"
        raise place.error(f"{shown(value)} is no province", right)
    return value


_PRICE: Final = table({}, dict.fromkeys(STONES, integer(0, names.MAX_PRICE)))


def _price(value: object, place: Place) -> dict[str, int]:
    """Return the stones of a price without amounts of 0."""
    return {stone: number for stone, number in _PRICE(value, place).items() if number}


_CARD: Final = table(
    {"name": name, "type": one_of(TYPES), "price": _price, "steps": integer(0, names.MAX_LAUREL), "ability": ability},
    {"protects": one_of(BASES), "source": text},
)

_FILE: Final[Mapping[str, Check]] = {
    "constants": table(
        {
            "players": _players,
            "start_stones": table(dict.fromkeys(STONES, integer(0, names.MAX_START))),
            "start_display": table(dict.fromkeys(BASES, integer(0, names.MAX_START))),
            "forum_start_cards": integer(0, names.NUM_PLACES),
        }
    ),
    "forum": table({"extra": list_of(integer(0, names.MAX_EXTRA), names.NUM_PLACES, names.NUM_PLACES)}),
    "supply": table(dict.fromkeys(STONES, _CONTENTS)),
    "base_cards": table(dict.fromkeys(BASES, _CONTENTS)),
    "hands": table(
        {str(players): table(dict.fromkeys(BASES, integer(0, names.MAX_DEALT))) for players in SEATS}, level="row"
    ),
    "tracks": table({"escape_steps": integer(1, names.MAX_STEPS), "goth": list_of(_province, 1, names.MAX_PROVINCES)}),
    "building_cards": list_of(_CARD, names.NUM_CARDS, names.NUM_CARDS, level="row"),
}

_PROVENANCE: Final = table(dict.fromkeys(_FILE, one_of(("rulebook", "reconstruction", "printed"))), level="row")


def validated(data: object, source: str) -> dict[str, Any]:
    """Return the data of a file as JSON values in a fixed order, without defaults; raises ComponentError."""
    top = Place(source)
    tables = keys(data, top, "table", ("name", "edition", "provenance", *_FILE))
    result = {
        "name": name(tables["name"], top.at("field", "name")),
        "edition": text(tables["edition"], top.at("field", "edition")),
        "provenance": _PROVENANCE(tables["provenance"], top.at("table", "provenance")),
    }
    for part, check in _FILE.items():
        result[part] = check(tables[part], top.at("table", part))
    for check_tables in CHECKS:
        check_tables(result, top)
    return result
