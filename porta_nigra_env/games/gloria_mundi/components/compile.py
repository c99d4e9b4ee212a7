"""Compile the validated data of a component file to the constants that the rules read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from porta_nigra_env.games.gloria_mundi.components import schema
from porta_nigra_env.games.gloria_mundi.components.abilities import PER
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BUILDER, GAINS, LETTERS, STONES, TYPES, WALL

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
