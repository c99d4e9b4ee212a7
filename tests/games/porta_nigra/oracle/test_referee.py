"""Duties of the referee alone: checks of starts and of outcomes of chance.  The rules tests run against it too."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porta_nigra_env.games.porta_nigra.components.load import load
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.referee import KEYS, UNORDERED, Position, Referee, RefereeError
from tests.games.porta_nigra.rules.positions import RefereeState, Table
from tests.lockstep.differences import differences

HERE = Path(__file__).parent
COMPONENTS: dict[str, Any] = load().data
REFEREE = Referee(COMPONENTS)
RULES_PAGE = HERE.parents[3] / "docs" / "rules.md"


def example() -> Position:
    """Return the example of the position format."""
    position: Position = json.loads((HERE / "position_example.json").read_text(encoding="utf-8"))
    return position


# ------------------------------------------------------------------------------------------------ the rules page


def test_the_rules_page_prints_the_component_file() -> None:
    """The tables of docs/rules.md are those of the standard file; R1 and R2 with the German numbers."""
    page = RULES_PAGE.read_text(encoding="utf-8")
    for building, rows in COMPONENTS["spots"].items():
        for row, spots in rows.items():
            printed = [s if isinstance(s, str) else f"{s[0]} {s[1]} ({s[2]})" for s in spots]
            for start in range(0, len(printed), 5):
                assert f" | {', '.join(printed[start : start + 5])} |" in page, (building, row, start)
    for card in COMPONENTS["action_cards"]:
        assert f"| {card['torches']} | {' '.join(card['icons'])} |" in page, card["name"]
    for card in COMPONENTS["honour_cards"]:
        assert f"| {card['name']} | {card['copies']} | {card['cost']} |" in page
    for (first, second), area in [
        (COMPONENTS["majorities"]["amphitheatre"]["A"], "Amphitheatre A"),
        *((COMPONENTS["majorities"]["porta_nigra"][height], height) for height in "345678"),
    ]:
        assert f"| {area} | {first} | {second} |" in page
    assert COMPONENTS["rewards"]["porta_nigra"] == {"influence": 1, "romans": 2}


def test_the_rules_page_states_every_ruling_once() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    assert [number for number in range(1, 40) if page.count(f"**R{number}**") == 1] == list(range(1, 37))


# ------------------------------------------------------------------------------------------------ positions


def test_apply_leaves_its_input_alone_and_drops_the_random_state() -> None:
    position = example() | {"components_digest": "abc"}
    before = copy.deepcopy(position)
    after = REFEREE.apply(position, "coin")
    assert position == before
    assert set(after) == KEYS
    assert differences(before, after, UNORDERED) == ["players[1].sesterces: 2 != 3", "turn.markers_left: 3 != 2"]


def test_lists_have_a_canonical_order() -> None:
    """Hands follow the component file, icons their names' order, final cards ascend."""
    position = Table("standard").play("torch").position
    position["players"][0].update(hand=["merchant", "senator", "architect"], final_cards=[56, 30])
    icons = ["buy_black", "buy_white", "buy_any", "build", "influence", "torch", "coins_5"]
    position["turn"].update(icons_left=icons[::-1], markers_left=1)
    after = REFEREE.apply(position, "coin")
    assert after["players"][0]["hand"] == ["architect", "senator", "merchant"]
    assert after["players"][0]["final_cards"] == [30, 56]
    assert after["turn"]["icons_left"] == icons


# ------------------------------------------------------------------------------------------------ starts


def start(players: int, seed: int = 1) -> Position:
    """Return the position of a new game."""
    return State.new(players, seed).to_dict()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_start_passes(players: int) -> None:
    """R6, R7: any starting player, any order of ages, the market filled to at least 14."""
    for seed in range(5):
        REFEREE.check_start(start(players, seed))


def extra_brick(p: Position) -> None:
    p["market"]["red"] += 1
    p["reserve"] -= 1


def duplicate_card(p: Position) -> None:
    p["players"][1]["draw"][0] = p["players"][1]["draw"][1]


WRONG_STARTS: dict[str, Callable[[Position], object]] = {
    "market.red": extra_brick,
    "players[1].hand": duplicate_card,
    "supply_cards.draw": lambda p: p["supply_cards"]["draw"].insert(0, p["supply_cards"]["discard"].pop()),
    "players[0].vp": lambda p: p["players"][0].update(vp=1),
    "players[0].quarter": lambda p: p["players"][0].update(quarter="basilica"),
    "hand": lambda p: p["players"][0]["hand"].append(p["players"][0]["draw"].pop(0)),
    "supply_cards": lambda p: p["supply_cards"]["draw"].pop(),
    "building_cards": lambda p: p["building_cards"]["draw"].pop(),
    "building_cards.display": lambda p: p["building_cards"]["draw"].insert(0, p["building_cards"]["display"].pop()),
    "honour_cards": lambda p: p["honour_cards"]["draw"].append("crown_porta_nigra"),
    "starting_player": lambda p: p.update(starting_player=3),
    "current_player": lambda p: p.update(current_player=(p["current_player"] + 1) % 3),
    "youngest_first": lambda p: p.update(youngest_first=[0, 0, 1]),
    "spots.city_wall": lambda p: p["spots"]["city_wall"]["A"].__setitem__(0, {"owner": 0, "height": 3}),
    "phase": lambda p: p.update(phase="choose_card"),
    "keys": lambda p: p.update(surprise=1),
    "round": lambda p: p.update(round=2),
    "num_players": lambda p: p.update(num_players=5),
    "components": lambda p: p.update(components="other"),
}


