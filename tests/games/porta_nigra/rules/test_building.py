"""Building elements: needs, points, cards, rewards (R1, R5, R18 to R23)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS
from tests.games.porta_nigra.rules.positions import Table, effect, legal, spot_names

pytestmark = pytest.mark.usefixtures("rules")

EVERY_SPOT = list(spot_names())


def builder(components: Components | str, players: int = 2, seat: int = 0) -> Table:
    """A seat with money, one Roman and one build icon; no fitting building card unless it is laid out."""
    return Table(components, players, seat).give(sesterces=90, torches=0).romans(play=1).play("build", markers=1)


def with_bricks(table: Table, spot: str, height: int | None = None) -> Table:
    """Exactly the bricks for an element on the spot."""
    return table.bricks(**{table.colour(spot): height or table.height(spot)})


def expected_gains(table: Table, building: str, rewards: int) -> Counter[str]:
    """Return the gains of a number of rewards, with enough Romans and bricks."""
    gains: Counter[str] = Counter()
    for key, amount in table.data["rewards"][building].items():
        if key.endswith("_bricks"):
            gains[f"p{table.seat}.bricks.{key.removesuffix('_bricks')}"] += rewards * amount
            gains["reserve"] -= rewards * amount
        else:
            gains[f"p{table.seat}.{key}"] += rewards * amount
            if key == "romans":
                gains[f"p{table.seat}.romans_reserve"] -= rewards * amount
    return gains


# ------------------------------------------------------------------------------------------------ what it takes


@pytest.mark.parametrize("spot", EVERY_SPOT)
def test_building_on_each_spot_R18(components: Components, spot: str) -> None:
    """R18: exactly the price is paid, and only points, element and rewards are gained."""
    seat = EVERY_SPOT.index(spot) % 3
    me = f"p{seat}"
    table = builder(components, 3, seat)
    building, colour, height = spot.split()[0], table.colour(spot), table.height(spot)
    table.hide_building(building, colour)
    with_bricks(table, spot)
    expected = expected_gains(table, building, height // table.constants["reward_every_bricks"])
    expected[f"{me}.sesterces"] -= table.way("basilica", building)
    expected[f"{me}.bricks.{colour}"] -= height
    expected[f"{me}.romans"] -= 1
    expected[f"{me}.vp"] += height * table.price(colour) if building == "porta_nigra" else table.points(spot)
    expected["turn.markers_left"] -= 1
    changed: dict[str, Any] = {path: change for path, change in expected.items() if change != 0}
    changed |= {spot: {"owner": seat, "height": height}, "turn.icons_left": []}
    if building != "basilica":
        changed[f"{me}.quarter"] = building
    assert effect(table, table.build_text(spot)) == changed


def test_every_spot_is_offered_with_enough_bricks_and_none_without_R18(components: Components) -> None:
    """R18: white bricks for the highest spot reach all of them; without bricks no spot is reached."""
    table = builder(components).bricks(white=8)
    texts = [table.build_text(spot, height) for spot in EVERY_SPOT for height in table.heights(spot)]
    assert legal(table, "build") == sorted(texts)
    assert legal(table.bricks(), "build") == []


@pytest.mark.parametrize("spot", EVERY_SPOT)
def test_one_brick_short_is_too_few_R18(components: Components, spot: str) -> None:
    """R18: the bricks a spot needs open it, one less does not, own colour and white together or apart."""
    table = builder(components)
    colour, height, action = table.colour(spot), table.height(spot), table.build_text(spot)
    for white in range(height + 1):
        bricks = Counter({colour: height - white})
        bricks["white"] += white
        assert action in legal(table.bricks(**bricks))
        short = next(c for c in bricks if bricks[c] > 0)
        assert action not in legal(table.bricks(**(bricks - Counter([short]))))


def test_a_roman_in_the_play_area_is_needed_R18(components: Components) -> None:
    """R18: one will do; those in the reserve do not count."""
    table = builder(components, 2, 1).bricks(white=8)
    assert legal(table, "build")
    assert legal(table.romans(play=0), "build") == []
    assert table.player(0)["romans"] > 0
    assert table.me["romans_reserve"] > 0
    assert legal(table.give(influence=9), "build") == []


def test_a_spot_holds_one_element_R18(components: Components) -> None:
    """R18: an occupied spot is closed to all players; in the Porta Nigra for all heights."""
    for owner in (0, 1):
        for spot in ("city_wall A4", "porta_nigra A9", "basilica A1", "amphitheatre C5"):
            table = builder(components).put(spot, owner).bricks(white=8)
            texts = [table.build_text(empty, h) for empty in table.spots() for h in table.heights(empty)]
            assert legal(table, "build") == sorted(texts)
            assert not [action for action in legal(table) if f" {spot}" in f"{action} "]


def test_bricks_of_the_colour_are_used_before_white_ones_R18(components: Components) -> None:
    """R18: for every mix: all bricks of the colour, white ones for the missing bricks."""
    spot = "city_wall A3"
    table = builder(components, 2, 1)
    colour, height = table.colour(spot), table.height(spot)
    tried = 0
    for own in range(height + 2):
        for white in range(height + 2):
            if own + white < height:
                continue
            changed = effect(table.bricks(**{colour: own, "white": white}), f"build {spot}")
            used = min(own, height)
            expected = {colour: used, "white": height - used}
            reward = table.data["rewards"]["city_wall"].get("white_bricks", 0)
            expected["white"] -= reward if height >= table.constants["reward_every_bricks"] else 0
            assert {c: -changed.get(f"p1.bricks.{c}", 0) for c in expected} == expected
            tried += 1
    assert tried > 6


@pytest.mark.parametrize("spot", [spot for spot in EVERY_SPOT if spot.endswith(("5", "3"))])
def test_a_white_spot_takes_white_bricks_only_R19(components: Components, spot: str) -> None:
    """R19: bricks of other colours are no help on a white spot, white ones are on every spot."""
    table = builder(components)
    action = table.build_text(spot)
    others = {colour: 8 for colour in COLOURS if colour != "white"}
    if table.colour(spot) == "white":
        short = others | {"white": table.height(spot) - 1}
        assert action not in legal(table.bricks(**short))
        assert action in legal(table.bricks(white=table.height(spot)))
    else:
        others[table.colour(spot)] = 0
        assert action not in legal(table.bricks(**others))
        assert action in legal(table.bricks(white=table.height(spot)))


def test_only_white_stands_in_for_another_colour_R19(components: Components) -> None:
    """R19: with bricks of one other colour, the spots of that colour are open and no others."""
    table = builder(components)
    for colour in COLOURS[:-1]:
        table.bricks(**{colour: 8})
        spots = {" ".join(action.split()[1:3]) for action in legal(table, "build")}
        assert spots == {spot for spot in EVERY_SPOT if table.colour(spot) == colour}


def test_white_substitutes_count_as_the_replaced_colour_R19(components: Components) -> None:
    """R19: points by the spot's colour, the building card of the spot's colour."""
    spot = next(s for s in EVERY_SPOT if s.startswith("porta_nigra") and Table(components).colour(s) == "blue")
    height = Table(components).constants["porta_nigra_min_height"] + 1
    for bricks in ({"blue": height}, {"blue": 1, "white": height - 1}, {"white": height}):
        table = builder(components).bricks(**bricks).show_building("porta_nigra", "blue")
        table.show_building("porta_nigra", "white")
        changed = effect(table, f"build {spot} x{height}")
        bonus = table.data["rewards"]["porta_nigra"].get("vp", 0) * (height // table.constants["reward_every_bricks"])
        assert changed["p0.vp"] == height * table.price("blue") + bonus
        assert ["porta_nigra", "blue"] not in changed["building_cards.display"]
        assert ["porta_nigra", "white"] in changed["building_cards.display"]


# ------------------------------------------------------------------------------------------------ the Porta Nigra


@pytest.mark.parametrize("place", range(1, 10))
def test_the_height_in_the_porta_nigra_is_free_between_its_bounds_R20(components: Components, place: int) -> None:
    """R20: one action for each height that the bricks allow, from the lowest to the highest and not beyond."""
    spot = f"porta_nigra A{place}"
    table = builder(components)
    low, high = table.constants["porta_nigra_min_height"], table.constants["porta_nigra_max_height"]
    for bricks in range(high + 3):
        with_bricks(table, spot, bricks or None)
        if bricks == 0:
            table.bricks()
        expected = [f"build {spot} x{height}" for height in range(low, min(bricks, high) + 1)]
        assert legal(table, f"build {spot} ") == expected


@pytest.mark.parametrize("place", range(1, 10))
def test_an_element_of_the_porta_nigra_scores_bricks_times_price_R20(components: Components, place: int) -> None:
    """R20: for every height."""
    spot = f"porta_nigra A{place}"
    for height in Table(components).heights(spot):
        table = with_bricks(builder(components), spot, height)
        changed = effect(table, f"build {spot} x{height}")
        bonus = table.data["rewards"]["porta_nigra"].get("vp", 0) * (height // table.constants["reward_every_bricks"])
        assert changed["p0.vp"] - bonus == height * table.price(table.colour(spot))
        assert changed[spot] == {"owner": 0, "height": height}


def test_the_porta_nigra_rewards_one_influence_and_two_romans_R1() -> None:
    """R1: the German text's two Romans, not the English text's one."""
    table = with_bricks(builder("standard"), "porta_nigra A1")
    changed = effect(table, "build porta_nigra A1 x3")
    assert changed["p0.influence"] == 1
    assert changed["p0.romans_reserve"] == -2
    assert changed["p0.romans"] == 2 - 1


# ------------------------------------------------------------------------------------------------ building cards


@pytest.mark.parametrize("spot", EVERY_SPOT)
def test_the_fitting_building_card_is_taken_R5_R22(components: Components, spot: str) -> None:
    """R5 and R22: the card of building and colour is taken without being asked for, except on rows that give none."""
    seat = EVERY_SPOT.index(spot) % 3
    table = builder(components, 3, seat)
    building, colour = spot.split()[0], table.colour(spot)
    table.show_building(building, colour)
    display = list(table.position["building_cards"]["display"])
    with_bricks(table, spot)
    changed = effect(table, table.build_text(spot))
    if table.gives_card(spot):
        display.remove([building, colour])
        assert changed["building_cards.display"] == display
        assert changed[f"p{seat}.building_cards.{building}"] == 1
    assert ("building_cards.display" in changed) == table.gives_card(spot)
    assert ([path for path in changed if ".building_cards." in path] != []) == table.gives_card(spot)
    assert changed.get("phase", "main") == "main"


def test_row_c_of_the_amphitheatre_never_gives_a_card_R22() -> None:
    """R22: the same card that rows A and B give."""
    for row, given in (("A", True), ("B", True), ("C", False)):
        table = builder("standard").show_building("amphitheatre", "red")
        spot = next(spot for spot in table.spots(f"amphitheatre {row}", "red"))
        changed = effect(with_bricks(table, spot), f"build {spot}")
        assert ("p0.building_cards.amphitheatre" in changed) == given


def test_a_card_of_another_building_or_colour_does_not_fit_R5(components: Components) -> None:
    """R5: nor one that still lies in the draw pile."""
    spot = next(spot for spot in EVERY_SPOT if spot.startswith("city_wall") and Table(components).colour(spot) == "red")
    table = with_bricks(builder(components), spot).hide_building("city_wall", "red")
    table.show_building("city_wall", "blue").show_building("porta_nigra", "red")
    assert ["city_wall", "red"] in table.position["building_cards"]["draw"]
    changed = effect(table, f"build {spot}")
    assert not [path for path in changed if "building_cards" in path]


def test_of_several_cards_only_the_fitting_one_is_taken_R5(components: Components) -> None:
    """R5: the others keep their order."""
    table = builder(components)
    spot = next(spot for spot in table.spots("city_wall") if table.gives_card(spot))
    colour = table.colour(spot)
    cards = [["porta_nigra", "white"], ["city_wall", colour], ["porta_nigra", colour]]
    for card in reversed(cards):
        table.show_building(*card)
    display = table.position["building_cards"]["display"]
    expected = [card for card in display if card != ["city_wall", colour]]
    assert effect(with_bricks(table, spot), f"build {spot}")["building_cards.display"] == expected


# ------------------------------------------------------------------------------------------------ rewards


@pytest.mark.parametrize("building", BUILDINGS)
def test_a_reward_comes_with_each_new_multiple_R21(components: Components, building: str) -> None:
    """R21: for many numbers of bricks already there: one reward per new multiple, none for the old ones."""
    seen = Counter[int]()
    plan = Table(components)
    order = sorted(plan.spots(building), key=lambda spot: (plan.height(spot), spot))
    for before in range(4):
        for spot in order[before:]:
            for height in plan.heights(spot):
                table = builder(components)
                built = 0
                for place, earlier in enumerate(order[:before]):
                    heights = table.heights(earlier)
                    table.put(earlier, 0, heights[place % len(heights)])
                    built += heights[place % len(heights)]
                table.romans(play=1).hide_building(building, table.colour(spot))
                every = table.constants["reward_every_bricks"]
                rewards = len([b for b in range(built + 1, built + height + 1) if b % every == 0])
                expected = expected_gains(table, building, rewards)
                expected[f"p0.bricks.{table.colour(spot)}"] -= height
                expected["p0.romans"] -= 1
                expected["p0.sesterces"] -= table.way("basilica", building)
                changed = effect(with_bricks(table, spot, height), table.build_text(spot, height))
                for path, change in expected.items():
                    if path != "p0.vp":
                        assert changed.get(path, 0) == change, path
                seen[rewards] += 1
    assert seen.keys() >= ({1, 2} if building == "porta_nigra" else {0, 1})


def test_bricks_of_other_players_and_buildings_do_not_count_for_a_reward_R21(components: Components) -> None:
    """R21: only one's own bricks in that building, so one brick less than needed is no reward here."""
    table = builder(components)
    every = table.constants["reward_every_bricks"]
    spot = next(spot for spot in table.spots("basilica") if table.height(spot) < every)
    other = next(s for s in table.spots("basilica") if s != spot and table.height(s) + table.height(spot) >= every)
    table.put(other, 1).put("city_wall A3", 0).put("porta_nigra A1", 0).romans(play=1)
    changed = effect(with_bricks(table.hide_building("basilica", table.colour(spot)), spot), f"build {spot}")
    assert "p0.romans_reserve" not in changed
    assert "p0.torches" not in changed
    assert "p0.influence" not in changed
    assert "p0.bricks.blue" not in changed or table.colour(spot) == "blue"


