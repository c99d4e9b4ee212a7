"""Setup, the refill phase, and limited pieces (R4, R6 to R9)."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from math import ceil
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.games.porta_nigra.rules.positions import Played, Table, data_of, effect, legal, load_game, new_game

pytestmark = pytest.mark.usefixtures("rules")

DEAREST_FIRST = COLOURS[::-1]
#: Quantiles of chi-square at 1 - 1e-6 by degrees of freedom; the seeds are fixed, so a test passes always or never.
CHI_SQUARE_LIMIT = {3: 30.7, 7: 40.5, 9: 44.8, 17: 60.1, 19: 63.7, 27: 77.2, 95: 175.4}


def assert_uniform(draws: Sequence[Hashable], outcomes: Sequence[Hashable]) -> None:
    """Every outcome comes up about equally often."""
    counts, expected = Counter(draws), len(draws) / len(outcomes)
    assert set(counts) <= set(outcomes)
    chi_square = sum((counts[outcome] - expected) ** 2 / expected for outcome in outcomes)
    assert chi_square < CHI_SQUARE_LIMIT[len(outcomes) - 1], counts


def shops(table: Table, card: int) -> list[str]:
    colours: list[str] = table.data["supply_cards"][card]["shops"]
    return colours


def refilled(table: Table, order: Sequence[int]) -> dict[str, Any]:
    """Return the result of a refill with the supply cards in this order, brick by brick."""
    market, reserve = dict(table.position["market"]), int(table.position["reserve"])
    used: list[int] = []
    if sum(market.values()) < table.constants["market_refill_below"]:
        while sum(market.values()) < table.constants["market_refill_to"] and reserve > 0:
            used.append(order[len(used)])
            for colour in DEAREST_FIRST:
                if colour in shops(table, used[-1]) and reserve > 0:
                    market[colour] += 1
                    reserve -= 1
    return {"market": market, "reserve": reserve, "used": used}


def before_a_turn(components: Components | str, market: int, players: int = 2) -> Table:
    """Let seat 0 be about to end its turn with `market` bricks in the shops, spread over the colours."""
    table = Table(components, players).play()
    return table.market(**{colour: (market + place) // len(COLOURS) for place, colour in enumerate(COLOURS)})


# ------------------------------------------------------------------------------------------------ setup


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_new_game_is_set_up_from_the_component_file(components: Components, players: int) -> None:
    data, position = data_of(components), new_game(players, 3, components).to_dict()
    constants = data["constants"]
    assert (position["phase"], position["round"]) == ("place_builder", 1)
    assert position["current_player"] == position["starting_player"]
    assert (position["turn"], position["early_end"], position["split"]) == (None, None, None)
    for player in position["players"]:
        assert player["sesterces"] == constants["start_sesterces"]
        assert player["torches"] == constants["start_torches"]
        assert player["romans"] == constants["start_romans"]
        assert player["romans"] + player["romans_reserve"] == constants["romans_per_player"]
        assert (player["influence"], player["vp"], player["quarter"]) == (0, 0, None)
        assert player["bricks"] == dict.fromkeys(COLOURS, 0)
        assert player["building_cards"] == dict.fromkeys(BUILDINGS, 0)
        assert (player["final_cards"], player["discard"]) == ([], [])
        assert len(player["hand"]) == constants["hand_size"]
        assert sorted(player["hand"] + player["draw"]) == sorted(Table(components, players).deck())
    empty = [spot for rows in position["spots"].values() for row in rows.values() for spot in row]
    assert empty == [None] * 44
    assert len(position["building_cards"]["display"]) == constants["building_display"]
    assert len(position["honour_cards"]["display"]) == constants["honour_display"]
    buildings = position["building_cards"]["display"] + position["building_cards"]["draw"]
    assert sorted(buildings) == sorted([building, colour] for building in BUILDINGS for colour in COLOURS)
    honours = Counter(position["honour_cards"]["display"] + position["honour_cards"]["draw"])
    assert honours == {card["name"]: card["copies"] for card in data["honour_cards"]}


def test_with_four_players_one_card_stays_in_the_box(components: Components) -> None:
    cards = data_of(components)["action_cards"]
    boxed = {card["name"] for card in cards if card.get("max_players") == 3}
    assert len(boxed) == 1
    for players, size in ((2, 8), (3, 8), (4, 7)):
        for player in new_game(players, 1, components).to_dict()["players"]:
            deck = {*player["hand"], *player["draw"]}
            assert len(deck) == size
            assert (deck >= boxed) == (players < 4)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_starting_player_and_ages_are_drawn_uniformly_and_independently_R6(players: int) -> None:
    """R6: each pair of a starting player and an order of ages is equally likely."""
    game = PortaNigra(players)
    states = np.zeros(1, dtype=game.dtype)
    outcomes = list(itertools.product(range(players), itertools.permutations(range(players))))
    draws = []
    for seed in range(200 * len(outcomes) if COMPILED else 5 * len(outcomes)):
        game.kernel.reset(game.constants, states, 0, seed, players)
        ages = states["youngest_first"][0][:players].tolist()
        draws.append((int(states["starting_player"][0]), tuple(ages)))
    assert_uniform(draws, outcomes)


def test_every_pile_is_shuffled_at_setup() -> None:
    game = PortaNigra(2)
    states = np.zeros(1, dtype=game.dtype)
    piles: dict[str, list[int]] = {"supply": [], "building": [], "hand": [], "next": []}
    for seed in range(4000 if COMPILED else 300):
        game.kernel.reset(game.constants, states, 0, seed, 2)
        state = states[0]
        piles["supply"].append(int(state["supply_cards"][0]))
        piles["building"].append(int(state["building_cards"][0]))
        piles["hand"].append(int(state["hand"][1]))
        piles["next"].append(int(state["action_cards"][0][8 - int(state["num_action_draw"][0])]))
    assert_uniform(piles["supply"], range(10))
    assert_uniform(piles["building"], range(20))
    assert_uniform(piles["hand"], [1 << a | 1 << b for a, b in itertools.combinations(range(8), 2)])
    assert_uniform(piles["next"], range(8))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_first_refill_fills_an_empty_market_R7(components: Components, players: int) -> None:
    """R7: before the first decision supply cards have been laid out until there were enough bricks."""
    for seed in range(5):
        position = new_game(players, seed, components).to_dict()
        table = Table(components, players).market()
        expected = refilled(table, position["supply_cards"]["discard"] + position["supply_cards"]["draw"])
        assert position["market"] == expected["market"]
        assert position["reserve"] == expected["reserve"]
        assert position["supply_cards"]["discard"] == expected["used"]


# ------------------------------------------------------------------------------------------------ the refill phase


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_market_below_the_threshold_is_refilled_R7(components: Components, missing: int) -> None:
    """R7: below the threshold, cards are drawn in order until enough bricks stand there, and not one card more."""
    table = Table(components)
    below = table.constants["market_refill_below"]
    for first in range(10):
        order = [(first + 3 * place) % 10 for place in range(10)]
        table = before_a_turn(components, below - missing)
        table.set(supply_cards={"draw": order, "discard": []})
        expected = refilled(table, order)
        after = table.state().apply("end").to_dict()
        assert after["supply_cards"]["discard"] == expected["used"] == order[: len(expected["used"])]
        assert after["supply_cards"]["draw"] == order[len(expected["used"]) :]
        assert after["market"] == expected["market"]
        assert after["reserve"] == expected["reserve"]
        total = sum(after["market"].values())
        last = len(shops(table, expected["used"][-1]))
        assert total >= table.constants["market_refill_to"] > total - last


def test_a_market_at_the_threshold_is_left_alone_R7(components: Components) -> None:
    """R7: exactly at the threshold nothing is drawn, one brick below it is."""
    below = data_of(components)["constants"]["market_refill_below"]
    enough, short = before_a_turn(components, below), before_a_turn(components, below - 1)
    assert sum(enough.position["market"].values()) == below
    changed = effect(enough, "end")
    assert not [path for path in changed if path.startswith(("market", "supply", "reserve"))]
    changed = effect(short, "end")
    assert changed["supply_cards.discard"]
    assert changed["reserve"] < 0


def test_a_refill_that_comes_to_the_mark_exactly_stops_there_R7(components: Components) -> None:
    """R7: with exactly enough bricks no further card is drawn."""
    table = Table(components)
    wanted, below = table.constants["market_refill_to"], table.constants["market_refill_below"]
    sizes = [len(shops(table, card)) for card in range(10)]
    order = next(
        order
        for order in itertools.permutations(range(10), 4)
        if any(0 <= wanted - sum(sizes[card] for card in order[:used]) < below for used in (2, 3))
    )
    used = next(used for used in (2, 3) if 0 <= wanted - sum(sizes[card] for card in order[:used]) < below)
    rest = [card for card in range(10) if card not in order]
    start = before_a_turn(components, wanted - sum(sizes[card] for card in order[:used]))
    start.set(supply_cards={"draw": [*order, *rest], "discard": []})
    after = start.state().apply("end").to_dict()
    assert sum(after["market"].values()) == wanted
    assert after["supply_cards"]["discard"] == list(order[:used])


def test_an_empty_pile_is_shuffled_only_when_a_card_is_needed_R7(components: Components) -> None:
    """R7: no shuffle at the threshold, a shuffle below it."""
    below = data_of(components)["constants"]["market_refill_below"]
    used_up = {"draw": [], "discard": [4, 2, 9, 0, 1, 3, 5, 8, 7, 6]}
    assert "supply_cards.discard" not in effect(before_a_turn(components, below).set(supply_cards=used_up), "end")

    start = before_a_turn(components, below - 1).set(supply_cards=used_up)
    after = start.state().apply("end").to_dict()
    order = after["supply_cards"]["discard"] + after["supply_cards"]["draw"]
    assert sorted(order) == list(range(10))
    expected = refilled(start, order)
    assert after["supply_cards"]["discard"] == expected["used"]
    assert after["market"] == expected["market"]


def test_a_pile_that_ends_with_the_refill_stays_empty_R7(components: Components) -> None:
    """R7: the last card's bricks were enough, so nothing is shuffled yet."""
    wanted = data_of(components)["constants"]["market_refill_to"]
    order = list(range(10))
    start = before_a_turn(components, data_of(components)["constants"]["market_refill_below"] - 1)
    needed = len(refilled(start, order)["used"])
    start.set(supply_cards={"draw": order[:needed], "discard": order[needed:]})
    after = start.state().apply("end").to_dict()
    assert sum(after["market"].values()) >= wanted
    assert after["supply_cards"] == {"draw": [], "discard": order[needed:] + order[:needed]}


