"""Component files: read, checked, and compiled into the tables that the kernel reads.

`load` takes "standard" or the path of a TOML file and gives `Components`.  Whatever a file gets wrong is a
`ComponentError` that names the file, the table, the row, the field, and what would be right.  SOURCES.md tells how to
write a file.

From the shell: ``python -m porta_nigra_env.games.porta_nigra.components.load my.toml``.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from porta_nigra_env.core import components
from porta_nigra_env.core.components import ComponentError, ComponentSets
from porta_nigra_env.core.spans import Spans
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, GAINS, ICONS, ROWS
from porta_nigra_env.games.porta_nigra.components.schema import TABLES
from porta_nigra_env.games.porta_nigra.state import (
    HONOUR,
    LARGEST_AMOUNT,
    MAX_TENS,
    action_spans,
    observation_spans,
    privileged_spans,
)


@dataclass(frozen=True, eq=False, repr=False)
class Components(components.Components):
    """One set of Porta Nigra's material.

    The digest is that of the canonical JSON of everything but `edition` and `provenance`.  Comments, the order of keys
    and written-out defaults (``discard_buildings = 0``, a gain of 0) do not change it.

    Attributes:
        tables: (1,) of `schema.TABLES`.
        honour_names: kinds of honour cards, in the order of the file.
        card_names: action cards, in the order of the file.
        final_values: the different values of final scoring cards, ascending.
    """

    honour_names: tuple[str, ...]
    card_names: tuple[str, ...]
    final_values: tuple[int, ...]

    @property
    def num_honours(self) -> int:
        """How many kinds of honour cards there are."""
        return len(self.honour_names)

    @property
    def max_tens(self) -> int:
        """The most tens of sesterces that a player can take in an interim scoring."""
        return self.num_tens - 1

    @property
    def num_tens(self) -> int:
        """How many choices of tens the actions provide for: 0 up to `max_tens`."""
        largest = int(self.tables["bricks_total"][0]) * int(self.tables["interim_multiplier"][0].max())
        return largest // 10 + 1

    @cached_property
    def actions(self) -> Spans:
        """The action ids of this set."""
        return action_spans(self.num_honours, self.num_tens)

    @cached_property
    def observations(self) -> Spans:
        """What one player may know, in games with this set."""
        return observation_spans(self.num_honours)

    @cached_property
    def privileged(self) -> Spans:
        """The privileged vector, in games with this set."""
        return privileged_spans(self.num_honours)

    @property
    def packaged(self) -> bool:
        """Whether this is the material of the packaged standard file, whatever file it came from."""
        return self.digest == SETS.packaged.digest

    def __reduce__(self) -> tuple[Callable[..., Components], tuple[dict[str, Any], str]]:
        # By content: a copy in another process is validated by that process's code and gets read-only tables again.
        return from_data, (self.data, f"pickled components {self.name!r}")


# ------------------------------------------------------------------------------------------------ places and checks


_Level = Literal["table", "row", "field"]


@dataclass(frozen=True)
class _Place:
    """Where a value stands; every complaint is made here, so all of them read alike."""

    source: str
    table: str = ""
    row: str = ""
    field: str = ""

    def at(self, level: _Level, key: object) -> _Place:
        """The place one step further in; steps on one level are joined by dots."""
        before = getattr(self, level)
        return replace(self, **{level: f"{before}.{key}" if before else str(key)})

    def error(self, wrong: str, right: str) -> ComponentError:
        """The complaint about this place."""
        parts = (("table", self.table and f"[{self.table}]"), ("row", self.row), ("field", self.field))
        where = ", ".join(f"{level} {key}" for level, key in parts if key) or "top level"
        return ComponentError(f"{self.source}: {where}: {wrong}; {right}")


#: Takes a value and its place; gives the value as plain data or raises the place's error.
_Check = Callable[[object, _Place], Any]


def _show(value: object) -> str:
    """A value for a message, shortened; some (an integer of 5,000 digits) cannot even be written out."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def _listed(options: Iterable[object]) -> str:
    return ", ".join(str(option) for option in options)