def test_bricks_count_from_the_moment_they_are_built_R21(components: Components) -> None:
    """R21: two builds in one turn, each too small for a reward, bring it together; the interim scoring counts both."""
    table = Table(components, 3, 2).give(sesterces=90, influence=30).romans(play=2)
    every = table.constants["reward_every_bricks"]
    low = [spot for spot in table.spots("city_wall") if table.height(spot) < every]
    first, second = next((a, b) for a in low for b in low if a != b and table.height(a) + table.height(b) >= every)
    built = table.height(first) + table.height(second)
    state = table.hide_building("city_wall", table.colour(second)).bricks(white=built).last_turn(2).state()
    once = state.clone().apply(f"build {first} by influence")
    changed = effect(once, f"build {second} by influence")
    for path, change in expected_gains(table, "city_wall", 1).items():
        assert changed[path] == change - (table.height(second) if path.endswith("white") else 0)
    split = once.apply(f"build {second} by influence").apply("end").to_dict()["split"]
    total = built * table.constants["interim_multiplier"]["3"]
    assert split == {"total": total, "tens": None, "players_left": [0, 1]}


def test_a_reward_pays_nothing_of_the_build_that_earns_it_R21() -> None:
    """R21: neither the way nor the bricks nor the Roman."""
    way = Table("standard").way("city_wall", "amphitheatre")
    table = builder("standard").give(quarter="city_wall", sesterces=way - 1).bricks(white=3)
    assert table.data["rewards"]["amphitheatre"]["sesterces"] >= way > 0
    assert legal(table, "build amphitheatre") == []
    assert "build amphitheatre A1" in legal(table.give(sesterces=way))

    table = builder("standard").bricks(white=2)  # the third brick would be the city wall's reward
    assert "build city_wall A3" not in legal(table)
    assert "build city_wall A3" in legal(table.bricks(white=3))

    table = builder("standard").romans(play=0).bricks(white=8)
    assert legal(table, "build") == []


