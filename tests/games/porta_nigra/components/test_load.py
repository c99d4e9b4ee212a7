"""Component files: accepted and refused files, and the compiled constants."""

from __future__ import annotations

import copy
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porta_nigra_env.components import main
from porta_nigra_env.core.positions.components import ComponentError
from porta_nigra_env.games.porta_nigra.actions import ID, MAX_TENS, NUM_WORDS, action_layout
from porta_nigra_env.games.porta_nigra.components import load as module
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.load import SETS, Components, from_data, load
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, GAINS, ICONS, ROWS
from porta_nigra_env.games.porta_nigra.components.schema import TABLES
from porta_nigra_env.games.porta_nigra.observation import observation_layout
from tests.games.component_files import DROP, Data, Key, changed, check_refused, damaged, leaves, parsed

FOLDER = Path(module.__file__).parent
STANDARD = FOLDER / "standard.toml"
OTHER = Path(__file__).with_name("other.toml")
FILES = pytest.mark.parametrize("path", [STANDARD, OTHER], ids=["standard", "other"])

# ------------------------------------------------------------------------------------------------ the standard file


def test_standard_agrees_with_the_rulebook_texts() -> None:
    """Facts told by the rulebooks' text and examples, one by one."""
    data = load("standard").data
    spots = data["spots"]
    for colour, bricks in (("blue", 2), ("yellow", 2), ("white", 4)):
        assert [colour, bricks] in [spot[:2] for spot in spots["basilica"]["A"]]
    assert ["red", 2] in [spot[:2] for spot in spots["basilica"]["B"]]
    assert ["yellow", 2, 9] in spots["basilica"]["A"] + spots["basilica"]["B"]
    for colour in ("yellow", "red"):
        assert [colour, 3] in [spot[:2] for spot in spots["amphitheatre"]["A"]]
    assert "yellow" in spots["porta_nigra"]["A"]

    supplies = [set(card["shops"]) for card in data["supply_cards"]]
    assert {"white", "yellow", "red", "blue"} in supplies
    assert {3, 4} <= {len(shops) for shops in supplies}

    cards = data["action_cards"]
    assert len({(card["torches"], *sorted(card["icons"])) for card in cards}) == 8
    assert [(card["torches"], len(card["icons"])) for card in cards].count((2, 3)) == 1
    assert ["build", "buy_any", "buy_any", "coins_5"] in [sorted(card["icons"]) for card in cards]
    assert {"coins_3", "coins_4", "coins_5"} <= {icon for card in cards for icon in card["icons"]}

    honours = data["honour_cards"]
    paid = {card["final_vp"]: card for card in honours if "final_vp" in card}
    assert sorted(paid) == [30, 42, 56]
    assert (paid[30]["cost"], paid[30]["discard_buildings"]) == (2, 4)
    assert (paid[42]["discard_final"], paid[56]["discard_final"]) == (30, 42)
    assert {card["cost"] for card in honours if "substitute" in card} == {2}
    assert {card["cost"] for card in honours} == {1, 2, 3}
    assert any(card.get("porta_nigra_brick") for card in honours)


def test_standard_has_the_rulebook_numbers() -> None:
    data = load("standard").data
    constants = data["constants"]
    assert list(constants["brick_price"].values()) == [1, 2, 3, 4, 5]
    expected = {
        "bricks_total": 90, "romans_per_player": 15, "start_romans": 5, "start_sesterces": 20, "start_torches": 1,
        "hand_size": 2, "border_cost": 1, "market_refill_below": 7, "market_refill_to": 14, "building_display": 6,
        "honour_display": 14, "influence_cost_roman": 2, "influence_cost_build": 2, "torch_to_sesterces": 1,
        "reward_every_bricks": 3, "porta_nigra_min_height": 3, "porta_nigra_max_height": 8, "early_end_bonus_vp": 5,
        "rounds": {"2": 3, "3": 2, "4": 2}, "interim_multiplier": {"2": 1, "3": 2, "4": 2},
        "set_vp": [0, 2, 6, 12, 20],
        "play_area_vp": {"roman": 1, "influence": 1, "torch": 1, "brick": 1, "sesterces_per_vp": 3},
    }  # fmt: skip
    assert {key: constants[key] for key in expected} == expected
    ring = data["board"]["shop_ring"]
    assert (ring.index("black") - ring.index("red")) % 4 == 2
    assert (ring.index("yellow") - ring.index("red")) % 4 == 1
    assert data["rewards"] == {
        "basilica": {"torches": 1, "romans": 1}, "amphitheatre": {"sesterces": 5, "romans": 1},
        "city_wall": {"white_bricks": 1}, "porta_nigra": {"influence": 1, "romans": 2},
    }  # fmt: skip
    assert data["majorities"] == {
        "basilica": {"A": [12, 6], "B": [12, 6]},
        "amphitheatre": {"A": [15, 7], "B": [10, 5], "C": [5, 2]},
        "city_wall": {"A": [20, 10]},
        "porta_nigra": {"3": [12, 6], "4": [15, 7], "5": [19, 9], "6": [24, 12], "7": [30, 15], "8": [37, 18]},
    }
    assert data["building_cards"]["no_card_rows"] == {"amphitheatre": ["C"]}