def _suggest(value: object, options: Sequence[str]) -> str:
    close = difflib.get_close_matches(value, options, 1) if isinstance(value, str) else []
    return f"did you mean {close[0]}?" if close else f"give one of {_listed(options)}"


def _integer(low: int, high: int) -> _Check:
    def check(value: object, place: _Place) -> int:
        # type() and not isinstance(): true is no 1.
        if type(value) is not int or not low <= value <= high:
            right = f"an integer from {low} to {high}" if low < high else f"the integer {low}"
            raise place.error(f"{_show(value)} is not allowed", f"give {right}")
        return value

    return check


def _boolean(value: object, place: _Place) -> bool:
    if type(value) is not bool:
        raise place.error(f"{_show(value)} is not allowed", "give true or false")
    return value


def _text(value: object, place: _Place) -> str:
    if not isinstance(value, str) or not value.strip():
        raise place.error(f"{_show(value)} is not allowed", "give a text that is not empty")
    return str(value)


def _name(value: object, place: _Place) -> str:
    if not isinstance(value, str) or not re.fullmatch("[a-z0-9_]+", value):
        raise place.error(f"{_show(value)} is not a name", "give one of a-z, 0-9 and _ only, like two_torches")
    return str(value)


def _one_of(options: Sequence[str]) -> _Check:
    def check(value: object, place: _Place) -> str:
        if not isinstance(value, str) or value not in options:
            raise place.error(f"{_show(value)} is not known here", _suggest(value, options))
        return str(value)

    return check


def _list(item: _Check, low: int, high: int, *, level: _Level = "field", distinct: bool = False) -> _Check:
    """A list of `low` to `high` items, counted from 1 in places; a row that has a name is called by it too."""

    def check(value: object, place: _Place) -> list[Any]:
        right = f"give a list of {low}" + ("" if low == high else f" to {high}")
        if not isinstance(value, list | tuple):
            raise place.error(f"{_show(value)} is not a list", right)
        if not low <= len(value) <= high:
            raise place.error(f"{len(value)} entries stand here", right)
        result = []
        for number, entry in enumerate(value, 1):
            name = entry.get("name") if level == "row" and isinstance(entry, Mapping) else None
            checked = item(entry, place.at(level, f"{number} ({name[:40]})" if isinstance(name, str) else number))
            if distinct and checked in result:
                raise place.at(level, number).error(f"{_show(entry)} stands here twice", "give each only once")
            result.append(checked)
        return result

    return check


def _entries(**items: _Check) -> _Check:
    """A list with a fixed meaning of each entry; gives a list."""

    def check(value: object, place: _Place) -> list[Any]:
        if not isinstance(value, list | tuple) or len(value) != len(items):
            raise place.error(f"{_show(value)} is not allowed", f"give a list [{_listed(items)}]")
        return [item(entry, place.at("field", key)) for (key, item), entry in zip(items.items(), value, strict=True)]

    return check


def _keys(
    value: object, place: _Place, level: _Level, required: Iterable[str], optional: Iterable[str] = ()
) -> Mapping[str, Any]:
    """The value as a table that has every required key and no unknown one."""
    required, known = tuple(required), (*required, *optional)
    if not isinstance(value, Mapping):
        raise place.error(f"{_show(value)} is not a table", f"give a table with {_listed(known)}")
    for key in value:
        if key not in known:
            raise place.at(level, key if isinstance(key, str) else _show(key)).error("is unknown", _suggest(key, known))
    for key in required:
        if key not in value:
            raise place.at(level, key).error("is missing", "add it")
    return value


def _table(
    required: Mapping[str, _Check], optional: Mapping[str, _Check] | None = None, level: _Level = "field"
) -> _Check:
    """A table; gives a dict in the order of the checks.  `level` is what its keys are in places."""
    items = {**required, **(optional or {})}

    def check(value: object, place: _Place) -> dict[str, Any]:
        table = _keys(value, place, level, required, optional or {})
        return {key: item(table[key], place.at(level, key)) for key, item in items.items() if key in table}

    return check


# ------------------------------------------------------------------------------------------------ what a file may hold


