"""Action ids, views without hidden information, and boards."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from porta_nigra_env.games.aquileia.components.load import load
from porta_nigra_env.games.aquileia.components.names import PHASES
from porta_nigra_env.games.aquileia.game import State
from porta_nigra_env.games.aquileia.text import action_texts
from tests.games.aquileia.text.cases import example, in_phase
from tests.games.positions import Position, play

OTHER = str(Path(__file__).parents[1] / "components" / "other.toml")
FILES = pytest.mark.parametrize("components", ["standard", OTHER], ids=["standard", "other"])
#: Public keys.
PUBLIC = (
    "format", "components", "num_players", "phase", "current_player", "round", "starting_player", "spaces",
    "portus_coins", "advantage", "passed", "blue_dice", "dice", "buildings", "contest", "auction", "exchange",
    "builds_left",
)  # fmt: skip


def without_rng(position: Position) -> Position:
    return {**position, "rng": None}


@FILES
def test_ids_and_texts_correspond_one_to_one(components: str) -> None:
    found = load(components)
    texts = action_texts(found)
    assert len(set(texts)) == len(texts) == found.actions.size
    words = [text.split()[0] for text in texts]
    assert list(dict.fromkeys(words)) == [
        "place", "pass", "done", "exchange", "buy", "play", "dice", "take", "keep", "bid", "build", "activate"
    ]  # fmt: skip
    counted = Counter(words)
    assert counted["place"] == len(found.spaces) + 1
    assert (counted["build"], counted["exchange"]) == (len(found.buildings), len(found.exchanges))
    assert (counted["take"], counted["keep"], counted["bid"]) == (2, 2, 3)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "place dolus"), (27, "place portus_gold"), (28, "place crest"), (29, "pass"), (30, "done"),
        (31, "exchange bronze silver"), (36, "exchange gold silver"), (37, "buy 1"), (39, "buy 3"),
        (40, "play slave_1"), (42, "play gold_horse_1"), (48, "play weapon_3"), (49, "dice 0"), (53, "dice 4"),
        (54, "take points"), (55, "take slave"), (56, "keep open"), (57, "keep drawn"), (58, "bid bronze"),
        (60, "bid gold"),
        (61, "build villa_white_10"), (88, "build money_house_all_coins"), (89, "activate"),
    ],
)  # fmt: skip
def test_action_ids_stand_in_the_order_of_the_contract(number: int, text: str) -> None:
    assert action_texts(load())[number] == text


# ------------------------------------------------------------------------------------------------ views


def expected_view(position: Position, seat: int) -> Position:
    """Return a seat's view of a position, by the contract."""
    seen = json.loads(json.dumps(without_rng(position)))
    for deck in ("equi", "slaves", "stadium", "theatre"):
        draw = seen[deck]["draw"]
        seen[deck]["draw"] = {"count": len(draw)}
        if deck == "stadium" and seen["phase"] == "stadium_prize" and seen["current_player"] == seat:
            seen[deck]["draw"]["next"] = draw[0]
    for other, player in enumerate(seen["players"]):
        for hand in ("slaves", "equi"):
            if other != seat:
                player[hand] = {"count": sum(player[hand].values())}
    for race in seen["stadium"]["past"]:
        if seen["phase"] != "over":
            if race["first"] != seat and not (race["second"] == seat and race["first_kept"] == "open"):
                race["drawn"] = None
            if seat not in (race["first"], race["second"]):
                race["first_kept"] = None
    view: Position = seen
    return view


@FILES
@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_view_is_that_of_the_contract_in_every_determinization(players: int, components: str) -> None:
    for number, state in enumerate(play(State.new(players, 11, components), 11)):
        position, seat = state.to_dict(), number % players
        view = state.to_dict(view=seat)
        assert view == expected_view(position, seat)
        assert list(view) == list(position)
        assert {key: view[key] for key in PUBLIC} == {key: position[key] for key in PUBLIC}
        assert state.view(seat).position() == view
        sample = state.determinize(seat, number)
        assert sample.to_dict(view=seat) == view
        assert sample.view(seat).board() == state.view(seat).board()
        assert State.from_dict(sample.to_dict()) == sample


@pytest.mark.parametrize(
    ("seat", "drawn", "kept"),
    [
        (0, ["blue", None, None, None], ["open", None, None, None]),
        (1, [None, "laurel_7", None, "blue"], [None, "open", None, "drawn"]),
        (2, [None, "laurel_7", "purple", None], [None, "open", "open", None]),
        (3, ["blue", None, "purple", None], ["open", None, "open", "drawn"]),
    ],
)
def test_stadium_cards_are_visible_to_first_and_second(seat: int, drawn: list[Any], kept: list[Any]) -> None:
    """A8: the first has seen the drawn card, the second only a received one; both know the owners."""
    races = State.from_dict(example()).to_dict(view=seat)["stadium"]["past"]
    assert [race["drawn"] for race in races] == drawn
    assert [race["first_kept"] for race in races] == kept
    assert [race["open"] for race in races] == ["laurel_5", "laurel_10", "white", "yellow"]


