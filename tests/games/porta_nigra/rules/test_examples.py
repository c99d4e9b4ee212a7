"""The worked examples of the rulebooks, each as a position and the texts of its actions."""

from __future__ import annotations

from collections import Counter

import pytest

from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.rules.positions import Table, effect, legal

pytestmark = pytest.mark.usefixtures("rules")


def standard(players: int = 4, seat: int = 0) -> Table:
    return Table("standard", players, seat)


def test_page_3_a_refill_of_five_bricks_ends_with_sixteen() -> None:
    """R7: 5 bricks, then cards of 4 (white, yellow, red, blue), 3 and 4 bring 9, 12 and 16."""
    table = standard().play().market(black=2, blue=1, red=1, yellow=1)
    sizes = [len(card["shops"]) for card in table.data["supply_cards"]]
    assert table.data["supply_cards"][0]["shops"] == ["white", "yellow", "red", "blue"]
    order = [0, sizes.index(3), sizes.index(4, 1)]
    table.set(supply_cards={"draw": order + [card for card in range(10) if card not in order], "discard": []})
    reserve = table.position["reserve"]
    position = table.state().apply("end").to_dict()
    assert position["supply_cards"]["discard"] == order
    expected = Counter({"black": 2, "blue": 1, "red": 1, "yellow": 1})
    for card in order:
        expected.update(table.data["supply_cards"][card]["shops"])
    assert position["market"] == dict(expected)
    assert sum(position["market"].values()) == 16
    assert position["reserve"] == reserve - 11


def test_page_3_missing_building_and_honour_cards_are_laid_out() -> None:
    """R9: 2 building cards and 1 honour card are missing and are drawn."""
    table = standard().play().give(influence=1)
    table.own_building(1, "basilica", "black").own_building(2, "amphitheatre", "black")
    display = table.position["building_cards"]["display"]
    table.position["building_cards"]["draw"][:0] = [display.pop(), display.pop()]
    state = table.show_honour("four_points").state().apply("honour four_points")
    before = state.to_dict()
    assert (len(before["building_cards"]["display"]), len(before["honour_cards"]["display"])) == (4, 13)
    after = state.apply("end").to_dict()
    assert (len(after["building_cards"]["display"]), len(after["honour_cards"]["display"])) == (6, 14)
    assert after["building_cards"]["display"][4:] == before["building_cards"]["draw"][:2]
    assert after["honour_cards"]["display"][13:] == before["honour_cards"]["draw"][:1]


def test_page_4_a_card_of_two_torches_and_three_icons_and_a_token_for_the_third() -> None:
    """R12, R13: two markers, then a torch token; after that every icon is covered."""
    table = standard().give(torches=1, sesterces=20).bricks(black=3)
    hand = ["quarry", "senator"]
    table.me.update(hand=hand, draw=[card for card in table.deck() if card not in hand])
    state = table.state().apply("card quarry").apply("buy black via buy_black").apply("buy blue via buy_blue")
    turn = state.to_dict()["turn"]
    assert (turn["markers_left"], turn["icons_left"]) == (0, ["build"])
    assert effect(state, "build city_wall A1")["p0.torches"] == -1
    state.apply("build city_wall A1")
    assert legal(state) == ["end"]


def test_page_5_from_the_red_to_the_black_shop_is_two_borders() -> None:
    """R16: red to yellow, yellow to black: 2 sesterces; then the black brick for 1."""
    table = standard().play("buy_black", markers=2).give(quarter="basilica", sesterces=3)
    assert table.quarter_of("red") == "basilica"
    assert table.market(black=1, white=1).data["board"]["shop_ring"].index("black") == 0
    assert effect(table, "buy black via buy_black") == {
        "p0.sesterces": -3,
        "p0.bricks.black": 1,
        "p0.quarter": table.quarter_of("black"),
        "market.black": -1,
        "turn.icons_left": [],
        "turn.markers_left": -1,
    }
    assert legal(table.give(sesterces=2), "buy") == []


def test_page_5_white_is_bought_without_moving() -> None:
    """R16: with a white icon the builder would have stayed in the red quarter."""
    table = standard().play("buy_white", markers=2).give(quarter="basilica", sesterces=5).market(black=1, white=1)
    changed = effect(table, "buy white via buy_white")
    assert changed["p0.sesterces"] == -5
    assert "p0.quarter" not in changed


