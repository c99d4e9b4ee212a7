"""Positions and actions as text: round trips, views, boards, and the field named by every refusal."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.positions.position import PositionError
from porta_nigra_env.games.porta_nigra.actions import action_strings
from porta_nigra_env.games.porta_nigra.components.load import load
from porta_nigra_env.games.porta_nigra.game import State
from porta_nigra_env.games.porta_nigra.text import from_dict
from tests.games.porta_nigra.oracle.referee import UNORDERED
from tests.games.positions import damage, damages, play_on
from tests.lockstep.differences import differences

EXAMPLE = Path(__file__).parents[1] / "oracle" / "position_example.json"
OTHER = str(Path(__file__).parents[1] / "components" / "other.toml")
Position = dict[str, Any]
Change = Callable[[Position], object]


def example() -> Position:
    """Return the example of the format: three players, player 1 has just played the patron."""
    position: Position = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    return position


def test_the_example_loads_and_round_trips() -> None:
    position = example()
    state = State.from_dict(position)
    assert position == example(), "from_dict must leave its input alone"
    written = state.to_dict()
    assert list(written) == list(position)
    assert differences(written, position, UNORDERED) == []
    assert State.from_dict(written) == state
    assert State.from_json(state.to_json()).to_bytes() == state.to_bytes()


@pytest.mark.parametrize(
    ("field", "index", "string"),
    [
        ("place", (0,), "place basilica"),
        ("card", (0,), "card architect"),
        ("buy", (5, 2), "buy red via buy_any"),
        ("buy", (0, 4), "buy white via buy_black"),
        ("take", (1,), "take torch"),
        ("take", (3,), "take coins_4"),
        ("build", (1,), "build basilica A2"),
        ("build", (34,), "build city_wall A10"),
        ("build_porta_nigra", (4, 2), "build porta_nigra A3 x7"),
        ("influence_build", (24,), "build amphitheatre C5 by influence"),
        ("influence_build_porta_nigra", (0, 8), "build porta_nigra A9 x3 by influence"),
        ("crown", (2,), "crown A3"),
        ("units", (5,), "units 5"),
        ("appoint", (2,), "appoint 2"),
        ("honour", (0,), "honour final_30"),
        ("tens", (18,), "tens 18"),
    ],
)
def test_action_strings_follow_from_their_field(field: str, index: tuple[int, ...], string: str) -> None:
    entry = load().actions[field]
    offset = int(np.ravel_multi_index(index, entry.spec.shape))
    assert action_strings(load())[entry.start + offset] == string


def test_a_view_shows_counts_instead_of_hidden_cards() -> None:
    state = State.from_dict(example())
    view = state.to_dict(view=1)
    assert view["players"][1]["hand"] == ["quarry"]
    assert view["players"][1]["draw"] == {"count": 2}
    assert view["players"][0]["hand"] == {"count": 2}
    assert view["supply_cards"]["draw"] == {"count": 3}
    assert view["building_cards"]["draw"] == {"count": 13}
    assert view["honour_cards"]["draw"] == {"count": 13}
    assert view["rng"] == {"count": 0}
    with pytest.raises(PositionError, match=r"^supply_cards\.draw: "):
        State.from_dict(view)


def test_the_board_shows_the_position_and_hides_hands() -> None:
    state = State.from_dict(example())
    board = str(state)
    assert max(map(len, board.splitlines())) <= 100
    for word in ("round 1 of 2", "player 1 to decide: main", "R=p1x1", "patron", "buy_white", "quarry", "reserve 66"):
        assert word in board
    seen = state.view(0).board()
    assert "2 hidden" not in seen.split("> player 1")[0].split("player 0")[1]
    assert "1 hidden" in seen
    assert "quarry  draw" not in seen


def test_no_line_of_the_board_is_longer_than_100() -> None:
    position = example()
    for player in position["players"]:
        player.update(sesterces=9_999, torches=9_999, influence=9_999, vp=9_999)
        for colour in player["bricks"]:
            player["bricks"][colour] += 4
            position["reserve"] -= 4
    board = str(State.from_dict(position))
    assert max(map(len, board.splitlines())) <= 100
    for words in ("9999 VP  9999 sesterces  9999 torches  9999 influence", "bricks B4 U4 R6 Y4 W4"):
        assert words in board


# -- impossible positions: the change, and the field at the beginning of the error


def put(*path: str | int, value: object) -> Change:
    """Return a change that sets one value."""

    def change(position: Position) -> None:
        target: Any = position
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value

    return change


def drop(key: str) -> Change:
    return lambda position: position.pop(key)


def both(*changes: Change) -> Change:
    def change_all(position: Position) -> None:
        for change in changes:
            change(position)

    return change_all


def choose_card(position: Position) -> None:
    """Player 1 takes the patron back: the phase before."""
    position["phase"], position["turn"] = "choose_card", None
    position["players"][1]["hand"].append("patron")


BAD: dict[str, tuple[Change, str]] = {
    "format missing": (drop("format"), "format"),
    "another format": (put("format", value="porta_nigra/2"), "format"),
    "unknown component set": (put("components", value="deluxe"), "components"),
    "component set is no text": (put("components", value=3), "components"),
    "wrong digest": (put("components_digest", value="00"), "components_digest"),
    "digest is no text": (put("components_digest", value=7), "components_digest"),
    "unknown key": (put("colour", value=1), "colour"),
    "misspelt key": (both(drop("reserve"), put("reserv", value=66)), "reserv"),
    "one player": (put("num_players", value=1), "num_players"),
    "five players": (put("num_players", value=5), "num_players"),
    "players as 3.0": (put("num_players", value=3.0), "num_players"),
    "players as true": (put("num_players", value=True), "num_players"),
    "two players listed": (lambda p: p["players"].pop(), "players"),
    "unknown phase": (put("phase", value="maim"), "phase"),
    "no current player": (put("current_player", value=None), "current_player"),
    "a seat that is not there": (put("current_player", value=3), "current_player"),
    "a current player when over": (put("phase", value="over"), "current_player"),
    "round zero": (put("round", value=0), "round"),
    "a round too many": (put("round", value=3), "round"),
    "starting player missing": (drop("starting_player"), "starting_player"),
    "starting player as text": (put("starting_player", value="1"), "starting_player"),
    "ages name a seat twice": (put("youngest_first", value=[1, 1, 2]), "youngest_first"),
    "ages of two": (put("youngest_first", value=[1, 0]), "youngest_first"),
    "a brick too many": (put("reserve", value=67), "reserve"),
    "negative reserve": (put("reserve", value=-1), "reserve"),
    "market without white": (lambda p: p["market"].pop("white"), "market.white"),
    "market with green": (lambda p: p["market"].update(green=0), "market.green"),
    "market as list": (put("market", value=[0, 0, 0, 0, 0]), "market"),
    "a supply card twice": (put("supply_cards", "draw", value=[1, 0, 3]), "supply_cards"),
    "supply card eleven": (put("supply_cards", "draw", value=[1, 0, 10]), "supply_cards.draw[2]"),
    "a building card twice": (lambda p: p["building_cards"]["draw"].append(["basilica", "red"]), "building_cards"),
    "a building card of green": (
        put("building_cards", "display", 0, value=["basilica", "green"]),
        "building_cards.display[0][1]",
    ),
    "a building card of one word": (
        put("building_cards", "display", 0, value=["basilica"]),
        "building_cards.display[0]",
    ),
    "a display too long": (
        lambda p: p["building_cards"]["display"].append(["basilica", "blue"]),
        "building_cards.display",
    ),
    "an unknown honour card": (put("honour_cards", "display", 0, value="final_31"), "honour_cards.display[0]"),
    "an honour card too many": (lambda p: p["honour_cards"]["draw"].append("nine_points"), "honour_cards"),
    "a final card not bought": (lambda p: p["players"][0]["final_cards"].append(30), "players[0].final_cards"),
    "a final card of 31": (put("players", 0, "final_cards", value=[31]), "players[0].final_cards[0]"),
    "a 42 without a 30": (
        lambda p: (p["honour_cards"]["display"].remove("final_42"), p["players"][0]["final_cards"].append(42)),
        "players[0].final_cards",
    ),
    "a bought substitute not owned": (
        lambda p: p["honour_cards"]["display"].remove("substitute_basilica"),
        "players[0].building_cards.basilica",
    ),
    "a building card too many": (
        put("players", 1, "building_cards", "basilica", value=1),
        "players[0].building_cards.basilica",
    ),
    "a row too short": (lambda p: p["spots"]["basilica"]["A"].pop(), "spots.basilica.A"),
    "row D": (lambda p: p["spots"]["basilica"].update(D=[]), "spots.basilica.D"),
    "a building missing": (lambda p: p["spots"].pop("city_wall"), "spots.city_wall"),
    "an element without an owner": (put("spots", "basilica", "A", 1, "owner", value=3), "spots.basilica.A[1].owner"),
    "an element too low": (put("spots", "basilica", "A", 1, "height", value=1), "spots.basilica.A[1].height"),
    "a tower of two": (
        put("spots", "porta_nigra", "A", 0, value={"owner": 0, "height": 2}),
        "spots.porta_nigra.A[0].height",
    ),
    "a tower of nine": (
        put("spots", "porta_nigra", "A", 0, value={"owner": 0, "height": 9}),
        "spots.porta_nigra.A[0].height",
    ),
    "an element with a colour": (
        put("spots", "basilica", "A", 1, value={"owner": 0, "height": 2, "colour": "red"}),
        "spots.basilica.A[1].colour",
    ),
    "a Roman too many": (put("players", 2, "romans", value=6), "players[2].romans"),
    "negative sesterces": (put("players", 0, "sesterces", value=-1), "players[0].sesterces"),
    "ten thousand torches": (put("players", 0, "torches", value=10_000), "players[0].torches"),
    "half a victory point": (put("players", 0, "vp", value=0.5), "players[0].vp"),
    "a key of a player missing": (lambda p: p["players"][2].pop("influence"), "players[2].influence"),
    "an unknown quarter": (put("players", 0, "quarter", value="forum"), "players[0].quarter"),
    "a current player without a builder": (put("players", 1, "quarter", value=None), "players[1].quarter"),
    "an unknown action card": (put("players", 0, "hand", value=["senator", "consul"]), "players[0].hand[1]"),
    "an action card twice": (put("players", 0, "hand", value=["senator", "merchant"]), "players[0].hand"),
    "an action card gone": (put("players", 0, "hand", value=["senator"]), "players[0].hand"),
    "a hand of three": (lambda p: p["players"][0]["hand"].append(p["players"][0]["draw"].pop()), "players[0].hand"),
    "a full hand next to the card in play": (
        lambda p: p["players"][1]["hand"].append(p["players"][1]["draw"].pop()),
        "players[1].hand",
    ),
    "no turn in main": (put("turn", value=None), "turn"),
    "an icon the card does not show": (put("turn", "icons_left", value=["torch"]), "turn.icons_left"),
    "an icon too often": (put("turn", "icons_left", value=["build", "build"]), "turn.icons_left"),
    "an unknown icon": (put("turn", "icons_left", value=["buy_green"]), "turn.icons_left[0]"),
    "four markers": (put("turn", "markers_left", value=4), "turn.markers_left"),
    "honour_bought as 1": (put("turn", "honour_bought", value=1), "turn.honour_bought"),
    "the card in play also in hand": (put("players", 1, "hand", value=["quarry", "patron"]), "players[1].hand"),
    "a turn before the card": (put("phase", value="choose_card"), "turn"),
    "a builder to place twice": (both(choose_card, put("phase", value="place_builder")), "players[1].quarter"),
    "a turn without cards": (
        both(
            choose_card,
            lambda p: (
                p["players"][1]["discard"].extend(p["players"][1]["hand"] + p["players"][1]["draw"]),
                p["players"][1]["hand"].clear(),
                p["players"][1]["draw"].clear(),
            ),
        ),
        "players[1].hand",
    ),
    "a crown without a target": (
        both(
            put("phase", value="crown"),
            put("turn", "honour_bought", value=True),
            lambda p: p["honour_cards"]["display"].remove("crown_porta_nigra"),
        ),
        "spots.porta_nigra.A",
    ),
    "final turns of a missing seat": (
        put("early_end", value={"player": 1, "final_turns_left": [3]}),
        "early_end.final_turns_left[0]",
    ),
    "a final turn of the triggering player": (
        put("early_end", value={"player": 1, "final_turns_left": [1]}),
        "early_end.final_turns_left",
    ),
    "a final turn twice": (
        put("early_end", value={"player": 1, "final_turns_left": [2, 2]}),
        "early_end.final_turns_left",
    ),
    "no final turns left before the end": (
        put("early_end", value={"player": 1, "final_turns_left": []}),
        "early_end.final_turns_left",
    ),
    "an early end without a player": (
        put("early_end", value={"player": None, "final_turns_left": [2]}),
        "early_end.player",
    ),
    "an early end without a list": (put("early_end", value={"player": 1}), "early_end.final_turns_left"),
    "a split in main": (put("split", value={"total": 0, "tens": None, "players_left": []}), "split"),
    "a random state of text": (put("rng", value="rng"), "rng"),
    "a random state of numbers": (put("rng", value=[1, 2]), "rng"),
    "a random state cut short": (put("rng", value="p1:1.2"), "rng"),
    "a random state of other letters": (put("rng", value="p1:1.2.0.0.0.0.0.z"), "rng"),
    "a random state below zero": (put("rng", value="p1:-1.2.0.0.0.0.0.0"), "rng"),
    "a random state too large": (put("rng", value="p1:100000000.2.0.0.0.0.0.0"), "rng"),
    "a counter too large": (put("rng", value="p1:1.2.0.0.0.0.0.80000000"), "rng"),
    "a random state written otherwise": (put("rng", value="p1:0x1.+2.0_0.00.0.0.0.0"), "rng"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_impossible_position_is_refused_by_its_field(name: str) -> None:
    change, field = BAD[name]
    position = example()
    change(position)
    before = copy.deepcopy(position)
    with pytest.raises(PositionError) as caught:
        State.from_dict(position)
    assert str(caught.value).split(": ")[0] == field, caught.value
    assert position == before


def interim(phase: str) -> Position:
    """Return a position of a random game in an interim phase."""
    state = State.new(num_players=3, seed=3)
    rng = random.Random(3)
    while state.to_dict()["phase"] != phase:
        state.apply(rng.choice(state.legal_actions()))
    return state.to_dict()


@pytest.mark.parametrize(
    ("phase", "change", "field"),
    [
        ("split_tens", put("split", value=None), "split"),
        ("split_tens", lambda p: p["split"].update(total=p["split"]["total"] + 1), "split.total"),
        ("split_tens", put("split", "tens", value=0), "split.tens"),
        ("split_tens", lambda p: p["split"]["players_left"].reverse(), "split.players_left"),
        ("split_tens", put("round", value=2), "round"),
        ("split_units", put("split", "tens", value=None), "split.tens"),
        ("split_units", put("split", "tens", value=19), "split.tens"),
        ("appoint", put("split", value={"total": 0, "tens": None, "players_left": []}), "split"),
    ],
)
def test_an_impossible_interim_scoring_is_refused(phase: str, change: Change, field: str) -> None:
    position = interim(phase)
    State.from_dict(position)
    change(position)
    with pytest.raises(PositionError) as caught:
        State.from_dict(position)
    assert str(caught.value).split(": ")[0] == field, caught.value


@pytest.mark.parametrize("position", [None, 3, [], "text", {}])
def test_other_values_are_refused(position: Any) -> None:
    with pytest.raises(PositionError):
        State.from_dict(position)


def nested(depth: int) -> list[Any]:
    """Return lists nested to a depth."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value", [10**5_000, nested(100_000), "m" * 100_000], ids=["digits", "brackets", "letters"])
