"""Ends, winners and places (G39 to G42)."""

from __future__ import annotations

import pytest

from tests.games.gloria_mundi.rules.positions import Table, stock
from tests.lockstep.judges import Judge


def in_rome(*players: tuple[int, int]) -> Table:
    """The Goth in Rome; for each player the steps and the food in stock."""
    table = Table(len(players), goth=37)
    for seat, (steps, food) in enumerate(players):
        table.at(seat, steps).stock(seat, food=food)
    return table


@pytest.mark.parametrize(
    ("players", "ranks", "winners"),
    [
        ([(3, 9), (4, 0)], [2, 1], [1]),
        ([(4, 1), (4, 2), (3, 9)], [2, 1, 3], [1]),
        ([(4, 2), (4, 2), (4, 1)], [1, 1, 3], [0, 1]),
        ([(0, 5), (2, 5), (2, 5), (2, 4), (0, 5)], [4, 1, 1, 3, 4], [1, 2]),
        ([(1, 1), (1, 1)], [1, 1], [0, 1]),
    ],
)
def test_steps_then_stones_then_together_E18(
    judge: Judge, players: list[tuple[int, int]], ranks: list[int], winners: list[int]
) -> None:
    """E18, G41, G42: the same two keys rank all others."""
    position = in_rome(*players).over("rome")
    scores = [
        {"steps": steps, "stones": food, "rank": rank} for (steps, food), rank in zip(players, ranks, strict=True)
    ]
    assert judge.scores(position) == scores
    assert judge.winners(position) == winners
    assert judge.legal(position) == []


def test_all_kinds_of_stones_count_and_tribute_does_not_G41(judge: Judge) -> None:
    """G41: stones in stock; before the end there is no winner."""
    table = Table(3, goth=4).tribute(["food"], ["gold"]).at(0, 5).at(1, 5).at(2, 5)
    table.stock(0, 1, 1, 1, 1).stock(1, glory=3).stock(2, food=1, peace=3)
    position = table.asked("goth", "farm")
    assert [score["rank"] for score in judge.scores(position)] == [1, 3, 1]
    assert [score["stones"] for score in judge.scores(position)] == [4, 3, 4]
    assert judge.winners(position) == []


def test_the_roman_in_africa_has_won_alone_G41(judge: Judge) -> None:
    """G41: the possessions of the others do not matter."""
    position = Table(3, goth=24).at(0, 38).at(1, 39).stock(0, 9, 9, 9, 9).over("africa")
    assert (judge.winners(position), [score["rank"] for score in judge.scores(position)]) == ([1], [2, 1, 3])


def test_rome_comes_after_everything_else_of_the_turn_G39(judge: Judge) -> None:
    """G39, G40: the next player has no card in hand, and the game ends in Rome all the same."""
    table = Table(6, active=5, goth=36, turn=48).stock(5, food=1).forum(p0="murus")
    before = table.asked("buy", "farm")
    assert not any(before["players"][0]["hand"].values())
    position = judge.play(before, "done")
    assert (position["end"], position["turn"], position["active_player"]) == ("rome", 48, 5)
    assert position["deck"] == before["deck"]


def test_when_the_game_ends_nothing_further_is_carried_out_G40(judge: Judge) -> None:
    """G40: Africa by buying; the Goth does not move, and the turn stays."""
    table = Table(2, goth=24).display(0, city=1, farm=1).at(0, 38).stock(0, food=2, gold=1, peace=1)
    before = table.forum(p0="taberna", p1="vallum").asked("buy", "farm")
    position = judge.play(before, "buy 0")
    assert (position["end"], position["goth"], position["turn"]) == ("africa", 24, before["turn"])
    assert (position["current_player"], position["active_player"], position["played"]) == (None, 0, None)
    assert stock(position, 0) == (0, 0, 0, 0)