def test_sources_tells_the_provenance_of_every_table() -> None:
    page = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_.]+)` \| (\w+) \|", page, re.MULTILINE)
    assert dict(rows) == load("standard").data["provenance"]


def test_other_differs_from_standard_in_every_constant_that_may_differ() -> None:
    """Otherwise tests that run with both files could not find a number in the code."""
    one, two = load("standard").data["constants"], load(OTHER).data["constants"]
    assert [name for name in one if one[name] == two[name]] == ["honour_purchases_per_turn"]
    constants = load("standard").constants[0], load(OTHER).constants[0]
    same = [name for name in TABLES.names or () if np.array_equal(constants[0][name], constants[1][name])]
    assert same == ["fixed_spots_of", "spot_building", "spot_row"]  # the shape of the board, the same in every set


# ------------------------------------------------------------------------------------------------ loading


def test_load_takes_names_paths_and_components(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standard = load()
    assert load("standard") is standard
    assert load(STANDARD) is standard
    assert load(str(STANDARD)) is standard
    assert load(standard) is standard
    assert standard.packaged
    assert standard.name == "standard"
    assert standard.edition == "de"
    other = load(OTHER)
    assert not other.packaged
    assert other != standard
    assert other != other.digest

    (tmp_path / "standard").write_bytes(OTHER.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert load("standard") is standard
    assert load("./standard") == other
    assert load(Path("standard").absolute()) == other


def test_a_file_that_was_edited_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = OTHER.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    before = load(path)
    path.write_text(text.replace("hand_size = 3", "hand_size = 4"), encoding="utf-8")
    assert (before.data["constants"]["hand_size"], load(path).data["constants"]["hand_size"]) == (3, 4)


def test_windows_text_is_accepted(tmp_path: Path) -> None:
    """A byte order mark and carriage returns, as some editors write them."""
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + OTHER.read_bytes().replace(b"\n", b"\r\n"))
    assert load(path).document == load(OTHER).document


@FILES
def test_components_cannot_be_changed(path: Path) -> None:
    components = load(path)
    with pytest.raises(AttributeError):
        components.name = "mine"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        components.constants["hand_size"] = 1
    components.data["constants"]["hand_size"] = -1
    assert components.data["constants"]["hand_size"] > 0


@FILES
def test_sizes_follow_the_file(path: Path) -> None:
    components, data = load(path), parsed(path)
    multiplier = max(data["constants"]["interim_multiplier"].values())
    assert components.num_honours == len(data["honour_cards"])
    assert components.max_tens == data["constants"]["bricks_total"] * multiplier // 10
    assert components.num_tens == components.max_tens + 1
    assert components.actions["honour"].size == components.num_honours
    assert components.actions["tens"].size == components.num_tens
    assert components.constants["tens_start"][0] == components.actions["tens"].start
    assert components.observations["honour_display"].size == components.num_honours
    assert components.privileged.size > components.observations.size
    assert components.actions.size <= 64 * NUM_WORDS
    assert components.card_names == tuple(card["name"] for card in data["action_cards"])
    assert components.honour_names == tuple(card["name"] for card in data["honour_cards"])


# ------------------------------------------------------------------------------------------------ the digest


@FILES
def test_digest_ignores_comments_order_and_defaults(path: Path, tmp_path: Path) -> None:
    def reordered(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: reordered(inside) for key, inside in reversed(value.items())}
        return [reordered(inside) for inside in value] if isinstance(value, list) else value

    components, data = load(path), parsed(path)
    assert from_data(reordered(data), "reordered").digest == components.digest
    commented = tmp_path / "commented.toml"
    commented.write_text(path.read_text(encoding="utf-8").replace("\n[", "\n# a comment\n\n["), encoding="utf-8")
    assert commented.read_bytes() != path.read_bytes()
    assert load(commented).digest == components.digest

    written_out = copy.deepcopy(data)
    written_out["rewards"]["basilica"]["vp"] = 0
    written_out["building_cards"]["no_card_rows"]["city_wall"] = []
    for card in written_out["honour_cards"]:
        card.setdefault("discard_buildings", 0)
        card.setdefault("porta_nigra_brick", False)
        card["gains"] = dict.fromkeys(GAINS, 0) | card.get("gains", {})
    assert from_data(written_out, "written out").document == components.document

    relabelled = changed(data, {("edition",): "second", ("provenance", "spots"): "printed"})
    assert from_data(relabelled, "relabelled").digest == components.digest
    assert from_data(relabelled, "relabelled").packaged == components.packaged
    assert from_data(relabelled, "relabelled").edition == "second"


@FILES
def test_every_value_reaches_digest_and_tables(path: Path) -> None:
    """Change each number and each word by itself, where the file stays valid: a forgotten table field shows here."""
    data, components = parsed(path), load(path)
    words = {
        **dict.fromkeys(COLOURS, COLOURS), **dict.fromkeys(BUILDINGS, BUILDINGS), **dict.fromkeys(ICONS, ICONS),
        **dict.fromkeys("ABC", tuple("ABC")),
    }  # fmt: skip
    tried: Counter[str] = Counter()
    for key, value in leaves(data):
        if key[0] in ("edition", "provenance"):
            continue
        options = (value + 1, value - 1) if type(value) is int else words.get(value, (f"{value}_x",))
        for option in options:
            if option == value:
                continue
            try:
                variant = from_data(changed(data, {key: option}), "variant")
            except ComponentError:
                continue
            place = ".".join(map(str, key))
            assert variant.digest != components.digest, place
            assert variant.constants["digest"].tobytes().hex() == variant.digest
            if key[-1] != "name":
                fields = [name for name in TABLES.names or () if name != "digest"]
                same = all(np.array_equal(variant.constants[name], components.constants[name]) for name in fields)
                assert not same, place
            tried[str(key[0])] += 1
            break
    # How many values could be changed by themselves: nearly all of them in most tables, and never none.
    least = {"name": 1, "constants": 30, "rewards": 5, "majorities": 16, "building_cards": 1, "spots": 114,
             "supply_cards": 15, "action_cards": 48, "honour_cards": 34}  # fmt: skip
    assert {table: min(count, least[table]) for table, count in tried.items()} == least


@FILES
def test_swaps_reach_digest_and_tables(path: Path) -> None:
    """Exchange entries that cannot change alone: two quarters, two shops of the ring, two cards."""
    data, components = parsed(path), load(path)
    quarter, ring = data["board"]["quarter"], data["board"]["shop_ring"]
    swaps: list[dict[Key, Any]] = [
        {("board", "quarter"): {**quarter, "basilica": quarter["city_wall"], "city_wall": quarter["basilica"]}},
        {("board", "shop_ring"): [ring[1], ring[0], *ring[2:]]},
        {("supply_cards",): data["supply_cards"][::-1]},
        {("action_cards",): data["action_cards"][::-1]},
        {("honour_cards",): data["honour_cards"][::-1]},
    ]
    for swap in swaps:
        variant = from_data(changed(data, swap), "variant")
        assert variant.digest != components.digest
        assert variant.constants.tobytes()[:-32] != components.constants.tobytes()[:-32]


def test_turning_the_ring_changes_no_way() -> None:
    """The first shop of the list does not matter for the cost of movement."""
    data = parsed(STANDARD)
    ring = data["board"]["shop_ring"]
    turned = from_data(changed(data, {("board", "shop_ring"): ring[1:] + ring[:1]}), "turned").constants
    for field in ("way_to_shop", "way_to_building", "quarter_of_shop"):
        assert np.array_equal(turned[field], load().constants[field])


# ------------------------------------------------------------------------------------------------ the tables


@FILES
def test_scalar_tables(path: Path) -> None:
    constants, record = parsed(path)["constants"], load(path).constants[0]
    for name in (
        "bricks_total", "romans_per_player", "start_romans", "start_sesterces", "start_torches", "hand_size",
        "market_refill_below", "market_refill_to", "building_display", "honour_display", "influence_cost_roman",
        "influence_cost_build", "torch_to_sesterces", "reward_every_bricks", "porta_nigra_min_height",
        "porta_nigra_max_height", "early_end_bonus_vp",
    ):  # fmt: skip
        assert record[name] == constants[name], name
    assert record["brick_price"].tolist() == [constants["brick_price"][colour] for colour in COLOURS]
    assert record["rounds"].tolist() == [0, 0, *(constants["rounds"][n] for n in "234")]
    assert record["interim_multiplier"].tolist() == [0, 0, *(constants["interim_multiplier"][n] for n in "234")]
    assert record["set_vp"].tolist() == constants["set_vp"]
    kept = constants["play_area_vp"]
    assert [record[f"vp_per_{what}"] for what in ("roman", "influence", "torch", "brick")] == [
        kept["roman"], kept["influence"], kept["torch"], kept["brick"]
    ]  # fmt: skip
    assert record["sesterces_per_vp"] == kept["sesterces_per_vp"]


@FILES
def test_ways_are_walked_clockwise(path: Path) -> None:
    data, record = parsed(path), load(path).constants[0]
    ring, quarter, cost = data["board"]["shop_ring"], data["board"]["quarter"], data["constants"]["border_cost"]

    def walk(shop: str, goal: str) -> int:
        steps = 0
        while shop != goal:
            shop = ring[ring.index(shop) + 1] if shop != ring[-1] else ring[0]
            steps += 1
        return steps

    for start, building in enumerate(BUILDINGS):
        for goal, other in enumerate(BUILDINGS):
            assert record["way_to_building"][start, goal] == walk(quarter[building], quarter[other]) * cost
        for goal, colour in enumerate(COLOURS):
            way = 0 if colour == "white" else walk(quarter[building], colour) * cost
            assert record["way_to_shop"][start, goal] == way
        assert record["quarter_of_shop"][COLOURS.index(quarter[building])] == start
    assert record["quarter_of_shop"][names.WHITE] == -1


def test_the_rulebook_example_of_movement() -> None:
    """From the quarter of the red shop to the black shop: two borders, two sesterces."""
    record = load().constants[0]
    assert record["way_to_shop"][record["quarter_of_shop"][names.RED], names.BLACK] == 2


@FILES
def test_spot_tables(path: Path) -> None:
    data, record = parsed(path), load(path).constants[0]
    constants = data["constants"]
    heights = range(constants["porta_nigra_min_height"], constants["porta_nigra_max_height"] + 1)
    fixed: dict[tuple[int, int], set[int]] = {(c, k): set() for c in range(5) for k in range(9)}
    open_ended: dict[tuple[int, int], set[int]] = {(c, k): set() for c in range(5) for k in range(9)}
    of_building: dict[int, set[int]] = {b: set() for b in range(4)}
    for spot in range(names.NUM_SPOTS):
        building, row, number = names.spot_name(spot)
        entry = data["spots"][building][row][number - 1]
        colour, bricks, points = (entry, 0, 0) if building == "porta_nigra" else entry
        assert record["spot_colour"][spot] == COLOURS.index(colour)
        assert record["spot_bricks"][spot] == bricks
        assert record["spot_vp"][spot] == points
        assert BUILDINGS[record["spot_building"][spot]] == building
        assert ROWS[record["spot_row"][spot]][:2] == (building, row)
        for k in range(9):
            if building != "porta_nigra" and bricks <= k:
                fixed[COLOURS.index(colour), k].add(spot)
            if building == "porta_nigra":
                bits = {(height - 3) * 9 + spot - 35 for height in heights if height <= k}
                open_ended[COLOURS.index(colour), k] |= bits
        if building != "porta_nigra":
            of_building[BUILDINGS.index(building)].add(spot)
    for (colour_index, k), spots in fixed.items():
        assert record["fixed_spots_within"][colour_index, k] == sum(2**spot for spot in spots)
        assert record["porta_nigra_within"][colour_index, k] == sum(2**bit for bit in open_ended[colour_index, k])
    assert record["fixed_spots_of"].tolist() == [sum(2**spot for spot in of_building[b]) for b in range(4)]


@FILES
def test_row_and_height_tables(path: Path) -> None:
    data, record = parsed(path), load(path).constants[0]
    for row, (building, letter, _) in enumerate(ROWS):
        expected = [0, 0] if building == "porta_nigra" else data["majorities"][building][letter]
        assert record["row_majority"][row].tolist() == expected
        none = letter in data["building_cards"]["no_card_rows"].get(building, [])
        assert record["row_gives_card"][row] == (0 if none else 1)
    points = data["majorities"]["porta_nigra"]
    assert record["height_majority"].tolist() == [points.get(str(height), [0, 0]) for height in range(3, 9)]


@FILES
def test_reward_tables(path: Path) -> None:
    data, record = parsed(path), load(path).constants[0]
    for building, gains in data["rewards"].items():
        given = dict(zip(GAINS, record["rewards"][BUILDINGS.index(building)].tolist(), strict=True))
        assert {gain: amount for gain, amount in given.items() if amount} == gains


@FILES
def test_card_tables(path: Path) -> None:
    data, record = parsed(path), load(path).constants[0]
    for number, card in enumerate(data["supply_cards"]):
        assert {COLOURS[c] for c in np.flatnonzero(record["supply_shops"][number])} == set(card["shops"])
        assert record["supply_shops"][number].sum() == len(card["shops"])
    for number, card in enumerate(data["action_cards"]):
        assert record["card_torches"][number] == card["torches"]
        counted = dict(zip(ICONS, record["card_icons"][number].tolist(), strict=True))
        assert Counter(card["icons"]) == Counter({icon: count for icon, count in counted.items() if count})
        assert record["card_players"][number] == card.get("max_players", 4)
    # Every player has two cards at least as long as there are cards, in a game of four too.
    assert (record["card_players"] == 4).sum() == 7
    assert record["hand_size"] <= 7


@FILES
def test_honour_tables(path: Path) -> None:
    data, components = parsed(path), load(path)
    record, values = components.constants[0], components.final_values
    cards = data["honour_cards"]
    assert values == tuple(sorted({card["final_vp"] for card in cards if "final_vp" in card}))
    assert record["num_finals"] == len(values)
    assert record["final_vp"].tolist() == [*values, 0, 0, 0, 0][:4]
    assert record["num_honours"] == len(cards)
    assert record["honour_copies"].sum() == 28
    assert record["tens_start"] == ID.honour + len(cards)
    for kind in range(names.NUM_HONOUR_CARDS):
        card = cards[kind] if kind < len(cards) else {"copies": 0, "cost": 0}
        assert record["honour_copies"][kind] == card["copies"]
        assert record["honour_cost"][kind] == card["cost"]
        assert record["honour_discard_buildings"][kind] == int("discard_buildings" in card)
        assert record["honour_crown"][kind] == int("porta_nigra_brick" in card)
        for field, key in (("honour_final", "final_vp"), ("honour_discard_final", "discard_final")):
            assert record[field][kind] == (values.index(card[key]) if key in card else -1)
        assert record["honour_substitute"][kind] == (
            BUILDINGS.index(card["substitute"]) if "substitute" in card else -1
        )
        gains = dict(zip(GAINS, record["honour_gains"][kind].tolist(), strict=True))
        assert {gain: amount for gain, amount in gains.items() if amount} == card.get("gains", {})


# ------------------------------------------------------------------------------------------------ bad files

#: Changes to the standard data, the place in the error, and the fix in the error.
BAD: list[tuple[dict[Key, Any], str, str]] = [
    # top level
    ({("name",): "My Box"}, "field name", "a-z, 0-9 and _"),
    ({("name",): ""}, "field name", "a-z, 0-9 and _"),
    ({("name",): "a\n"}, "field name", "a-z, 0-9 and _"),
    ({("name",): 7}, "field name", "a-z, 0-9 and _"),
    ({("edition",): 7}, "field edition", "a text"),
    ({("edition",): " "}, "field edition", "a text"),
    ({("edition",): DROP}, "table [edition]", "add it"),
    ({("spots",): DROP}, "table [spots]", "add it"),
    ({("provenance",): DROP}, "table [provenance]", "add it"),
    ({("honor_cards",): []}, "table [honor_cards]", "did you mean honour_cards?"),
    ({("constants",): [1]}, "table [constants]", "give a table with brick_price"),
    # provenance
    ({("provenance", "spots"): DROP}, "table [provenance], row spots", "add it"),
    ({("provenance", "spots"): "guess"}, "table [provenance], row spots", "rulebook, reconstruction, printed"),
    ({("provenance", "spots"): "rulebok"}, "table [provenance], row spots", "did you mean rulebook?"),
    ({("provenance", "board"): "printed"}, "table [provenance], row board", "board.shop_ring, board.quarter"),
    # constants
    ({("constants", "hand_size"): DROP}, "table [constants], field hand_size", "add it"),
    ({("constants", "handsize"): 2}, "table [constants], field handsize", "did you mean hand_size?"),
    ({("constants", "hand_size"): 0}, "table [constants], field hand_size", "an integer from 1 to 7"),
    ({("constants", "hand_size"): 8}, "table [constants], field hand_size", "an integer from 1 to 7"),
    ({("constants", "hand_size"): True}, "table [constants], field hand_size", "an integer from 1 to 7"),
    ({("constants", "hand_size"): 2.0}, "table [constants], field hand_size", "an integer from 1 to 7"),
    ({("constants", "hand_size"): "2"}, "table [constants], field hand_size", "an integer from 1 to 7"),
    ({("constants", "bricks_total"): 121}, "table [constants], field bricks_total", "an integer from 1 to 120"),
    ({("constants", "bricks_total"): 0}, "table [constants], field bricks_total", "an integer from 1 to 120"),
    ({("constants", "bricks_total"): 2**64}, "table [constants], field bricks_total", "an integer from 1 to 120"),
    ({("constants", "bricks_total"): 16**9999}, "table [constants], field bricks_total", "an integer from 1 to 120"),
    ({("constants", "romans_per_player"): 16}, "table [constants], field romans_per_player", "1 to 15"),
    ({("constants", "romans_per_player"): 4}, "table [constants], field start_romans", "give 4 or less"),
    ({("constants", "start_romans"): -1}, "table [constants], field start_romans", "from 0"),
    ({("constants", "start_sesterces"): 501}, "table [constants], field start_sesterces", "0 to 500"),
    ({("constants", "start_torches"): 100}, "table [constants], field start_torches", "0 to 99"),
    ({("constants", "border_cost"): -1}, "table [constants], field border_cost", "0 to 99"),
    ({("constants", "market_refill_below"): 0}, "table [constants], field market_refill_below", "from 1"),
    ({("constants", "market_refill_below"): 15}, "table [constants], field market_refill_below", "give 14 or less"),
    ({("constants", "bricks_total"): 13}, "table [constants], field market_refill_to", "give 13 or less"),
    ({("constants", "building_display"): 21}, "table [constants], field building_display", "1 to 20"),
    ({("constants", "honour_display"): 29}, "table [constants], field honour_display", "1 to 28"),
    ({("constants", "honour_display"): 0}, "table [constants], field honour_display", "1 to 28"),
    ({("constants", "honour_purchases_per_turn"): 2}, "table [constants], field honour_purchases_per_turn",
     "the integer 1"),
    ({("constants", "influence_cost_roman"): 0}, "table [constants], field influence_cost_roman", "1 to 9"),
    ({("constants", "influence_cost_build"): 0}, "table [constants], field influence_cost_build", "1 to 9"),
    ({("constants", "torch_to_sesterces"): 10}, "table [constants], field torch_to_sesterces", "0 to 9"),
    ({("constants", "reward_every_bricks"): 0}, "table [constants], field reward_every_bricks", "1 to 99"),
    ({("constants", "porta_nigra_min_height"): 2}, "table [constants], field porta_nigra_min_height", "3 to 8"),
    ({("constants", "porta_nigra_max_height"): 9}, "table [constants], field porta_nigra_max_height", "3 to 8"),
    ({("constants", "porta_nigra_min_height"): 8, ("constants", "porta_nigra_max_height"): 7},
     "table [constants], field porta_nigra_min_height", "give 7 or less"),
    ({("constants", "early_end_bonus_vp"): 100}, "table [constants], field early_end_bonus_vp", "0 to 99"),
    ({("constants", "brick_price", "white"): DROP}, "table [constants], field brick_price.white", "add it"),
    ({("constants", "brick_price", "green"): 1}, "table [constants], field brick_price.green", "black, blue"),
    ({("constants", "brick_price", "red"): 2}, "table [constants], field brick_price.red", "prices that rise"),
    ({("constants", "brick_price", "black"): 0}, "table [constants], field brick_price.black", "1 to 99"),
    ({("constants", "brick_price", "white"): 100}, "table [constants], field brick_price.white", "1 to 99"),
    ({("constants", "rounds", "4"): DROP}, "table [constants], field rounds.4", "add it"),
    ({("constants", "rounds", "5"): 2}, "table [constants], field rounds.5", "give one of 2, 3, 4"),
    ({("constants", "rounds", "2"): 7}, "table [constants], field rounds.2", "1 to 6"),
    ({("constants", "interim_multiplier", "3"): 10}, "table [constants], field interim_multiplier.3", "0 to 9"),
    ({("constants", "interim_multiplier", "3"): 5}, "table [constants], field interim_multiplier.3", "give 4 or less"),
    ({("constants", "bricks_total"): 41, ("constants", "interim_multiplier", "4"): 9},
     "table [constants], field interim_multiplier.4", "give 8 or less"),
    ({("constants", "set_vp"): [0, 2, 6, 12]}, "table [constants], field set_vp", "a list of 5"),
    ({("constants", "set_vp"): [0, 2, 6, 12, 20, 30]}, "table [constants], field set_vp", "a list of 5"),
    ({("constants", "set_vp", 4): 1000}, "table [constants], field set_vp.5", "0 to 999"),
    ({("constants", "set_vp"): 5}, "table [constants], field set_vp", "a list of 5"),
    ({("constants", "set_vp", 0): 1}, "table [constants], field set_vp.1", "give 0"),
    ({("constants", "set_vp", 3): 5}, "table [constants], field set_vp.4", "give 6 or more"),
    ({("constants", "play_area_vp", "sesterces_per_vp"): 0}, "table [constants], field play_area_vp.sesterces_per_vp",
     "from 1"),
    ({("constants", "play_area_vp", "sesterces_per_vp"): 1000},
     "table [constants], field play_area_vp.sesterces_per_vp", "1 to 999"),
    ({("constants", "play_area_vp", "roman"): 100}, "table [constants], field play_area_vp.roman", "0 to 99"),
    ({("constants", "play_area_vp", "brick"): DROP}, "table [constants], field play_area_vp.brick", "add it"),
    # board
    ({("board", "shop_ring", 0): "white"}, "table [board], field shop_ring.1", "black, blue, red, yellow"),
    ({("board", "shop_ring", 0): "blue"}, "table [board], field shop_ring.2", "only once"),
    ({("board", "shop_ring", 3): DROP}, "table [board], field shop_ring", "a list of 4"),
    ({("board", "quarter", "basilica"): "white"}, "table [board], field quarter.basilica", "black, blue, red, yellow"),
    ({("board", "quarter", "porta_nigra"): "red"}, "table [board], field quarter.porta_nigra", "its own shop"),
    ({("board", "quarter", "forum"): "red"}, "table [board], field quarter.forum", "basilica, amphitheatre"),
    ({("board", "quarter", "basilica"): DROP}, "table [board], field quarter.basilica", "add it"),
    # rewards
    ({("rewards", "basilica"): DROP}, "table [rewards], row basilica", "add it"),
    ({("rewards", "basilica", "torch"): 1}, "table [rewards], row basilica, field torch", "did you mean torches?"),
    ({("rewards", "basilica", "torches"): 100}, "table [rewards], row basilica, field torches", "0 to 99"),
    ({("rewards", "city_wall", "white_bricks"): 10}, "table [rewards], row city_wall, field white_bricks", "0 to 9"),
    ({("rewards", "city_wall", "black_bricks"): 10}, "table [rewards], row city_wall, field black_bricks", "0 to 9"),
    ({("rewards", "city_wall"): 1}, "table [rewards], row city_wall", "give a table with sesterces"),
    # majorities
    ({("majorities", "city_wall", "B"): [1, 0]}, "table [majorities], row city_wall.B", "give one of A"),
    ({("majorities", "amphitheatre", "C"): DROP}, "table [majorities], row amphitheatre.C", "add it"),
    ({("majorities", "porta_nigra", "8"): DROP}, "table [majorities], row porta_nigra.8", "add it"),
    ({("majorities", "porta_nigra", "9"): [1, 0]}, "table [majorities], row porta_nigra.9", "3, 4, 5, 6, 7, 8"),
    ({("constants", "porta_nigra_max_height"): 7}, "table [majorities], row porta_nigra.8", "3, 4, 5, 6, 7"),
    ({("majorities", "basilica", "A", 1): 13}, "table [majorities], row basilica.A, field second", "give 12 or less"),
    ({("majorities", "basilica", "A", 1): -1}, "table [majorities], row basilica.A, field second", "from 0"),
    ({("majorities", "basilica", "A", 0): 1000}, "table [majorities], row basilica.A, field first", "0 to 999"),
    ({("majorities", "basilica", "A"): [12]}, "table [majorities], row basilica.A", "a list [first, second]"),
    ({("majorities", "basilica"): [12, 6]}, "table [majorities], row basilica", "give a table with A, B"),
    # building cards
    ({("building_cards", "each_building_and_colour"): 2}, "table [building_cards], field each_building_and_colour",
     "the integer 1"),
    ({("building_cards", "no_card_rows"): DROP}, "table [building_cards], field no_card_rows", "add it"),
    ({("building_cards", "no_card_rows", "amphitheatre"): ["D"]},
     "table [building_cards], field no_card_rows.amphitheatre.1", "A, B, C"),
    ({("building_cards", "no_card_rows", "amphitheatre"): ["C", "C"]},
     "table [building_cards], field no_card_rows.amphitheatre.2", "only once"),
    ({("building_cards", "no_card_rows", "amphitheater"): ["C"]},
     "table [building_cards], field no_card_rows.amphitheater", "did you mean amphitheatre?"),
    # spots
    ({("spots", "basilica", "A", 4): DROP}, "table [spots], row basilica.A", "a list of 5"),
    ({("spots", "city_wall", "A", 10): ["red", 2, 3]}, "table [spots], row city_wall.A", "a list of 10"),
    ({("spots", "basilica", "C"): []}, "table [spots], row basilica.C", "A, B"),
    ({("spots", "amphitheatre", "B"): DROP}, "table [spots], row amphitheatre.B", "add it"),
    ({("spots", "basilica", "A", 1, 0): "bleu"}, "table [spots], row basilica.A.2, field colour", "did you mean blue?"),
    ({("spots", "basilica", "A", 1, 1): 9}, "table [spots], row basilica.A.2, field bricks", "1 to 8"),
    ({("spots", "basilica", "A", 1, 1): 0}, "table [spots], row basilica.A.2, field bricks", "1 to 8"),
    ({("spots", "basilica", "A", 1, 2): 100}, "table [spots], row basilica.A.2, field vp", "0 to 99"),
    ({("spots", "basilica", "A", 1): ["blue", 2]}, "table [spots], row basilica.A.2", "[colour, bricks, vp]"),
    ({("spots", "porta_nigra", "A", 0): "grey"}, "table [spots], row porta_nigra.A.1", "black, blue"),
    ({("spots", "porta_nigra", "A", 0): ["red", 3, 9]}, "table [spots], row porta_nigra.A.1", "black, blue"),
    # supply cards
    ({("supply_cards", 9): DROP}, "table [supply_cards]", "a list of 10"),
    ({("supply_cards", 2, "shops"): []}, "table [supply_cards], row 3, field shops", "a list of 1 to 5"),
    ({("supply_cards", 2, "shops"): DROP}, "table [supply_cards], row 3, field shops", "add it"),
    ({("supply_cards", 2, "shops", 0): "gold"}, "table [supply_cards], row 3, field shops.1", "black, blue"),
    ({("supply_cards", 2, "shops"): ["red", "red"]}, "table [supply_cards], row 3, field shops.2", "only once"),
    ({("supply_cards", 2, "bricks"): 3}, "table [supply_cards], row 3, field bricks", "give one of shops"),
    ({("supply_cards", 2): "red"}, "table [supply_cards], row 3", "give a table with shops"),
    # action cards
    ({("action_cards", 7): DROP}, "table [action_cards]", "a list of 8"),
    ({("action_cards", 2, "name"): "The Senator"}, "table [action_cards], row 3 (The Senator), field name", "a-z, 0-9"),
    ({("action_cards", 2, "name"): DROP}, "table [action_cards], row 3, field name", "add it"),
    ({("action_cards", 2, "name"): "quarry"}, "table [action_cards], row 3 (quarry), field name", "its own"),
    ({("action_cards", 2, "torches"): 4}, "table [action_cards], row 3 (senator), field torches", "2 to 3"),
    ({("action_cards", 2, "torches"): 1}, "table [action_cards], row 3 (senator), field torches", "2 to 3"),
    ({("action_cards", 2, "icons"): ["build"]}, "table [action_cards], row 3 (senator), field icons", "3 to 5"),
    ({("action_cards", 2, "icons"): ["build"] * 6}, "table [action_cards], row 3 (senator), field icons", "3 to 5"),
    ({("action_cards", 2, "icons", 1): "buy_blak"}, "table [action_cards], row 3 (senator), field icons.2",
     "did you mean buy_black?"),
    ({("action_cards", 2, "max_players"): 3}, "table [action_cards], row 8, field max_players", "max_players = 3"),
    ({("action_cards", 7, "max_players"): DROP}, "table [action_cards], field max_players", "exactly one card"),
    ({("action_cards", 7, "max_players"): 2}, "table [action_cards], row 8 (apprentice), field max_players",
     "the integer 3"),
    # honour cards
    ({("honour_cards",): []}, "table [honour_cards]", "a list of 1 to 28"),
    ({("honour_cards", 0, "copies"): 2}, "table [honour_cards], field copies", "add up to 28"),
    ({("honour_cards", 0, "copies"): 0}, "table [honour_cards], row 1 (final_30), field copies", "1 to 28"),
    ({("honour_cards", 8, "copies"): DROP}, "table [honour_cards], row 9 (two_torches), field copies", "add it"),
    ({("honour_cards", 8, "name"): "one_roman"}, "table [honour_cards], row 10 (one_roman), field name", "its own"),
    ({("honour_cards", 8, "name"): "zwei fackeln"}, "table [honour_cards], row 9 (zwei fackeln), field name", "a-z"),
    ({("honour_cards", 8, "cost"): 4}, "table [honour_cards], row 9 (two_torches), field cost", "1 to 3"),
    ({("honour_cards", 8, "cost"): 0}, "table [honour_cards], row 9 (two_torches), field cost", "1 to 3"),
    ({("honour_cards", 8, "gains"): DROP}, "table [honour_cards], row 9 (two_torches)", "at least one of gains"),
    ({("honour_cards", 8, "gains"): {"torches": 0}}, "table [honour_cards], row 9 (two_torches)", "at least one of"),
    ({("honour_cards", 8, "gains", "coins"): 1}, "table [honour_cards], row 9 (two_torches), field gains.coins",
     "sesterces, torches"),
    ({("honour_cards", 8, "gains", "red_bricks"): 10},
     "table [honour_cards], row 9 (two_torches), field gains.red_bricks", "0 to 9"),
    ({("honour_cards", 0, "discard_buildings"): 3}, "table [honour_cards], row 1 (final_30), field discard_buildings",
     "give 4 for one of each building, or 0"),
    ({("honour_cards", 0, "discard_buildings"): 5}, "table [honour_cards], row 1 (final_30), field discard_buildings",
     "0 to 4"),
    ({("honour_cards", 1, "discard_final"): 0}, "table [honour_cards], row 2 (final_42), field discard_final",
     "1 to 999"),
    ({("honour_cards", 1, "discard_final"): 1000}, "table [honour_cards], row 2 (final_42), field discard_final",
     "1 to 999"),
    ({("honour_cards", 1, "discard_final"): 31}, "table [honour_cards], row 2 (final_42), field discard_final",
     "30, 42, 56"),
    ({("honour_cards", 1, "discard_final"): 42}, "table [honour_cards], row 2 (final_42), field discard_final",
     "final_vp larger"),
    ({("honour_cards", 8, "discard_final"): 30}, "table [honour_cards], row 9 (two_torches), field discard_final",
     "final_vp larger"),
    ({("honour_cards", 0, "final_vp"): 1000, ("honour_cards", 1, "discard_final"): DROP},
     "table [honour_cards], row 1 (final_30), field final_vp", "1 to 999"),
    ({("honour_cards", 0, "final_vp"): 0}, "table [honour_cards], row 1 (final_30), field final_vp", "1 to 999"),
    ({("honour_cards", 8, "final_vp"): 60, ("honour_cards", 9, "final_vp"): 61},
     "table [honour_cards], field final_vp", "at most 4"),
    ({("honour_cards", 3, "substitute"): "forum"},
     "table [honour_cards], row 4 (substitute_basilica), field substitute", "basilica, amphitheatre"),
    ({("honour_cards", 7, "porta_nigra_brick"): 1},
     "table [honour_cards], row 8 (crown_porta_nigra), field porta_nigra_brick", "true or false"),
    ({("honour_cards", 7, "crown"): True},
     "table [honour_cards], row 8 (crown_porta_nigra), field crown", "porta_nigra_brick"),
    ({("honour_cards",): [{"name": "spare", "copies": 28, "cost": 2, "substitute": "basilica"}]},
     "table [honour_cards], field copies", "give 27 or less"),
    ({("honour_cards",): [{"name": "spare", "copies": 28, "cost": 2, "gains": {"vp": 1}, "discard_final": 30}]},
     "table [honour_cards], row 1 (spare), field discard_final", "leave it out"),
    # amounts that a state cannot hold
    ({("constants", "reward_every_bricks"): 1, ("constants", "bricks_total"): 120, ("rewards", "basilica", "vp"): 99},
     "table [rewards]", "lower the numbers"),
    ({("constants", "reward_every_bricks"): 1, ("constants", "torch_to_sesterces"): 9,
      ("rewards", "basilica", "torches"): 20}, "table [constants]", "lower the numbers"),
    ({("constants", "reward_every_bricks"): 1, ("constants", "bricks_total"): 120,
      ("rewards", "porta_nigra", "influence"): 90}, "table [rewards]", "lower the numbers"),
    ({("constants", "brick_price", "white"): 99, ("spots", "porta_nigra", "A"): ["white"] * 9,
      ("rewards", "basilica", "vp"): 50, ("constants", "interim_multiplier", "2"): 4, ("constants", "rounds", "2"): 6},
     "table [spots]", "lower the numbers"),
]  # fmt: skip


def test_the_list_of_bad_files_is_complete() -> None:
    """Each table of a file is named by some complaint, and so is each constant."""
    assert len(BAD) >= 60
    named = [re.fullmatch(r"table \[(\w+)\](?:.*field (\w+).*)?.*", place) for _, place, _ in BAD]
    constants = {match[1] for match in named if match}
    assert constants >= {*parsed(STANDARD)} - {"name"}
    constants = {match[2] for match in named if match and match[1] == "constants"}
    assert constants >= {*parsed(STANDARD)["constants"]}


@pytest.mark.parametrize(("changes", "place", "right"), BAD, ids=[f"{i:03}-{bad[1]}" for i, bad in enumerate(BAD)])
def test_bad_file(changes: dict[Key, Any], place: str, right: str) -> None:
    check_refused(SETS, changed(parsed(STANDARD), changes), place, right)


GOOD: list[dict[Key, Any]] = [
    {("constants", "hand_size"): 7},
    {("constants", "hand_size"): 1},
    {("constants", "bricks_total"): 120, ("constants", "interim_multiplier", "2"): 3},
    {("constants", "bricks_total"): 14},
    {("constants", "bricks_total"): 40, ("constants", "interim_multiplier", "4"): 9},
    {("constants", "building_display"): 20, ("constants", "honour_display"): 28},
    {("constants", "building_display"): 1, ("constants", "honour_display"): 1},
    {("constants", "market_refill_below"): 14},
    {("constants", "start_romans"): 0, ("constants", "start_sesterces"): 0, ("constants", "start_torches"): 0},
    {("constants", "set_vp"): [0, 0, 0, 0, 0]},
    {("constants", "rounds", "2"): 1, ("constants", "rounds", "4"): 6},
    {("rewards", "basilica"): {}},
    {("majorities", "city_wall", "A"): [0, 0]},
    {("building_cards", "no_card_rows"): {}},
    {("building_cards", "no_card_rows", "porta_nigra"): ["A"]},
    {("provenance", table): "printed" for table in parsed(STANDARD)["provenance"]},
    {("honour_cards",): [{"name": "only", "copies": 28, "cost": 1, "gains": {"vp": 1}}]},
    {("honour_cards",): [{"name": f"kind_{i}", "copies": 1, "cost": 1, "gains": {"vp": i}} for i in range(1, 29)]},
    {("honour_cards", 8, "final_vp"): 60},
    {
        ("honour_cards",): [
            {"name": "spare", "copies": 27, "cost": 2, "substitute": "basilica"},
            {"name": "last", "copies": 1, "cost": 1, "final_vp": 1},
        ]
    },
    {("majorities", "basilica", "A"): [999, 999]},
    {("supply_cards", 0, "shops"): ["white", "yellow", "red", "blue", "black"], ("supply_cards", 1, "shops"): ["red"]},
]


@pytest.mark.parametrize("changes", GOOD, ids=[str(i) for i in range(len(GOOD))])
def test_limits_are_inclusive(changes: dict[Key, Any]) -> None:
    components = from_data(changed(parsed(STANDARD), changes), "my_box.toml")
    assert components.digest != load().digest or all(key[0] == "provenance" for key in changes)
    within_state_and_observation_bounds(components)


def test_the_most_that_a_player_could_collect() -> None:
    """The estimate, summed by hand: the 15 best elements, all rewards, honour cards, icons and interim scorings."""
    standard = parsed(STANDARD)
    every_brick: dict[Key, Any] = {("constants", "reward_every_bricks"): 1}
    spots = 40 + 2 * 32 + 2 * 24 + 21 + 3 * 16 + 15 + 2 * 13 + 12 + 2 * 11
    points = 120 * 99 + 2 * 120 + 5 + spots + 2 * 4 + 9 + 15
    changes = every_brick | {("constants", "bricks_total"): 120, ("rewards", "basilica", "vp"): 99}
    with pytest.raises(ComponentError, match=f"collect {points} vp in a game, {120 * 99} of them by this table"):
        from_data(changed(standard, changes), "mine")

    torches = 90 * 20 + 6 + 1 + 3 * 3
    sesterces = 9 * (torches + 3 * 21) + 20 + 2 * 90 + 90 * 5 + 24 + 3 * 15
    changes = every_brick | {("constants", "torch_to_sesterces"): 9, ("rewards", "basilica", "torches"): 20}
    with pytest.raises(ComponentError, match=f"collect {sesterces} sesterces"):
        from_data(changed(standard, changes), "mine")

    # 111 rewards of 90 influence tokens, and three icons in three rounds: the limit, 9,999.
    limit = every_brick | {("constants", "bricks_total"): 111, ("rewards", "porta_nigra", "influence"): 90}
    assert from_data(changed(standard, limit), "mine").constants["rewards"].max() == 90
    with pytest.raises(ComponentError, match="collect 10000 influence"):
        from_data(changed(standard, limit | {("honour_cards", 19, "gains", "influence"): 1}), "mine")


def within_state_and_observation_bounds(components: Components) -> None:
    """The bounds of states and observations cover every value of a game with the set."""
    record = components.constants[0]

    def high(part: str) -> float:
        bounds = observation_layout(components.num_honours)[part].spec
        return round(bounds.scale * bounds.high, 3)

    bricks = int(record["bricks_total"])
    assert bricks <= min(high(part) for part in ("reserve", "market", "bricks", "built"))
    assert record["romans_per_player"] <= high("romans")
    assert record["rounds"].max() <= high("round")
    assert record["card_icons"].sum(axis=1).max() <= high("icons_left")
    assert record["card_torches"].max() <= high("markers_left")
    assert record["hand_size"] <= high("num_hand")
    assert bricks * record["interim_multiplier"].max() <= high("split_total")
    assert components.num_tens <= min(high("split_tens"), MAX_TENS)
    assert components.actions.size <= action_layout(names.NUM_HONOUR_CARDS, MAX_TENS).size <= 64 * NUM_WORDS
    assert record["honour_copies"].max() <= min(high("honour_display"), high("honour_draw"), high("finals_owned"))
    for building in range(len(BUILDINGS)):
        substitutes = record["honour_copies"][record["honour_substitute"] == building].sum()
        assert substitutes + len(COLOURS) <= high("buildings_owned")
    assert record["start_sesterces"] <= high("sesterces")


# ------------------------------------------------------------------------------------------------ unreadable files


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"name = \n", "(at line 1, column 8)"),
        (b'name = "a"\n\nname = "b"\n', "line 3"),
        (b'name = "a"\nedition = "\xff"\n', "line 2 is not UTF-8"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"a = " + b"9" * 5000, "not valid TOML"),
        (b"", "table [name]"),
    ],
    ids=["syntax", "twice", "latin-1", "nested", "digits", "empty"],
)
def test_unreadable_content(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(ComponentError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert expected in str(caught.value)


def test_no_such_file(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    with pytest.raises(ComponentError, match=re.escape(f"{missing}: neither a packaged component set nor a file")):
        load(missing)
    with pytest.raises(ComponentError, match=f"{os.strerror(2)}.*did you mean 'standard'"):
        load("standrad")
    with pytest.raises(ComponentError, match="cannot be read"):
        load(tmp_path)
    with pytest.raises(ComponentError, match="cannot be read"):
        load("a\0b")


@pytest.mark.parametrize("source", [3, None, {"name": "standard"}], ids=["int", "none", "dict"])
def test_sources_of_another_type(source: Any) -> None:
    with pytest.raises(TypeError, match="'standard', a path or Components"):
        load(source)


def test_errors_are_value_errors_and_not_remembered(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("oops", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ValueError, match=re.escape(str(path))):
            load(path)
    path.write_bytes(STANDARD.read_bytes())
    assert load(path) == load()


# ------------------------------------------------------------------------------------------------ from the shell


def test_command_prints_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(OTHER)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    for text in ("other", load(OTHER).digest, "villa", "theta", "12, 25, 40, 61", "board.quarter, honour_cards"):
        assert text in printed.out
    assert "packaged" not in printed.out
    assert main([]) == 0
    assert "packaged" in capsys.readouterr().out


def test_command_in_a_shell(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(OTHER.read_text(encoding="utf-8").replace("hand_size = 3", "hand_size = 9"), encoding="utf-8")
    command = [sys.executable, "-m", "porta_nigra_env.components", str(path), "--game", "porta_nigra"]
    root = FOLDER.parents[3]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 1
    assert run.stdout == ""
    expected = f"error: {path}: table [constants], field hand_size: 9 is not allowed; give an integer from 1 to 7\n"
    assert run.stderr == expected


# ------------------------------------------------------------------------------------------------ any mistake at all

WORDS = (*COLOURS, *BUILDINGS, *ICONS, *GAINS, *"ABC", "name", "copies", "cost", "final_vp", "torches")


def loaded_or_refused(attempt: Callable[[], Components]) -> Components | None:
    """The set if it loads (within all bounds), None if a ComponentError names the source; any other error is raised."""
    message = "damaged: "
    components = None
    try:
        components = attempt()
    except ComponentError as error:
        message = str(error)
    assert message.startswith("damaged: ")
    if components is not None:
        within_state_and_observation_bounds(components)
    return components


@settings(max_examples=150, deadline=None)
@given(damaged([STANDARD, OTHER], WORDS))
def test_damaged_data_loads_or_is_refused(data: Data) -> None:
    """Any file gives a complete set or a ComponentError, and its data is not changed."""
    before = repr(data)
    loaded = loaded_or_refused(lambda: from_data(data, "damaged"))
    assert repr(data) == before
    if loaded is not None:
        assert from_data(loaded.data, "again").document == loaded.document


@settings(max_examples=150, deadline=None)
@given(st.integers(0, STANDARD.stat().st_size - 1), st.integers(0, 40), st.binary(max_size=6))
def test_damaged_text_loads_or_is_refused(start: int, length: int, patch: bytes) -> None:
    content = STANDARD.read_bytes()
    patched = content[:start] + patch + content[start + length :]
    loaded_or_refused(lambda: SETS._parse(patched, "damaged"))
