"""Drawn component sets: plausible files with the facts of the rulebooks, and their pieces as numbers."""

from __future__ import annotations

import pytest

from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.load import SETS, load
from porta_nigra_env.games.porta_nigra.components.pieces import pieces_of
from porta_nigra_env.games.porta_nigra.game import PortaNigra

SEEDS = range(1, 9)


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_keep_the_facts_of_the_rulebooks(seed: int) -> None:
    data, standard = SETS.varied(seed).data, load().data
    for table in ("constants", "rewards", "majorities", "building_cards"):
        assert data[table] == standard[table], table
    spots = data["spots"]
    assert ["yellow", 2, 9] in spots["basilica"]["A"]
    assert {("blue", 2), ("white", 4)} < {(colour, bricks) for colour, bricks, _ in spots["basilica"]["A"]}
    assert ("red", 2) in {(colour, bricks) for colour, bricks, _ in spots["basilica"]["B"]}
    assert {("yellow", 3), ("red", 3)} < {(colour, bricks) for colour, bricks, _ in spots["amphitheatre"]["A"]}
    assert {"white", "yellow", "red", "blue"} in [set(card["shops"]) for card in data["supply_cards"]]
    icons = [sorted(card["icons"]) for card in data["action_cards"]]
    assert ["build", "buy_any", "buy_any", "coins_5"] in icons
    assert any(card["torches"] == 2 and len(card["icons"]) == 3 for card in data["action_cards"])
    assert sum(card["copies"] for card in data["honour_cards"]) == names.NUM_HONOUR_CARDS
    chain = [(card["cost"], card["final_vp"]) for card in data["honour_cards"] if "final_vp" in card]
    assert chain == [(2, 30), (1, 42), (1, 56)]
    assert all(card["cost"] == 2 for card in data["honour_cards"] if "substitute" in card)


def test_numbers_are_those_of_the_file() -> None:
    components = load("varied:5")
    numbers, data = pieces_of(components), components.data
    layout, raw = numbers.layout, numbers.raw
    assert raw[layout["card_torches"].slice].tolist() == [card["torches"] for card in data["action_cards"]]
    assert raw[layout["honour_cost"].slice].tolist() == [card["cost"] for card in data["honour_cards"]]
    final = raw[layout["honour_final_gained"].slice].tolist()
    assert final == [card.get("final_vp", 0) for card in data["honour_cards"]]
    spots = [spot for name in names.BUILDINGS[:3] for row in data["spots"][name].values() for spot in row]
    assert raw[layout["spot_bricks"].slice].tolist() == [bricks for _, bricks, _ in spots]
    assert raw[layout["spot_points"].slice].tolist() == [points for _, _, points in spots]
    colours = raw[layout["spot_colour"].slice].reshape(-1, len(names.COLOURS)).argmax(axis=1)
    assert [names.COLOURS[i] for i in colours] == [colour for colour, _, _ in spots]


def test_pieces_point_at_their_entries() -> None:
    game = PortaNigra(2)
    cards, honours, spots, towers, supply, quarters, finals = pieces_of(game.components).kinds
    seen, chosen = game.observations, game.actions
    assert cards.observed[3, 0] == seen["hand"].start + 3
    assert cards.observed[3, 2:].tolist() == [seen["played"].start + 8 * seat + 3 for seat in range(4)]
    assert honours.chosen[:, 0].tolist() == list(range(chosen["honour"].start, chosen["honour"].stop))
    assert spots.observed[34].tolist() == [seen["spot_owner"].start + 34 * 4 + seat for seat in range(4)]
    assert towers.observed[0].tolist()[:4] == [seen["spot_owner"].start + 35 * 4 + seat for seat in range(4)]
    assert towers.chosen[2, 0] == chosen["build_porta_nigra"].start + 2
    assert towers.chosen[2, 1] == chosen["build_porta_nigra"].start + 9 + 2
    assert quarters.chosen[:, 0].tolist() == list(range(4))
    assert (supply.count, finals.count) == (10, 4)
