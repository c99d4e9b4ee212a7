"""Abilities of the cards (G13 to G21)."""

from __future__ import annotations

import pytest

from tests.games.gloria_mundi.rules.positions import (
    COMPONENTS,
    Table,
    asked,
    bare,
    buildings,
    steps,
    stock,
    with_ability,
)
from tests.lockstep.judges import Judge

#: A province far on, so that base cards can have been lost; the next one asks for gold.
FAR = 24
STEPS = {card["name"]: card["steps"] for card in COMPONENTS["building_cards"]}


# ------------------------------------------------------------------------------------------------ give


def test_the_left_side_is_given_first_and_once_G13(judge: Judge) -> None:
    """G13: 2 food for 3 peace, however much food there is."""
    position = judge.play(Table(goth=FAR).display(0, pistrina="farm").stock(0, 7, 1).play(), "play farm")
    position = judge.play(position, "use pistrina")
    assert (asked(position), stock(position, 0)) == (("goth", 0), (6, 1, 3, 0))


def test_the_whole_left_side_has_to_be_there_before_anything_is_received_G13(judge: Judge) -> None:
    """G13: 2 food for 3 food needs two of them."""
    sets = with_ability("food_for_food", pistrina={"kind": "give", "pay": {"food": 2}, "gain": {"food": 3}})
    table = Table(goth=FAR, components=sets).display(0, pistrina="farm", villa_rustica="farm")
    position = judge.play(table.play(), "play farm")
    assert "use pistrina" not in judge.legal(position)
    position = judge.play(position, "base villa_rustica", "use pistrina")
    assert stock(position, 0) == (3, 0, 0, 0)


def test_the_printed_x_asks_whether_to_go_on_T14(judge: Judge) -> None:
    """T14, G14: used, `again` or `done`; after the second time the card is finished unasked."""
    table = Table(goth=FAR).display(0, emporium_rusticum="farm").stock(0, food=1)
    position = judge.play(table.play(), "play farm", "use emporium_rusticum")
    assert (asked(position), judge.legal(position)) == (("repeat", 0), ["again", "done"])
    assert position["activation"] == {"left": [], "card": "emporium_rusticum", "give_left": 0, "take_left": 0}
    again = judge.play(position, "again")
    assert (asked(again), stock(again, 0)) == (("goth", 0), (0, 2, 0, 0))
    done = judge.play(position, "done")
    assert (asked(done), stock(done, 0)) == (("goth", 0), (1, 1, 0, 0))


def test_glory_is_no_joker_in_abilities_G15(judge: Judge) -> None:
    """G15: 3 food for 2 steps; with 1 food and 9 glory the base card produces unasked."""
    position = judge.play(Table(goth=FAR).display(0, equaria="farm").stock(0, glory=9).play(), "play farm")
    assert (asked(position), stock(position, 0)) == (("goth", 0), (2, 0, 0, 9))


def test_one_glory_for_three_stones_in_any_mix_E11(judge: Judge) -> None:
    """E11, G14, G16: stone by stone; 2 glory do not give 6, for no X is printed."""
    table = Table(goth=FAR).display(0, ara_pacis="peace").stock(0, glory=2)
    position = judge.play(table.play(), "play peace", "use ara_pacis")
    assert (asked(position), stock(position, 0)) == (("take", 0), (0, 0, 1, 1))
    assert judge.legal(position) == ["take food", "take gold", "take peace"]
    assert position["activation"] == {"left": [], "card": "ara_pacis", "give_left": 0, "take_left": 3}
    position = judge.play(position, "take food", "take gold", "take food")
    assert (asked(position), stock(position, 0)) == (("goth", 0), (2, 1, 1, 1))


def test_a_choice_on_the_left_side_is_made_stone_by_stone_G16(judge: Judge) -> None:
    """G16: of the kinds in stock; a forced choice is not asked (G5)."""
    table = Table(goth=FAR).display(0, circus="city").stock(0, food=1, peace=1, glory=2)
    position = judge.play(table.play(), "play city", "done")
    assert stock(position, 0) == (1, 2, 1, 2)
    table.stock(0, food=2, peace=1, glory=2)
    position = judge.play(table.play(), "play city", "use circus")
    assert (asked(position), position["activation"]["give_left"]) == (("give", 0), 3)
    assert judge.legal(position) == ["give food", "give gold", "give peace"]
    position = judge.play(position, "give gold", "give peace")  # food alone is left
    assert (stock(position, 0), steps(position)) == ((1, 0, 0, 2), [2, 0])