@pytest.mark.parametrize("field", ["format", "components", "components_digest", "phase", "reserve", "players", "rng"])
def test_huge_values_are_refused_in_few_words(field: str, value: Any) -> None:
    with pytest.raises(PositionError, match=f"^{field}: ") as caught:
        from_dict(load(), {**example(), field: value})
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("key", ["\ud800", "two words", 7, 10**5_000, ("a", "b"), "m" * 100_000], ids=range(6))
def test_unprintable_keys_are_refused_in_printable_words(key: Any) -> None:
    with pytest.raises(PositionError, match="unknown key") as caught:
        from_dict(load(), {**example(), key: 1})
    assert len(str(caught.value).encode("utf-8")) < 300


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{} {}",
        '{"a": NaN}',
        '{"a": 1, "a": 2}',
        '"text"',
        "[" * 100_000,
        f'{{"a": {"9" * 5_000}}}',
    ],
)
def test_other_texts_than_json_objects_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(position|components): "):
        State.from_json(text)


SOUND = [example(), interim("split_tens"), interim("split_units"), interim("appoint")]


@settings(max_examples=400 if COMPILED else 60, deadline=None, suppress_health_check=list(HealthCheck))
@given(which=st.integers(0, 3), changes=damages(("black", "basilica", "quarry")))
def test_damaged_positions_load_or_are_refused(which: int, changes: list[tuple[int, Any, bool]]) -> None:
    position = damage(copy.deepcopy(SOUND[which]), changes)
    try:
        state = State.from_dict(position)
    except PositionError as error:
        assert ": " in str(error)
    else:
        assert State.from_dict(state.to_dict()) == state
        play_on(state, which)
