"""The final scoring (A54)."""

from __future__ import annotations

import pytest

from porta_nigra_env.games.aquileia.components.load import Components
from tests.games.aquileia.rules.positions import Table, data_of

pytestmark = pytest.mark.usefixtures("implementation")

VILLAS = {"white": 0, "blue": 0, "yellow": 0, "purple": 0}


def test_laurels_count_their_points_A54() -> None:
    """A54: own ones only."""
    table = Table().past("laurel_10", "laurel_3", 0, 1, "open").past("laurel_5", "laurel_7", 1, None, "open")
    scores = table.state().scores()
    assert [score["laurels"] for score in scores] == [10, 3 + 5, 0]
    assert [score["total"] for score in scores] == [10, 8, 0]


def test_villas_count_for_each_card_of_their_colour_A54() -> None:
    """A54: stadium and theatre cards alike; colours without villas give nothing."""
    table = (
        Table().past("blue", "white", 0, 1, "open").past("blue", "laurel_3", 0, 1, "open").own_theatre(0, "blue_purple")
    )
    table.built(0, "villa_blue_6", "villa_blue_4", "villa_white_10").built(1, "villa_blue_10")
    scores = table.state().scores()
    assert scores[0]["villas"] == {**VILLAS, "blue": 3 * 10}
    assert scores[0]["theatre"] == {"blue_purple": "blue"}
    assert scores[1]["villas"] == VILLAS
    assert scores[1]["laurels"] == 3


def test_a_theatre_card_counts_for_the_better_colour_A54() -> None:
    """A54: the one of its two in which its owner's villas sum higher, in a tie the one named first."""
    table = Table().own_theatre(0, "white_blue", "yellow_purple").own_theatre(1, "white_purple").round(4)
    table.built(0, "villa_white_6", "villa_blue_8", "villa_white_4", "villa_yellow_8", "villa_purple_8")
    score = table.state().scores()[0]
    assert score["theatre"] == {"white_blue": "white", "yellow_purple": "yellow"}
    assert score["villas"] == {**VILLAS, "white": 10, "yellow": 8}
    other = table.state().scores()[1]
    assert (other["theatre"], other["total"]) == ({"white_purple": "white"}, 0)


def test_the_marker_counts_and_nothing_else_A54(components: Components) -> None:
    """A54: no coins, cards, houses or other buildings."""
    table = Table(components).purse(0, 9, 9, 9).slaves(0, doubles=3).equi(0, components.equi_faces[0])
    shops = [entry["name"] for entry in data_of(components)["forum"]["buildings"] if entry["kind"] != "villa"]
    table.built(0, *shops[:3]).player(0)["vp"] = 17
    assert [score["total"] for score in table.state().scores()] == [17, 0, 0]


def test_the_worked_villas() -> None:
    """A54: Livia has a blue stadium card and a blue-yellow theatre card: blue villas 10 and 6 give 2 x 16."""
    table = Table(players=4).past("blue", "white", 3, None, "open").own_theatre(3, "blue_yellow")
    table.built(3, "villa_blue_10", "villa_blue_6", "villa_yellow_8")
    score = table.state().scores()[3]
    assert score["villas"] == {**VILLAS, "blue": 32}
    assert score["theatre"] == {"blue_yellow": "blue"}