# ------------------------------------------------------------------------------------------------ another building card


def test_a_card_is_given_for_its_laurel_steps_E12(judge: Judge) -> None:
    """E12, G17: any other card of the display, a wall too; it goes to the fire, its base card is bare."""
    table = (
        Table(goth=FAR).display(0, fabrica="city", murus="city", turris="city", vinea="farm").display(1, limes="peace")
    )
    position = judge.play(table.play(), "play city", "use fabrica")
    assert (asked(position), judge.legal(position)) == (
        ("discard", 0),
        ["discard murus", "discard turris", "discard vinea"],
    )
    after = judge.play(position, "discard turris")
    assert steps(after) == [STEPS["turris"], 0]
    assert (bare(after, 0), "turris" in after["fire"]) == ((0, 2, 0), True)
    assert buildings(after, 0) == {"fabrica": "city", "murus": "city", "vinea": "farm"}
    # A card without steps brings none; its base card, of another type, produces nothing.
    after = judge.play(position, "discard vinea")
    assert (steps(after), bare(after, 0), stock(after, 0)) == ([0, 0], (1, 1, 0), (0, 3, 0, 0))


def test_a_card_is_given_for_its_price_E12(judge: Judge) -> None:
    """E12, G17: glory as glory, and no extra."""
    table = Table(goth=FAR).display(0, granarium="farm", curia="city", faber="city")
    position = judge.play(table.play(), "play farm", "use granarium", "discard curia")
    assert stock(position, 0) == (3, 3, 0, 1)


def test_a_card_that_is_left_leaves_a_base_card_that_produces_T9(judge: Judge) -> None:
    """T9, G17, G21, G40: 1 gold, then 5 steps, at 34 of 39 into Africa; no other player is activated."""
    table = Table(goth=FAR).display(0, fabrica="city", palatium="city").at(0, 34).display(1, city=3)
    position = judge.play(table.play(), "play city", "use fabrica")
    assert (position["phase"], position["end"], steps(position)) == ("over", "africa", [39, 0])
    assert stock(position, 0) == (0, 2, 0, 0)  # the city just played, and the one below palatium
    assert stock(position, 1) == (0, 0, 0, 0)
    assert buildings(position, 0) == {"fabrica": "city"}
    assert (position["active_player"], position["played"], position["activation"]) == (0, None, None)


def test_a_card_used_before_leaves_a_base_card_that_produces_nothing_G17(judge: Judge) -> None:
    """G17: it has had its activation."""
    table = Table(goth=FAR).display(0, fabrica="city", aerarium="city")
    position = judge.play(table.play(), "play city", "use aerarium", "use fabrica")
    assert (stock(position, 0), steps(position)) == ((0, 4, 0, 0), [2, 0])


def test_a_goth_card_without_its_symbol_has_produced_and_may_be_given_G17(judge: Judge) -> None:
    """G17, G20: province 24 shows a farm; no second stone."""
    table = Table(goth=FAR).display(0, fabrica="city", arcus="city")
    position = judge.play(table.play(), "play city", "use fabrica")
    assert (stock(position, 0), steps(position)) == ((0, 2, 0, 0), [STEPS["arcus"], 0])


def test_with_the_printed_x_each_repetition_costs_another_card_G17(judge: Judge) -> None:
    """G14, G17: as long as there is another one."""
    ability = {"kind": "give", "pay_card": "building", "gain": {"glory": 1, "steps": 1}, "repeat": True}
    sets = with_ability("cards_again", fabrica=ability)
    table = Table(goth=FAR, components=sets).display(0, fabrica="city", murus="city", turris="city", vinea="farm")
    position = judge.play(table.play(), "play city", "use fabrica", "discard vinea")
    assert judge.legal(position) == ["again", "done"]
    position = judge.play(position, "again", "discard murus")
    assert judge.legal(position) == ["again", "done"]
    position = judge.play(position, "again")  # turris is the last one: not asked, and then the card is finished
    assert (stock(position, 0)[3], steps(position), buildings(position, 0)) == (3, [3, 0], {"fabrica": "city"})