def _observed(part: str) -> int:
    """The largest number that an observation provides for."""
    bounds = observation_spans(0)[part].part
    return round(bounds.scale * bounds.high)


_SHOPS: Final = tuple(colour for colour in COLOURS if colour != COLOURS[names.WHITE])
_PLAYERS: Final = tuple(str(players) for players in range(2, names.MAX_PLAYERS + 1))
_LETTERS: Final = {building: tuple(row for owner, row, _ in ROWS if owner == building) for building in BUILDINGS}
_PORTA_NIGRA: Final = BUILDINGS[names.PORTA_NIGRA]
#: What scores one by one at the end of the game.
_KEPT: Final = ("roman", "influence", "torch", "brick")

_AMOUNT: Final = _integer(0, 99)
_POINTS: Final = _integer(0, 999)
_HEIGHT: Final = _integer(names.LOWEST_HEIGHT, names.HIGHEST_HEIGHT)
_COLOUR: Final = _one_of(COLOURS)
_GAINS: Final = {gain: _integer(0, 9) if place >= names.GAIN_BRICKS else _AMOUNT for place, gain in enumerate(GAINS)}

_CONSTANTS: Final[Mapping[str, _Check]] = {
    "brick_price": _table({colour: _integer(1, 99) for colour in COLOURS}),
    "bricks_total": _integer(1, _observed("reserve")),
    "romans_per_player": _integer(1, _observed("romans")),
    "start_romans": _integer(0, _observed("romans")),
    "start_sesterces": _integer(0, 500),
    "start_torches": _AMOUNT,
    "hand_size": _integer(1, names.NUM_ACTION_CARDS - 1),  # a game of the most players leaves one card in the box
    "border_cost": _AMOUNT,
    "market_refill_below": _integer(1, _observed("reserve")),
    "market_refill_to": _integer(1, _observed("reserve")),
    "building_display": _integer(1, names.NUM_BUILDING_CARDS),
    "honour_display": _integer(1, names.NUM_HONOUR_CARDS),
    "honour_purchases_per_turn": _integer(1, 1),  # positions record one purchase, as a yes or no
    "influence_cost_roman": _integer(1, 9),  # what costs nothing could be repeated without end
    "influence_cost_build": _integer(1, 9),
    "torch_to_sesterces": _integer(0, 9),
    "reward_every_bricks": _integer(1, 99),
    "porta_nigra_min_height": _HEIGHT,
    "porta_nigra_max_height": _HEIGHT,
    "early_end_bonus_vp": _AMOUNT,
    "rounds": _table({players: _integer(1, _observed("round")) for players in _PLAYERS}),
    "interim_multiplier": _table({players: _integer(0, 9) for players in _PLAYERS}),
    "set_vp": _list(_POINTS, len(BUILDINGS) + 1, len(BUILDINGS) + 1),
    "play_area_vp": _table({**dict.fromkeys(_KEPT, _AMOUNT), "sesterces_per_vp": _integer(1, 999)}),
}

_HONOUR_CARD: Final = _table(
    {"name": _name, "copies": _integer(1, names.NUM_HONOUR_CARDS), "cost": _integer(1, 3)},
    {
        "discard_buildings": _integer(0, len(BUILDINGS)),
        "discard_final": _integer(1, 999),
        "gains": _table({}, _GAINS),
        "substitute": _one_of(BUILDINGS),
        "porta_nigra_brick": _boolean,
        "final_vp": _integer(1, 999),
    },
)
_WITH_DEFAULTS: Final = ("discard_buildings", "gains", "porta_nigra_brick")
_HONOUR_EFFECTS: Final = ("gains", "substitute", "porta_nigra_brick", "final_vp")

_FIXED_SPOT: Final = _entries(colour=_COLOUR, bricks=_integer(1, names.HIGHEST_HEIGHT), vp=_AMOUNT)


def _spot_rows(building: str) -> _Check:
    spot = _COLOUR if building == _PORTA_NIGRA else _FIXED_SPOT
    rows = {row: _list(spot, size, size, level="row") for owner, row, size in ROWS if owner == building}
    return _table(rows, level="row")


