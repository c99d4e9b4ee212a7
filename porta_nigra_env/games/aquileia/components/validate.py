"""Validation of component files: every table and field, and the canonical form of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from porta_nigra_env.core.positions.checks import (
    Check,
    Place,
    boolean,
    entries,
    integer,
    keys,
    list_of,
    name,
    one_of,
    table,
    text,
)
from porta_nigra_env.core.positions.position import shown
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.consistency import CHECKS
from porta_nigra_env.games.aquileia.components.names import BUILDING_KINDS, EQUI_GROUPS, KINDS, SEATS, SIDES

_AMOUNT: Final = integer(0, 99)
_STRENGTH: Final = integer(1, 99)
_DICE: Final = integer(1, names.MAX_DICE)
_PRIZES: Final = list_of(_AMOUNT, 3, 3)


def _amounts(options: Mapping[str, Check]) -> Check:
    """Return the check of a table of amounts; it leaves out zeros."""
    amounts = table({}, options)

    def check(value: object, place: Place) -> dict[str, int]:
        return {key: amount for key, amount in amounts(value, place).items() if amount}

    return check


_COINS: Final = _amounts(dict.fromkeys(KINDS, integer(0, 9)))


def _some_coins(value: object, place: Place) -> dict[str, int]:
    """Check coins, at least one."""
    coins: dict[str, int] = _COINS(value, place)
    if not coins:
        raise place.error(f"{shown(value)} is no coin", f"give at least 1 of {', '.join(KINDS)}")
    return coins


def _one_kind(value: object, place: Place) -> dict[str, int]:
    """Check coins of a single kind."""
    coins = _some_coins(value, place)
    if len(coins) > 1:
        raise place.error(f"{len(coins)} kinds of coins are not allowed", "give coins of one kind")
    return coins


def _players(value: object, place: Place) -> list[int]:
    """Check the numbers of players, which the game fixes (A1)."""
    if value != list(SEATS) or any(type(players) is not int for players in value):
        raise place.error(f"{shown(value)} is not allowed", f"give {list(SEATS)}")
    return list(SEATS)


def _colours(value: object, place: Place) -> dict[str, int]:
    """Check the copies by colour, and keep the file's order."""
    right = f"give a table of 2 to {names.MAX_COLOURS} colours with their copies"
    if not isinstance(value, Mapping) or not 2 <= len(value) <= names.MAX_COLOURS:
        raise place.error(f"{shown(value)} is not allowed", right)
    copies = integer(1, names.MAX_STADIUM_CARDS)
    return {name(key, place): copies(amount, place.at("field", key)) for key, amount in value.items()}


def _rows(item: Check, low: int, high: int) -> Check:
    """Return the check of a list of rows in a field of a table; the field becomes a part of their places."""
    rows = list_of(item, low, high, level="row")

    def check(value: object, place: Place) -> list[Any]:
        checked: list[Any] = rows(value, replace(place, row=place.field, field=""))
        return checked

    return check


_FORUM_SPACE: Final = table({"builds": integer(1, 9), "value": boolean})
_SERVI_SPACE: Final = table({"name": name, "coin": one_of(KINDS), "max": integer(1, names.MAX_BUYS)})
_COST: Final = _amounts(dict.fromkeys((*KINDS, "slaves"), integer(0, names.MAX_COST)))
#: Fields of a building by its kind, besides those that every building has.
_OWN_FIELDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "villa": {"colour": name},
    "workshop": {"vp": integer(1, 99)},
    "money_house": {"pays": _some_coins},
}
_BUILDINGS: Final = {
    kind: table({"name": name, "kind": one_of(BUILDING_KINDS), **own, "value": _AMOUNT, "cost": _COST})
    for kind, own in _OWN_FIELDS.items()
}


def _building(value: object, place: Place) -> dict[str, Any]:
    """Check a building with the fields of its kind."""
    every = ("name", "kind", "value", "cost")
    fields = keys(value, place, "field", every, [field for own in _OWN_FIELDS.values() for field in own])
    kind = one_of(BUILDING_KINDS)(fields["kind"], place.at("field", "kind"))
    for field in fields:
        if field not in (*every, *_OWN_FIELDS[kind]):
            raise place.at("field", field).error(
                f"a {kind} has none", f"leave it out, or give another kind than {kind}"
            )
    building: dict[str, Any] = _BUILDINGS[kind](fields, place)
    return building


_FIELDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "constants": {
        "players": _players,
        "rounds": integer(1, names.MAX_ROUNDS),
        "followers_per_player": integer(1, names.MAX_FOLLOWERS),
        "houses_per_player": integer(1, names.MAX_BUILDINGS),
        "dolus_red_dice": _DICE,
        "contest_red_dice": _DICE,
        "latro_red_dice": _DICE,
        "blue_dice": _DICE,
    },
    "start": dict.fromkeys(KINDS, _AMOUNT),
    "die": dict.fromkeys(KINDS, integer(0, 99)),
    "mercatus": {
        "equi": list_of(name, 1, names.MAX_EQUI_SPACES, distinct=True),
        "equi_price": _COINS,
        "pecunia_vp": _AMOUNT,
        "servi": _rows(_SERVI_SPACE, 1, names.MAX_SERVI_SPACES),
        "exchanges": _rows(table({"give": _one_kind, "get": _one_kind}), 1, names.MAX_EXCHANGES),
    },
    "arena": {
        "spaces": list_of(_STRENGTH, 1, names.MAX_ARENA_SPACES),
        "prizes": _PRIZES,
        "coin": one_of(KINDS),
        "vp_per_strength": _AMOUNT,
    },
    "stadium": {**dict.fromkeys(SIDES, list_of(_STRENGTH, 1, names.MAX_SIDE_SPACES)), "prizes": _PRIZES},
    "portus": {"spaces": list_of(one_of(KINDS), 1, len(KINDS), distinct=True)},
    "slave_cards": {str(slaves): integer(0, names.MAX_SLAVE_CARDS) for slaves in range(1, names.MAX_SLAVES + 1)},
    "equi_cards": dict.fromkeys(
        EQUI_GROUPS,
        _amounts(
            {str(strength): integer(0, names.MAX_EQUI_CARDS) for strength in range(1, names.MAX_EQUI_STRENGTH + 1)}
        ),
    ),
    "stadium_cards": {
        "colours": _colours,
        "laurels": list_of(integer(1, 99), 0, names.MAX_STADIUM_CARDS, distinct=True),
    },
    "theatre_cards": {"pairs": _rows(entries(first=name, second=name), 1, names.MAX_THEATRE_CARDS)},
    "forum": {
        "spaces": _rows(_FORUM_SPACE, 1, names.MAX_FORUM_SPACES),
        "buildings": _rows(_building, 1, names.MAX_BUILDINGS),
    },
}
#: Tables whose fields may be left out: an amount that is not there is 0.
_AMOUNTS: Final = ("start", "die", "slave_cards", "equi_cards")
_FILE: Final = {
    part: table({}, fields) if part in _AMOUNTS else table(fields) for part, fields in _FIELDS.items()
}  # fmt: skip

_ORIGIN: Final = one_of(("rulebook", "reconstruction", "printed"))


def _provenance(value: object, place: Place) -> dict[str, str]:
    """Check the origin of every table: one entry, with exceptions by field, or an entry for each field."""
    parts = [part for table, fields in _FIELDS.items() for part in (table, *(f"{table}.{field}" for field in fields))]
    origins = keys(value, place, "row", (), parts)
    for part, fields in _FIELDS.items():
        missing = [field for field in fields if f"{part}.{field}" not in origins]
        if part not in origins and missing:
            lacking = part if len(missing) == len(fields) else f"{part}.{missing[0]}"
            raise place.at("row", lacking).error("is missing", "add it")
    return {part: _ORIGIN(origins[part], place.at("row", part)) for part in parts if part in origins}


def validated(data: object, source: str) -> dict[str, Any]:
    """Return a file's data as JSON values in a fixed order, without defaults; raises ComponentError."""
    top = Place(source)
    tables = keys(data, top, "table", ("name", "edition", "provenance", *_FILE))
    result = {"name": name(tables["name"], top.at("field", "name")),
              "edition": text(tables["edition"], top.at("field", "edition")),
              "provenance": _provenance(tables["provenance"], top.at("table", "provenance"))}  # fmt: skip
    for part, check in _FILE.items():
        checked = check(tables[part], top.at("table", part))
        if part in ("start", "die", "slave_cards"):
            checked = {key: amount for key, amount in checked.items() if amount}
        if part == "equi_cards":
            checked = {group: checked.get(group, {}) for group in EQUI_GROUPS}
        result[part] = checked
    for check_file in CHECKS:
        check_file(result, top)
    return result
