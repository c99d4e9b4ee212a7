"""Component files of Gloria Mundi: `load` takes "standard" or the path of a TOML file and returns `Components`.

A mistake in a file raises `ComponentError` with the file, table, row and field, the value, and the fix.  SOURCES.md
describes the format; ``python -m porta_nigra_env.components my.toml --game gloria_mundi`` checks a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.positions import components
from porta_nigra_env.core.positions.checks import joined
from porta_nigra_env.core.positions.components import ComponentSets
from porta_nigra_env.games.gloria_mundi.components import schema
from porta_nigra_env.games.gloria_mundi.components.abilities import PER
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BUILDER, GAINS, LETTERS, STONES, TYPES, WALL
from porta_nigra_env.games.gloria_mundi.components.schema import CONSTANTS
from porta_nigra_env.games.gloria_mundi.components.texts import ability_text, amounts
from porta_nigra_env.games.gloria_mundi.components.validate import validated
from porta_nigra_env.games.gloria_mundi.components.vary import varied


@dataclass(frozen=True, eq=False, repr=False)
class Components(components.Components):
    """A component set of Gloria Mundi.

    The digest is that of the canonical JSON of all values the game depends on: `edition`, `provenance`, `supply` and
    each card's `source` are left out.  Comments, the order of keys and explicit amounts of 0 do not change it.

    Attributes:
        constants: (1,) of `schema.CONSTANTS`.
        cards: names of the building cards, in the order of the file.
        extras: the extra of each place of the forum, in sliding order; it names the place.
        provinces: the symbols of each province as letters.
    """

    cards: tuple[str, ...]
    extras: tuple[int, ...]
    provinces: tuple[str, ...]

    def summary(self) -> dict[str, str]:
        """Return the contents of the set in words."""
        data = self.data
        types = Counter(card["type"] for card in data["building_cards"])
        by_type = {
            f"{called} cards": f"{types[called]}: {joined(_names(data, called))}" for called in TYPES if types[called]
        }
        start = [f"{number} {stone}" for stone, number in data["constants"]["start_stones"].items()]
        return {
            "start": joined(start),
            "start display": joined(f"{number} {base}" for base, number in data["constants"]["start_display"].items()),
            "forum": f"{joined(f'+{extra}' for extra in self.extras)}; "
            f"{data['constants']['forum_start_cards']} cards before the first turn",
            "hands": joined(
                f"{players} players {'/'.join(str(hand[base]) for base in BASES)}"
                for players, hand in data["hands"].items()
            ),
            "escape track": f"{data['tracks']['escape_steps']} steps",
            "provinces": f"{len(self.provinces)}: {joined(self.provinces)}",
            **by_type,
        }

    def listings(self) -> dict[str, list[list[str]]]:
        """Return tables of the building cards, with their abilities in words."""
        rows = [
            [card["name"], card["type"], amounts(card["price"]), str(card["steps"]), ability_text(card)]
            for card in self.data["building_cards"]
        ]
        return {"cards": [["card", "type", "price", "steps", "ability"], *rows]}


def _names(data: dict[str, Any], called: str) -> list[str]:
    """Return the names of the cards of a type."""
    return [card["name"] for card in data["building_cards"] if card["type"] == called]


# ------------------------------------------------------------------------------------------------ constants

Data = Mapping[str, Any]


def fill_constants(record: np.void, data: Data) -> None:
    """Fill a record of `schema.CONSTANTS`, zero before, from the validated data of a file."""
    _fill_start(record, data)
    _fill_goth(record, data["tracks"]["goth"])
    record["escape_steps"] = data["tracks"]["escape_steps"]
    _fill_sets(record, data["building_cards"])
    for number, card in enumerate(data["building_cards"]):
        _fill_card(record, number, card)
        _fill_ability(record, number, card["ability"])


def _counts(amounts: Data, names: Sequence[str]) -> list[int]:
    """Return amounts in the order of `names`; missing names count 0."""
    return [amounts.get(name, 0) for name in names]


def _set(names: Iterable[str], options: Sequence[str]) -> int:
    """Return a set of names as a bit mask."""
    return sum(1 << options.index(name) for name in names)


def _fill_start(record: np.void, data: Data) -> None:
    constants = data["constants"]
    record["extra"] = data["forum"]["extra"]
    record["forum_start_cards"] = constants["forum_start_cards"]
    record["start_stones"] = _counts(constants["start_stones"], STONES)
    record["start_display"] = _counts(constants["start_display"], BASES)
    for players, hand in data["hands"].items():
        record["hands"][int(players)] = _counts(hand, BASES)


def _fill_goth(record: np.void, provinces: Sequence[str]) -> None:
    record["provinces"] = len(provinces)
    for space, letters in enumerate(provinces, 1):
        record["symbols"][space] = [letters.count(letter) for letter in LETTERS]
        record["symbol_set"][space] = _set(set(letters), LETTERS)
    record["symbols_to"] = record["symbols"].cumsum(axis=0)


def _fill_sets(record: np.void, cards: Sequence[Data]) -> None:
    def chosen(which: Iterable[bool]) -> int:
        return sum(1 << number for number, belongs in enumerate(which) if belongs)

    record["walls"] = chosen(card["type"] == TYPES[WALL] for card in cards)
    record["builders"] = chosen(card["type"] == TYPES[BUILDER] for card in cards)
    record["red"] = record["walls"] | record["builders"]
    abilities = [card["ability"] for card in cards]
    record["exclusive"] = chosen("each_other" in ability for ability in abilities)
    record["on_goth"] = [chosen(ability.get("goth") == base for ability in abilities) for base in BASES]
    record["free"] = chosen(ability["kind"] == "produce" or "goth" in ability for ability in abilities)


def _fill_card(record: np.void, number: int, card: Data) -> None:
    called, price = card["type"], _counts(card["price"], STONES)
    record["card_type"][number] = TYPES.index(called)
    where = BASES if called == TYPES[BUILDER] else [card.get("protects", called)]
    record["lies_on"][number] = _set(where, BASES)
    record["price"][number] = price
    record["printed"][number] = [
        sum(stones for kind, stones in enumerate(price) if kinds >> kind & 1) for kinds in range(1 << len(STONES))
    ]
    record["laurels"][number] = card["steps"]


def _fill_ability(record: np.void, number: int, ability: Data) -> None:
    record["pay_form"][number] = _pay_form(ability)
    record["pay"][number] = _counts(ability.get("pay", {}), STONES)
    record["pay_kinds"][number] = _set(ability.get("pay_choose", ()), STONES)
    record["pay_count"][number] = ability.get("pay_count", 0)
    record["gain_form"][number] = _gain_form(ability)
    record["gain"][number] = _counts(ability.get("gain", {}), GAINS)
    record["gain_kinds"][number] = _set(ability.get("choose", ()), STONES)
    record["gain_count"][number] = ability.get("count", 0)
    record["per"][number] = _per(ability)
    record["repeat"][number] = ability.get("repeat", False)
    record["use"][number] = _set(ability.get("use", ()), STONES)
    record["covers"][number] = _set(ability.get("for", ()), STONES)


def _pay_form(ability: Data) -> int:
    forms = {"pay": schema.PAY_STONES, "pay_choose": schema.PAY_CHOICE, "pay_card": schema.PAY_CARD}
    return next((form for field, form in forms.items() if field in ability), schema.PAY_NOTHING)


def _gain_form(ability: Data) -> int:
    if "gain_card" in ability:
        return {"steps": schema.GAIN_LAURELS, "price": schema.GAIN_PRICE}[ability["gain_card"]]
    return schema.GAIN_CHOICE if "choose" in ability else schema.GAIN_NAMED


def _per(ability: Data) -> int:
    """Return the multiplier of the right side: an index into `PER`, `PER_STONE` plus a stone, or ONCE."""
    if "per" in ability:
        return PER.index(ability["per"])
    return schema.PER_STONE + STONES.index(ability["per_stone"]) if "per_stone" in ability else schema.ONCE


# The order of `PER` is that of the constants in `schema`.
assert len(PER) == schema.PER_STONE


# ------------------------------------------------------------------------------------------------ sets


def _derived(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that only sets of this game have."""
    return {
        "cards": tuple(card["name"] for card in data["building_cards"]),
        "extras": tuple(data["forum"]["extra"]),
        "provinces": tuple(data["tracks"]["goth"]),
    }


def _material(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of the digest: that of the file without the fields that have no effect."""
    cards = [{key: value for key, value in card.items() if key != "source"} for card in data["building_cards"]]
    return {**{key: value for key, value in data.items() if key != "supply"}, "building_cards": cards}


#: All component sets of this process: "standard" and the loaded ones.
SETS: Final = ComponentSets(
    Components, Path(__file__).with_name("standard.toml"), validated, CONSTANTS, fill_constants, _derived, _material,
    vary=varied,
)  # fmt: skip
load, from_data, find = SETS.load, SETS.from_data, SETS.find
