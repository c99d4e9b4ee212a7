"""Component files: accepted and refused data, and the compiled constants."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from porta_nigra_env.games.gloria_mundi.components.load import load
from porta_nigra_env.games.gloria_mundi.components.names import BASES, GAINS, STONES
from porta_nigra_env.games.gloria_mundi.components.schema import CONSTANTS
from tests.games.component_files import leaves, parsed
from tests.games.gloria_mundi.components.files import CASES, FILES, OTHER, STANDARD

# ------------------------------------------------------------------------------------------------ the standard file


def test_standard_meets_what_the_text_fixes() -> None:
    """Facts told by the rulebook's text, one by one."""
    data = load("standard").data
    assert data["constants"]["players"] == [2, 6]
    assert data["constants"]["start_stones"] == {"food": 1, "gold": 1, "peace": 1, "glory": 0}
    assert data["constants"]["start_display"] == {"farm": 1, "city": 1, "peace": 1}
    assert data["forum"]["extra"] == [5, 4, 3, 2, 1, 0]
    assert data["supply"] == {"food": 60, "gold": 60, "peace": 60, "glory": 40}
    assert data["base_cards"] == {"farm": 30, "city": 20, "peace": 20}
    hands = {players: tuple(hand.values()) for players, hand in data["hands"].items()}
    assert hands == {"2": (12, 9, 9), "3": (8, 6, 6), "4": (7, 5, 5), "5": (6, 4, 4), "6": (5, 3, 3)}
    assert len(data["building_cards"]) == 57


def test_standard_meets_what_the_sources_demand() -> None:
    """Mainly coloured cards, few red ones; most give steps, some none; glory in some prices; tracks of their length."""
    data = load("standard").data
    cards = data["building_cards"]
    types = Counter(card["type"] for card in cards)
    assert sum(types[base] for base in BASES) > 3 * (types["builder"] + types["wall"]) > 0
    assert {card["protects"] for card in cards if card["type"] == "wall"} == set(BASES)
    given = [card["steps"] for card in cards]
    assert 0 < given.count(0) < len(cards) // 4
    assert 0 < sum("glory" in card["price"] for card in cards) < len(cards) // 4
    faces = [str({**card, "name": "", "source": ""}) for card in cards]
    assert len(faces) - len(set(faces)) < 6
    assert 30 < len(data["tracks"]["goth"]) < 40
    assert 30 < data["tracks"]["escape_steps"] < 40
    assert {"C"} | {"".join(sorted("CP"))} <= {"".join(sorted(letters)) for letters in data["tracks"]["goth"]}


def test_standard_has_the_abilities_that_the_sources_describe() -> None:
    written = [card["ability"] for card in load("standard").data["building_cards"] if "source" in card]
    produce = [ability["gain"] for ability in written if ability["kind"] == "produce"]
    assert {"food": 1, "steps": 1} in produce
    assert {"kind": "have", "per": "farm", "gain": {"food": 1}} in written
    assert {"kind": "give", "pay": {"glory": 1}, "choose": ["food", "gold", "peace"], "count": 3} in written
    assert {"kind": "give", "pay_card": "building", "gain_card": "steps"} in written
    assert {"kind": "give", "pay_card": "building", "gain_card": "price"} in written
    assert {"kind": "fulfil", "each_other": "peace", "gain": {"glory": 1}} in written
    assert {"kind": "fulfil", "goth": "city", "gain": {"steps": 2}} in written


# ------------------------------------------------------------------------------------------------ the second file


def test_other_differs_from_standard_wherever_a_file_may() -> None:
    """Otherwise tests that run with both files could not find a number in the code."""
    one, two = load("standard"), load(OTHER)
    first, second = dict(leaves(one.data)), dict(leaves(two.data))
    shared = [key for key, value in first.items() if key[0] != "provenance" and second.get(key) == value]
    assert {key[:2] for key in shared if key[0] != "building_cards"} == {("constants", "players")}
    same = [name for name in CONSTANTS.names or () if np.array_equal(one.constants[name], two.constants[name])]
    assert same == []
    assert not set(one.cards) & set(two.cards)


def test_other_uses_every_construct_of_the_grammar() -> None:
    """Each left side with each right side, with and without the printed X, and each way to count."""
    cards = load(OTHER).data["building_cards"]
    met: Counter[Any] = Counter()
    for card in cards:
        ability = card["ability"]
        sides = tuple(field for field in ability if field not in ("kind", "repeat", "pay_count", "count"))
        met[(*sides, "repeat" in ability)] += 1
        met.update((ability.get(field), field) for field in ("per", "per_stone", "goth", "each_other"))
        met.update(("named", stone) for stone in ability.get("gain", ()))
        met.update(("laid on", base) for base in [card.get("protects")])
    lefts, rights = ("pay", "pay_choose", "pay_card"), ("gain", "choose")
    for left in lefts:
        for right in (*rights, "gain_card") if left == "pay_card" else rights:
            assert met[left, right, True], (left, right)
            assert met[left, right, False], (left, right)
    assert met["use", "for", True]
    assert met["use", "for", False]
    assert all(met[per, "per"] for per in (*BASES, "building"))
    assert all(met[stone, "per_stone"] for stone in STONES)
    assert all(met[base, field] for base in BASES for field in ("goth", "each_other"))
    assert all(met["named", gain] for gain in GAINS)
    assert all(met["laid on", base] for base in BASES)
    builders = [card["ability"] for card in cards if card["type"] == "builder"]
    assert {len(ability[side]) for ability in builders for side in ("use", "for")} == {1, 2, 3, 4}


# ------------------------------------------------------------------------------------------------ loading


@FILES
def test_a_set_tells_what_is_in_it(path: Path) -> None:
    components = load(path)
    told = components.summary()
    assert len(set(told.values())) == len(told)
    for name in (*components.cards, *components.provinces):
        assert any(name in text for text in told.values()), name


# ------------------------------------------------------------------------------------------------ bad files


def test_the_list_of_bad_files_has_each_field_of_cards_and_abilities() -> None:
    paths = {str(path) for _, path, _ in CASES.bad} | {str(path) for path in (*CASES.required, *CASES.ranges)}
    told = {re.sub(r"building_cards\.\d+\.", "", path).removeprefix("ability.").split(".")[0] for path in paths}
    for card in (*parsed(STANDARD)["building_cards"], *parsed(OTHER)["building_cards"]):
        assert told >= {*card, *card["ability"]} - {"ability"}
