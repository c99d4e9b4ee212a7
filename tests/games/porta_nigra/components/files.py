"""Component files of Porta Nigra in tests: refused and accepted ones."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from porta_nigra_env.games.porta_nigra.actions import MAX_TENS, NUM_WORDS, action_layout
from porta_nigra_env.games.porta_nigra.components import load as module
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, GAINS, ICONS
from porta_nigra_env.games.porta_nigra.observation import observation_layout
from tests.games.component_files import DROP, Bad, Changes, ComponentCases, Data, Where, bad, parsed

STANDARD: Final = Path(module.__file__).with_name("standard.toml")
OTHER: Final = Path(__file__).with_name("other.toml")
FILES: Final = pytest.mark.parametrize("path", [STANDARD, OTHER], ids=["standard", "other"])

_RANGES: Final[dict[Where, tuple[int, int]]] = {
    "constants.hand_size": (1, 7),
    "constants.bricks_total": (1, 120),
    "constants.romans_per_player": (1, 15),
    "constants.start_romans": (0, 15),
    "constants.start_sesterces": (0, 500),
    "constants.start_torches": (0, 99),
    "constants.border_cost": (0, 99),
    "constants.market_refill_below": (1, 120),
    "constants.building_display": (1, 20),
    "constants.honour_display": (1, 28),
    "constants.influence_cost_roman": (1, 9),
    "constants.influence_cost_build": (1, 9),
    "constants.torch_to_sesterces": (0, 9),
    "constants.reward_every_bricks": (1, 99),
    "constants.porta_nigra_min_height": (3, 8),
    "constants.porta_nigra_max_height": (3, 8),
    "constants.early_end_bonus_vp": (0, 99),
    "constants.brick_price.black": (1, 99),
    "constants.brick_price.white": (1, 99),
    "constants.rounds.2": (1, 6),
    "constants.interim_multiplier.3": (0, 9),
    "constants.set_vp.4": (0, 999),
    "constants.play_area_vp.sesterces_per_vp": (1, 999),
    "constants.play_area_vp.roman": (0, 99),
    "rewards.basilica.torches": (0, 99),
    "rewards.city_wall.white_bricks": (0, 9),
    "rewards.city_wall.black_bricks": (0, 9),
    "spots.basilica.A.1.1": (1, 8),
    "spots.basilica.A.1.2": (0, 99),
    "majorities.basilica.A.0": (0, 999),
    "action_cards.2.torches": (2, 3),
    "honour_cards.0.copies": (1, 28),
    "honour_cards.8.cost": (1, 3),
    "honour_cards.8.gains.red_bricks": (0, 9),
    "honour_cards.0.discard_buildings": (0, 4),
    "honour_cards.1.discard_final": (1, 999),
    "honour_cards.0.final_vp": (1, 999),
}

_REQUIRED: Final = (
    "spots", "provenance.spots", "constants.hand_size", "constants.brick_price.white", "constants.rounds.4",
    "constants.play_area_vp.brick", "board.quarter.basilica", "rewards.basilica", "majorities.amphitheatre.C",
    "majorities.porta_nigra.8", "building_cards.no_card_rows", "spots.amphitheatre.B", "supply_cards.2.shops",
    "action_cards.2.name", "honour_cards.8.copies",
)  # fmt: skip

_BAD: Final[list[Bad]] = [
    # provenance
    bad("provenance.spots", "guess", "rulebook, reconstruction, printed"),
    # constants
    ({"constants.romans_per_player": 4}, "constants.start_romans", "give 4 or less"),
    bad("constants.market_refill_below", 15, "give 14 or less"),
    ({"constants.bricks_total": 13}, "constants.market_refill_to", "give 13 or less"),
    bad("constants.honour_purchases_per_turn", 2, "the integer 1"),
    ({"constants.porta_nigra_min_height": 8, "constants.porta_nigra_max_height": 7},
     "constants.porta_nigra_min_height", "give 7 or less"),
    bad("constants.brick_price.red", 2, "prices that rise"),
    bad("constants.interim_multiplier.3", 5, "give 4 or less"),
    ({"constants.bricks_total": 41, "constants.interim_multiplier.4": 9}, "constants.interim_multiplier.4",
     "give 8 or less"),
    bad("constants.set_vp", [0, 2, 6, 12], "a list of 5"),
    bad("constants.set_vp.0", 1, "give 0"),
    bad("constants.set_vp.3", 5, "give 6 or more"),
    # board
    bad("board.shop_ring.0", "white", "black, blue, red, yellow"),
    ({"board.shop_ring.0": "blue"}, "board.shop_ring.1", "only once"),
    bad("board.quarter.porta_nigra", "red", "its own shop"),
    # majorities
    ({"constants.porta_nigra_max_height": 7}, "majorities.porta_nigra.8", "3, 4, 5, 6, 7"),
    bad("majorities.basilica.A.1", 13, "give 12 or less"),
    bad("majorities.basilica.A", [12], "a list [first, second]"),
    # building cards
    bad("building_cards.each_building_and_colour", 2, "the integer 1"),
    ({"building_cards.no_card_rows.amphitheatre": ["D"]}, "building_cards.no_card_rows.amphitheatre.0", "A, B, C"),
    ({"building_cards.no_card_rows.amphitheatre": ["C", "C"]}, "building_cards.no_card_rows.amphitheatre.1",
     "only once"),
    # spots
    ({"spots.basilica.A.4": DROP}, "spots.basilica.A", "a list of 5"),
    bad("spots.basilica.A.1.0", "bleu", "did you mean blue?"),
    bad("spots.basilica.A.1", ["blue", 2], "[colour, bricks, vp]"),
    bad("spots.porta_nigra.A.0", "grey", "black, blue"),
    # supply cards
    ({"supply_cards.9": DROP}, "supply_cards", "a list of 10"),
    bad("supply_cards.2.shops", [], "a list of 1 to 5"),
    ({"supply_cards.2.shops": ["red", "red"]}, "supply_cards.2.shops.1", "only once"),
    # action cards
    ({"action_cards.7": DROP}, "action_cards", "a list of 8"),
    bad("action_cards.2.name", "quarry", "its own"),
    bad("action_cards.2.icons", ["build"], "3 to 5"),
    bad("action_cards.2.icons.1", "buy_blak", "did you mean buy_black?"),
    ({"action_cards.2.max_players": 3}, "action_cards.7.max_players", "max_players = 3"),
    ({"action_cards.7.max_players": DROP}, "action_cards.max_players", "exactly one card"),
    bad("action_cards.7.max_players", 2, "the integer 3"),
    # honour cards
    bad("honour_cards", [], "a list of 1 to 28"),
    ({"honour_cards.0.copies": 2}, "honour_cards.copies", "add up to 28"),
    ({"honour_cards.8.name": "one_roman"}, "honour_cards.9.name", "its own"),
    ({"honour_cards.8.gains": DROP}, "honour_cards.8", "at least one of gains"),
    ({"honour_cards.8.gains": {"torches": 0}}, "honour_cards.8", "at least one of"),
    bad("honour_cards.0.discard_buildings", 3, "give 4 for one of each building, or 0"),
    bad("honour_cards.1.discard_final", 31, "30, 42, 56"),
    bad("honour_cards.1.discard_final", 42, "final_vp larger"),
    bad("honour_cards.8.discard_final", 30, "final_vp larger"),
    ({"honour_cards.8.final_vp": 60, "honour_cards.9.final_vp": 61}, "honour_cards.final_vp", "at most 4"),
    bad("honour_cards.3.substitute", "forum", "basilica, amphitheatre"),
    ({"honour_cards": [{"name": "spare", "copies": 28, "cost": 2, "substitute": "basilica"}]}, "honour_cards.copies",
     "give 27 or less"),
    ({"honour_cards": [{"name": "spare", "copies": 28, "cost": 2, "gains": {"vp": 1}, "discard_final": 30}]},
     "honour_cards.0.discard_final", "leave it out"),
    # amounts that a state cannot hold
    ({"constants.reward_every_bricks": 1, "constants.bricks_total": 120, "rewards.basilica.vp": 99}, "rewards",
     "lower the numbers"),
    ({"constants.reward_every_bricks": 1, "constants.torch_to_sesterces": 9, "rewards.basilica.torches": 20},
     "constants", "lower the numbers"),
    ({"constants.reward_every_bricks": 1, "constants.bricks_total": 120, "rewards.porta_nigra.influence": 90},
     "rewards", "lower the numbers"),
    ({"constants.brick_price.white": 99, "spots.porta_nigra.A": ["white"] * 9, "rewards.basilica.vp": 50,
     "constants.interim_multiplier.2": 4, "constants.rounds.2": 6}, "spots", "lower the numbers"),
]  # fmt: skip

_GOOD: Final[list[Changes]] = [
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
    {"honour_cards": [{"name": "spare", "copies": 27, "cost": 2, "substitute": "basilica"}, {"name": "last",
     "copies": 1, "cost": 1, "final_vp": 1}]},
    {("majorities", "basilica", "A"): [999, 999]},
    {("supply_cards", 0, "shops"): ["white", "yellow", "red", "blue", "black"], ("supply_cards", 1, "shops"): ["red"]},
]  # fmt: skip


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


def orders(data: Data) -> list[Changes]:
    """Exchange entries that cannot change alone: two quarters, two shops of the ring, two cards."""
    quarter, ring = data["board"]["quarter"], data["board"]["shop_ring"]
    return [
        {"board.quarter": {**quarter, "basilica": quarter["city_wall"], "city_wall": quarter["basilica"]}},
        {"board.shop_ring": [ring[1], ring[0], *ring[2:]]},
        *({table: data[table][::-1]} for table in ("supply_cards", "action_cards", "honour_cards")),
    ]


def write_out(data: Data) -> None:
    """Write defaults."""
    data["rewards"]["basilica"]["vp"] = 0
    data["building_cards"]["no_card_rows"]["city_wall"] = []
    for card in data["honour_cards"]:
        card.setdefault("discard_buildings", 0)
        card.setdefault("porta_nigra_brick", False)
        card["gains"] = dict.fromkeys(GAINS, 0) | card.get("gains", {})


CASES: Final = ComponentCases(
    game="porta_nigra",
    rows={
        **{(table,): 1 for table in ("provenance", "rewards", "supply_cards", "action_cards", "honour_cards")},
        ("majorities",): 2,
        ("spots",): 3,
    },
    entries={("majorities", 3): ("first", "second"), ("spots", 4): ("colour", "bricks", "vp")},
    ranges=_RANGES,
    required=_REQUIRED,
    bad=_BAD,
    good=_GOOD,
    families=(COLOURS, BUILDINGS, ICONS, "ABC"),
    words=(*COLOURS, *BUILDINGS, *ICONS, *GAINS, *"ABC", "name", "copies", "cost", "final_vp", "torches"),
    least={"name": 1, "constants": 30, "rewards": 5, "majorities": 16, "building_cards": 1, "spots": 114,
           "supply_cards": 15, "action_cards": 48, "honour_cards": 34},
    unread=lambda key: False,
    labels={"provenance.spots": "printed"},
    orders=orders,
    written_out=write_out,
    check_bounds=within_state_and_observation_bounds,
)  # fmt: skip