#: Every table but `majorities`, whose rows depend on the heights allowed.
_FILE: Final[Mapping[str, _Check]] = {
    "constants": _table(_CONSTANTS),
    "board": _table(
        {
            "shop_ring": _list(_one_of(_SHOPS), len(_SHOPS), len(_SHOPS), distinct=True),
            "quarter": _table({building: _one_of(_SHOPS) for building in BUILDINGS}),
        }
    ),
    "rewards": _table({building: _table({}, _GAINS) for building in BUILDINGS}, level="row"),
    "building_cards": _table(
        {
            "no_card_rows": _table(
                {}, {building: _list(_one_of(rows), 0, len(rows), distinct=True) for building, rows in _LETTERS.items()}
            ),
            "each_building_and_colour": _integer(1, 1),
        }
    ),
    "spots": _table({building: _spot_rows(building) for building in BUILDINGS}, level="row"),
    "supply_cards": _list(
        _table({"shops": _list(_COLOUR, 1, len(COLOURS), distinct=True)}),
        names.NUM_SUPPLY_CARDS, names.NUM_SUPPLY_CARDS, level="row",
    ),
    "action_cards": _list(
        _table(
            {"name": _name, "torches": _integer(2, 3), "icons": _list(_one_of(ICONS), 3, 5)},
            {"max_players": _integer(names.MAX_PLAYERS - 1, names.MAX_PLAYERS - 1)},
        ),
        names.NUM_ACTION_CARDS, names.NUM_ACTION_CARDS, level="row",
    ),
    "honour_cards": _list(_HONOUR_CARD, 1, names.NUM_HONOUR_CARDS, level="row"),
}  # fmt: skip

_PROVENANCE: Final = _table(
    {
        table: _one_of(("rulebook", "reconstruction", "printed"))
        for table in ("constants", "board.shop_ring", "board.quarter", "rewards", "majorities", "building_cards",
                      "spots", "supply_cards", "action_cards", "honour_cards")
    },
    level="row",
)  # fmt: skip

_TABLES_OF_A_FILE: Final = ("provenance", *_FILE, "majorities")


def _majorities(lowest: int, highest: int) -> _Check:
    pair = _entries(first=_POINTS, second=_POINTS)
    heights = {str(height): pair for height in range(lowest, highest + 1)}
    return _table(
        {
            building: _table(heights if building == _PORTA_NIGRA else dict.fromkeys(letters, pair), level="row")
            for building, letters in _LETTERS.items()
        },
        level="row",
    )


def _validated(data: object, source: str) -> dict[str, Any]:
    """The data of a file as plain JSON values in a fixed order, defaults left out; ComponentError for a broken rule."""
    top = _Place(source)
    tables = _keys(data, top, "table", ("name", "edition", *_TABLES_OF_A_FILE))
    result = {"name": _name(tables["name"], top.at("field", "name")),
              "edition": _text(tables["edition"], top.at("field", "edition")),
              "provenance": _PROVENANCE(tables["provenance"], top.at("table", "provenance"))}  # fmt: skip
    for table, check in _FILE.items():
        result[table] = check(tables[table], top.at("table", table))
    result["rewards"] = {building: _without_zeros(gains) for building, gains in result["rewards"].items()}
    rows = result["building_cards"]["no_card_rows"]
    result["building_cards"]["no_card_rows"] = {building: listed for building, listed in rows.items() if listed}
    result["honour_cards"] = [_without_defaults(card) for card in result["honour_cards"]]
    _check_constants(result["constants"], top.at("table", "constants"))
    _check_board(result["board"], top.at("table", "board"))
    _check_action_cards(result["action_cards"], top.at("table", "action_cards"))
    _check_honour_cards(result["honour_cards"], top.at("table", "honour_cards"))

    place, constants = top.at("table", "majorities"), result["constants"]
    check = _majorities(constants["porta_nigra_min_height"], constants["porta_nigra_max_height"])
    result["majorities"] = check(tables["majorities"], place)
    for building, rows in result["majorities"].items():
        for row, (first, second) in rows.items():
            if second > first:
                here = place.at("row", building).at("row", row).at("field", "second")
                raise here.error(f"{second} is more than the first place's {first}", f"give {first} or less")

    _check_amounts(result, top)
    return result