def test_cards_used_earlier_in_a_refill_are_shuffled_in_R7(components: Components) -> None:
    """R7: the pile ends within a refill: the new pile holds all cards, that one included."""
    below = data_of(components)["constants"]["market_refill_below"]
    last = 3
    again = 0
    for seed in range(60):
        start = before_a_turn(components, below - 1)
        start.set(supply_cards={"draw": [last], "discard": [card for card in range(10) if card != last]})
        after = start.state(seed).apply("end").to_dict()
        order = after["supply_cards"]["discard"] + after["supply_cards"]["draw"]
        assert sorted(order) == list(range(10))
        expected = refilled(start, [last, *order])
        assert after["market"] == expected["market"]
        assert [last, *after["supply_cards"]["discard"]] == expected["used"]
        again += last in after["supply_cards"]["discard"]
    assert again > 0


def test_the_new_supply_pile_is_in_random_order_R7() -> None:
    """R7: shuffled, not turned over: each card is equally often the next one."""
    start = before_a_turn("standard", 6).set(supply_cards={"draw": [], "discard": list(range(10))})
    state = start.state()
    draws = []
    for seed in range(1000 if COMPILED else 120):
        twin = state.determinize(0, seed)
        draws.append(twin.apply("end").to_dict()["supply_cards"]["discard"][0])
    assert_uniform(draws, range(10))


