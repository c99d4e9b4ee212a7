"""Component files: accepted and refused ones, and the constants compiled from them."""

from __future__ import annotations

import copy
import pickle
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from porta_nigra_env.core.positions.components import ComponentError
from porta_nigra_env.games.aquileia.actions import NUM_WORDS
from porta_nigra_env.games.aquileia.components import load as module
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.load import SETS, Components, from_data, load
from porta_nigra_env.games.aquileia.components.names import AREAS, BUILDING_KINDS, EQUI_GROUPS, KINDS, SIDES
from porta_nigra_env.games.aquileia.components.schema import CONSTANTS
from tests.games.component_files import DROP, Data, Key, at, changed, check_refused, damaged, leaves, parsed

FOLDER = Path(module.__file__).parent
STANDARD = FOLDER / "standard.toml"
OTHER = Path(__file__).with_name("other.toml")
FILES = pytest.mark.parametrize("path", [STANDARD, OTHER], ids=["standard", "other"])

# ------------------------------------------------------------------------------------------------ the standard file


def test_standard_meets_what_the_text_fixes() -> None:
    """Facts told by the rulebook's text and examples, one by one."""
    data = load("standard").data
    assert data["constants"] == {
        "players": [3, 4, 5], "rounds": 6, "followers_per_player": 5, "houses_per_player": 9, "dolus_red_dice": 2,
        "contest_red_dice": 3, "latro_red_dice": 2, "blue_dice": 4,
    }  # fmt: skip
    assert (data["start"], data["die"]) == ({"bronze": 2, "silver": 1, "gold": 1}, dict.fromkeys(KINDS, 2))
    mercatus, arena, stadium = data["mercatus"], data["arena"], data["stadium"]
    assert (mercatus["equi_price"], mercatus["pecunia_vp"]) == ({"bronze": 1}, 4)
    assert [(space["coin"], space["max"]) for space in mercatus["servi"]] == [("bronze", 1), ("silver", 2), ("gold", 3)]
    assert (arena["prizes"], arena["coin"], arena["vp_per_strength"]) == ([3, 2, 1], "bronze", 2)
    assert stadium["prizes"] == [3, 2, 1]
    assert {1, 2} <= set(stadium["gold"])
    assert {1, 2} <= set(stadium["silver"])
    assert data["portus"]["spaces"] == ["bronze", "silver", "gold"]
    assert sum(data["slave_cards"].values()) == 22
    equi = data["equi_cards"]
    assert sum(sum(group.values()) for group in equi.values()) == 17
    assert equi["silver_horse"]["1"] >= 2
    assert equi["silver_horse"]["2"] >= 1
    assert equi["weapon"]["2"] >= 2
    assert sum(data["stadium_cards"]["colours"].values()) == 8
    assert sorted(data["stadium_cards"]["laurels"]) == [3, 5, 7, 10]
    pairs = [set(pair) for pair in data["theatre_cards"]["pairs"]]
    assert len(pairs) == 6
    assert {"blue", "yellow"} in pairs


def test_standard_has_the_buildings_of_the_examples() -> None:
    forum = load("standard").data["forum"]
    assert [(space["builds"], space["value"]) for space in forum["spaces"]] == [
        (1, False), (1, True), (2, False), (1, False), (1, True)
    ]  # fmt: skip
    villas = {(site["colour"], site["value"]): site["cost"] for site in forum["buildings"] if site["kind"] == "villa"}
    assert villas["blue", 10] == {"bronze": 2, "silver": 2, "gold": 1, "slaves": 3}
    assert ("blue", 6) in villas
    assert {colour for colour, _ in villas} == set(load("standard").colours)
    assert {4, 5} <= {site["vp"] for site in forum["buildings"] if site["kind"] == "workshop"}
    assert {"silver": 1, "gold": 1} in [site["pays"] for site in forum["buildings"] if site["kind"] == "money_house"]


def test_standard_has_its_counts() -> None:
    """The sizes that the contract of positions names."""
    components = load("standard")
    assert len(components.spaces) == 28
    assert components.actions.size == 90
    assert [len(components.buildings), len(components.exchanges), len(components.theatre_cards)] == [28, 6, 6]
    assert components.slave_faces == ("slave_1", "slave_2")
    assert components.equi_faces == (
        "gold_horse_1", "gold_horse_2", "silver_horse_1", "silver_horse_2", "weapon_1", "weapon_2", "weapon_3"
    )  # fmt: skip
    assert components.stadium_faces == (*components.colours, "laurel_10", "laurel_7", "laurel_5", "laurel_3")


