"""Forum, base card and forced decisions (G5 to G8)."""

from __future__ import annotations

import pytest

from tests.games.gloria_mundi.rules.positions import Table, asked, bare, other_set, stock
from tests.lockstep.judges import Judge

FULL_FORUM = other_set("full_forum", {("constants", "forum_start_cards"): 6})


def test_a_seventh_card_pushes_the_last_one_to_the_fire_E1(judge: Judge) -> None:
    """E1, G6: six cards stay."""
    table = Table().forum(p5="vinea", p4="curia", p3="arcus", p2="circus", p1="moneta", p0="portus").next("limes")
    before = table.play()
    after = judge.play(before, "play farm", "goth")
    assert after["turn"] == before["turn"] + 1
    assert after["forum"] == {"5": "limes", "4": "vinea", "3": "curia", "2": "arcus", "1": "circus", "0": "moneta"}
    assert set(after["fire"]) == {*before["fire"], "portus"}
    assert after["deck"] == before["deck"][1:]


def test_cards_move_up_to_the_first_gap_T2(judge: Judge) -> None:
    """T2, G6: cards behind an empty place stay, and the fire is unchanged."""
    before = Table().forum(p5="vinea", p4="curia", p2="arcus").next("limes").play()
    after = judge.play(before, "play farm", "goth")
    forum = {"5": "limes", "4": "vinea", "3": "curia", "2": "arcus", "1": None, "0": None}
    assert (after["forum"], after["fire"]) == (forum, before["fire"])


def test_five_cards_move_up_and_none_goes_to_the_fire_G6(judge: Judge) -> None:
    """G6: the last place is empty."""
    before = Table().forum(p5="vinea", p4="curia", p3="arcus", p2="circus", p1="moneta").next("limes").play()
    after = judge.play(before, "play farm", "goth")
    assert after["forum"] == {"5": "limes", "4": "vinea", "3": "curia", "2": "arcus", "1": "circus", "0": "moneta"}
    assert after["fire"] == before["fire"]


def test_an_empty_deck_ends_the_game_T11(judge: Judge) -> None:
    """T11, G7, G39: 2 players, turn 52; nothing of that turn happens."""
    before = Table(turn=51, components=FULL_FORUM).hand(0, farm=1, peace=1).forum(p5="vinea").play()
    assert (before["turn"], before["deck"]) == (51, [])
    after = judge.play(before, "play farm", "tribute")
    assert (after["phase"], after["end"], after["turn"], after["active_player"]) == ("over", "deck", 52, 1)
    assert after["forum"] == before["forum"]
    assert after["players"][1]["hand"] == before["players"][1]["hand"]
    assert judge.legal(after) == []


def test_the_turn_of_the_last_card_is_played_G7(judge: Judge) -> None:
    """G7: the game ends when a card is missing, not when the last one has been revealed."""
    table = Table(active=1, turn=50, components=FULL_FORUM).stock(1, food=1)
    before = table.asked("goth", "farm")
    assert (before["turn"], len(before["deck"])) == (50, 1)
    after = judge.play(before, "tribute")
    assert (after["phase"], after["turn"], after["active_player"], after["deck"]) == ("play", 51, 0, [])
    assert after["forum"]["5"] == before["deck"][0]


@pytest.mark.parametrize(("players", "turn"), [(2, 55), (3, 52), (4, 57), (5, 56), (6, 49)])
def test_no_base_card_in_hand_ends_the_game_T10(judge: Judge, players: int, turn: int) -> None:
    """T10, G8, G39: the starting player runs out first; the card of phase 1 has been revealed."""
    last = players - 1
    table = Table(players, active=last, turn=turn - 1).stock(last, food=1).next("limes")
    before = table.asked("goth", "farm")
    assert before["turn"] == turn - 1
    after = judge.play(before, "tribute")
    assert (after["phase"], after["end"], after["turn"], after["active_player"]) == ("over", "hand", turn, 0)
    assert after["forum"]["5"] == "limes"
    assert after["deck"] == before["deck"][1:]
    assert after["players"][0] == before["players"][0]


def test_only_cards_in_hand_can_be_played_G8(judge: Judge) -> None:
    """G8: one base card of choice from the hand; it lies bare in the display."""
    before = Table(turn=19).hand(0, farm=10, peace=8).stock(0, food=1).play()
    assert judge.legal(before) == ["play farm", "play peace"]
    after = judge.play(before, "play peace")
    assert after["players"][0]["hand"] == {"farm": 10, "city": 0, "peace": 7}
    assert bare(after, 0) == (bare(before, 0)[0], bare(before, 0)[1], bare(before, 0)[2] + 1)


def test_a_whole_turn_without_a_choice_is_not_asked_G5(judge: Judge) -> None:
    """G5: seat 1 holds farms only, can buy nothing, cannot pay a city's tribute, and has one way to lose a city."""
    table = Table(6, goth=4, turn=37).hand(1, farm=2).stock(0, food=1)
    after = judge.play(table.asked("goth", "city"), "goth")
    assert (asked(after), after["turn"], after["goth"]) == (("play", 2), 39, 6)
    assert after["players"][1]["hand"] == {"farm": 1, "city": 0, "peace": 0}
    assert bare(after, 1) == (4, 2, 3)
    assert stock(after, 1) == (4, 0, 0, 0)


def test_a_single_card_that_cannot_be_used_is_not_asked_T13(judge: Judge) -> None:
    """T13, G5, G11: its base card produces."""
    before = Table(goth=24).display(0, annona="farm").stock(0, gold=1).play()
    after = judge.play(before, "play farm")
    assert (asked(after), stock(after, 0)) == (("goth", 0), (2, 1, 0, 0))
    assert bare(after, 0) == (1, 0, 0)


def test_declining_everything_is_asked_where_there_is_a_choice_G5(judge: Judge) -> None:
    """G5: `done` beside a single card that can be bought."""
    before = Table().stock(0, food=1).forum(p0="murus").asked("buy", "peace")
    assert judge.legal(before) == ["buy 0", "done"]