def test_a_refill_takes_place_at_the_start_of_every_turn_and_only_there_R7(components: Components) -> None:
    """R7: not after the purchase that empties the shops, but when the next player's turn begins."""
    table = Table(components).market(black=1, white=1).give(sesterces=90)
    table.play("buy_any", markers=1)
    bought = table.state().apply("buy black via buy_any")
    assert bought.to_dict()["market"] == dict.fromkeys(COLOURS, 0) | {"white": 1}
    after = bought.apply("end").to_dict()
    assert (after["phase"], after["current_player"]) == ("choose_card", 1)
    assert sum(after["market"].values()) >= table.constants["market_refill_to"]


# ------------------------------------------------------------------------------------------------ a short reserve


def with_reserve(components: Components | str, reserve: int, market: dict[str, int], card: int) -> Table:
    """Let seat 0 be about to end its turn; this supply card is the next one."""
    table = Table(components).play().market(**market).reserve(reserve)
    return table.set(supply_cards={"draw": [card, *(c for c in range(10) if c != card)], "discard": []})


def test_a_short_reserve_serves_the_dearest_shops_first_R8(components: Components) -> None:
    """R8: for every supply card and every number of bricks up to the card's."""
    for card in range(10):
        shown = [colour for colour in DEAREST_FIRST if colour in shops(Table(components), card)]
        for reserve in range(1, len(shown) + 1):
            table = with_reserve(components, reserve, {"blue": 1}, card)
            expected = {f"market.{colour}": 1 for colour in shown[:reserve]}
            changed = effect(table, "end")
            assert {path: change for path, change in changed.items() if path.startswith("market")} == expected
            assert changed["reserve"] == -reserve
            assert changed["supply_cards.discard"] == [card]


