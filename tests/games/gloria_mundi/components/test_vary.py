"""Drawn component sets: plausible files with the facts of the rulebook, and their pieces as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from porta_nigra_env.games.gloria_mundi.components import names
from porta_nigra_env.games.gloria_mundi.components.load import SETS, load
from porta_nigra_env.games.gloria_mundi.components.pieces import pieces_of
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi

SEEDS = range(1, 13)
GAMES = 100


def faces(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is printed on the building cards."""
    return [{key: card[key] for key in card if key not in ("name", "source")} for card in data["building_cards"]]


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_keep_the_facts_of_the_rulebook(seed: int) -> None:
    data, standard = SETS.varied(seed).data, load().data
    for table in ("constants", "forum", "supply", "base_cards", "hands"):
        assert data[table] == standard[table], table
    provinces = data["tracks"]["goth"]
    assert data["tracks"]["escape_steps"] in (38, 39)
    assert len(provinces) in range(35, 38)
    assert {"C", "CP"} < set(provinces)
    cards = data["building_cards"]
    printed = faces(data)
    assert all(face not in printed[:number] for number, face in enumerate(printed))
    assert sum(card["steps"] > 0 for card in cards) > len(cards) / 2
    assert any(card["steps"] == 0 for card in cards)
    assert any("glory" in card["price"] for card in cards)


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_keep_types_walls_and_the_abilities_with_a_source(seed: int) -> None:
    drawn = {card["name"]: card for card in SETS.varied(seed).data["building_cards"]}
    standard = {card["name"]: card for card in load().data["building_cards"]}
    assert drawn.keys() == standard.keys()
    for name, card in standard.items():
        kept = ("type", "protects", "source", *(("ability",) if "source" in card else ()))
        assert {key: drawn[name].get(key) for key in kept} == {key: card.get(key) for key in kept}
        assert drawn[name]["ability"]["kind"] == card["ability"]["kind"]


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_keep_the_economy_nearly(seed: int) -> None:
    def economy(data: dict[str, Any]) -> dict[str, int]:
        cards = data["building_cards"]
        return {
            "prices": sum(sum(card["price"].values()) for card in cards),
            "gains": sum(sum(card["ability"].get("gain", {}).values()) for card in cards),
            "steps": sum(card["steps"] for card in cards),
            "symbols": sum(map(len, data["tracks"]["goth"])),
        }

    drawn, standard = economy(SETS.varied(seed).data), economy(load().data)
    for total, usual in standard.items():
        assert abs(drawn[total] - usual) <= 0.1 * usual, total


def test_draws_vary_all_reconstructed_tables() -> None:
    standard = {card["name"]: card for card in load().data["building_cards"]}
    sets = [SETS.varied(seed).data for seed in SEEDS]

    def changed(field: str) -> set[str]:
        """Return the cards on which the field differs in some set."""
        cards = [card for data in sets for card in data["building_cards"]]
        return {card["name"] for card in cards if card[field] != standard[card["name"]][field]}

    assert changed("price") == standard.keys()
    assert len(changed("steps")) > 40
    assert len(changed("ability")) > 25
    assert {len(data["tracks"]["goth"]) for data in sets} == {35, 36, 37}
    assert {data["tracks"]["escape_steps"] for data in sets} == {38, 39}


def test_numbers_are_those_of_the_file() -> None:
    components = load("varied:5")
    numbers, cards = pieces_of(components), components.data["building_cards"]
    layout, raw = numbers.layout, numbers.raw

    def rows(name: str) -> list[Any]:
        rows: list[Any] = raw[layout[name].slice].reshape(layout[name].spec.shape).tolist()
        return rows

    def indices(name: str) -> list[list[int]]:
        return [[i for i, one in enumerate(row) if one] for row in rows(name)]

    abilities = [card["ability"] for card in cards]
    assert rows("card_steps") == [card["steps"] for card in cards]
    assert rows("card_price") == [[card["price"].get(stone, 0) for stone in names.STONES] for card in cards]
    assert indices("card_type") == [[names.TYPES.index(card["type"])] for card in cards]
    assert rows("card_gain") == [[one.get("gain", {}).get(gain, 0) for gain in names.GAINS] for one in abilities]
    assert rows("card_pay") == [[one.get("pay", {}).get(stone, 0) for stone in names.STONES] for one in abilities]
    for name, key in (("pay_kinds", "pay_choose"), ("gain_kinds", "choose"), ("use", "use"), ("covers", "for")):
        assert indices(f"card_{name}") == [sorted(map(names.STONES.index, one.get(key, ()))) for one in abilities]
    assert rows("card_pay_count") == [one.get("pay_count", 0) for one in abilities]
    assert rows("card_gain_count") == [one.get("count", 0) for one in abilities]
    assert rows("card_repeat") == [int(one.get("repeat", False)) for one in abilities]
    assert rows("card_exclusive") == [int("each_other" in one) for one in abilities]
    for card, lies_on, goth in zip(cards, rows("card_lies_on"), rows("card_on_goth"), strict=True):
        under = names.BASES if card["type"] == "builder" else (card.get("protects", card["type"]),)
        assert lies_on == [int(base in under) for base in names.BASES]
        assert goth == [int(base == card["ability"].get("goth")) for base in names.BASES]
    counted = (*names.BASES, "building", *(f"stone {stone}" for stone in names.STONES))
    per = [one.get("per", f"stone {one['per_stone']}" if "per_stone" in one else "") for one in abilities]
    assert indices("card_per") == [[counted.index(one)] if one else [] for one in per]


def test_numbers_tell_the_cards_apart() -> None:
    for components in (load(), *map(SETS.varied, SEEDS)):
        numbers = pieces_of(components)
        (cards,) = numbers.kinds
        assert len(np.unique(numbers.raw[numbers.columns(cards)], axis=0)) == names.NUM_CARDS
        assert numbers.layout.size == pieces_of(load()).layout.size


def test_pieces_point_at_their_entries() -> None:
    game = GloriaMundi(2)
    (cards,) = pieces_of(game.components).kinds
    seen, chosen = game.observations, game.actions
    owner, forum = seen["owner"].start, seen["forum"].start
    singles = [seen[name].start + 7 for name in ("lies_on", "deck", "left", "card")]
    assert cards.observed[7].tolist() == [
        *range(owner + 7 * 6, owner + 8 * 6),
        *singles,
        *(forum + place * 57 + 7 for place in range(6)),
    ]
    assert cards.chosen[7].tolist() == [chosen[name].start + 7 for name in ("use", "base", "discard", "lose", "wall")]