def test_page_5_a_black_icon_with_an_empty_black_shop_buys_elsewhere() -> None:
    """R17: any other stocked colour, with the way to its shop."""
    table = standard().play("buy_black", markers=2).give(quarter="basilica", sesterces=20)
    table.market(blue=1, red=1, yellow=1, white=1)
    buys = [f"buy {colour} via buy_black" for colour in ("blue", "red", "white", "yellow")]
    assert legal(table, "buy") == buys
    changed = effect(table, "buy yellow via buy_black")
    assert (changed["p0.sesterces"], changed["p0.quarter"]) == (-5, "city_wall")


def test_page_6_two_yellow_bricks_in_the_basilica() -> None:
    """R21: 2 bricks there, then 2 yellow: 1 sesterce for a border, 9 VP, the card, one reward; the next one at 6."""
    table = standard().put("basilica A2", 0).romans(play=3).give(quarter="amphitheatre", sesterces=5, torches=0)
    table.show_building("basilica", "yellow").bricks(yellow=2, red=2).play("build", markers=2)
    display = [card for card in table.position["building_cards"]["display"] if card != ["basilica", "yellow"]]
    assert table.way("amphitheatre", "basilica") == 1
    assert effect(table, "build basilica A4") == {
        "p0.sesterces": -1,
        "p0.quarter": "basilica",
        "p0.bricks.yellow": -2,
        "p0.vp": 9,
        "p0.building_cards.basilica": 1,
        "building_cards.display": display,
        "basilica A4": {"owner": 0, "height": 2},
        "p0.torches": 1,
        "p0.romans_reserve": -1,  # one Roman placed, one gained: the play area holds as many as before
        "turn.icons_left": [],
        "turn.markers_left": -1,
    }
    later = table.give(influence=2).state().apply("build basilica A4")
    changed = effect(later, "build basilica B3 by influence")
    assert (changed["p0.torches"], changed["p0.romans_reserve"]) == (1, -1)


def test_page_6_three_red_or_white_bricks_in_the_amphitheatre() -> None:
    """R18, R19: a spot of 3 red bricks takes white ones for any of them."""
    for white in range(4):
        table = standard().bricks(red=3 - white, white=white).play("build", markers=1)
        assert "build amphitheatre A3" in legal(table)
        assert "build amphitheatre A3" not in legal(table.bricks(red=max(0, 2 - white), white=min(2, white)))


def test_page_7_a_final_card_and_a_roman_for_four_influence() -> None:
    """R24, R23: 2 influence for a 30, with its four building cards, then 2 for a Roman."""
    table = standard().play().give(influence=4).show_honour("final_30")
    for building in ("basilica", "amphitheatre", "city_wall", "porta_nigra"):
        table.own_building(0, building, builder=1)
    changed = effect(table, "honour final_30", "roman")
    assert changed["p0.influence"] == -4
    assert changed["p0.final_cards"] == [30]
    assert (changed["p0.romans"], changed["p0.romans_reserve"]) == (1, -1)


def test_page_7_ten_bricks_of_four_players_are_twenty_points_to_split() -> None:
    """R27: 15 VP and 5 sesterces."""
    table = standard()
    for spot in ("basilica A5", "amphitheatre A1", "city_wall A3"):
        table.put(spot, 0)
    table.set(starting_player=0).last_turn(3)
    state = table.state().apply("end")
    assert state.to_dict()["split"] == {"total": 20, "tens": None, "players_left": [1, 2, 3]}
    changed = effect(state, "tens 0", "units 5")
    assert (changed["p0.vp"], changed["p0.sesterces"]) == (15, 5)


def test_page_9_sets_of_three_and_one_are_12_and_2() -> None:
    """R31: two sets, of 3 different building cards and of 1."""
    table = standard()
    for building in ("basilica", "city_wall", "porta_nigra", "basilica"):
        table.own_building(0, building, builder=1)
    assert table.state().scores()[0]["sets"] == 12 + 2


def test_page_9_a_final_card_that_was_given_up_is_worth_nothing() -> None:
    """R32: a 42 instead of the 30, and the four building cards are gone."""
    scores = standard().own_final(0, 42, builder=1).state().scores()[0]
    assert (scores["final_cards"], scores["sets"]) == (42, 0)


