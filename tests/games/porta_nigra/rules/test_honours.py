"""Honour cards: their cost, their effects, the crown (R24 to R26)."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest

from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS
from tests.games.porta_nigra.rules.positions import Table, data_of, effect, legal

pytestmark = pytest.mark.usefixtures("rules")


def offered(table: Table, card: dict[str, Any]) -> Table:
    """Let the seat be within its turn, with the card in the display."""
    return table.show_honour(card["name"]).play().give(influence=card["cost"])


def with_discards(components: Components, card: dict[str, Any], seat: int) -> Table:
    """Let the seat own the cards that the honour card costs."""
    table = Table(components, 3, seat)
    other = (seat + 1) % 3
    if card.get("discard_buildings"):
        for building in BUILDINGS:
            table.own_building(seat, building, builder=other)
    if card.get("discard_final"):
        table.own_final(seat, card["discard_final"], builder=other)
    return offered(table, card)


# ------------------------------------------------------------------------------------------------ buying


@pytest.mark.parametrize("seat", [0, 2])
def test_each_honour_card_has_the_cost_and_effects_of_its_data_R24(components: Components, seat: int) -> None:
    """R24: with exactly the cost it can be bought, to exactly these effects; with one influence less it cannot."""
    me = f"p{seat}"
    for card in data_of(components)["honour_cards"]:
        table = with_discards(components, card, seat)
        display = list(table.position["honour_cards"]["display"])
        display.remove(card["name"])
        expected: Counter[str] = Counter({f"{me}.influence": -card["cost"]})
        for key, amount in card.get("gains", {}).items():
            if key.endswith("_bricks"):
                expected[f"{me}.bricks.{key.removesuffix('_bricks')}"] += amount
                expected["reserve"] -= amount
            else:
                expected[f"{me}.{key}"] += amount
            if key == "romans":
                expected[f"{me}.romans_reserve"] -= amount
        if card.get("discard_buildings"):
            expected.update({f"{me}.building_cards.{building}": -1 for building in BUILDINGS})
        if "substitute" in card:
            expected[f"{me}.building_cards.{card['substitute']}"] += 1
        changed: dict[str, Any] = {path: change for path, change in expected.items() if change}
        changed |= {"honour_cards.display": display, "turn.honour_bought": True}
        if "final_vp" in card:
            changed[f"{me}.final_cards"] = [card["final_vp"]]
        assert effect(table, f"honour {card['name']}") == changed, card["name"]
        assert f"honour {card['name']}" not in legal(table.give(influence=card["cost"] - 1)), card["name"]


def test_only_cards_of_the_display_can_be_bought_R24(components: Components) -> None:
    """R24: each of them that can be paid, and none of the draw pile."""
    table = Table(components).play().give(influence=30)
    free = {
        c["name"] for c in table.data["honour_cards"] if not c.get("discard_buildings") and "discard_final" not in c
    }
    shown = set(table.position["honour_cards"]["display"])
    assert {action.split()[1] for action in legal(table, "honour")} == shown & free
    hidden = set(table.position["honour_cards"]["draw"]) - shown
    assert hidden & free


def test_one_honour_card_a_turn_R24(components: Components) -> None:
    """R24: not a second one in the same turn, but one in the next."""
    table = Table(components)
    card = table.honour("gains")
    state = offered(table, card).give(influence=30).hand(1, 2).state()
    state.apply(f"honour {card['name']}")
    assert legal(state, "honour") == []
    assert "roman" in legal(state)
    state.apply("end").apply(legal(state, "card")[0]).apply("end").apply(legal(state, "card")[0])
    assert state.current_player == 0
    assert legal(state, "honour")


def test_one_of_equal_cards_is_bought_R24(components: Components) -> None:
    """R24: two copies in the display are one action, and the first of them goes."""
    table = Table(components)
    name = next(c["name"] for c in table.data["honour_cards"] if c["copies"] > 1 and c.get("gains"))
    card = next(c for c in table.data["honour_cards"] if c["name"] == name)
    offered(table, card)
    cards = table.position["honour_cards"]
    if cards["display"].count(name) < 2:
        cards["draw"].remove(name)
        cards["draw"].append(cards["display"].pop(3))
        cards["display"].append(name)
    display = list(cards["display"])
    assert display.count(name) > 1
    display.remove(name)
    assert legal(table, "honour").count(f"honour {name}") == 1
    assert effect(table, f"honour {name}")["honour_cards.display"] == display


def test_effects_are_carried_out_as_far_as_possible_R24(components: Components) -> None:
    """R24: a card with Romans can be bought for its other effects, or for none, when the reserve is short of Romans."""
    card = Table(components).honour("romans")
    owed = card["gains"]["romans"]
    for left in (owed, owed - 1):
        table = offered(Table(components).romans(play=2, reserve=left), card)
        changed = effect(table, f"honour {card['name']}")
        assert changed.get("p0.romans", 0) == left
        assert changed.get("p0.romans_reserve", 0) == -left
        assert changed["turn.honour_bought"] is True
        for key, amount in card["gains"].items():
            if key not in ("romans", "influence"):
                assert changed[f"p0.{key}"] == amount


# ------------------------------------------------------------------------------------------------ cards given up


@pytest.mark.parametrize("counts", [(1, 1, 1, 1), (2, 1, 3, 1), (1, 2, 1, 2)])
def test_four_different_building_cards_are_one_of_each_R25(components: Components, counts: tuple[int, ...]) -> None:
    """R25: one card of each building goes, the others stay."""
    table = Table(components, players=4)
    for building, count in zip(BUILDINGS, counts, strict=True):
        for seat in range(count):
            table.own_building(0, building, builder=seat)
    card = table.honour("final_vp", "discard_buildings")
    changed = effect(offered(table, card), f"honour {card['name']}")
    assert {b: changed[f"p0.building_cards.{b}"] for b in BUILDINGS} == dict.fromkeys(BUILDINGS, -1)
    assert changed["p0.final_cards"] == [card["final_vp"]]


@pytest.mark.parametrize("missing", BUILDINGS)
def test_three_different_building_cards_are_not_enough_R25(components: Components, missing: str) -> None:
    """R25: however many there are of the three; another player's card does not help."""
    table = Table(components, players=3)
    for building in BUILDINGS:
        if building != missing:
            table.own_building(0, building, builder=1).own_building(0, building, builder=2)
    table.own_building(1, missing)
    card = table.honour("final_vp", "discard_buildings")
    action = f"honour {card['name']}"
    assert action not in legal(offered(table, card).give(influence=30))
    table.player(0)["building_cards"][missing], table.player(1)["building_cards"][missing] = 1, 0
    assert action in legal(table)


