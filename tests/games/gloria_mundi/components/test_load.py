"""Component files: accepted and refused data, and the compiled constants."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from porta_nigra_env.core.positions.components import ComponentError
from porta_nigra_env.games.gloria_mundi.components import schema
from porta_nigra_env.games.gloria_mundi.components.load import SETS, Components, from_data, load
from porta_nigra_env.games.gloria_mundi.components.names import BASES, GAINS, KINDS, LETTERS, MAX_SPACES, STONES, TYPES
from porta_nigra_env.games.gloria_mundi.components.schema import CONSTANTS
from tests.games.component_files import Data, Key, at, changed, check_refused, damaged, leaves, parsed
from tests.games.gloria_mundi.components.files import BAD_CARDS, BAD_TABLES, CARDS, FILES, FOLDER, GOOD, OTHER, STANDARD

BAD = [*BAD_TABLES, *BAD_CARDS]

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


def test_sources_tells_the_provenance_of_every_table() -> None:
    page = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_.]+)` \| (\w+) \|", page, re.MULTILINE)
    assert dict(rows) == load("standard").data["provenance"]


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


# ------------------------------------------------------------------------------------------------ the digest


@FILES
def test_digest_ignores_what_does_not_matter(path: Path) -> None:
    def reordered(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: reordered(inside) for name, inside in reversed(value.items())}
        return [reordered(inside) for inside in value] if isinstance(value, list) else value

    components, data = load(path), parsed(path)
    assert from_data(reordered(data), "reordered").digest == components.digest
    written_out = copy.deepcopy(data)
    for card in written_out["building_cards"]:
        card["price"] = dict.fromkeys(STONES, 0) | card["price"]
        if card["ability"]["kind"] in ("give", "replace"):
            card["ability"].setdefault("repeat", False)
    assert from_data(written_out, "written out").document == components.document

    labels: dict[Key, Any] = {
        ("edition",): "second",
        ("provenance", "hands"): "printed",
        ("supply", "glory"): 7,
        (*CARDS, 3, "source"): "hearsay",
    }
    relabelled = from_data(changed(data, labels), "relabelled")
    assert relabelled.digest == components.digest
    assert relabelled.constants.tobytes() == components.constants.tobytes()
    assert relabelled.edition == "second"


@FILES
def test_every_value_reaches_digest_and_tables(path: Path) -> None:
    """Change each number and each word by itself, where the file stays valid: a forgotten table field shows here."""
    data, components = parsed(path), load(path)
    tried: Counter[str] = Counter()
    for key, value in leaves(data):
        if key[0] in ("edition", "provenance", "supply") or key[-1] == "source":
            continue
        if key[0] == "building_cards" and int(key[1]) % 3:
            continue  # a third of the cards has every field there is
        families = (STONES, (*BASES, "building"), ("steps", "price"))
        words = next((words for words in families if value in words), ())
        options: Any = (
            (value + 1, value - 1)
            if type(value) is int
            else ()
            if type(value) is bool
            else (*words, f"{value}_x", f"{value}F", "C")
        )
        for option in (not value,) if type(value) is bool else options:
            if option == value:
                continue
            try:
                variant = from_data(changed(data, {key: option}), "variant")
            except ComponentError:
                continue
            place = ".".join(map(str, key))
            assert variant.digest != components.digest, place
            assert variant.constants["digest"].tobytes().hex() == variant.digest
            if key[-1] != "name" and key[0] != "base_cards":
                fields = [name for name in CONSTANTS.names or () if name != "digest"]
                same = all(np.array_equal(variant.constants[name], components.constants[name]) for name in fields)
                assert not same, place
            tried[str(key[0])] += 1
            break
    # How many values could be changed by themselves: nearly all of them.
    least = {"name": 1, "constants": 8, "base_cards": 3, "hands": 15, "tracks": 20, "building_cards": 90}
    assert {table: min(tried[table], number) for table, number in least.items()} == least


@FILES
def test_the_order_of_cards_and_provinces_reaches_digest_and_tables(path: Path) -> None:
    data, components = parsed(path), load(path)
    swaps: list[dict[Key, Any]] = [{key: at(data, key)[::-1]} for key in (CARDS, ("tracks", "goth"))]
    for swap in swaps:
        variant = from_data(changed(data, swap), "variant")
        assert variant.digest != components.digest
        assert variant.constants.tobytes()[:-32] != components.constants.tobytes()[:-32]


# ------------------------------------------------------------------------------------------------ the tables


@FILES
def test_tables_of_start_and_tracks(path: Path) -> None:
    data, components = parsed(path), load(path)
    record, constants = components.constants[0], data["constants"]
    assert record["extra"].tolist() == data["forum"]["extra"] == list(components.extras)
    assert record["forum_start_cards"] == constants["forum_start_cards"]
    assert record["start_stones"].tolist() == [constants["start_stones"][stone] for stone in STONES]
    assert record["start_display"].tolist() == [constants["start_display"][base] for base in BASES]
    for players, hand in data["hands"].items():
        assert record["hands"][int(players)].tolist() == [hand[base] for base in BASES]
    assert not record["hands"][:2].any()
    assert record["escape_steps"] == data["tracks"]["escape_steps"]
    provinces = data["tracks"]["goth"]
    assert record["provinces"] == len(provinces)
    for space in range(MAX_SPACES):
        letters = provinces[space - 1] if 0 < space <= len(provinces) else ""
        assert record["symbols"][space].tolist() == [letters.count(letter) for letter in LETTERS]
        assert [letter for bit, letter in enumerate(LETTERS) if record["symbol_set"][space] >> bit & 1] == sorted(
            set(letters), key=LETTERS.index
        )
        before = "".join(provinces[:space])
        assert record["symbols_to"][space].tolist() == [before.count(letter) for letter in LETTERS]


def members(bits: Any, names: Any) -> list[Any]:
    """The names whose bits are set."""
    return [name for bit, name in enumerate(names) if int(bits) >> bit & 1]


@FILES
def test_tables_of_sets_of_cards(path: Path) -> None:
    cards, components = parsed(path)["building_cards"], load(path)
    record = components.constants[0]

    def which(test: Callable[[Data], bool]) -> list[str]:
        return [card["name"] for card in cards if test(card)]

    expected = {
        "walls": which(lambda card: card["type"] == "wall"),
        "builders": which(lambda card: card["type"] == "builder"),
        "red": which(lambda card: card["type"] in ("wall", "builder")),
        "exclusive": which(lambda card: "each_other" in card["ability"]),
        "free": which(lambda card: card["ability"]["kind"] == "produce" or "goth" in card["ability"]),
    }
    assert {name: members(record[name], components.cards) for name in expected} == expected
    for base, called in enumerate(BASES):
        on_goth = which(lambda card, called=called: card["ability"].get("goth") == called)  # type: ignore[misc]
        assert members(record["on_goth"][base], components.cards) == on_goth


@FILES
def test_tables_of_each_card(path: Path) -> None:
    components = load(path)
    record = components.constants[0]
    for number, card in enumerate(parsed(path)["building_cards"]):
        assert components.cards[number] == card["name"]
        assert TYPES[record["card_type"][number]] == card["type"]
        where = {"builder": list(BASES), "wall": [card.get("protects")]}.get(card["type"], [card["type"]])
        assert members(record["lies_on"][number], BASES) == where
        price = [card["price"].get(stone, 0) for stone in STONES]
        assert record["price"][number].tolist() == price
        for kinds, printed in enumerate(record["printed"][number].tolist()):
            assert printed == sum(members(kinds, price))
        assert record["laurels"][number] == card["steps"]


@FILES
def test_tables_of_each_ability(path: Path) -> None:
    record = load(path).constants[0]
    for number, card in enumerate(parsed(path)["building_cards"]):
        ability, row = (
            card["ability"],
            {name: record[name][number] for name in CONSTANTS.names or () if record[name].shape[:1] == (57,)},
        )
        pays = {"pay": schema.PAY_STONES, "pay_choose": schema.PAY_CHOICE, "pay_card": schema.PAY_CARD}
        assert row["pay_form"] == next((form for key, form in pays.items() if key in ability), schema.PAY_NOTHING)
        assert row["pay"].tolist() == [ability.get("pay", {}).get(stone, 0) for stone in STONES]
        assert members(row["pay_kinds"], STONES) == sorted(ability.get("pay_choose", []), key=STONES.index)
        assert row["pay_count"] == ability.get("pay_count", 0)
        gains = {"steps": schema.GAIN_LAURELS, "price": schema.GAIN_PRICE}
        choice = schema.GAIN_CHOICE if "choose" in ability else schema.GAIN_NAMED
        assert row["gain_form"] == gains.get(ability.get("gain_card"), choice)
        assert row["gain"].tolist() == [ability.get("gain", {}).get(gain, 0) for gain in GAINS]
        assert members(row["gain_kinds"], STONES) == sorted(ability.get("choose", []), key=STONES.index)
        assert row["gain_count"] == ability.get("count", 0)
        counted = ability.get("per"), ability.get("per_stone")
        by: dict[int, tuple[str | None, str | None]] = {
            schema.ONCE: (None, None),
            schema.PER_BUILDING: ("building", None),
        }
        by |= {base: (called, None) for base, called in enumerate(BASES)}
        by |= {schema.PER_STONE + kind: (None, stone) for kind, stone in enumerate(STONES)}
        assert by[int(row["per"])] == counted
        assert bool(row["repeat"]) == ability.get("repeat", False)
        assert members(row["use"], STONES) == sorted(ability.get("use", []), key=STONES.index)
        assert members(row["covers"], STONES) == sorted(ability.get("for", []), key=STONES.index)


# ------------------------------------------------------------------------------------------------ bad files


def test_the_list_of_bad_files_is_complete() -> None:
    """Each table of a file is named by some complaint, and so is each field of it and of a card and its ability."""
    told = " ".join(place for _, place, _ in BAD)
    for table, fields in parsed(STANDARD).items():
        assert f"[{table}]" in told or f"field {table}" in told, table
        if isinstance(fields, dict) and table not in ("provenance", "supply", "base_cards", "hands"):
            for field in fields:
                assert re.search(rf"table \[{table}\], field {field}", told), (table, field)
    for card in (*parsed(STANDARD)["building_cards"], *parsed(OTHER)["building_cards"]):
        for field in card:
            assert re.search(rf"field {field}\b", told), field
        for field in card["ability"]:
            assert f"field ability.{field}" in told, field


@pytest.mark.parametrize(("changes", "place", "right"), BAD, ids=[f"{i:03}-{bad[1]}" for i, bad in enumerate(BAD)])
def test_bad_file(changes: dict[Key, Any], place: str, right: str) -> None:
    check_refused(SETS, changed(parsed(STANDARD), changes), place, right)


@pytest.mark.parametrize("changes", GOOD, ids=[str(i) for i in range(len(GOOD))])
def test_limits_are_inclusive(changes: dict[Key, Any]) -> None:
    components = from_data(changed(parsed(STANDARD), changes), "my_box.toml")
    assert components.digest != load().digest
    assert from_data(components.data, "again").constants.tobytes() == components.constants.tobytes()


# ------------------------------------------------------------------------------------------------ any mistake at all

WORDS = (*STONES, *TYPES, *KINDS, "building", "steps", "gain", "choose", "count", "pay", "repeat", "price", "2", "FC")


@settings(max_examples=150, deadline=None)
@given(damaged([STANDARD, OTHER], WORDS))
def test_damaged_data_loads_or_is_refused(data: Data) -> None:
    """Any file gives a complete set or a ComponentError, and the input is not changed."""
    before = repr(data)
    loaded: Components | None
    try:
        loaded = from_data(data, "damaged")
    except ComponentError as error:
        assert str(error).startswith("damaged: ")
        loaded = None
    assert repr(data) == before
    if loaded is not None:
        assert from_data(loaded.data, "again").document == loaded.document
