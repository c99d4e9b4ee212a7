"""The setup, and what a seat is shown (A1 to A10): questions that only the engine can answer."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from porta_nigra_env.games import state_class
from tests.games.aquileia.oracle.referee import Position
from tests.games.aquileia.rules.positions import COMPONENTS, REFEREE, Table, asked

SEATS = tuple(COMPONENTS["constants"]["players"])


def states() -> Any:
    """The room's `State`."""
    return state_class("aquileia")


def shown(position: Position, seat: int) -> Position:
    """A position as a seat sees it."""
    view: Position = states().from_dict(position).to_dict(view=seat)
    return view


@pytest.mark.parametrize("players", SEATS)
def test_setups_deal_whole_decks_and_let_anybody_begin(players: int) -> None:
    """A1, A3, A4: the starting player is uniformly random; so is every deck."""
    starts, first_cards = Counter[int](), Counter[str]()
    for seed in range(150):
        position = states().new(num_players=players, seed=seed).to_dict()
        REFEREE.check_start(position)
        starts[position["starting_player"]] += 1
        first_cards[position["theatre"]["draw"][0]] += 1
    assert min(starts[seat] for seat in range(players)) > 12
    assert len(first_cards) == 6


@pytest.mark.parametrize("players", [2, 6])
def test_other_numbers_of_players_are_refused(players: int) -> None:
    """A1: three, four or five."""
    with pytest.raises(ValueError, match="num_players"):
        states().new(num_players=players, seed=1)


def test_numbers_of_cards_are_open_and_faces_are_not() -> None:
    """A5, A6: how many, and which of them were bought in the open."""
    table = Table().slaves(1, 2, 1).equi(1, "weapon_2", known=True).equi(1, "gold_horse_1").slaves(0, 1)
    position = table.asked(0)
    view = shown(position, 0)
    assert (view["players"][1]["slaves"], view["players"][1]["equi"]) == ({"count": 3}, {"count": 2})
    assert view["players"][1]["equi_known"] == position["players"][1]["equi_known"]
    assert view["players"][0] == position["players"][0]
    assert [view[deck]["draw"] for deck in ("slaves", "equi", "stadium", "theatre")] == [
        {"count": len(position[deck]["draw"])} for deck in ("slaves", "equi", "stadium", "theatre")
    ]


def test_the_first_of_a_race_alone_sees_the_drawn_card() -> None:
    """A8, A35: in her question, and for ever after; the second knows the card if she was given it."""
    position = Table().put(gold_1=1).stadium("laurel_10", "laurel_7").ready(0)
    state = states().from_dict(position).apply("pass")
    assert asked(state.to_dict()) == ("stadium_prize", 1)
    count = len(state.to_dict()["stadium"]["draw"])
    assert state.to_dict(view=1)["stadium"]["draw"] == {"count": count, "next": "laurel_7"}
    assert state.to_dict(view=0)["stadium"]["draw"] == {"count": count}


@pytest.mark.parametrize(
    ("kept", "drawn_known", "kept_known"), [("open", [True, True, False], [True, True, False]),
                                            ("drawn", [True, False, False], [True, True, False])]
)  # fmt: skip
def test_who_knows_which_stadium_card_went_where(kept: str, drawn_known: list[bool], kept_known: list[bool]) -> None:
    """A8: seat 0 was first, seat 1 second, seat 2 neither; at the end all are laid open (A10)."""
    race = {"open": "blue", "drawn": "laurel_5", "first": 0, "second": 1, "first_kept": kept}
    position = Table(round=2).past(**race).asked(0)
    for seat in range(3):
        entry = shown(position, seat)["stadium"]["past"][0]
        assert entry["drawn"] == ("laurel_5" if drawn_known[seat] else None)
        assert entry["first_kept"] == (kept if kept_known[seat] else None)
        assert (entry["open"], entry["first"], entry["second"]) == ("blue", 0, 1)
    over = states().from_dict(Table(round=6).past(**race).ready(0)).apply("pass")
    assert over.to_dict(view=2)["stadium"]["past"] == over.to_dict()["stadium"]["past"]


def test_a_view_is_all_that_a_determinization_keeps() -> None:
    """A7, A9: the same view and the same legal actions; the unseen faces are redrawn."""
    table = Table(round=2).slaves(1, 3, 2).equi(2, "weapon_2", "gold_horse_1").slaves(0, 2, 2)
    table.past(open="blue", drawn="laurel_5", first=2, second=1, first_kept="open")
    state = states().from_dict(table.asked(0))
    hands, owners = set(), set()
    for seed in range(60):
        other = state.determinize(0, seed)
        assert other.to_dict(view=0) == state.to_dict(view=0)
        assert other.legal_actions() == state.legal_actions()
        position = other.to_dict()
        hands.add(tuple(position["players"][1]["slaves"].values()))
        owners.add(position["stadium"]["past"][0]["first_kept"])
    assert len(hands) > 2
    assert owners == {"open", "drawn"}