def test_without_another_card_it_cannot_be_used_G17(judge: Judge) -> None:
    """G12, G17: the card itself is not another one."""
    position = judge.play(Table(goth=FAR).display(0, fabrica="city").play(), "play city")
    assert (asked(position), stock(position, 0)) == (("goth", 0), (0, 2, 0, 0))


# ------------------------------------------------------------------------------------------------ produce, have, fulfil


def test_a_stone_and_a_step_E13(judge: Judge) -> None:
    """E13, G21: produce 1 food and 1 step."""
    position = judge.play(Table(goth=FAR).display(0, vinea="farm").play(), "play farm", "use vinea")
    assert (stock(position, 0), steps(position)) == ((2, 0, 0, 0), [1, 0])


def test_one_food_for_each_farm_covered_or_not_E14(judge: Judge) -> None:
    """E14, G18: the one below the card included, which produces nothing itself."""
    table = Table(goth=FAR).display(0, farm=2, latifundium="farm", vallum="farm")
    position = judge.play(table.play(), "play farm")
    assert stock(position, 0) == (4, 0, 0, 0)
    assert stock(judge.play(position, "use latifundium"), 0) == (9, 0, 0, 0)


def test_one_stone_for_each_building_card_G18(judge: Judge) -> None:
    """G18: in the display, the card itself included."""
    table = (
        Table(goth=FAR)
        .display(0, bibliotheca="peace", faber="farm", vallum="farm", agger="farm")
        .display(1, limes="peace")
    )
    position = judge.play(table.play(), "play peace", "use bibliotheca")
    assert stock(position, 0) == (0, 0, 5, 0)


def test_the_count_is_taken_before_anything_is_gained_G18(judge: Judge) -> None:
    """G18: 2 food for each food; and for a type without base cards, nothing."""
    sets = with_ability(
        "food_doubles",
        theatrum={"kind": "have", "per_stone": "food", "gain": {"food": 2, "steps": 1}},
        vicus={"kind": "have", "per": "peace", "gain": {"gold": 1}},
    )
    table = Table(goth=FAR, components=sets).display(0, theatrum="city", vicus="city").stock(0, food=3)
    position = judge.play(table.play(), "play city")
    assert judge.legal(position) == ["base theatrum", "base vicus", "done", "use theatrum"]
    position = judge.play(position, "use theatrum")
    assert (stock(position, 0), steps(position)) == ((9, 2, 0, 0), [3, 0])


def test_an_exclusive_card_counts_the_others_and_forbids_them_E15(judge: Judge) -> None:
    """E15, G11, G19: no peace is produced, no other peace card is activated; other players are not affected."""
    table = Table(goth=FAR).display(0, peace=1, templum_vestae="peace", pax_romana="peace").stock(0, gold=1)
    table.display(1, peace=2)
    position = judge.play(table.play(), "play peace")
    assert (asked(position), judge.legal(position)) == (("exclusive", 0), ["done", "use templum_vestae"])
    assert position["activation"] == {"left": ["pax_romana"], "card": None, "give_left": 0, "take_left": 0}
    used = judge.play(position, "use templum_vestae")
    assert (stock(used, 0), stock(used, 1), asked(used)) == ((0, 1, 0, 3), (0, 0, 2, 0), ("goth", 0))
    # Without it the base card below produces, as the bare ones do.
    done = judge.play(position, "done")
    assert (stock(done, 0), asked(done), judge.legal(done)) == (
        (0, 1, 3, 0),
        ("activate", 0),
        ["done", "use pax_romana"],
    )


def test_an_exclusive_card_on_the_only_base_card_of_its_type_is_not_asked_G19(judge: Judge) -> None:
    """G11, G19: another player has played peace."""
    table = Table(goth=FAR).display(1, templum_vestae="peace").stock(0, gold=1)
    position = judge.play(table.play(), "play peace")
    assert (asked(position), stock(position, 1)) == (("goth", 0), (0, 0, 1, 0))