def _without_zeros(gains: Mapping[str, int]) -> dict[str, int]:
    return {gain: amount for gain, amount in gains.items() if amount}


def _without_defaults(card: Mapping[str, Any]) -> dict[str, Any]:
    """The honour card without fields that say no more than their absence."""
    slim = {**card, "gains": _without_zeros(card.get("gains", {}))}
    return {field: value for field, value in slim.items() if value or field not in _WITH_DEFAULTS}


def _check_constants(constants: Mapping[str, Any], place: _Place) -> None:
    for smaller, larger in (
        ("start_romans", "romans_per_player"),
        ("market_refill_below", "market_refill_to"),
        ("market_refill_to", "bricks_total"),
        ("porta_nigra_min_height", "porta_nigra_max_height"),
    ):
        if constants[smaller] > constants[larger]:
            wrong = f"{constants[smaller]} is more than {larger} = {constants[larger]}"
            raise place.at("field", smaller).error(wrong, f"give {constants[larger]} or less")

    price = constants["brick_price"]
    for cheap, dear in pairwise(COLOURS):
        if price[dear] <= price[cheap]:
            here = place.at("field", "brick_price").at("field", dear)
            right = "give prices that rise from black to white"
            raise here.error(f"{price[dear]} is not above {cheap}'s {price[cheap]}", right)

    points = constants["set_vp"]
    if points[0] != 0:
        raise place.at("field", "set_vp").at("field", 1).error(f"{points[0]} for no building at all", "give 0")
    for number in range(1, len(points)):
        if points[number] < points[number - 1]:
            here = place.at("field", "set_vp").at("field", number + 1)
            raise here.error(f"{points[number]} is less than the entry before", f"give {points[number - 1]} or more")

    # Both the number of ids for tens and the observation's bound limit what can be split.
    limit = min(_observed("split_total"), 10 * MAX_TENS - 1)
    for players, factor in constants["interim_multiplier"].items():
        if factor * constants["bricks_total"] > limit:
            here = place.at("field", "interim_multiplier").at("field", players)
            bricks = constants["bricks_total"]
            wrong = f"{factor} x bricks_total = {bricks} could give more than {limit} points to split"
            raise here.error(wrong, f"give {limit // bricks} or less")


def _check_board(board: Mapping[str, Any], place: _Place) -> None:
    owners: dict[str, str] = {}
    for building, shop in board["quarter"].items():
        if shop in owners:
            here = place.at("field", "quarter").at("field", building)
            wrong = f"the {shop} shop already lies in the quarter of {owners[shop]}"
            raise here.error(wrong, "give every quarter its own shop")
        owners[shop] = building


def _check_names(cards: Sequence[Mapping[str, Any]], place: _Place) -> None:
    rows: dict[str, int] = {}
    for number, card in enumerate(cards, 1):
        if card["name"] in rows:
            here = place.at("row", f"{number} ({card['name']})").at("field", "name")
            raise here.error(f"row {rows[card['name']]} has the same name", "give every card its own")
        rows[card["name"]] = number


def _check_action_cards(cards: Sequence[Mapping[str, Any]], place: _Place) -> None:
    _check_names(cards, place)
    marked = [number for number, card in enumerate(cards, 1) if "max_players" in card]
    if len(marked) != 1:
        here = place.at("row", marked[1]) if marked else place
        right = f"give exactly one card max_players = {names.MAX_PLAYERS - 1}"
        raise here.at("field", "max_players").error(f"{len(marked)} cards have it", right)


