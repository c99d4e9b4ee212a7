"""Tribute, marches of the Goth, losses and sharing (G29 to G38)."""

from __future__ import annotations

import pytest

from tests.games.gloria_mundi.rules.positions import Table, asked, bare, buildings, other_set, stock
from tests.lockstep.judges import Judge

#: A province of two peace symbols, where the standard set has a city.
TWO_PEACE = other_set("two_peace", {("tracks", "goth", 24): "PP"})


def lying(food: int = 0, gold: int = 0, peace: int = 0, glory: int = 0) -> dict[str, int]:
    """Stones, as positions write them."""
    return {"food": food, "gold": gold, "peace": peace, "glory": glory}


# ------------------------------------------------------------------------------------------------ tribute


def test_a_city_asks_for_gold_E5(judge: Judge) -> None:
    """E5, G29, G30: the stones lie on the province, the Goth stays, the turn is over."""
    position = Table(goth=1).stock(0, food=3, gold=1).asked("goth", "farm")
    assert judge.legal(position) == ["goth", "tribute"]
    position = judge.play(position, "tribute")
    assert (position["tribute"], position["goth"], asked(position)) == ([lying(gold=1)], 1, ("play", 1))
    assert stock(position, 0) == (3, 0, 0, 0)


def test_glory_stands_for_either_stone_E5(judge: Judge) -> None:
    """E5, G30: a city and peace; chosen by amounts, no extra and nothing forced is asked."""
    position = Table(goth=22).stock(0, gold=1, peace=1, glory=2).asked("goth", "farm")
    position = judge.play(position, "tribute")
    assert (asked(position), judge.legal(position)) == (("pay_tribute", 0), ["pay gold 0", "pay gold 1"])
    assert position["payment"] == {"food": 0, "gold": None, "peace": None}
    position = judge.play(position, "pay gold 0")
    assert judge.legal(position) == ["pay peace 0", "pay peace 1"]
    position = judge.play(position, "pay peace 1")
    assert (position["tribute"], stock(position, 0)) == ([lying(peace=1, glory=1)], (0, 1, 0, 1))


def test_without_a_payable_tribute_the_goth_moves_unasked_E9(judge: Judge) -> None:
    """E9, G29: gold is asked for, and the other player's stones do not help."""
    position = Table(goth=1).stock(0, food=9, peace=9).stock(1, gold=9).forum(p0="murus").asked("buy", "farm")
    position = judge.play(position, "done")
    assert (position["goth"], asked(position)) == (2, ("play", 1))


# ------------------------------------------------------------------------------------------------ the way


def test_the_goth_goes_to_the_last_province_with_tribute_T6(judge: Judge) -> None:
    """T6, G29, G31, G32: from 4 to 6 over a farm and a city; paying would be for province 7."""
    table = Table(4, goth=4).tribute(["food"], ["gold"]).stock(0, peace=1)
    position = table.asked("goth", "farm")
    paid = judge.play(position, "tribute")
    assert (paid["tribute"], paid["goth"]) == ([lying(food=1), lying(gold=1), lying(peace=1)], 4)
    moved = judge.play(position, "goth")
    assert (moved["goth"], moved["tribute"], moved["raid"]["demanded"]) == (6, [], {"farm": 1, "city": 1, "peace": 0})


def test_without_tribute_the_goth_moves_one_space_G31(judge: Judge) -> None:
    """G31, G32: the province he leaves demands nothing."""
    position = judge.play(
        Table(goth=23).display(0, farm=2, city=1, horreum="farm").stock(0, 1).asked("goth", "city"), "goth"
    )
    assert (position["goth"], position["raid"]["demanded"]) == (24, {"farm": 1, "city": 0, "peace": 0})


def test_over_all_provinces_to_rome_T7(judge: Judge) -> None:
    """T7, G31, G38: losses, shares, then the end."""
    provinces = [
        ["food", "gold"],
        ["peace"],
        ["food", "peace"],
        ["gold", "glory"],
        ["glory", "gold"],
        ["food", "peace"],
    ]
    table = Table(goth=30).tribute(*provinces).display(0, farm=1, city=2).display(1, farm=1, city=2)
    position = judge.play(table.stock(0, food=1).forum(p0="murus").asked("buy", "farm"), "done")
    assert (asked(position), position["goth"], position["end"]) == (("lose", 0), 37, None)
    assert position["raid"] == {"demanded": {"farm": 4, "city": 3, "peace": 4}, "stones": lying(3, 3, 3, 2)}
    position = judge.play(position, "lose city", "lose farm")
    # The remaining losses are forced; then they share, the active player first.
    assert (asked(position), judge.legal(position)) == (
        ("lose", 0), ["lose city", "lose farm"]
    )  # fmt: skip
    position = judge.play(position, "lose farm")
    assert asked(position) == ("reclaim", 0)
    assert (bare(position, 0), bare(position, 1)) == ((0, 0, 0), (0, 1, 0))
    while position["phase"] == "reclaim":
        position = judge.play(position, judge.legal(position)[0])
    assert (position["phase"], position["end"], position["goth"], position["raid"]) == ("over", "rome", 37, None)
    assert [sum(stock(position, seat)) for seat in (0, 1)] == [1 + 6, 5]