def test_exclusive_cards_work_where_their_type_is_played_only_G19(judge: Judge) -> None:
    """G19: on a farm turn the peace card does nothing; of two exclusive cards one is used."""
    table = Table(goth=FAR).display(0, curia="city", templum_vestae="peace", taberna="city").stock(0, gold=1)
    assert asked(judge.play(table.play(), "play farm")) == ("goth", 0)
    sets = with_ability("two_exclusives", taberna={"kind": "fulfil", "each_other": "city", "gain": {"gold": 2}})
    table = Table(goth=FAR, components=sets).display(0, curia="city", taberna="city", faber="city", murus="city")
    position = judge.play(table.play(), "play city")
    assert judge.legal(position) == ["done", "use curia", "use taberna"]
    assert position["activation"]["left"] == []
    after = judge.play(position, "use taberna")
    assert (stock(after, 0), steps(after)) == ((0, 8, 0, 0), [0, 0])
    after = judge.play(position, "use curia")
    assert (stock(after, 0), steps(after)) == ((0, 0, 0, 0), [4, 0])


@pytest.mark.parametrize(("goth", "symbols"), [(23, "CP"), (25, "C"), (31, "FC")])
def test_the_goth_on_a_city_E16(judge: Judge, goth: int, symbols: str) -> None:
    """E16, G20: 2 steps, also on a province with more symbols; it is not exclusive."""
    assert COMPONENTS["tracks"]["goth"][goth - 1] == symbols
    position = judge.play(Table(goth=goth).display(0, arcus="city", thermae="city").play(), "play city")
    assert judge.legal(position) == ["base arcus", "base thermae", "done", "use arcus", "use thermae"]
    position = judge.play(position, "use arcus", "use thermae")
    assert (steps(position), stock(position, 0)) == ([2, 0], (0, 2, 1, 0))


@pytest.mark.parametrize("goth", [0, 24])
def test_elsewhere_the_base_card_below_produces_G20(judge: Judge, goth: int) -> None:
    """G11, G20: the start space shows no symbol."""
    table = Table(goth=goth).stock(0, food=1)
    if goth:
        table.display(0, arcus="city")
    else:
        table.display(0, farm=2, peace=1, arcus="city")
    position = judge.play(table.play(), "play city")
    assert (stock(position, 0), steps(position)) == ((1, 2, 0, 0), [0, 0])


# ------------------------------------------------------------------------------------------------ Africa


def test_stones_come_before_steps_and_steps_beyond_africa_are_lost_G21(judge: Judge) -> None:
    """G21, G40: the other card left is not carried out, and there is no purchase."""
    sets = with_ability("far", vinea={"kind": "produce", "gain": {"food": 2, "steps": 9}})
    table = Table(goth=FAR, components=sets).display(0, vinea="farm", horreum="farm").at(0, 35).at(1, 38)
    table.display(1, farm=1)
    position = judge.play(table.play(), "play farm", "use vinea")
    assert (position["end"], steps(position), judge.winners(position)) == ("africa", [39, 38], [0])
    assert (stock(position, 0), stock(position, 1)) == ((3, 0, 0, 0), (0, 0, 0, 0))


def test_a_repetition_stops_in_africa_G40(judge: Judge) -> None:
    """G21, G40: not asked again."""
    sets = with_ability(
        "steps_again", legatio={"kind": "give", "pay": {"food": 1}, "gain": {"steps": 2}, "repeat": True}
    )
    table = Table(goth=FAR, components=sets).display(0, legatio="peace").at(0, 35).stock(0, food=9)
    position = judge.play(table.play(), "play peace", "use legatio")
    assert (asked(position), steps(position)) == (("repeat", 0), [37, 0])
    position = judge.play(position, "again")
    assert (position["phase"], stock(position, 0)) == ("over", (7, 0, 1, 0))


def test_another_player_can_reach_africa_in_a_turn_G21(judge: Judge) -> None:
    """G21: at that moment, in any phase; the turn stays the active player's."""
    table = Table(3, active=1, goth=FAR).display(2, vinea="farm").at(2, 38)
    position = judge.play(table.play(), "play farm", "use vinea")
    assert (position["end"], position["active_player"], judge.winners(position)) == ("africa", 1, [2])


def test_a_stock_holds_9999_stones_of_a_kind_G4(judge: Judge) -> None:
    """G4: stones beyond the limit are lost."""
    table = Table(goth=FAR).display(0, farm=2, latifundium="farm").stock(0, food=9_995, gold=1)
    position = judge.play(table.play(), "play farm")
    assert stock(position, 0)[0] == 9_998
    assert stock(judge.play(position, "use latifundium"), 0)[0] == 9_999