def test_the_first_of_a_race_alone_sees_the_next_stadium_card() -> None:
    """A35, A36: and no player does before the question."""
    position = in_phase("stadium_prize")
    state = State.from_dict(position)
    draws = [state.to_dict(view=seat)["stadium"]["draw"] for seat in range(4)]
    assert draws == [{"count": 3}, {"count": 3}, {"count": 3}, {"count": 3, "next": "white"}]
    before = State.from_dict(in_phase("stadium_cards"))
    assert [before.to_dict(view=seat)["stadium"]["draw"] for seat in range(4)] == [{"count": 3}] * 4


def test_when_the_game_is_over_stadium_cards_are_laid_open_and_hands_are_not() -> None:
    """A10."""
    position = in_phase("over")
    state = State.from_dict(position)
    for seat in range(4):
        view = state.to_dict(view=seat)
        assert view["stadium"]["past"] == position["stadium"]["past"]
        hidden = [player["slaves"] for other, player in enumerate(view["players"]) if other != seat]
        assert all(set(hand) == {"count"} for hand in hidden)
        assert view["theatre"]["draw"] == {"count": len(position["theatre"]["draw"])}


# ------------------------------------------------------------------------------------------------ boards


@pytest.mark.parametrize("phase", PHASES)
def test_the_board_shows_the_position(phase: str) -> None:
    position = in_phase(phase)
    board = str(State.from_dict(position))
    asked = "the game is over" if phase == "over" else f"player {position['current_player']} to decide"
    assert asked in board.splitlines()[0]
    assert f"round {position['round']} of 6, player 3 is first" in board
    for space, seat in position["spaces"].items():
        label = space if space != "theatrum" else "theatrum  "
        assert any(label in line and f"[p{seat}]" in line for line in board.splitlines()), space
    for building, owner in position["buildings"].items():
        part = board[board.index(f"player {owner}  ") :]
        assert building in part
    for site in load().buildings:
        assert board.count(site + " ") == 1, site
    for player in position["players"]:
        assert f"{player['vp']} VP" in board
    if phase == "auction":
        assert "blue_purple  by p3  no bid" in board
    if phase in ("arena_cards", "stadium_cards"):
        assert all(f"p{seat} {strength}" in board for seat, strength in position["contest"]["strength"].items())


def test_the_board_shows_each_pending_question() -> None:
    """The board shows bids, received coins, rolls, played cards and stolen coins."""
    auction = in_phase("auction")
    auction["auction"].update(bid={"bronze": 0, "silver": 0, "gold": 2}, bidder=2, out=[0])
    assert "p2 bids G2  p0 out" in str(State.from_dict(auction))
    pecunia = in_phase("pecunia")
    pecunia["exchange"] = {"received": {"bronze": 0, "silver": 0, "gold": 1}, "last": "bronze gold"}
    assert "last bronze gold  received G1" in str(State.from_dict(pecunia))
    cards = in_phase("stadium_cards")
    cards["contest"]["last"] = "silver_horse_1"
    cards["blue_dice"]["left"] = 2
    board = str(State.from_dict(cards))
    assert "last played silver_horse_1" in board
    assert "p0  2 left" in board
    assert "arena p0 SSG, p1 SGG  stadium p1 BSG, p2 BSG, p3 BSG" in board
    assert "portus_bronze [p3] on its coin" in board
    assert "portus_bronze [p3]  portus_silver" in str(State.from_dict(in_phase("portus")))
    assert "builds left     1" in str(State.from_dict(in_phase("forum")))
    place = in_phase("place")
    place["passed"] = [1, 2]
    assert "passed          p1  p2" in str(State.from_dict(place))


def test_the_board_of_a_view_hides_what_the_seat_does_not_know() -> None:
    state = State.from_dict(in_phase("stadium_prize"))
    mine, theirs = state.view(3).board(), state.view(0).board()
    assert "drawn white" in mine
    assert "drawn white" not in theirs
    assert "slaves 2 hidden  equi 1 hidden" in mine
    assert "known of them: weapon_2" in mine
    assert "gold_horse_1  " not in mine
    assert "slaves slave_1  equi 2 gold_horse_1" in theirs
    assert "drawn unseen: p1 kept one of them, p2 has the other" in theirs
    assert "laurel_10 or unseen" in theirs
