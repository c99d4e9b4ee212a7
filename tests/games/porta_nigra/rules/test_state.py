"""`State`: the contract of each method."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.games.porta_nigra.components.load import Components, load
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State
from tests.games.porta_nigra.rules.positions import OTHER, Table, legal


def lively(state: State, rng: random.Random) -> str:
    """A legal action, the ends of turns seldom, so that something happens in a game."""
    actions = state.legal_actions()
    useful = [action for action in actions if action not in ("end", "coin")]
    return rng.choice(useful if useful and rng.random() < 0.85 else actions)


def played(components: Components | str, players: int, decisions: int, seed: int = 3) -> State:
    """Return a game after a number of steps."""
    state, rng = State.new(players, seed, components), random.Random(seed)
    for _ in range(decisions):
        if not state.is_over:
            state.apply(lively(state, rng))
    return state


# ------------------------------------------------------------------------------------------------ new games


def test_without_a_seed_games_differ() -> None:
    assert len({State.new(2).to_bytes() for _ in range(5)}) == 5


def test_components_are_named_by_name_path_or_set() -> None:
    assert State.new(2, 1, "standard") == State.new(2, 1) == State.new(2, 1, load("standard"))
    assert State.new(2, 1, OTHER) == State.new(2, 1, Path(OTHER)) == State.new(2, 1, load(OTHER))
    assert State.new(2, 1, OTHER) != State.new(2, 1)
    assert State.new(2, 1, OTHER).components is load(OTHER)


@pytest.mark.parametrize("players", [1, 5, 0, -2, True, 2.0, "2", [2]])
def test_other_numbers_of_players_are_refused(players: Any) -> None:
    with pytest.raises(ValueError if type(players) is int else TypeError, match="num_players"):
        State.new(players, 1)


@pytest.mark.parametrize("seed", [-1, 2**63, 2**80, True, 1.0, "1"])
def test_other_seeds_are_refused(seed: Any) -> None:
    state = State.new(2, np.int64(7))  # type: ignore[arg-type]
    for use in (State.new, lambda _, seed: State.from_dict(state.to_dict(), seed), state.determinize):
        with pytest.raises(ValueError if type(seed) is int else TypeError, match="seed"):
            use(0 if use == state.determinize else 2, seed)


# ------------------------------------------------------------------------------------------------ actions


def test_a10_stands_before_a2() -> None:
    state = Table("standard").bricks(white=3, black=3, blue=3, red=3, yellow=3).play("build", markers=1).engine_state()
    walls = legal(state, "build city_wall")
    assert walls.index("build city_wall A10") < walls.index("build city_wall A2")


def before_placing() -> State:
    return State.new(3, 1)


def before_a_card() -> State:
    return Table("standard", 3).engine_state()


def within_a_turn() -> State:
    table = Table("standard", 3).give(sesterces=4, torches=0, influence=1, quarter="porta_nigra").bricks(black=3)
    return table.market(black=1, red=1, white=1).play("buy_black", "build", markers=1).engine_state()


def crowning() -> State:
    table = Table("standard", 3).put("porta_nigra A2", 0).put("porta_nigra A3", 1).put("porta_nigra A4", 0, 8)
    return (
        table.show_honour("crown_porta_nigra").give(influence=3).play().engine_state().apply("honour crown_porta_nigra")
    )


def splitting() -> State:
    table = Table("standard", 3).put("basilica A1", 0).put("basilica A5", 0).last_turn(2)
    return table.set(starting_player=0).engine_state().apply("end")


def splitting_units() -> State:
    return splitting().apply("tens 1")


def appointing() -> State:
    state = splitting()
    while state.to_dict()["phase"] == "split_tens":
        state.apply("tens 0").apply("units 0")
    return state


def at_the_end() -> State:
    return Table("standard", 3).over().engine_state()


SITUATIONS: dict[str, Callable[[], State]] = {
    make.__name__: make
    for make in (
        before_placing, before_a_card, within_a_turn, crowning, splitting, splitting_units, appointing, at_the_end,
    )
}  # fmt: skip
LEGAL = {
    "before_placing": "place basilica",
    "before_a_card": "card quarry",
    "within_a_turn": "buy black via buy_black",
    "crowning": "crown A2",
    "splitting": "tens 1",
    "splitting_units": "units 4",
    "appointing": "appoint 2",
}
#: Readable texts that are not legal in a situation, with the reason.
ILLEGAL = [
    ("before_placing", "card architect", "the builder comes first"),
    ("before_placing", "end", "no card has been played"),
    ("before_a_card", "place basilica", "the builder has been placed"),
    ("before_a_card", "card senator", "not in hand"),
    ("before_a_card", "end", "no card has been played"),
    ("before_a_card", "coin", "no card has been played"),
    ("before_a_card", "roman", "no card has been played"),
    ("before_a_card", "tens 0", "nothing to split"),
    ("within_a_turn", "card quarry", "a card has been played"),
    ("within_a_turn", "buy red via buy_black", "the black shop is stocked"),
    ("within_a_turn", "buy red via buy_red", "no such icon on the card"),
    ("within_a_turn", "buy white via buy_any", "no such icon on the card"),
    ("within_a_turn", "take torch", "no such icon on the card"),
    ("within_a_turn", "build basilica A5", "no white bricks"),
    ("within_a_turn", "build porta_nigra A1 x4", "only three black bricks"),
    ("within_a_turn", "build porta_nigra A5 x3", "no white bricks"),
    ("within_a_turn", "build city_wall A1 by influence", "one influence only"),
    ("within_a_turn", "roman", "one influence only"),
    ("within_a_turn", "honour final_30", "no building cards"),
    ("within_a_turn", "crown A1", "no crown was bought"),
    ("within_a_turn", "appoint 0", "the round goes on"),
    ("crowning", "crown A1", "an empty spot"),
    ("crowning", "crown A3", "another player's element"),
    ("crowning", "crown A4", "too high"),
    ("crowning", "end", "the crown has to be placed"),
    ("splitting", "tens 2", "only 14 points to split"),
    ("splitting", "units 1", "the tens come first"),
    ("splitting", "end", "the turn is over"),
    ("splitting_units", "units 5", "only 4 points are left"),
    ("splitting_units", "tens 0", "the tens have been chosen"),
    ("appointing", "appoint 3", "three players only"),
    ("appointing", "card quarry", "the new round has not begun"),
    ("at_the_end", "end", "the game is over"),
    ("at_the_end", "appoint 0", "the game is over"),
]
#: Values that are no action.
UNREADABLE: list[Any] = [
    "", " ", "END", "End", "end ", " end", "end\n", "pass", "end end", "place", "place Basilica", "place  basilica",
    "place forum", "place basilica\x00", "card", "card nobody", "card final_30", "buy red", "buy red via",
    "buy pink via buy_any", "buy red via build", "build basilica", "build basilica A0", "build basilica A6",
    "build basilica C1", "build basilica A01", "build basilica a2", "build basilica A2 x3", "build porta_nigra A3",
    "build porta_nigra A3 x2", "build porta_nigra A3 x9", "build porta_nigra A10 x3", "build porta_nigra A3 x7 by",
    "build amphitheatre A2 by luck", "take buy_red", "take build", "coins_4", "take coins_6", "honour",
    "honour quarry", "crown", "crown B1", "crown A10", "tens", "tens -1", "tens 1.0", "tens 99", "units 10",
    "units -1", "units x", "appoint 4", "appoint -1", "appoint one", True, False, None, 3, 1.0, b"end", ["end"],
    ("end",), {"end": 1}, np.str_("pass"), float("nan"),
]  # fmt: skip


@pytest.mark.parametrize("situation", SITUATIONS)
def test_in_each_situation_there_is_something_legal(situation: str) -> None:
    state = SITUATIONS[situation]()
    if situation == "at_the_end":
        assert state.legal_actions() == []
    else:
        assert LEGAL[situation] in state.legal_actions()


@pytest.mark.parametrize(("situation", "action", "reason"), ILLEGAL, ids=lambda value: str(value).replace(" ", "-"))
def test_illegal_actions_are_refused_and_change_nothing(situation: str, action: str, reason: str) -> None:
    state = SITUATIONS[situation]()
    before, actions = state.to_bytes(), state.legal_actions()
    with pytest.raises(ValueError, match="cannot be played" if state.is_over else "not legal now") as refused:
        state.apply(action)
    assert repr(action) in str(refused.value)
    with pytest.raises(ValueError, match="cannot be played" if state.is_over else "not legal now"):
        state.apply_id(state.action_id(action))
    assert state.to_bytes() == before
    assert state.legal_actions() == actions
    assert state == SITUATIONS[situation]()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_unreadable_actions_are_refused_by_name_and_change_nothing(situation: str) -> None:
    state = SITUATIONS[situation]()
    before = state.to_bytes()
    for action in UNREADABLE:
        with pytest.raises(ValueError, match="action") as refused:
            state.apply(action)
        assert repr(action) in str(refused.value)
        with pytest.raises(ValueError, match="action"):
            state.action_id(action)
    assert state.to_bytes() == before
    if situation != "at_the_end":
        state.apply(LEGAL[situation])
        assert state.to_bytes() != before


@pytest.mark.parametrize(
    "action", [-1, 290, 10**6, 2**31, 2**70, -(2**70), True, False, None, 0.0, 1.5, "0", "end", [0]]
)
def test_ids_that_are_none_are_refused_and_change_nothing(action: Any) -> None:
    state = before_placing()
    before = state.to_bytes()
    for use in (state.apply_id, state.checked_id, state.action_text):
        with pytest.raises(ValueError, match=r"action id -?\d+ is not in 0\.\.|an action is an integer id, not"):
            use(action)
    assert state.to_bytes() == before


# ------------------------------------------------------------------------------------------------ copies and files


def test_to_dict_gives_a_dict_of_ones_own() -> None:
    state = played("standard", 3, 30)
    position = state.to_dict()
    position["players"][0]["hand"].clear()
    position["market"]["red"] = 77
    position["spots"]["basilica"]["A"][0] = "mine"
    assert state.to_dict() == played("standard", 3, 30).to_dict()


def test_json_is_the_dict(components: Components) -> None:
    state = played(components, 2, 40)
    assert json.loads(state.to_json()) == state.to_dict()
    assert json.loads(state.to_json(view=1)) == state.to_dict(view=1)
    assert "\n" not in state.to_json(indent=None)
    assert State.from_json(state.to_json(indent=None)) == state


def test_the_seed_of_from_dict_fixes_the_future_where_no_rng_is_given() -> None:
    table = Table("standard", 2).play().market()
    table.set(supply_cards={"draw": [], "discard": list(range(10))})
    futures = {State.from_dict(table.position, seed).apply("end").to_bytes() for seed in range(6)}
    assert len(futures) == 6
    again, same = (State.from_dict(table.position, 4).apply("end") for _ in range(2))
    assert again == same
    position = table.state(4).to_dict()
    assert State.from_dict(position, 5) == State.from_dict(position, 6) == table.state(4)
    position["rng"] = None
    assert State.from_dict(position, 4) == table.state(4)


def test_bytes_too_short_too_long_or_of_unknown_components_are_refused() -> None:
    data = played("standard", 2, 9).to_bytes()
    digest = bytes.fromhex(load("standard").digest)
    assert digest in data
    for wrong in (data[:-1], data + b"\0", data.replace(digest, bytes(32))):
        with pytest.raises(ValueError, match=r"bytes|digest"):
            State.from_bytes(wrong)


# ------------------------------------------------------------------------------------------------ results and words


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_board_tells_who_decides_and_what(situation: str) -> None:
    state = SITUATIONS[situation]()
    board, position = str(state), state.to_dict()
    assert max(map(len, board.splitlines())) <= 100
    if not state.is_over:
        assert f"player {state.current_player} to decide: {position['phase'].replace('_', ' ')}" in board
        assert f"player {state.current_player} to decide" in repr(state)
    for name in position["honour_cards"]["display"]:
        assert name in board
    for player in position["players"]:
        for card in player["hand"]:
            assert card in board
    for seat in range(state.num_players):
        seen = state.view(seat).board()
        assert seen.count("hidden") == state.num_players - 1


def test_states_of_other_games_are_not_equal() -> None:
    state = State.new(2, 1)
    assert state != State.new(3, 1)
    assert state != "state"
    assert state != State.new(2, 1, OTHER)
    assert state == State.new(2, 1) != State.new(2, 2)


def test_a_position_is_for_one_number_of_players() -> None:
    with pytest.raises(ValueError, match="num_players"):
        PortaNigra(3).load_position(State.new(2, 1).to_dict())