def _check_honour_cards(cards: Sequence[Mapping[str, Any]], place: _Place) -> None:
    _check_names(cards, place)
    finals = sorted({card["final_vp"] for card in cards if "final_vp" in card})
    if len(finals) > names.MAX_FINAL_VALUES:
        right = f"give at most {names.MAX_FINAL_VALUES}"
        raise place.at("field", "final_vp").error(f"{len(finals)} different values ({_listed(finals)})", right)
    for number, card in enumerate(cards, 1):
        _check_honour_card(card, finals, place.at("row", f"{number} ({card['name']})"))

    copies = sum(card["copies"] for card in cards)
    if copies != names.NUM_HONOUR_CARDS:
        right = f"give copies that add up to {names.NUM_HONOUR_CARDS}"
        raise place.at("field", "copies").error(f"{copies} cards altogether", right)
    limit = _observed("buildings_owned") - len(COLOURS)
    for building in BUILDINGS:
        substitutes = sum(card["copies"] for card in cards if card.get("substitute") == building)
        if substitutes > limit:
            wrong = f"{substitutes} substitutes for {building} in the file"
            raise place.at("field", "copies").error(wrong, f"give {limit} or less")


def _check_honour_card(card: Mapping[str, Any], finals: Sequence[int], place: _Place) -> None:
    if not any(effect in card for effect in _HONOUR_EFFECTS):
        raise place.error("the card has no effect", f"give at least one of {_listed(_HONOUR_EFFECTS)}")
    buildings = place.at("field", "discard_buildings")
    if card.get("discard_buildings", len(BUILDINGS)) != len(BUILDINGS):
        right = f"give {len(BUILDINGS)} for one of each building, or 0"
        raise buildings.error(f"{card['discard_buildings']} is not allowed", right)
    if "discard_final" in card:
        final, given, received = place.at("field", "discard_final"), card["discard_final"], card.get("final_vp", 0)
        if given not in finals:
            right = f"give one of {_listed(finals)}" if finals else "leave it out, as no card has a final_vp"
            raise final.error(f"no card has final_vp = {given}", right)
        if given >= received:
            wrong = f"{given} would be given up for {received}"
            raise final.error(wrong, "give the card a final_vp larger than this")


def _check_amounts(data: Mapping[str, Any], top: _Place) -> None:
    """Refuse a file by which a player could collect more of something than a state can hold.

    The estimate is far too high: one player gets every card, every reward and every point there is.
    """
    constants = data["constants"]
    rounds = max(constants["rounds"].values())
    splits = max((constants["rounds"][n] - 1) * constants["interim_multiplier"][n] for n in _PLAYERS)
    icons = [icon for card in data["action_cards"] for icon in card["icons"]]
    coins = sum(int(icon.removeprefix("coins_")) for icon in icons if icon.startswith("coins_"))
    tallest = constants["porta_nigra_max_height"]
    spots = [
        tallest * constants["brick_price"][spot] if building == _PORTA_NIGRA else spot[2]
        for building, rows in data["spots"].items() for row in rows.values() for spot in row
    ]  # fmt: skip
    elements = sorted(spots, reverse=True)[: constants["romans_per_player"]]

    def collected(gain: str) -> dict[str, int]:
        triggers = constants["bricks_total"] // constants["reward_every_bricks"]
        return {
            "rewards": triggers * max(gains.get(gain, 0) for gains in data["rewards"].values()),
            "honour_cards": sum(card["copies"] * card.get("gains", {}).get(gain, 0) for card in data["honour_cards"]),
        }

    split = splits * constants["bricks_total"]
    torches = {
        **collected("torches"),
        "constants": constants["start_torches"],
        "action_cards": rounds * icons.count("torch"),
    }
    influence = {**collected("influence"), "action_cards": rounds * icons.count("influence")}
    points = {**collected("vp"), "constants": split + constants["early_end_bonus_vp"], "spots": sum(elements)}
    markers = rounds * sum(card["torches"] for card in data["action_cards"])
    traded = constants["torch_to_sesterces"] * (markers + sum(torches.values()))
    sesterces = {
        **collected("sesterces"),
        "constants": constants["start_sesterces"] + split + traded,
        "action_cards": rounds * coins,
    }
    for what, sources in (("torches", torches), ("influence", influence), ("vp", points), ("sesterces", sesterces)):
        total = sum(sources.values())
        if total > LARGEST_AMOUNT:
            largest = max(sources, key=lambda table: sources[table])
            wrong = f"a player could collect {total} {what} in a game, {sources[largest]} of them by this table"
            right = f"lower the numbers until at most {LARGEST_AMOUNT} are possible"
            raise top.at("table", largest).error(wrong, right)


