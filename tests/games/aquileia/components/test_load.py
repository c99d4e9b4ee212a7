"""Component files: accepted and refused ones, and the constants compiled from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.positions.components import ComponentError
from porta_nigra_env.games.aquileia.components.load import from_data, load
from porta_nigra_env.games.aquileia.components.names import KINDS
from porta_nigra_env.games.aquileia.components.schema import CONSTANTS
from tests.games.aquileia.components.files import COLOURS, FILES, MANY_SITES, OTHER, PAIRS, STANDARD, SWAPS
from tests.games.component_files import Where, changed, leaves, parsed

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
    small: dict[Where, Any] = {
        ("constants", "rounds"): 1, COLOURS: {"white": 1, "blue": 1}, ("stadium_cards", "laurels"): [],
        PAIRS: [["white", "blue"]], "forum.buildings": MANY_SITES[:1], ("start",): dict.fromkeys(KINDS, 99),
        (*SWAPS, 0, "get", "silver"): 9,
    }  # fmt: skip
    coins = 9 * (5 * 3 * 99 + 2) + 6 + 6
    with pytest.raises(ComponentError, match=f"collect {coins} coins in a game"):
        from_data(changed(standard, small), "mine")
    small[*SWAPS, 0, "get", "silver"] = 6
    assert from_data(changed(standard, small), "mine").constants["start"].max() == 99