@pytest.mark.parametrize("field", WRONG_STARTS)
def test_a_wrong_start_is_refused_by_its_field(field: str) -> None:
    """R6, R7: every field that setup fixes is checked."""
    position = start(3)
    WRONG_STARTS[field](position)
    with pytest.raises(RefereeError) as error:
        REFEREE.check_start(position)
    assert field in str(error.value)


def test_a_card_for_fewer_players_is_refused_with_four() -> None:
    """Rulebook page 3: the "2 or 3 players only" card is in no deck in a game of 4."""
    position = start(4)
    position["players"][0]["draw"][0] = "apprentice"
    with pytest.raises(RefereeError, match=r"players\[0\]"):
        REFEREE.check_start(position)


# ------------------------------------------------------------------------------------------------ chance


def before_a_reshuffle() -> tuple[Position, list[int]]:
    """Return a position whose refill needs a reshuffle after one supply card of 4 bricks, and the order of use."""
    last = next(i for i, card in enumerate(COMPONENTS["supply_cards"]) if len(card["shops"]) == 4)
    others = [i for i in range(10) if i != last]
    table = Table("standard").play().market(black=6).set(supply_cards={"draw": [last], "discard": others})
    return table.position, [*others, last]


def outcome_with_supply(position: Position, order: list[int], used: int) -> Position:
    """Return an outcome in which `used` cards of the new order have been used."""
    return position | {"supply_cards": {"discard": order[:used], "draw": order[used:]}}


def test_a_reshuffle_takes_the_new_order_from_the_outcome() -> None:
    """R7: the card used earlier in this refill is shuffled in too; used cards lie in the new discard pile."""
    position, cards = before_a_reshuffle()
    order = cards[::-1]  # the card just used comes up again
    after = REFEREE.apply(position, "end", outcome_with_supply(position, order, 1))
    assert after["supply_cards"] == {"draw": order[1:], "discard": order[:1]}
    assert sum(after["market"].values()) == 14


@pytest.mark.parametrize("used", [0, 2, 10])
def test_a_reshuffle_with_a_wrong_number_of_used_cards_is_refused(used: int) -> None:
    """R7: exactly as many as needed."""
    position, cards = before_a_reshuffle()
    with pytest.raises(RefereeError, match="supply_cards"):
        REFEREE.apply(position, "end", outcome_with_supply(position, cards[::-1], used))


def test_a_reshuffle_has_to_be_a_permutation() -> None:
    """R7: a permutation of all the supply cards."""
    position, cards = before_a_reshuffle()
    with pytest.raises(RefereeError, match="supply_cards"):
        REFEREE.apply(position, "end", outcome_with_supply(position, [cards[0], *cards[:-1]], 1))


def before_appointing() -> tuple[Position, Position]:
    """Return a position in phase appoint, and the engine's position after `appoint 0`."""
    game = RefereeState(Table("standard").last_turn(1).set(starting_player=0).engine_state()).apply("end")
    while game.position["phase"] != "appoint":
        game.apply("tens 0").apply("units 0")
    return game.position, game.engine.apply("appoint 0").to_dict()


def test_chance_needs_an_outcome() -> None:
    """R7, R28: for a reshuffle and for new hands."""
    for position, action in ((before_a_reshuffle()[0], "end"), (before_appointing()[0], "appoint 0")):
        with pytest.raises(ValueError, match="outcome"):
            REFEREE.apply(position, action)


def test_appoint_checks_the_new_hands() -> None:
    """R28: two cards in hand and the whole deck, nothing else."""
    position, outcome = before_appointing()
    assert REFEREE.apply(position, "appoint 0", outcome)["round"] == 2
    three = copy.deepcopy(outcome)
    three["players"][1]["hand"].append(three["players"][1]["draw"].pop())
    with pytest.raises(RefereeError, match=r"players\[1\]\.hand"):
        REFEREE.apply(position, "appoint 0", three)
    twice = copy.deepcopy(outcome)
    twice["players"][0]["draw"][0] = twice["players"][0]["draw"][1]
    with pytest.raises(RefereeError, match=r"players\[0\]\.draw"):
        REFEREE.apply(position, "appoint 0", twice)


def test_appoint_with_a_reshuffle() -> None:
    """R7: both kinds of chance in one action."""
    position, outcome = before_appointing()
    needing, cards = before_a_reshuffle()
    position |= {"market": needing["market"], "supply_cards": needing["supply_cards"]}
    order = random.Random(1).sample(cards, len(cards))
    accepted = []
    for used in range(11):
        try:
            accepted.append(REFEREE.apply(position, "appoint 0", outcome_with_supply(outcome, order, used)))
        except RefereeError:
            continue
    assert len(accepted) == 1
    supply = accepted[0]["supply_cards"]
    assert supply["discard"] + supply["draw"] == order