@pytest.mark.parametrize("reserve", [5, 4, 3, 2, 1, 0])
def test_romans_of_rewards_come_from_the_own_reserve_R21(reserve: int) -> None:
    """R21: two rewards of two Romans each: all of them, as many as are left, or none; no other reserve is touched."""
    table = builder("standard", 3, 2).romans(play=2, reserve=reserve, avoid=("porta_nigra",)).bricks(yellow=6)
    before = table.player(1)["romans_reserve"]
    changed = effect(table, "build porta_nigra A4 x6")
    gained = min(reserve, 4)
    assert changed.get("p2.romans", 0) == gained - 1
    assert changed.get("p2.romans_reserve", 0) == -gained
    assert changed["p2.influence"] == 2
    assert before > 4
    assert not [path for path in changed if path.startswith(("p0.", "p1."))]


def test_points_card_and_reward_come_with_one_build_R21() -> None:
    """R21: all of them, without being asked for."""
    table = builder("standard").put("basilica A2", 0).romans(play=1).show_building("basilica", "red").bricks(red=2)
    changed = effect(table, "build basilica B3")
    assert changed["p0.vp"] == 7
    assert changed["p0.building_cards.basilica"] == 1
    assert (changed["p0.torches"], changed.get("p0.romans", 0)) == (1, 0)