def test_one_brick_more_than_a_card_shows_draws_another_card_R8(components: Components) -> None:
    """R8: after the first card one brick is left: it goes to the dearest shop of the second card."""
    card, following = 0, 1
    shown = shops(Table(components), card)
    table = with_reserve(components, len(shown) + 1, {}, card)
    after = table.state().apply("end").to_dict()
    assert after["supply_cards"]["discard"] == [card, following]
    dearest = next(colour for colour in DEAREST_FIRST if colour in shops(table, following))
    expected = Counter([*shown, dearest])
    assert after["market"] == {colour: expected[colour] for colour in COLOURS}
    assert after["reserve"] == 0


def test_with_an_empty_reserve_no_supply_card_is_drawn_R8(components: Components) -> None:
    """R8: the market stays short, and an empty pile is not shuffled either."""
    table = with_reserve(components, 0, {"black": 2, "white": 1}, 7)
    changed = effect(table, "end")
    assert not [path for path in changed if path.startswith(("market", "supply", "reserve"))]
    used_up = {"draw": [], "discard": list(range(10))}
    assert "supply_cards.discard" not in effect(table.set(supply_cards=used_up), "end")


def test_a_card_that_gives_more_bricks_than_the_reserve_has_gives_the_dearest_R8(components: Components) -> None:
    """R8: the same order holds for honour cards."""
    card = next(
        card
        for card in data_of(components)["honour_cards"]
        if sum(key.endswith("_bricks") and count > 0 for key, count in card.get("gains", {}).items()) == 2
    )
    dear, cheap = [colour for colour in DEAREST_FIRST if card["gains"].get(f"{colour}_bricks")]
    for reserve, gained in ((2, {dear: 1, cheap: 1}), (1, {dear: 1}), (0, {})):
        table = Table(components).play().give(influence=card["cost"]).show_honour(card["name"]).reserve(reserve)
        changed = effect(table, f"honour {card['name']}")
        bricks = {path[len("p0.bricks.") :]: change for path, change in changed.items() if "bricks" in path}
        assert bricks == gained
        assert changed.get("reserve", 0) == -min(reserve, 2)