def test_sources_tells_the_provenance_of_every_table() -> None:
    page = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_.]+)` \| (\w+) \|", page, re.MULTILINE)
    assert dict(rows) == load("standard").data["provenance"]


def test_other_differs_from_standard_wherever_a_file_may() -> None:
    """Otherwise tests that run with both files could not find a number in the code."""
    one, two = load("standard"), load(OTHER)
    shared = [
        key for key, value in leaves(one.data) if key in dict(leaves(two.data)) and value == dict(leaves(two.data))[key]
    ]
    assert [key for key in shared if key[0] == "constants"] == [("constants", "players", i) for i in range(3)]
    assert [key for key in shared if key[0] in ("start", "die")] == []
    same = [name for name in CONSTANTS.names or () if np.array_equal(one.constants[name], two.constants[name])]
    assert same == []
    assert one.sizes != two.sizes


# ------------------------------------------------------------------------------------------------ loading


@FILES
def test_a_set_tells_what_is_in_it(path: Path) -> None:
    components = load(path)
    told = components.summary()
    assert len(set(told.values())) == len(told)
    for name in (*components.spaces, *components.buildings, *components.theatre_cards, *components.stadium_faces):
        assert any(name in text for text in told.values()), name


# ------------------------------------------------------------------------------------------------ the digest


@FILES
def test_digest_ignores_what_does_not_matter(path: Path) -> None:
    def reordered(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            items = value.items() if key == "colours" else reversed(value.items())
            return {name: reordered(inside, name) for name, inside in items}
        return [reordered(inside) for inside in value] if isinstance(value, list) else value

    components, data = load(path), parsed(path)
    assert from_data(reordered(data), "reordered").digest == components.digest
    written_out = copy.deepcopy(data)
    written_out["slave_cards"].setdefault("1", 0)
    written_out["equi_cards"]["weapon"].setdefault("9", 0)
    for building in written_out["forum"]["buildings"]:
        building["cost"] = dict.fromkeys((*KINDS, "slaves"), 0) | building["cost"]
    assert from_data(written_out, "written out").document == components.document

    relabelled = changed(data, {("edition",): "second", ("provenance", "portus"): "printed"})
    assert from_data(relabelled, "relabelled").digest == components.digest
    assert from_data(relabelled, "relabelled").edition == "second"


@FILES
def test_every_value_reaches_digest_and_tables(path: Path) -> None:
    """Change each number and each word by itself, where the file stays valid: a forgotten table field shows here."""
    data, components = parsed(path), load(path)
    words = {**dict.fromkeys(KINDS, KINDS), **dict.fromkeys(components.colours, components.colours)}
    tried: Counter[str] = Counter()
    for key, value in leaves(data):
        if key[0] in ("edition", "provenance"):
            continue
        options: Any = (value + 1, value - 1) if type(value) is int else words.get(value, (f"{value}_x",))
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
            named = key[-1] == "name" or key[:2] == ("mercatus", "equi")
            if not named:
                fields = [name for name in CONSTANTS.names or () if name != "digest"]
                same = all(np.array_equal(variant.constants[name], components.constants[name]) for name in fields)
                assert not same, place
            tried[str(key[0])] += 1
            break
    # How many values could be changed by themselves: nearly all of them in most tables, and never none.
    least = {"name": 1, "constants": 6, "start": 3, "die": 3, "mercatus": 9, "arena": 6, "stadium": 7,
             "slave_cards": 1, "equi_cards": 5, "stadium_cards": 2, "forum": 60}  # fmt: skip
    assert {table: min(tried[table], number) for table, number in least.items()} == least


@FILES
def test_the_order_of_lists_reaches_digest_and_tables(path: Path) -> None:
    """Names and action ids follow it: spaces, exchanges, colours, laurels, pairs, buildings."""
    data, components = parsed(path), load(path)
    colours = dict(reversed(data["stadium_cards"]["colours"].items()))
    lists: list[Key] = [
        ("mercatus", "servi"), ("mercatus", "exchanges"), ("portus", "spaces"), ("stadium_cards", "laurels"),
        ("theatre_cards", "pairs"), ("forum", "buildings"),
    ]  # fmt: skip
    swaps: list[dict[Key, Any]] = [{key: at(data, key)[::-1]} for key in lists]
    swaps.append({("stadium_cards", "colours"): colours})
    for swap in swaps:
        variant = from_data(changed(data, swap), "variant")
        assert variant.digest != components.digest, swap
        assert variant.constants.tobytes()[:-32] != components.constants.tobytes()[:-32], swap
        assert pickle.loads(pickle.dumps(variant)) == variant


# ------------------------------------------------------------------------------------------------ the tables


@FILES
def test_space_tables(path: Path) -> None:
    data, components = parsed(path), load(path)
    record = components.constants[0]
    assert record["num_spaces"] == len(components.spaces)
    strengths = {"arena": data["arena"]["spaces"], **{side: data["stadium"][side] for side in SIDES}}
    servi = {space["name"]: space for space in data["mercatus"]["servi"]}
    for space, name in enumerate(components.spaces):
        area, _, end = name.partition("_")
        assert AREAS[record["space_area"][space]] == area
        first, last = record["area_start"][AREAS.index(area) : AREAS.index(area) + 2]
        assert first <= space < last
        assert record["area_spaces"][AREAS.index(area)] >> space & 1
        assert record["space_strength"][space] == (strengths[area][int(end) - 1] if area in strengths else 0)
        coin = servi[end]["coin"] if area == "servi" else end if area == "portus" else None
        assert record["space_coin"][space] == (-1 if coin is None else KINDS.index(coin))
        builds = data["forum"]["spaces"][int(end) - 1] if area == "forum" else {"builds": 0, "value": False}
        assert record["space_most"][space] == (servi[end]["max"] if area == "servi" else builds["builds"])
        assert record["space_value"][space] == builds["value"]
        if area == "portus":
            assert record["coin_space"][KINDS.index(end)] == 1 << space
    alike = {
        group for area, listed in strengths.items() for strength in listed if listed.count(strength) > 1
        for group in [sum(1 << components.spaces.index(f"{area}_{end}") for end, one in enumerate(listed, 1)
                          if one == strength)]
    }  # fmt: skip
    assert set(record["alike"][: record["num_alike"]].tolist()) == alike


@FILES
def test_coin_tables(path: Path) -> None:
    data, record = parsed(path), load(path).constants[0]
    for name, coins in (("start", data["start"]), ("die", data["die"]), ("equi_price", data["mercatus"]["equi_price"])):
        assert record[name].tolist() == [coins.get(kind, 0) for kind in KINDS], name
    for name, value in data["constants"].items():
        assert name == "players" or record[name] == value, name
    assert record["num_exchanges"] == len(data["mercatus"]["exchanges"])
    for number, swap in enumerate(data["mercatus"]["exchanges"]):
        for side in ("give", "get"):
            ((kind, coins),) = swap[side].items()
            assert record[f"exchange_{side}"][number] == KINDS.index(kind)
            assert record[f"exchange_{side}_coins"][number] == coins
    assert record["arena_prizes"].tolist() == data["arena"]["prizes"]
    assert record["stadium_prizes"].tolist() == data["stadium"]["prizes"]
    assert record["vp_per_strength"] == data["arena"]["vp_per_strength"]
    assert record["pecunia_vp"] == data["mercatus"]["pecunia_vp"]
    assert KINDS[record["arena_coin"]] == data["arena"]["coin"]


@FILES
def test_card_tables(path: Path) -> None:
    data, components = parsed(path), load(path)
    record, cards = components.constants[0], data["stadium_cards"]
    assert record["slave_copies"].tolist() == [data["slave_cards"].get(slaves, 0) for slaves in "12"]
    assert record["num_slave_cards"] == sum(data["slave_cards"].values())
    for face, name in enumerate(components.equi_faces):
        group, _, strength = name.rpartition("_")
        assert EQUI_GROUPS[record["equi_group"][face]] == group
        assert record["equi_strength"][face] == int(strength)
        assert record["equi_copies"][face] == data["equi_cards"][group][strength]
    assert (record["num_equi_faces"], record["num_equi_cards"]) == (
        len(components.equi_faces), sum(sum(group.values()) for group in data["equi_cards"].values())
    )  # fmt: skip
    copies = [*cards["colours"].values(), *[1] * len(cards["laurels"])]
    points = [*[0] * len(cards["colours"]), *cards["laurels"]]
    assert record["stadium_copies"].tolist()[: len(copies)] == copies
    assert record["laurel_vp"].tolist()[: len(points)] == points
    assert (record["num_colours"], record["num_stadium_faces"]) == (len(cards["colours"]), len(copies))
    for card, pair in enumerate(data["theatre_cards"]["pairs"]):
        assert [components.colours[colour] for colour in record["theatre_colours"][card]] == pair
    assert record["num_theatre_cards"] == len(data["theatre_cards"]["pairs"])


@FILES
def test_building_tables(path: Path) -> None:
    data, components = parsed(path), load(path)
    record, sites = components.constants[0], data["forum"]["buildings"]
    assert record["num_buildings"] == len(sites)
    for place, site in enumerate(sites):
        assert BUILDING_KINDS[record["building_kind"][place]] == site["kind"]
        assert record["building_colour"][place] == (
            components.colours.index(site["colour"]) if "colour" in site else -1
        )
        assert record["building_value"][place] == site["value"]
        assert record["building_vp"][place] == site.get("vp", 0)
        assert record["building_pays"][place].tolist() == [site.get("pays", {}).get(kind, 0) for kind in KINDS]
        assert record["building_cost"][place].tolist() == [site["cost"].get(kind, 0) for kind in KINDS]
        assert record["building_slaves"][place] == site["cost"].get("slaves", 0)
        assert bool(record["active"] >> place & 1) == (site["kind"] != "villa")
        for kind, coin in enumerate(KINDS):
            affordable = [bool(record["within"][kind, amount] >> place & 1) for amount in range(5)]
            assert affordable == [site["cost"].get(coin, 0) <= amount for amount in range(5)]
        assert [bool(record["within_slaves"][slaves] >> place & 1) for slaves in range(6)] == [
            site["cost"].get("slaves", 0) <= slaves for slaves in range(6)
        ]
        for colour, name in enumerate(components.colours):
            assert bool(record["villas"][colour] >> place & 1) == (site.get("colour") == name)


# ------------------------------------------------------------------------------------------------ bad files

SERVI: Key = ("mercatus", "servi")
SWAPS: Key = ("mercatus", "exchanges")
SITES: Key = ("forum", "buildings")
COLOURS: Key = ("stadium_cards", "colours")
PAIRS: Key = ("theatre_cards", "pairs")
MANY_SITES = [{"name": f"mill_{i}", "kind": "workshop", "vp": 1, "value": 1, "cost": {}} for i in range(41)]

#: Changes to the standard data, the place that the error must name, and the fix it must give.
BAD: list[tuple[dict[Key, Any], str, str]] = [
    # top level
    ({("name",): "My Box"}, "field name", "a-z, 0-9 and _"),
    ({("edition",): " "}, "field edition", "a text"),
    ({("edition",): DROP}, "table [edition]", "add it"),
    ({("forum",): DROP}, "table [forum]", "add it"),
    ({("theater_cards",): {}}, "table [theater_cards]", "did you mean theatre_cards?"),
    ({("arena",): [1]}, "table [arena]", "give a table with spaces"),
    # provenance
    ({("provenance",): DROP}, "table [provenance]", "add it"),
    ({("provenance", "arena"): DROP}, "table [provenance], row arena", "add it"),
    ({("provenance", "forum.spaces"): DROP}, "table [provenance], row forum.spaces", "add it"),
    ({("provenance", "arena"): "guess"}, "table [provenance], row arena", "rulebook, reconstruction, printed"),
    ({("provenance", "arena.slaves"): "printed"}, "table [provenance], row arena.slaves", "did you mean arena.spaces?"),
    # constants
    ({("constants", "rounds"): DROP}, "table [constants], field rounds", "add it"),
    ({("constants", "round"): 6}, "table [constants], field round", "did you mean rounds?"),
    ({("constants", "players"): [3, 4]}, "table [constants], field players", "give [3, 4, 5]"),
    ({("constants", "players"): [3, 4, 5.0]}, "table [constants], field players", "give [3, 4, 5]"),
    ({("constants", "players"): 3}, "table [constants], field players", "give [3, 4, 5]"),
    ({("constants", "rounds"): 10}, "table [constants], field rounds", "1 to 8"),
    ({("constants", "rounds"): True}, "table [constants], field rounds", "1 to 8"),
    ({("constants", "followers_per_player"): 0}, "table [constants], field followers_per_player", "1 to 9"),
    ({("constants", "houses_per_player"): 41}, "table [constants], field houses_per_player", "1 to 36"),
    ({("constants", "dolus_red_dice"): 0}, "table [constants], field dolus_red_dice", "1 to 12"),
    ({("constants", "contest_red_dice"): 13}, "table [constants], field contest_red_dice", "1 to 12"),
    ({("constants", "latro_red_dice"): "2"}, "table [constants], field latro_red_dice", "1 to 12"),
    ({("constants", "blue_dice"): 4.0}, "table [constants], field blue_dice", "1 to 12"),
    # start and dice
    ({("start", "gold"): -1}, "table [start], field gold", "0 to 99"),
    ({("start", "copper"): 1}, "table [start], field copper", "bronze, silver, gold"),
    ({("die",): {}}, "table [die]", "give at least 1 of bronze, silver, gold"),
    ({("die",): dict.fromkeys(KINDS, 0)}, "table [die]", "give at least 1 of bronze, silver, gold"),
    ({("die", "bronze"): 100}, "table [die], field bronze", "0 to 99"),
    # mercatus
    ({("mercatus", "equi"): []}, "table [mercatus], field equi", "a list of 1 to 4"),
    ({("mercatus", "equi"): [*"abcdef"]}, "table [mercatus], field equi", "a list of 1 to 4"),
    ({("mercatus", "equi", 1): "left"}, "table [mercatus], field equi.2", "only once"),
    ({("mercatus", "equi", 1): "the middle"}, "table [mercatus], field equi.2", "a-z, 0-9 and _"),
    ({("mercatus", "equi_price", "bronze"): 10}, "table [mercatus], field equi_price.bronze", "0 to 9"),
    ({("mercatus", "pecunia_vp"): 100}, "table [mercatus], field pecunia_vp", "0 to 99"),
    ({SERVI: []}, "table [mercatus], row servi", "a list of 1 to 5"),
    ({(*SERVI, 0, "max"): 0}, "table [mercatus], row servi.1 (top), field max", "1 to 9"),
    ({(*SERVI, 0, "coin"): "goldd"}, "table [mercatus], row servi.1 (top), field coin", "did you mean gold?"),
    ({(*SERVI, 0, "name"): "middle"}, "table [mercatus], row servi.2 (middle), field name", "its own"),
    ({(*SERVI, 0, "price"): 1}, "table [mercatus], row servi.1 (top), field price", "name, coin, max"),
    ({SWAPS: []}, "table [mercatus], row exchanges", "a list of 1 to 6"),
    ({(*SWAPS, 6): {"give": {"gold": 1}, "get": {"silver": 1}}}, "table [mercatus], row exchanges", "1 to 6"),
    ({(*SWAPS, 2, "get"): {"silver": 1}}, "table [mercatus], row exchanges.3, field get", "another kind"),
    ({(*SWAPS, 2, "get"): {"bronze": 1, "gold": 1}}, "table [mercatus], row exchanges.3, field get", "one kind"),
    ({(*SWAPS, 2, "get"): {}}, "table [mercatus], row exchanges.3, field get", "at least 1"),
    ({(*SWAPS, 2, "give", "silver"): 0}, "table [mercatus], row exchanges.3, field give", "at least 1"),
    ({(*SWAPS, 1, "get"): {"silver": 2}}, "table [mercatus], row exchanges.2", "leave one of the two out"),
    # arena and stadium
    ({("arena", "spaces"): []}, "table [arena], field spaces", "a list of 1 to 6"),
    ({("arena", "spaces", 2): 0}, "table [arena], field spaces.3", "1 to 99"),
    ({("arena", "prizes"): [3, 2]}, "table [arena], field prizes", "a list of 3"),
    ({("arena", "prizes", 0): 100}, "table [arena], field prizes.1", "0 to 99"),
    ({("arena", "coin"): "tin"}, "table [arena], field coin", "bronze, silver, gold"),
    ({("arena", "vp_per_strength"): -1}, "table [arena], field vp_per_strength", "0 to 99"),
    ({("stadium", "gold"): [1] * 6}, "table [stadium], field gold", "a list of 1 to 5"),
    ({("stadium", "silver", 0): 0}, "table [stadium], field silver.1", "1 to 99"),
    ({("stadium", "prizes"): [3, 2, 1, 0]}, "table [stadium], field prizes", "a list of 3"),
    # portus
    ({("portus", "spaces"): []}, "table [portus], field spaces", "a list of 1 to 3"),
    ({("portus", "spaces", 1): "bronze"}, "table [portus], field spaces.2", "only once"),
    ({("portus", "spaces", 1): "tin"}, "table [portus], field spaces.2", "bronze, silver, gold"),
    # cards
    ({("slave_cards", "3"): 1}, "table [slave_cards], field 3", "give one of 1, 2"),
    ({("slave_cards",): {"1": 0}}, "table [slave_cards]", "add up to 1 to 30"),
    ({("slave_cards", "1"): 30}, "table [slave_cards]", "add up to 1 to 30"),
    ({("equi_cards", "bronze_horse"): {}}, "table [equi_cards], field bronze_horse", "gold_horse"),
    ({("equi_cards", "weapon", "10"): 1}, "table [equi_cards], field weapon.10", "did you mean 1?"),
    ({("equi_cards", "weapon", "3"): 25}, "table [equi_cards], field weapon.3", "0 to 24"),
    ({("equi_cards", "weapon", "3"): 9}, "table [equi_cards]", "add up to 1 to 24"),
    ({("equi_cards",): {}}, "table [equi_cards]", "add up to 1 to 24"),
    ({("equi_cards",): {group: {str(strength): 1 for strength in range(1, 4)} for group in EQUI_GROUPS}},
     "table [equi_cards]", "at most 8"),
    ({(*COLOURS, "white"): 3}, "table [stadium_cards]", "give 12: two for each round"),
    ({("constants", "rounds"): 5}, "table [stadium_cards]", "give 10: two for each round"),
    ({COLOURS: {"white": 8}}, "table [stadium_cards], field colours", "2 to 8 colours"),
    ({COLOURS: {f"c{i}": 1 for i in range(9)}}, "table [stadium_cards], field colours", "2 to 8 colours"),
    ({COLOURS: 8}, "table [stadium_cards], field colours", "2 to 8 colours"),
    ({(*COLOURS, "white"): 0}, "table [stadium_cards], field colours.white", "1 to 16"),
    ({(*COLOURS, "Off White"): 1}, "table [stadium_cards], field colours", "a-z, 0-9 and _"),
    ({("stadium_cards", "laurels", 1): 10}, "table [stadium_cards], field laurels.2", "only once"),
    ({("stadium_cards", "laurels", 1): 0}, "table [stadium_cards], field laurels.2", "1 to 99"),
    ({COLOURS: {"laurel_10": 2, "white": 2, "blue": 2, "yellow": 1, "purple": 1}},
     "table [stadium_cards], field colours.laurel_10", "another name"),
    ({(*PAIRS, 1): ["blue", "blue"]}, "table [theatre_cards], row pairs.2, field second", "two different colours"),
    ({(*PAIRS, 1): ["blue", "white"]}, "table [theatre_cards], row pairs.2", "every pair only once"),
    ({(*PAIRS, 1): ["blue", "whit"]}, "table [theatre_cards], row pairs.2, field second", "did you mean white?"),
    ({(*PAIRS, 1): ["blue"]}, "table [theatre_cards], row pairs.2", "give a list [first, second]"),
    ({(*PAIRS, 5): DROP}, "table [theatre_cards], field pairs", "give at least 6"),
    ({PAIRS: []}, "table [theatre_cards], row pairs", "a list of 1 to 12"),
    ({COLOURS: {"a": 2, "a_b": 2, "b_c": 2, "c": 2}, SITES: MANY_SITES[:1],
      PAIRS: [["a", "b_c"], ["a_b", "c"], ["a", "c"], ["a", "a_b"], ["c", "b_c"], ["a_b", "b_c"]]},
     "table [theatre_cards], row pairs.2", "other names"),
    # forum
    ({("forum", "spaces"): []}, "table [forum], row spaces", "a list of 1 to 8"),
    ({("forum", "spaces", 0, "builds"): 0}, "table [forum], row spaces.1, field builds", "1 to 9"),
    ({("forum", "spaces", 0, "value"): 1}, "table [forum], row spaces.1, field value", "true or false"),
    ({("forum", "spaces", 0, "value"): DROP}, "table [forum], row spaces.1, field value", "add it"),
    ({SITES: []}, "table [forum], row buildings", "a list of 1 to 36"),
    ({SITES: MANY_SITES}, "table [forum], row buildings", "a list of 1 to 36"),
    ({(*SITES, 0, "kind"): "temple"}, "table [forum], row buildings.1 (villa_white_10), field kind", "villa"),
    ({(*SITES, 0, "kind"): DROP}, "table [forum], row buildings.1 (villa_white_10), field kind", "add it"),
    ({(*SITES, 0, "colour"): DROP}, "table [forum], row buildings.1 (villa_white_10), field colour", "add it"),
    ({(*SITES, 0, "colour"): "bleu"}, "table [forum], row buildings.1 (villa_white_10), field colour",
     "did you mean blue?"),
    ({(*SITES, 0, "vp"): 2}, "table [forum], row buildings.1 (villa_white_10), field vp", "leave it out"),
    ({(*SITES, 0, "value"): 100}, "table [forum], row buildings.1 (villa_white_10), field value", "0 to 99"),
    ({(*SITES, 0, "cost", "slaves"): 100}, "table [forum], row buildings.1 (villa_white_10), field cost.slaves", "99"),
    ({(*SITES, 0, "cost", "clay"): 1}, "table [forum], row buildings.1 (villa_white_10), field cost.clay", "bronze"),
    ({(*SITES, 0, "name"): "villa_white_8"}, "table [forum], row buildings.2 (villa_white_8), field name", "its own"),
    ({(*SITES, 16, "vp"): 0}, "table [forum], row buildings.17 (workshop_potter), field vp", "1 to 99"),
    ({(*SITES, 24, "pays"): {}}, "table [forum], row buildings.25 (money_house_bronze_silver), field pays",
     "at least 1"),
    # amounts that a state cannot hold
    ({("arena", "vp_per_strength"): 99}, "table [arena]", "lower the numbers"),
    ({SITES: [site | {"vp": 99} for site in MANY_SITES[:36]]}, "table [forum]", "lower the numbers"),
    ({(*SWAPS, 0, "get", "silver"): 5}, "table [mercatus]", "lower the numbers"),
]  # fmt: skip


def test_the_list_of_bad_files_is_complete() -> None:
    """Each table of a file is named by some complaint, and so is each of its fields."""
    told = " ".join(place for _, place, _ in BAD)
    for table, fields in parsed(STANDARD).items():
        assert table == "name" or f"[{table}]" in told or f"field {table}" in told, table
        if isinstance(fields, dict) and table not in ("provenance", "slave_cards", "start", "die", "equi_cards"):
            for field in fields:
                assert re.search(rf"table \[{table}\][^\[]*{field}", told), (table, field)


@pytest.mark.parametrize(("changes", "place", "right"), BAD, ids=[f"{i:03}-{bad[1]}" for i, bad in enumerate(BAD)])
def test_bad_file(changes: dict[Key, Any], place: str, right: str) -> None:
    check_refused(SETS, changed(parsed(STANDARD), changes), place, right)


GOOD: list[dict[Key, Any]] = [
    {("constants", "followers_per_player"): 9, ("constants", "houses_per_player"): 36},
    {("constants", name): 12 for name in ("dolus_red_dice", "contest_red_dice", "latro_red_dice", "blue_dice")},
    {("die",): {"gold": 1}},
    {("start",): {}},
    {("mercatus", "equi"): ["only"], ("mercatus", "equi_price"): {}},
    {("mercatus", "equi"): [*"abcd"], SERVI: [{"name": "x", "coin": "gold", "max": 9}]},
    {SWAPS: [{"give": {"gold": 1}, "get": {"silver": 2}}]},
    {(*SWAPS, 2, "get", "bronze"): 0, (*SWAPS, 2, "get", "gold"): 1, (*SWAPS, 3): DROP},
    {("arena", "spaces"): [3], ("stadium", "gold"): [2], ("stadium", "silver"): [9] * 5},
    {("arena", "prizes"): [0, 0, 0], ("arena", "vp_per_strength"): 0},
    {("portus", "spaces"): ["silver"]},
    {("slave_cards",): {"1": 3}},
    {("slave_cards", "1"): DROP},
    {("equi_cards",): {"weapon": {"2": 1}}},
    {("equi_cards", "weapon", "9"): 7},
    {("stadium_cards", "laurels"): [], (*COLOURS, "white"): 6},
    {("constants", "rounds"): 8, (*COLOURS, "white"): 6, ("theatre_cards", "pairs"): [
        ["white", "blue"], ["white", "yellow"], ["white", "purple"], ["white", "red"], ["blue", "yellow"],
        ["blue", "purple"], ["blue", "red"], ["yellow", "purple"]],
     (*COLOURS, "red"): 1, ("stadium_cards", "laurels"): [1, 2, 3]},
    {("constants", "rounds"): 1, COLOURS: {"white": 1, "blue": 1}, ("stadium_cards", "laurels"): [],
     PAIRS: [["white", "blue"]], SITES: MANY_SITES[:36]},
    {("forum", "spaces"): [{"builds": 9, "value": True}] * 8},
    {(*SITES, 0, "cost"): {}, (*SITES, 0, "value"): 0},
    {("provenance", "forum"): "printed", ("provenance", "forum.spaces"): DROP},
]  # fmt: skip


@pytest.mark.parametrize("changes", GOOD, ids=[str(i) for i in range(len(GOOD))])
def test_limits_are_inclusive(changes: dict[Key, Any]) -> None:
    components = from_data(changed(parsed(STANDARD), changes), "my_box.toml")
    assert components.digest != load().digest or all(key[0] == "provenance" for key in changes)
    within_bounds(components)


def within_bounds(components: Components) -> None:
    """A set fits into action ids and states."""
    assert components.actions.size <= 64 * NUM_WORDS
    assert len(components.spaces) <= names.MAX_SPACES
    assert components.constants["num_slave_cards"][0] <= names.MAX_SLAVE_CARDS
    assert components.constants["num_equi_cards"][0] <= names.MAX_EQUI_CARDS
    assert (
        components.constants["stadium_copies"].sum() == 2 * components.constants["rounds"][0] <= names.MAX_STADIUM_CARDS
    )


def test_the_most_that_a_player_could_collect() -> None:
    """The estimates, summed by hand for a small file."""
    standard = parsed(STANDARD)
    # Six rounds: 4 VP at Pecunia; strength 4 + 3 + 4 + 33 slaves + 12 weapons in a fight; laurels, villas.
    villas = 4 * (10 + 8 + 6 + 4)
    values = villas + sum(site["value"] for site in standard["forum"]["buildings"] if site["kind"] != "villa")
    shops = 3 * 6 * sum(site.get("vp", 0) for site in standard["forum"]["buildings"])
    points = 6 * 4 + 6 * 99 * 56 + values + shops + 25 + villas * (2 + 6)
    with pytest.raises(ComponentError, match=f"collect {points} victory points in a game, {6 * 99 * 56} of them"):
        from_data(changed(standard, {("arena", "vp_per_strength"): 99}), "mine")
    # One round at a rate of 99 to 1 would be too much: the coins of five players and of Dolus, then prizes and houses.
    small: dict[Key, Any] = {
        ("constants", "rounds"): 1, COLOURS: {"white": 1, "blue": 1}, ("stadium_cards", "laurels"): [],
        PAIRS: [["white", "blue"]], SITES: MANY_SITES[:1], ("start",): dict.fromkeys(KINDS, 99),
        (*SWAPS, 0, "get", "silver"): 9,
    }  # fmt: skip
    coins = 9 * (5 * 3 * 99 + 2) + 6 + 6
    with pytest.raises(ComponentError, match=f"collect {coins} coins in a game"):
        from_data(changed(standard, small), "mine")
    small[*SWAPS, 0, "get", "silver"] = 6
    assert from_data(changed(standard, small), "mine").constants["start"].max() == 99


# ------------------------------------------------------------------------------------------------ any mistake at all

WORDS = (
    *KINDS,
    *SIDES,
    *EQUI_GROUPS,
    *BUILDING_KINDS,
    "white",
    "blue",
    "laurels",
    "name",
    "kind",
    "cost",
    "value",
    "1",
)


def loaded_or_refused(attempt: Callable[[], Components]) -> Components | None:
    """The set if it loads (within all bounds), None if a ComponentError names the source; any other error is raised."""
    try:
        components = attempt()
    except ComponentError as error:
        assert str(error).startswith("damaged: ")
        return None
    within_bounds(components)
    return components


@settings(max_examples=120, deadline=None)
@given(damaged([STANDARD, OTHER], WORDS))
def test_damaged_data_loads_or_is_refused(data: Data) -> None:
    """Any data gives a whole set or a ComponentError, and stays unchanged."""
    before = repr(data)
    loaded = loaded_or_refused(lambda: from_data(data, "damaged"))
    assert repr(data) == before
    if loaded is not None:
        assert from_data(loaded.data, "again").document == loaded.document