# ------------------------------------------------------------------------------------------------ by influence


def test_building_by_influence_uses_no_icon_and_no_torch_R23(components: Components) -> None:
    """R23: possible without either; it costs influence and is the same action otherwise."""
    table = builder(components, 3, 2)
    cost = table.constants["influence_cost_build"]
    spot = min(table.spots("city_wall"), key=table.height)
    with_bricks(table, spot).give(influence=cost)
    by_icon, by_influence = f"build {spot}", f"build {spot} by influence"
    assert {by_icon, by_influence} <= set(legal(table))
    with_icon, with_influence = effect(table, by_icon), effect(table, by_influence)
    assert with_icon.pop("turn.icons_left") == []
    assert with_icon.pop("turn.markers_left") == -1
    assert with_influence.pop("p2.influence") == -cost
    assert with_icon == with_influence

    table.position["turn"] |= {"icons_left": [], "markers_left": 0}
    builds = legal(table, "build")
    assert by_influence in builds
    assert all(action.endswith(" by influence") for action in builds)
    assert legal(table.give(influence=cost - 1), "build") == []


def test_building_by_influence_reaches_the_same_spots_as_the_icon_R23(components: Components) -> None:
    """R23: for every purse and supply, the same list of choices, heights included."""
    table = builder(components).give(influence=99)
    for bricks in ({"white": 8}, {"red": 3}, {"black": 4, "white": 1}, {}):
        for sesterces in range(8):
            table.bricks(**bricks).give(sesterces=sesterces)
            texts = legal(table, "build")
            by_influence = [text.removesuffix(" by influence") for text in texts if text.endswith(" by influence")]
            assert sorted(by_influence) == [text for text in texts if not text.endswith(" by influence")]