def test_a_reward_beyond_the_reserve_gives_the_remaining_bricks_R8(components: Components) -> None:
    """R8: and so for rewards, with enough bricks in the reserve, with one too few, with none."""
    table = Table(components)
    building = next(
        b for b in ("city_wall", "porta_nigra") if any("_bricks" in key for key in table.data["rewards"][b])
    )
    ((key, each),) = ((k, n) for k, n in table.data["rewards"][building].items() if k.endswith("_bricks"))
    colour, every = key.removesuffix("_bricks"), table.constants["reward_every_bricks"]

    def rewards(pair: tuple[tuple[str, int], tuple[str, int]]) -> int:
        (_, before), (_, added) = pair
        return int((before + added) // every - before // every)

    choices = [(spot, height) for spot in table.spots(building) for height in table.heights(spot)]
    pairs = [(first, second) for first in choices for second in choices if first[0] != second[0]]
    (first, before), (target, height) = max(pairs, key=rewards)
    owed, paid = each * rewards(((first, before), (target, height))), table.colour(target)
    assert owed > 0
    for reserve in (owed, owed - 1, 0):
        table = Table(components).put(first, height=before).give(sesterces=90).play("build", markers=1)
        changed = effect(table.bricks(**{paid: height}).reserve(reserve), table.build_text(target, height))
        assert changed.get("reserve", 0) == -reserve
        assert changed.get(f"p0.bricks.{colour}", 0) == reserve - (height if paid == colour else 0)


# ------------------------------------------------------------------------------------------------ displays


def test_displays_are_filled_up_in_order_at_the_start_of_a_turn_R9(components: Components) -> None:
    """R9: a card bought or taken is missing until the turn ends; then the draw pile's next card is appended."""
    card = Table(components).honour("gains")
    table = Table(components).give(influence=card["cost"], sesterces=50).show_honour(card["name"])
    spot = min((spot for spot in table.spots("city_wall") if table.gives_card(spot)), key=table.height)
    colour = table.colour(spot)
    table.show_building("city_wall", colour).bricks(**{colour: table.height(spot)}).play("build", markers=1)
    honours, buildings = table.position["honour_cards"], table.position["building_cards"]
    state = table.state().apply(f"honour {card['name']}").apply(f"build {spot}")

    left_honours, left_buildings = list(honours["display"]), list(buildings["display"])
    left_honours.remove(card["name"])
    left_buildings.remove(["city_wall", colour])
    position = state.to_dict()
    assert position["honour_cards"] == {"display": left_honours, "draw": honours["draw"]}
    assert position["building_cards"] == {"display": left_buildings, "draw": buildings["draw"]}

    position = state.apply("end").to_dict()
    assert position["honour_cards"] == {"display": [*left_honours, honours["draw"][0]], "draw": honours["draw"][1:]}
    assert position["building_cards"] == {
        "display": [*left_buildings, buildings["draw"][0]],
        "draw": buildings["draw"][1:],
    }


@pytest.mark.parametrize("kind", ["building_cards", "honour_cards"])
@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_a_deck_that_runs_out_leaves_the_display_short_R9(components: Components, kind: str, left: int) -> None:
    """R9: with two cards missing, decks of 0 and 1 leave a gap for good, decks of 2 and 3 do not."""
    table = Table(components, players=4)
    if kind == "building_cards":
        table.building_draw(left).play()
        for _ in range(2):  # as if two had been taken in this turn
            building, colour = next(
                card
                for card in table.position[kind]["display"]
                if any(table.gives_card(spot) for spot in table.spots(*card))
            )
            cut = table.position[kind]["draw"]
            table.position[kind]["draw"] = []
            table.own_building(3, building, colour)
            table.position[kind]["draw"] = cut
    else:
        table.honour_draw(left).play()
        names = [card["name"] for card in table.data["honour_cards"] if "final_vp" not in card]
        for _ in range(2):
            name = next(name for name in table.position[kind]["display"] if name in names)
            table.position[kind]["display"].remove(name)
            card = next(card for card in table.data["honour_cards"] if card["name"] == name)
            if "substitute" in card:
                table.player(3)["building_cards"][card["substitute"]] += 1
    shown, drawable = list(table.position[kind]["display"]), list(table.position[kind]["draw"])
    assert len(drawable) == left
    after = table.state().apply("end").to_dict()
    assert after[kind] == {"display": shown + drawable[:2], "draw": drawable[2:]}
    again = load_game(after).apply(f"card {after['players'][1]['hand'][0]}").apply("end").to_dict()
    assert again[kind] == after[kind]


def test_cards_that_leave_the_game_do_not_come_back_R9(components: Components) -> None:
    """R9: a bought honour card and the building cards given up for it are in no pile, now and after more refills."""
    table = Table(components)
    card = table.honour("final_vp", "discard_buildings")
    for building in BUILDINGS:
        table.own_building(0, building, builder=1)
    table.show_honour(card["name"]).give(influence=card["cost"]).play()
    gone = [c for c in _all_buildings() if c not in table.position["building_cards"]["display"]]
    gone = [c for c in gone if c not in table.position["building_cards"]["draw"]]
    assert len(gone) == len(BUILDINGS)
    state = table.state()
    copies = _lying(state, "honour_cards").count(card["name"])
    state.apply(f"honour {card['name']}")
    for _ in range(6):
        assert _lying(state, "honour_cards").count(card["name"]) == copies - 1
        assert not [c for c in _lying(state, "building_cards") if c in gone]
        state.apply("end").apply(legal(state, "card")[0])


def _all_buildings() -> list[list[str]]:
    return [[building, colour] for building in BUILDINGS for colour in COLOURS]


def _lying(state: Played, kind: str) -> list[Any]:
    position = state.to_dict()
    return [*position[kind]["display"], *position[kind]["draw"]]


# ------------------------------------------------------------------------------------------------ unlimited pieces


def test_coins_torch_and_influence_tokens_never_run_out_R4(components: Components) -> None:
    """R4: with far more of them in play than any box holds, all icons give as ever."""
    table = Table(components, players=4)
    for seat in range(4):
        table.give(seat, torches=40, influence=40, sesterces=400)
    constants = table.constants
    card = next(
        card
        for card in table.data["action_cards"]
        if {"influence"} <= set(card["icons"]) and any(icon.startswith("coins") for icon in card["icons"])
    )
    coins = next(icon for icon in card["icons"] if icon.startswith("coins"))
    table.play(*card["icons"], markers=2, card=card["name"])
    changed = effect(table, "take influence", f"take {coins}", "coin")
    assert changed["p0.influence"] == 1
    assert changed["p0.sesterces"] == int(coins[-1]) + constants["torch_to_sesterces"]
    assert changed["p0.torches"] == -1
    name = table.card("torch")
    table = Table(components, players=4).play("torch", markers=1, card=name)
    for seat in range(4):
        table.give(seat, torches=ceil(18 / 4) + seat)
    assert effect(table, "take torch")["p0.torches"] == 1