def test_a_substitute_is_a_building_card_in_every_respect_R25(components: Components) -> None:
    """R25: it fills the fourth place of the discard, and it counts in a set."""
    table = Table(components)
    building = table.honour("substitute")["substitute"]
    for other in BUILDINGS:
        if other != building:
            table.own_building(0, other, builder=1)
    card = table.honour("final_vp", "discard_buildings")
    action = f"honour {card['name']}"
    assert action not in legal(offered(table, card))
    assert table.state().scores()[0]["sets"] == table.constants["set_vp"][3]
    table.own_substitute(0, building)
    assert table.state().scores()[0]["sets"] == table.constants["set_vp"][4]
    assert action in legal(table)
    changed = effect(table, action)
    assert changed[f"p0.building_cards.{building}"] == -1


def test_a_better_final_card_wants_the_lesser_one_R25(components: Components) -> None:
    """R25: it has to be one's own; one of two is given up; influence alone does not do."""
    for card in data_of(components)["honour_cards"]:
        if not card.get("discard_final"):
            continue
        lesser, action = card["discard_final"], f"honour {card['name']}"
        assert action not in legal(offered(Table(components), card).give(influence=30))
        table = offered(Table(components).own_final(1, lesser), card).give(influence=30)
        assert action not in legal(table)
        table.player(0)["final_cards"], table.player(1)["final_cards"] = [lesser], []
        assert effect(table, action)["p0.final_cards"] == [card["final_vp"]]


def test_one_of_two_final_cards_is_given_up_R25() -> None:
    """R25: two 30s: one of them becomes a 42, the other stays."""
    table = Table("standard", players=4)
    table.own_final(0, 30, builder=1).own_final(0, 30, builder=2)
    state = offered(table, table.honour("discard_final")).state()
    assert state.scores()[0]["final_cards"] == 60
    state.apply("honour final_42")
    assert state.to_dict()["players"][0]["final_cards"] == [30, 42]
    assert state.scores()[0]["final_cards"] == 72


def test_the_chain_of_final_cards_goes_step_by_step_R25() -> None:
    """R25: a 56 wants a 42, a 30 is not enough."""
    card = next(card for card in data_of(Table("standard").components)["honour_cards"] if card.get("final_vp") == 56)
    table = offered(Table("standard").own_final(0, 30, builder=1), card).give(influence=9)
    assert "honour final_56" not in legal(table)
    table = offered(Table("standard").own_final(0, 42, builder=1), card).give(influence=9)
    assert "honour final_56" in legal(table)


# ------------------------------------------------------------------------------------------------ the crown


def crowning(table: Table) -> tuple[Table, str]:
    """The crown is offered to seat 0; the action that buys it."""
    card = table.honour("porta_nigra_brick")
    return offered(table, card), f"honour {card['name']}"


def test_a_crown_is_a_brick_of_the_reserve_on_an_own_element_R26(components: Components) -> None:
    """R26: one higher, one brick less in the reserve, no points, and the turn continues."""
    table = Table(components, 3, 1)
    low = table.constants["porta_nigra_min_height"]
    table.put("porta_nigra A2", 1, low).put("porta_nigra A5", 1, low + 1).put("porta_nigra A7", 2, low)
    table, action = crowning(table)
    state = table.state().apply(action)
    assert legal(state) == ["crown A2", "crown A5"]
    assert state.to_dict()["turn"]["honour_bought"] is True
    changed = effect(state, "crown A5")
    assert changed.pop("porta_nigra A5") == {"owner": 1, "height": low + 2}
    assert changed.pop("phase") == "main"
    assert changed == {"reserve": -1}