def test_building_by_influence_is_possible_several_times_a_turn_R23(components: Components) -> None:
    """R23: as long as tokens, Romans and bricks last."""
    table = Table(components).romans(play=3).bricks(white=12).give(sesterces=90).play()
    cost = table.constants["influence_cost_build"]
    spots = sorted(table.spots("city_wall"), key=table.height)[:2]
    state = table.give(influence=2 * cost).state()
    for spot in spots:
        state.apply(f"build {spot} by influence")
    assert state.to_dict()["players"][0]["influence"] == 0
    assert legal(state, "build") == []


def test_influence_buys_a_roman_of_the_own_reserve_R23(components: Components) -> None:
    """R23: exactly the cost will do, one token less will not; an empty reserve sells none."""
    table = Table(components, 2, 1).play()
    cost = table.constants["influence_cost_roman"]
    assert effect(table.give(influence=cost), "roman") == {
        "p1.influence": -cost,
        "p1.romans": 1,
        "p1.romans_reserve": -1,
    }
    assert "roman" not in legal(table.give(influence=cost - 1))
    table = Table(components, 2, 1).play().romans(play=1, reserve=1).give(influence=9)
    assert "roman" in legal(table)
    table = Table(components, 2, 1).play().romans(play=1, reserve=0).give(influence=9)
    assert "roman" not in legal(table)
    assert table.player(0)["romans_reserve"] > 0