# ------------------------------------------------------------------------------------------------ compiling


@lru_cache(maxsize=64)
def _compile(document: str) -> Components:
    """The set of a validated document."""
    data = json.loads(document)
    material = {key: value for key, value in data.items() if key not in ("edition", "provenance")}
    canonical = json.dumps(material, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    finals = tuple(sorted({card["final_vp"] for card in data["honour_cards"] if "final_vp" in card}))
    tables = np.zeros(1, dtype=TABLES)
    record = tables[0]
    _fill_constants(record, data["constants"])
    _fill_board(record, data)
    _fill_spots(record, data)
    _fill_cards(record, data, finals)
    record["tens_start"] = HONOUR + len(data["honour_cards"])
    record["digest"] = np.frombuffer(bytes.fromhex(digest), dtype=np.uint8)
    tables.flags.writeable = False
    return Components(
        name=data["name"],
        edition=data["edition"],
        digest=digest,
        document=document,
        tables=tables,
        honour_names=tuple(card["name"] for card in data["honour_cards"]),
        card_names=tuple(card["name"] for card in data["action_cards"]),
        final_values=finals,
    )


def _fill_constants(record: np.void, constants: Mapping[str, Any]) -> None:
    for field in set(constants) & set(TABLES.names or ()):
        if isinstance(constants[field], int):
            record[field] = constants[field]
    record["brick_price"] = [constants["brick_price"][colour] for colour in COLOURS]
    record["set_vp"] = constants["set_vp"]
    for field in ("rounds", "interim_multiplier"):
        for players, value in constants[field].items():
            record[field][int(players)] = value
    play_area = constants["play_area_vp"]
    for what in _KEPT:
        record[f"vp_per_{what}"] = play_area[what]
    record["sesterces_per_vp"] = play_area["sesterces_per_vp"]


def _fill_board(record: np.void, data: Mapping[str, Any]) -> None:
    ring, quarter = data["board"]["shop_ring"], data["board"]["quarter"]
    place = [ring.index(quarter[building]) for building in BUILDINGS]
    cost = data["constants"]["border_cost"]
    record["quarter_of_shop"] = -1  # white stays so
    for building in range(len(BUILDINGS)):
        for shop, colour in enumerate(ring):
            record["way_to_shop"][building, COLOURS.index(colour)] = (shop - place[building]) % len(ring) * cost
        record["way_to_building"][building] = [(goal - place[building]) % len(ring) * cost for goal in place]
        record["quarter_of_shop"][COLOURS.index(ring[place[building]])] = building
    for building, gains in enumerate(data["rewards"][name] for name in BUILDINGS):
        record["rewards"][building] = [gains.get(gain, 0) for gain in GAINS]


def _fill_spots(record: np.void, data: Mapping[str, Any]) -> None:
    constants, majorities = data["constants"], data["majorities"]
    heights = range(constants["porta_nigra_min_height"], constants["porta_nigra_max_height"] + 1)
    spot = 0
    for row, (building, letter, _) in enumerate(ROWS):
        owner = BUILDINGS.index(building)
        record["row_gives_card"][row] = letter not in data["building_cards"]["no_card_rows"].get(building, ())
        if owner != names.PORTA_NIGRA:
            record["row_majority"][row] = majorities[building][letter]
        for entry in data["spots"][building][letter]:
            name, bricks, points = (entry, 0, 0) if owner == names.PORTA_NIGRA else entry
            colour = COLOURS.index(name)
            record["spot_colour"][spot], record["spot_bricks"][spot], record["spot_vp"][spot] = colour, bricks, points
            record["spot_building"][spot], record["spot_row"][spot] = owner, row
            if owner == names.PORTA_NIGRA:
                for height in heights:
                    bit = (height - names.LOWEST_HEIGHT) * names.PORTA_NIGRA_SPOTS + spot - names.FIXED_SPOTS
                    record["porta_nigra_within"][colour, height:] |= 1 << bit
            else:
                record["fixed_spots_within"][colour, bricks:] |= 1 << spot
                record["fixed_spots_of"][owner] |= 1 << spot
            spot += 1
    for height in heights:
        record["height_majority"][height - names.LOWEST_HEIGHT] = majorities[_PORTA_NIGRA][str(height)]


def _fill_cards(record: np.void, data: Mapping[str, Any], finals: Sequence[int]) -> None:
    for card, supply in enumerate(data["supply_cards"]):
        record["supply_shops"][card] = [colour in supply["shops"] for colour in COLOURS]
    for card, action in enumerate(data["action_cards"]):
        record["card_torches"][card] = action["torches"]
        record["card_icons"][card] = [action["icons"].count(icon) for icon in ICONS]
        record["card_players"][card] = action.get("max_players", names.MAX_PLAYERS)
    for field in ("honour_discard_final", "honour_final", "honour_substitute"):
        record[field] = -1
    for kind, honour in enumerate(data["honour_cards"]):
        record["honour_copies"][kind] = honour["copies"]
        record["honour_cost"][kind] = honour["cost"]
        record["honour_discard_buildings"][kind] = "discard_buildings" in honour
        record["honour_crown"][kind] = "porta_nigra_brick" in honour
        record["honour_gains"][kind] = [honour.get("gains", {}).get(gain, 0) for gain in GAINS]
        if "discard_final" in honour:
            record["honour_discard_final"][kind] = finals.index(honour["discard_final"])
        if "final_vp" in honour:
            record["honour_final"][kind] = finals.index(honour["final_vp"])
        if "substitute" in honour:
            record["honour_substitute"][kind] = BUILDINGS.index(honour["substitute"])
    record["num_honours"] = len(data["honour_cards"])
    record["num_finals"] = len(finals)
    record["final_vp"][: len(finals)] = finals


#: All component sets of this process: "standard" and whatever else was loaded.
SETS: Final = ComponentSets(Path(__file__).with_name("standard.toml"), _validated, _compile)
load, from_data, find = SETS.load, SETS.from_data, SETS.find


# ------------------------------------------------------------------------------------------------ from the shell


def _summary(components: Components) -> str:
    data = components.data
    constants, cards = data["constants"], data["honour_cards"]
    by_players = ", ".join(f"{players} players {rounds}" for players, rounds in constants["rounds"].items())
    prices = ", ".join(f"{colour} {price}" for colour, price in constants["brick_price"].items())
    origins: dict[str, list[str]] = {}
    for table, origin in data["provenance"].items():
        origins.setdefault(origin, []).append(table)
    lines = {
        "name": components.name + (" (the packaged material)" if components.packaged else ""),
        "edition": components.edition,
        "digest": components.digest,
        "rounds": by_players,
        "bricks": f"{constants['bricks_total']}; prices: {prices}",
        "quarters": " > ".join(
            f"{shop} ({building})" for shop in data["board"]["shop_ring"]
            for building in BUILDINGS if data["board"]["quarter"][building] == shop
        ),
        "action cards": _listed(components.card_names),
        "honour cards": _listed(f"{card['copies']} {card['name']}" for card in cards),
        "final cards": _listed(components.final_values) or "none",
        "action ids": f"{components.actions.size}; observation {components.observations.size} numbers",
        **{f"from {origin}": _listed(tables) for origin, tables in origins.items()},
    }  # fmt: skip
    return "\n".join(f"{title + ':':<21}{text}" for title, text in lines.items())


def main(argv: Sequence[str] | None = None) -> int:
    """Check a component file; prints a summary, or the error and gives 1."""
    parser = argparse.ArgumentParser(
        prog="python -m porta_nigra_env.games.porta_nigra.components.load",
        description="Check a component file of Porta Nigra and tell what is in it. "
        "A file with a mistake is answered by the place and what would be right there, and exit code 1.",
        epilog="To write a file of your own: copy components/standard.toml and read components/SOURCES.md.",
    )
    parser.add_argument("file", nargs="?", default="standard", help='a TOML file, or "standard" (the default)')
    arguments = parser.parse_args(argv)
    try:
        components = load(arguments.file)
    except ComponentError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(_summary(components))
    return 0


if __name__ == "__main__":
    sys.exit(main())