def test_page_10_two_bricks_then_two_more_reward_the_third() -> None:
    """R21: 2 blue in row A bring nothing, 2 red in row B one torch and one Roman."""
    table = standard().give(torches=0).bricks(blue=2, red=2).play("build", markers=1)
    first = effect(table, "build basilica A2")
    assert "p0.torches" not in first
    assert first["p0.romans"] == -1
    table = standard().put("basilica A2", 0).romans(play=2).bricks(red=2).play("build", markers=1)
    changed = effect(table, "build basilica B3")
    assert changed["p0.torches"] == 1
    assert changed["p0.romans_reserve"] == -1


def test_page_10_the_majorities_of_the_basilica() -> None:
    """R3, R33: 4 white against 2 yellow and 2 blue: a tie, white wins; row B has a single builder: 12 and 18."""
    table = standard().put("basilica A5", 0).put("basilica A4", 1).put("basilica A2", 1).put("basilica B3", 1)
    scores = table.state().scores()
    assert [sheet["majorities"]["basilica"] for sheet in scores] == [
        {"A": 12, "B": 0},
        {"A": 6, "B": 12},
        {"A": 0, "B": 0},
        {"A": 0, "B": 0},
    ]
    assert [sum(sheet["majorities"]["basilica"].values()) for sheet in scores[:2]] == [12, 18]


def test_page_10_the_majority_of_the_amphitheatre() -> None:
    """R2, R3: 3 yellow beat 3 red: 15 and 7."""
    scores = standard().put("amphitheatre A3", 0).put("amphitheatre A4", 1).state().scores()
    assert [sheet["majorities"]["amphitheatre"]["A"] for sheet in scores] == [7, 15, 0, 0]


def nicole() -> Table:
    """One element of 3 in the Porta Nigra; the builder is there; 6 yellow bricks and a white one."""
    table = standard().put("porta_nigra A3", 0, 3).romans(play=2).give(quarter="porta_nigra")
    table.hide_building("porta_nigra", "yellow").bricks(yellow=6, white=1)
    return table.play("build", markers=1)


def test_page_11_an_element_of_seven_in_the_porta_nigra() -> None:
    """R1, R19, R20, R21: 28 VP, two rewards: 4 Romans and 2 influence."""
    assert effect(nicole(), "build porta_nigra A4 x7") == {
        "p0.vp": 28,
        "p0.bricks.yellow": -6,
        "p0.bricks.white": -1,
        "p0.romans": 4 - 1,
        "p0.romans_reserve": -4,
        "p0.influence": 2,
        "porta_nigra A4": {"owner": 0, "height": 7},
        "turn.icons_left": [],
        "turn.markers_left": -1,
    }


def test_page_11_levels_3_and_7_of_the_porta_nigra() -> None:
    """R34: an element of 3 and one of 7 are first there, and nowhere else."""
    scores = nicole().state().apply("build porta_nigra A4 x7").scores()
    assert scores[0]["majorities"]["porta_nigra"] == {"3": 12, "4": 0, "5": 0, "6": 0, "7": 30, "8": 0}


@pytest.mark.parametrize(("tied", "points"), [("first", [6, 6, 0]), ("second", [0, 0, 12])])
def test_page_11_ties_that_cannot_be_broken(tied: str, points: list[int]) -> None:
    """R35: tied for first both get second's points, tied for second both get nothing."""
    table = standard(3).put("porta_nigra A3", 0, 3).put("porta_nigra A8", 1, 3)
    assert table.colour("porta_nigra A3") == table.colour("porta_nigra A8") == "red"
    table.put("porta_nigra A1" if tied == "first" else "porta_nigra A4", 2, 3)
    assert [sheet["majorities"]["porta_nigra"]["3"] for sheet in table.state().scores()] == points


def test_two_players_play_three_rounds_more_players_two() -> None:
    """R27: the numbers of rounds."""
    for players, rounds in ((2, 3), (3, 2), (4, 2)):
        table = standard(players).last_turn(0)
        assert table.set(round=rounds).state().apply("end").is_over
        assert not table.set(round=rounds - 1).state().apply("end").is_over


def test_examples_round_trip_through_json() -> None:
    state = nicole().engine_state()
    again = State.from_json(state.to_json())
    assert again.apply("build porta_nigra A4 x7") == state.apply("build porta_nigra A4 x7")