def test_a_lone_target_is_asked_for_and_has_to_be_taken_R26(components: Components) -> None:
    """R26: nothing else can be done, not even ending the turn."""
    table, action = crowning(Table(components).put("porta_nigra A9", 0).give(torches=3, influence=20))
    state = table.give(influence=20).state().apply(action)
    assert state.to_dict()["phase"] == "crown"
    assert legal(state) == ["crown A9"]
    assert "end" in legal(state.apply("crown A9"))


def test_without_an_own_element_the_crown_has_no_effect_R26(components: Components) -> None:
    """R26: it can be bought all the same; another player's element is no target, nor is one of another building."""
    table, action = crowning(Table(components).put("porta_nigra A1", 1).put("city_wall A1", 0))
    changed = effect(table, action)
    assert set(changed) == {"p0.influence", "honour_cards.display", "turn.honour_bought"}


def test_an_element_of_the_greatest_height_cannot_be_crowned_R26(components: Components) -> None:
    """R26: one below it can, up to it; when only highest ones are there, the card has no effect."""
    high = Table(components).constants["porta_nigra_max_height"]
    table, action = crowning(Table(components).put("porta_nigra A1", 0, high).put("porta_nigra A2", 0, high - 1))
    state = table.state().apply(action)
    assert legal(state) == ["crown A2"]
    assert effect(state, "crown A2")["porta_nigra A2"] == {"owner": 0, "height": high}

    table, action = crowning(Table(components).put("porta_nigra A1", 0, high))
    assert "phase" not in effect(table, action)


def test_with_an_empty_reserve_the_crown_has_no_effect_R26(components: Components) -> None:
    """R26: one brick in the reserve is enough, none is not."""
    for reserve, asked in ((1, True), (0, False)):
        table, action = crowning(Table(components).put("porta_nigra A1", 0).reserve(reserve))
        changed = effect(table, action)
        assert changed["p0.influence"] == -table.honour("porta_nigra_brick")["cost"]
        assert changed["turn.honour_bought"] is True
        assert (changed.get("phase") == "crown") == asked


def test_a_crown_can_trigger_the_reward_R26(components: Components) -> None:
    """R26: if its brick makes a new multiple, and only then."""
    every = Table(components).constants["reward_every_bricks"]
    heights = Table(components).heights("porta_nigra A1")
    seen = set()
    for first, second in product(heights[:-1], heights):
        table = Table(components, 3, 2).put("porta_nigra A1", 2, first).put("porta_nigra A2", 2, second)
        table, action = crowning(table)
        changed = effect(table.state().apply(action), "crown A1")
        rewarded = (first + second + 1) % every == 0
        seen.add(rewarded)
        expected: Counter[str] = Counter({"reserve": -1})
        if rewarded:
            for key, amount in table.data["rewards"]["porta_nigra"].items():
                if key.endswith("_bricks"):
                    expected[f"p2.bricks.{key.removesuffix('_bricks')}"] += amount
                    expected["reserve"] -= amount
                else:
                    expected[f"p2.{key}"] += amount
                if key == "romans":
                    expected["p2.romans_reserve"] -= amount
        assert changed == {**expected, "phase": "main", "porta_nigra A1": {"owner": 2, "height": first + 1}}
    assert seen == {True, False}


def test_the_reward_of_a_crown_gets_the_bricks_left_after_it_R26(components: Components) -> None:
    """R26: the crown is the last brick of the reserve, so its reward brings none."""
    table = Table(components)
    every, low = table.constants["reward_every_bricks"], table.constants["porta_nigra_min_height"]
    second = next(height for height in table.heights("porta_nigra A2") if (low + height + 1) % every == 0)
    table.put("porta_nigra A1", 0, low).put("porta_nigra A2", 0, second).reserve(1)
    table, action = crowning(table)
    changed = effect(table.state().apply(action), "crown A1")
    assert changed["reserve"] == -1
    assert not [path for path in changed if ".bricks." in path]
    assert changed["p0.romans"] == table.data["rewards"]["porta_nigra"]["romans"]


def test_the_new_height_counts_for_the_majorities_R26(components: Components) -> None:
    """R26: the element leaves its old height and competes at the new one."""
    table = Table(components)
    low = table.constants["porta_nigra_min_height"]
    table, action = crowning(table.put("porta_nigra A1", 0, low))
    majorities = table.data["majorities"]["porta_nigra"]
    state = table.state().apply(action)
    before = state.scores()[0]["majorities"]["porta_nigra"]
    after = state.apply("crown A1").scores()[0]["majorities"]["porta_nigra"]
    nothing = dict.fromkeys(majorities, 0)
    assert before == nothing | {str(low): majorities[str(low)][0]}
    assert after == nothing | {str(low + 1): majorities[str(low + 1)][0]}