def test_from_the_last_province_into_rome_E9(judge: Judge) -> None:
    """E9, G29, G38, G39: no province is entered, nothing is lost; the game ends."""
    position = Table(goth=36).stock(0, 9, 9, 9, 9).forum(p0="murus").asked("buy", "farm")
    before = position["players"]
    position = judge.play(position, "done")
    assert (position["phase"], position["end"], position["goth"]) == ("over", "rome", 37)
    assert position["players"] == before


# ------------------------------------------------------------------------------------------------ losing


def test_round_after_round_of_the_types_still_demanded_E6(judge: Judge) -> None:
    """E6, G32, G33: farm, city, farm; the active player chooses, then the next player among the rest, and so on."""
    table = Table(2, active=1).tribute(["food"], ["gold"], ["food"]).stock(1, peace=1)
    position = judge.play(table.asked("goth", "peace"), "goth")
    assert (asked(position), judge.legal(position)) == (("lose", 1), ["lose city", "lose farm"])
    assert position["raid"] == {"demanded": {"farm": 2, "city": 1, "peace": 0}, "stones": lying(2, 1)}
    position = judge.play(position, "lose farm")
    assert (asked(position), judge.legal(position)) == (("lose", 0), ["lose city", "lose farm"])
    # With the city gone there is one farm to lose: seat 1 has none, so seat 0 loses it without a decision.
    after = judge.play(position, "lose city")
    assert asked(after) == ("reclaim", 1)
    assert (bare(after, 0), bare(after, 1)[:2]) == ((0, 0, 1), (0, 1))
    # With a farm gone the city alone is demanded, and seat 1 has one.
    after = judge.play(position, "lose farm")
    assert (bare(after, 0), bare(after, 1)[:2]) == ((0, 1, 1), (0, 0))


def test_a_player_with_nothing_demanded_is_skipped_and_shares_E7(judge: Judge) -> None:
    """E7, G33, G37: seat 1 shows peace only."""
    table = Table(3, goth=8).tribute(["food", "gold"]).display(1, peace=3).stock(0, peace=1)
    before = table.asked("goth", "peace")
    position = judge.play(before, "goth", "lose farm")
    assert (asked(position), bare(position, 2)[1]) == (("reclaim", 0), bare(before, 2)[1] - 1)
    position = judge.play(position, "take food")  # the gold goes to seat 1
    assert [stock(position, seat) for seat in range(3)] == [(1, 0, 1, 0), (0, 1, 0, 0), (0, 0, 0, 0)]


def test_as_many_symbols_as_players_E8(judge: Judge) -> None:
    """E8, G33, G37: every player loses one, the active player takes the first stone."""
    table = Table(2, active=1, goth=8).tribute(["glory", "gold"]).stock(1, peace=1)
    before = table.asked("goth", "peace")
    position = judge.play(before, "goth", "lose city")
    assert (bare(position, 1)[1], bare(position, 0)[0]) == (0, bare(before, 0)[0] - 1)
    assert (asked(position), judge.legal(position)) == (("reclaim", 1), ["take glory", "take gold"])
    assert position["raid"]["demanded"] == {"farm": 0, "city": 0, "peace": 0}
    position = judge.play(position, "take glory")
    assert (stock(position, 1), stock(position, 0)) == ((0, 0, 1, 1), (0, 1, 0, 0))


def test_one_player_loses_all_T8(judge: Judge) -> None:
    """T8, G33: peace and peace; the active player shows none, the other two."""
    table = Table(goth=24, components=TWO_PEACE).display(0, farm=1).display(1, peace=2).stock(0, peace=2)
    position = judge.play(table.asked("goth", "farm"), "goth")
    assert (asked(position), bare(position, 1)) == (("play", 1), (0, 0, 0))


def test_losses_end_when_no_player_has_a_demanded_card_G33(judge: Judge) -> None:
    """G33: the contract's `demanded` is 0 then."""
    table = Table(goth=22).tribute(["gold", "peace"]).display(0, farm=2).display(1, farm=1).stock(0, food=1)
    position = judge.play(table.asked("goth", "farm"), "goth")
    assert (asked(position), position["raid"]) == (
        ("reclaim", 0), {"demanded": {"farm": 0, "city": 0, "peace": 0}, "stones": lying(0, 1, 1)}
    )  # fmt: skip


