"""Drawn component sets: plausible files with the facts of the rulebook, and their pieces as numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.game.game import States
from porta_nigra_env.games.aquileia.components.load import SETS, load
from porta_nigra_env.games.aquileia.components.names import BUILDING_KINDS, EQUI_GROUPS, KINDS
from porta_nigra_env.games.aquileia.components.pieces import pieces_of
from porta_nigra_env.games.aquileia.game import Aquileia
from tests.games.aquileia.components.files import OTHER

SEEDS = range(1, 9)


def _sites(data: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [site for site in data["forum"]["buildings"] if site["kind"] == kind]


def _built(ends: States) -> int:
    """Return the number of houses that stand at the ends of games."""
    return int(np.bitwise_count(ends["buildings"]).sum())


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_keep_the_facts_of_the_rulebook(seed: int) -> None:
    data, standard = SETS.varied(seed).data, load().data
    for part in ("constants", "start", "die", "arena", "portus"):
        assert data[part] == standard[part], part
    for part, field in (("mercatus", "exchanges"), ("stadium", "silver"), ("forum", "buildings")):
        assert data[part] | {field: 0} == standard[part] | {field: 0}, part
    assert data["stadium"]["silver"] in ([1, 1, 2], [1, 2, 2])
    swaps = [(swap["give"], swap["get"]) for swap in data["mercatus"]["exchanges"]]
    assert all(({give: 1}, {get: 1}) in swaps for give in KINDS for get in KINDS if give != get)
    assert sum(data["slave_cards"].values()) == 22
    equi = data["equi_cards"]
    assert sum(sum(group.values()) for group in equi.values()) == 17
    assert equi["silver_horse"]["1"] >= 2
    assert equi["weapon"]["2"] >= 2
    assert sum(data["stadium_cards"]["colours"].values()) == 8
    assert sorted(data["stadium_cards"]["laurels"]) == [3, 5, 7, 10]
    assert {"blue", "yellow"} in [set(pair) for pair in data["theatre_cards"]["pairs"]]


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_keep_the_buildings_of_the_examples(seed: int) -> None:
    data, standard = SETS.varied(seed).data, load().data
    kinds = [
        Counter((site["kind"], site.get("colour")) for site in each["forum"]["buildings"]) for each in (data, standard)
    ]
    assert kinds[0] == kinds[1]
    villas = {site["name"]: site for site in _sites(data, "villa")}
    assert set(villas) == {f"villa_{site['colour']}_{site['value']}" for site in villas.values()}
    assert villas["villa_blue_10"]["cost"] == {"bronze": 2, "silver": 2, "gold": 1, "slaves": 3}
    assert "villa_blue_6" in villas
    workshops = _sites(data, "workshop")
    assert {4, 5} <= {site["vp"] for site in workshops}
    assert all(site["value"] == site["vp"] for site in workshops)
    assert {"silver": 1, "gold": 1} in [site["pays"] for site in _sites(data, "money_house")]


def test_numbers_are_those_of_the_file() -> None:
    components = load("varied:5")
    numbers, data = pieces_of(components), components.data
    layout, raw = numbers.layout, numbers.raw

    def of(name: str) -> list[Any]:
        field = layout[name]
        return list(raw[field.slice].reshape(field.spec.shape).tolist())

    def named(name: str, texts: tuple[str, ...]) -> list[list[str]]:
        return [[text for text, bit in zip(texts, row, strict=True) if bit] for row in of(name)]

    sites, colours = data["forum"]["buildings"], components.colours
    assert named("building_kind", BUILDING_KINDS) == [[site["kind"]] for site in sites]
    assert named("building_colour", colours) == [[site["colour"]] if "colour" in site else [] for site in sites]
    assert of("building_value") == [site["value"] for site in sites]
    assert of("building_cost") == [[site["cost"].get(kind, 0) for kind in KINDS] for site in sites]
    assert of("building_slaves") == [site["cost"].get("slaves", 0) for site in sites]
    assert of("building_points") == [site.get("vp", 0) for site in sites]
    assert of("building_pays") == [[site.get("pays", {}).get(kind, 0) for kind in KINDS] for site in sites]
    cards = data["stadium_cards"]
    assert [set(pair) for pair in named("theatre_colours", colours)] == list(map(set, data["theatre_cards"]["pairs"]))
    assert named("stadium_colour", colours) == [*([colour] for colour in colours), [], [], [], []]
    assert of("stadium_copies") == [*cards["colours"].values(), 1, 1, 1, 1]
    assert of("stadium_points") == [0, 0, 0, 0, *cards["laurels"]]
    swaps = data["mercatus"]["exchanges"]
    assert of("exchange_gives") == [[swap["give"].get(kind, 0) for kind in KINDS] for swap in swaps]
    assert of("exchange_gets") == [[swap["get"].get(kind, 0) for kind in KINDS] for swap in swaps]
    faces = [(group, int(strength)) for group in EQUI_GROUPS for strength in data["equi_cards"][group]]
    assert named("equi_group", EQUI_GROUPS) == [[group] for group, _ in faces]
    assert of("equi_strength") == [strength for _, strength in faces]
    assert of("equi_copies") == [data["equi_cards"][group][str(strength)] for group, strength in faces]
    assert (of("slave_slaves"), of("slave_copies")) == ([1, 2], list(data["slave_cards"].values()))
    arena, gold = components.spaces.index("arena_1"), components.spaces.index("gold_1")
    assert of("space_strength")[arena : gold + 6] == [1, 1, 2, 1, 1, 2, *data["stadium"]["silver"]]
    coins = dict(zip(components.spaces, named("space_coin", KINDS), strict=True))
    assert (coins["servi_middle"], coins["portus_gold"], coins["gold_1"]) == (["silver"], ["gold"], [])
    assert of("space_most")[-9:] == [1, 1, 2, 1, 1, 0, 0, 0, 0]


def test_pieces_point_at_their_entries() -> None:
    game = Aquileia(3)
    buildings, theatre, stadium, exchanges, equi, slaves, spaces = pieces_of(game.components).kinds
    seen, chosen = game.observations, game.actions
    texts = game.action_texts
    assert buildings.observed[3].tolist() == [seen["building_owner"].start + 3 * 5 + seat for seat in range(5)]
    assert [texts[i] for i in buildings.chosen[:, 0]] == [f"build {name}" for name in game.components.buildings]
    assert theatre.observed[2, 5] == seen["on_sale"].start + 2
    assert theatre.chosen.shape == (6, 0)
    assert stadium.observed[1, :3].tolist() == [
        seen[name].start + 1 for name in ("stadium_open", "stadium_next", "stadium_gone")
    ]
    assert stadium.observed[1, 3:8].tolist() == [seen["stadium_owned"].start + 8 * seat + 1 for seat in range(5)]
    assert stadium.observed[1, 8:].tolist() == [seen["stadium_either"].start + 8 * pair + 1 for pair in range(10)]
    assert exchanges.observed[:, 0].tolist() == list(range(seen["last_exchange"].start, seen["last_exchange"].stop))
    assert exchanges.chosen[:, 0].tolist() == list(range(chosen["exchange"].start, chosen["exchange"].stop))
    assert equi.observed[4, :2].tolist() == [seen["equi"].start + 4, seen["equi_discard"].start + 4]
    assert equi.observed[4, 2:7].tolist() == [seen["equi_known"].start + 7 * seat + 4 for seat in range(5)]
    assert equi.observed[4, 7:10].tolist() == [seen["equi_row"].start + 7 * space + 4 for space in range(3)]
    assert equi.observed[4, 10] == seen["last_played"].start + 2 + 4
    assert [texts[i] for i in equi.chosen[:, 0]] == [f"play {face}" for face in game.components.equi_faces]
    assert slaves.observed[1].tolist() == [
        seen[name].start + 1 for name in ("slaves", "slave_discard", "last_played")
    ]  # fmt: skip
    assert [texts[i] for i in slaves.chosen[:, 0]] == ["play slave_1", "play slave_2"]
    assert spaces.observed[27].tolist() == [seen["space_holder"].start + 27 * 5 + seat for seat in range(5)]
    assert [texts[i] for i in spaces.chosen[:, 0]] == [f"place {name}" for name in game.components.spaces]


def test_a_file_without_singles_has_numbers_for_doubles() -> None:
    game = Aquileia(3, OTHER)
    numbers = pieces_of(game.components)
    slaves = numbers.kinds[5]
    assert numbers.raw[numbers.columns(slaves)].tolist() == [[2, 10]]
    assert slaves.observed.tolist() == [
        [game.observations[name].start + 1 for name in ("slaves", "slave_discard", "last_played")]
    ]
    assert [game.action_texts[i] for i in slaves.chosen[:, 0]] == ["play slave_2"]
