"""The clean-up and the end (A50, A53, A55)."""

from __future__ import annotations

import pytest

from porta_nigra_env.games.aquileia.components.load import Components
from tests.games.aquileia.rules.positions import Table, after, data_of, effect

pytestmark = pytest.mark.usefixtures("implementation")


def test_the_clean_up_begins_the_next_round_A50(components: Components) -> None:
    """A50: crests back, gaps filled from left to right, the next stadium card opened."""
    first = data_of(components)["mercatus"]["equi"][0]
    table = Table(components).purse(1, 9, 9, 9).crests(2, 1).stand(**{f"equi_{first}": 1})
    draw, stadium = table.position["equi"]["draw"], table.position["stadium"]["draw"]
    row = [*table.position["equi"]["row"]]
    position = after(table, "pass", "buy 1")
    assert (position["round"], position["phase"], position["current_player"]) == (2, "place", 2)
    assert position["starting_player"] == 2, "the crest on place 1 names her"
    assert position["advantage"] == position["passed"] == []
    assert position["equi"]["row"] == [draw[1], *row[1:]], "the first card of the pile went to the buyer"
    assert position["stadium"]["open"] == stadium[1]
    assert position["spaces"] == {}


def test_without_crests_the_starting_player_stays_A50(components: Components) -> None:
    """A50: the starting player stays."""
    assert "starting_player" not in effect(Table(components, starter=1), "pass")


def test_gaps_are_filled_from_left_to_right_A50_A51() -> None:
    """A50, A51: from a rebuilt pile if need be; with no cards left a gap stays a gap."""
    table = Table().stand(latro=1).pile("equi", 1, discarded=False).asked("forum", 0, builds_left=1).stand(forum_5=0)
    row, only = table.position["equi"]["row"], table.position["equi"]["draw"][0]
    for place in (0, 2):
        table.player(2)["equi"][row[place]] += 1
    table.position["equi"]["row"] = [None, row[1], None]
    assert after(table, "pass")["equi"]["row"] == [only, row[1], None]
    table.position["equi"].update(draw=[])
    table.position["equi"]["discard"][only] += 1
    assert after(table, "pass")["equi"]["row"] == [only, row[1], None]


def test_dice_are_taken_up_when_the_placement_ends() -> None:
    state = Table().stand(dolus=1).state().apply("pass")
    assert state.to_dict()["phase"] == "place"
    assert len(state.to_dict()["dice"]["dolus"]) == 2
    state.apply("pass").apply("pass")
    assert len(state.to_dict()["dice"]["dolus"]) == 2
    assert state.apply("pass").to_dict()["dice"]["dolus"] == []


def test_the_game_ends_after_the_last_action_phase_A53(components: Components) -> None:
    """A53: nothing of the clean-up happens any more."""
    rounds = data_of(components)["constants"]["rounds"]
    table = Table(components).round(rounds).stand(dolus=1).crests(1, 2).purse(1, 9, 9, 9)
    table.stand(**{f"equi_{data_of(components)['mercatus']['equi'][-1]}": 1})
    state = table.state().apply("pass").apply("buy 1")
    position = state.to_dict()
    assert (position["phase"], position["current_player"], position["round"]) == ("over", None, rounds)
    assert state.is_over
    assert state.legal_actions() == []
    assert position["advantage"] == [1, 2]
    assert position["starting_player"] == 0
    assert (position["stadium"]["open"], position["stadium"]["draw"]) == (None, [])
    assert len(position["stadium"]["past"]) == rounds
    assert position["dice"]["dolus"], "dice stay"
    assert position["equi"]["row"] == [*table.position["equi"]["row"][:-1], None], "the gap stays"
    assert position["spaces"] == {}
    assert position["portus_coins"] == []


def test_a_tie_has_several_winners_A55() -> None:
    """A55: most points win; no tie-break."""
    table = Table(players=4).round(6)
    for seat, points in enumerate((30, 41, 41, 7)):
        table.player(seat)["vp"] = points
    state = table.state()
    assert state.winners() == []
    assert state.apply("pass").winners() == [1, 2]


def test_laurels_count_for_the_winners_A55_A54() -> None:
    """A55, A54: the final scoring decides, not the marker."""
    table = Table(players=4).past("laurel_10", "laurel_7", 1, 2, "drawn").round(6).stand(forum_1=0)
    for seat, points in enumerate((0, 8, 5, 15)):
        table.player(seat)["vp"] = points
    state = table.state().apply("pass")
    assert state.winners() == []
    assert [score["total"] for score in state.apply("pass").scores()] == [0, 15, 15, 15]
    assert state.winners() == [1, 2, 3]


def test_points_have_no_upper_end_A55() -> None:
    """A55: the marker has no last space."""
    table = Table().stand(arena_1=0).contest("arena_prize", 0, p0=300)
    assert after(table, "take points")["players"][0]["vp"] == 600