def test_a_wall_is_given_up_in_place_of_the_city_below_E10(judge: Judge) -> None:
    """E10, G35: also by a player who could lose a farm; it counts as the city."""
    table = Table(goth=8).tribute(["food", "gold"]).display(0, farm=1, city=1, murus="city").display(1, farm=1)
    position = judge.play(table.stock(0, peace=1).asked("goth", "farm"), "goth")
    assert judge.legal(position) == ["lose city", "lose farm", "lose murus", "wall murus"]
    position = judge.play(position, "wall murus")
    assert (bare(position, 0), bare(position, 1), buildings(position, 0)) == ((1, 2, 0), (0, 0, 0), {})
    assert "murus" in position["fire"]


def test_bare_covered_and_walled_farms_are_all_offered_T12(judge: Judge) -> None:
    """T12, G34, G35, G36: and two bare farms alone are not asked (G5)."""
    table = Table(goth=23).stock(0, food=1).display(0, farm=1, vallum="farm")
    position = judge.play(table.asked("goth", "farm"), "goth")
    assert judge.legal(position) == ["lose farm", "lose vallum", "wall vallum"]
    owned = sum(bare(position, 0)) + len(buildings(position, 0))
    for action, shown, left in (
        ("lose farm", (0, 0, 0), {"vallum": "farm"}),
        ("lose vallum", (1, 0, 0), {}),
        ("wall vallum", (2, 0, 0), {}),
    ):
        after = judge.play(position, action)
        assert (bare(after, 0), buildings(after, 0)) == (shown, left)
        assert ("vallum" in after["fire"]) == (action != "lose farm")
        assert owned - sum(shown) - len(left) == (action != "wall vallum")
    position = judge.play(table.display(0, farm=2).asked("goth", "farm"), "goth")
    assert (asked(position), bare(position, 0)) == (("play", 1), (1, 0, 0))


def test_a_covered_card_may_go_while_a_bare_one_stays_G34(judge: Judge) -> None:
    """G34, G36: the building card to the fire, its base card out of the game; the hand does not change."""
    table = Table(goth=23).stock(0, food=1).display(0, farm=1, horreum="farm")
    before = table.asked("goth", "farm")
    after = judge.play(before, "goth", "lose horreum")
    assert (bare(after, 0), buildings(after, 0), "horreum" in after["fire"]) == ((1, 0, 0), {}, True)
    assert after["players"][0]["hand"] == before["players"][0]["hand"]


# ------------------------------------------------------------------------------------------------ sharing


def test_one_stone_each_round_after_round_G37(judge: Judge) -> None:
    """G37: from the active player on; where one kind is left nothing is asked."""
    table = Table(3, active=2, goth=24).tribute(["gold"], ["food", "peace"], ["peace"]).stock(2, food=1, gold=1)
    table.display(0, farm=1).display(1, farm=1).display(2, farm=1)
    position = judge.play(table.asked("goth", "farm"), "goth")
    assert asked(position) == ("reclaim", 2)
    position = judge.play(position, "take peace")
    assert (asked(position), judge.legal(position)) == (("reclaim", 0), ["take food", "take gold", "take peace"])
    position = judge.play(position, "take gold")
    assert asked(position) == ("reclaim", 1)
    position = judge.play(position, "take food")
    assert [stock(position, seat) for seat in range(3)] == [(0, 1, 0, 0), (1, 0, 0, 0), (1, 1, 2, 0)]


def test_a_single_stone_goes_to_the_active_player_unasked_G37(judge: Judge) -> None:
    """G5, G37: also if only that player has lost a base card."""
    table = Table(3, active=1, goth=24).tribute(["glory"]).display(1, farm=1, city=1).stock(1, food=1, peace=1)
    position = judge.play(table.asked("goth", "farm"), "goth")
    assert [stock(position, seat) for seat in range(3)] == [(0, 0, 0, 0), (1, 0, 1, 1), (0, 0, 0, 0)]
    assert bare(position, 1) == (1, 0, 0)


@pytest.mark.parametrize("end", ["rome", None])
def test_the_phase_is_completed_before_the_end_G38(judge: Judge, end: str | None) -> None:
    """G37, G38: in Rome the game ends after sharing; elsewhere the turn does."""
    table = Table(goth=37 if end else 33, active=1).stock(0, food=2)
    raid = {"demanded": {"farm": 0, "city": 0, "peace": 0}, "stones": lying(gold=1, glory=1)}
    position = judge.play(table.asked("reclaim", "farm", raid=raid, current_player=0), "take glory")
    assert (stock(position, 0), stock(position, 1)) == ((2, 0, 0, 1), (0, 1, 0, 0))
    assert (position["phase"], position["end"]) == (("over", "rome") if end else ("play", None))
