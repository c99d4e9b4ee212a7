"""The referee alone: what it demands of chance, what it refuses, and whole games with dice thrown here."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.games.aquileia.oracle.alone import deal, played, started
from tests.games.aquileia.oracle.alone import totals as coins_out
from tests.games.aquileia.oracle.events import EVENTS, count_events, count_result
from tests.games.aquileia.oracle.laws import complaints, unaccounted
from tests.games.aquileia.oracle.odd import EDITS, edited
from tests.games.aquileia.oracle.plans import random_edits, random_policy
from tests.games.aquileia.oracle.referee import Outcome, Position, Referee, RefereeError, copied
from tests.games.aquileia.oracle.referee.forum import payment
from tests.games.aquileia.rules.positions import COMPONENTS, REFEREE, Table

HERE = Path(__file__).parent
SEATS = tuple(COMPONENTS["constants"]["players"])


def example() -> Position:
    position: Position = json.loads((HERE / "position_example.json").read_text(encoding="utf-8"))
    return position


def other_components() -> dict[str, Any]:
    """A component set with other numbers and other lists."""
    data = copy.deepcopy(COMPONENTS)
    data["name"] = "other"
    data["constants"] |= {
        "rounds": 5, "followers_per_player": 4, "houses_per_player": 4, "dolus_red_dice": 3, "contest_red_dice": 2,
        "latro_red_dice": 3, "blue_dice": 3,
    }  # fmt: skip
    data["start"] = {"bronze": 1, "gold": 4}
    data["die"] = {"bronze": 1, "silver": 2, "gold": 4}
    data["mercatus"]["equi_price"] = {"silver": 1}
    data["mercatus"]["exchanges"] = [
        {"give": {"gold": 2}, "get": {"silver": 3}},
        {"give": {"silver": 1}, "get": {"gold": 2}},
        {"give": {"gold": 1}, "get": {"bronze": 1}},
    ]
    data["mercatus"]["pecunia_vp"] = 1
    data["arena"] |= {"spaces": [2, 1, 1, 2], "prizes": [5, 1, 1], "coin": "gold", "vp_per_strength": 3}
    data["stadium"] |= {"gold": [3, 1], "silver": [2, 2, 2], "prizes": [2, 2, 0]}
    data["portus"]["spaces"] = ["gold", "bronze"]
    data["forum"]["spaces"] = [{"builds": 3, "value": True}, {"builds": 1}]
    data["slave_cards"] = {"2": 7}
    data["stadium_cards"] = {"colours": {"purple": 2, "white": 3, "blue": 1, "yellow": 1}, "laurels": [1, 9, 4]}
    return data


# ------------------------------------------------------------------------------------------------ single questions


def test_the_contracts_example() -> None:
    """A30: the owner of the blue dice is asked."""
    assert complaints(REFEREE, example()) == []
    assert REFEREE.legal_actions(example()) == ["dice 0", "dice 1", "dice 2", "dice 3", "dice 4"]


def test_apply_leaves_its_input_alone_and_drops_the_random_state() -> None:
    position = Table().coins(0, 1).ready(0) | {"rng": "opaque", "components_digest": "abc"}
    before = copy.deepcopy(position)
    after = REFEREE.apply(position, "place portus_bronze")
    assert position == before
    assert not {"rng", "components_digest"} & set(after)
    assert after["portus_coins"] == ["bronze"]


def test_an_illegal_action_and_missing_chance_are_refused() -> None:
    with pytest.raises(ValueError, match="illegal action 'dice 5' in phase 'arena_dice'"):
        REFEREE.apply(example(), "dice 5")
    with pytest.raises(ValueError, match="an outcome is needed"):
        REFEREE.apply(Table().put(dolus=0).ready(0), "pass")


@pytest.mark.parametrize("due", range(8))
def test_the_pages_formula_for_slaves_says_what_the_page_says_A44(due: int) -> None:
    """A44: the formula against a comparison of all payments."""
    for singles in range(9):
        for doubles in range(6):
            pairs = min(doubles, due // 2)
            expected = (due - 2 * pairs, pairs) if due - 2 * pairs <= singles else (0, pairs + 1)
            found = payment({"slave_1": singles, "slave_2": doubles}, due)
            if singles + 2 * doubles < due:
                assert found is None
            else:
                assert found is not None
                assert (found.get("slave_1", 0), found.get("slave_2", 0)) == expected


# ------------------------------------------------------------------------------------------------ chance


def outcome(**rolls: Any) -> Outcome:
    """An outcome with these dice."""
    return Outcome({"dice": rolls, "slaves": {"draw": []}}, {"bronze": 2, "silver": 2, "gold": 0})


@pytest.mark.parametrize(
    ("rolls", "seat", "message"),
    [
        ({"latro": ["bronze"]}, None, "dice.latro: not 2 dice"),
        ({"latro": ["silver", "bronze"]}, None, "dice.latro: not in the order"),
        ({"latro": ["silver", "gold"]}, None, "dice.latro: a face that no die has"),
        ({"latro": ["silver", "copper"]}, None, "dice.latro: a face that no die has"),
        ({"latro": {"0": ["silver", "silver"]}}, 1, "dice.latro.1: not thrown"),
    ],
)
def test_impossible_dice_are_refused(rolls: dict[str, Any], seat: int | None, message: str) -> None:
    with pytest.raises(RefereeError, match=message):
        outcome(**rolls).dice("latro", 2, seat)


def test_a_rebuilt_slave_pile_is_a_shuffle_of_its_discard() -> None:
    discard = {"slave_1": 1, "slave_2": 2}
    after = Outcome({"slaves": {"draw": ["slave_2"]}}, {})
    assert after.slave_pile(discard) == ["slave_1", "slave_2", "slave_2"]
    with pytest.raises(RefereeError, match=r"slaves\.draw"):
        Outcome({"slaves": {"draw": ["slave_1", "slave_1"]}}, {}).slave_pile(discard)


def test_a_rebuilt_equi_pile_went_to_the_buyer_and_into_the_row() -> None:
    """The contract's chapter on chance: one at most to the buyer, then the gaps from left to right, then the pile."""
    discard = {"weapon_1": 2, "weapon_2": 1, "gold_horse_1": 1}
    after = {"equi": {"row": ["weapon_2", "weapon_3", "weapon_1"], "draw": ["gold_horse_1"]}}
    pile = Outcome(after, {}).equi_pile(discard, [0, 2], to_hand=True)
    assert pile == ["weapon_1", "weapon_2", "weapon_1", "gold_horse_1"]
    with pytest.raises(RefereeError, match=r"equi\.draw"):
        Outcome(after, {}).equi_pile(discard, [0, 2], to_hand=False)  # a card is missing
    with pytest.raises(RefereeError, match=r"equi\.draw"):
        Outcome(after, {}).equi_pile({"weapon_1": 4}, [0, 2], to_hand=True)


def test_a_setup_is_checked() -> None:
    """A3, A4."""
    start = deal(REFEREE, 4, random.Random(1))
    REFEREE.check_start(start | {"rng": "opaque"})
    for path, value in (
        (("starting_player",), 4),
        (("round",), 2),
        (("players", 1, "coins", "gold"), 2),
        (("slaves", "draw", 0), "weapon_1"),
        (("theatre", "draw", 0), start["theatre"]["draw"][1]),
        (("current_player",), (start["starting_player"] + 1) % 4),
        (("surprise",), 0),
    ):
        wrong: Any = copied(start)
        place = wrong
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(RefereeError):
            REFEREE.check_start(wrong)


# ------------------------------------------------------------------------------------------------ whole games


@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize("components", [COMPONENTS, other_components()], ids=["standard", "other"])
def test_games_keep_the_laws(players: int, components: dict[str, Any]) -> None:
    """A2, A41, A52, A53: followers, cards, houses, every coin; what chance did is read off the position after it."""
    referee, rng = Referee(components), random.Random(players)
    for _ in range(4):
        start = deal(referee, players, rng)
        referee.check_start(start)
        last = start
        for before, action, after in played(referee, start, random_policy, rng):
            assert complaints(referee, after) == []
            assert not any(unaccounted(referee, before, action, after).values())
            assert referee.apply(before, action, after) == after
            last = after
        assert (last["phase"], last["round"]) == ("over", components["constants"]["rounds"])
        totals = [sheet["total"] for sheet in referee.scores(last)]
        assert referee.winners(last) == [seat for seat in range(players) if totals[seat] == max(totals)]


def test_games_from_odd_positions_keep_the_laws_and_meet_the_rare_events() -> None:
    events: Counter[str] = Counter()
    for players in SEATS:
        for number in range(24):
            position, policy, rng = started(REFEREE, number, players)
            assert complaints(REFEREE, position) == []
            for before, action, after in played(REFEREE, position, policy, rng):
                count_events(before, action, after, REFEREE.board, events)
                assert not any(unaccounted(REFEREE, before, action, after).values())
                position = after
            assert complaints(REFEREE, position) == []
            count_result(position, REFEREE.scores(position), REFEREE.board, events)
    assert set(events) <= set(EVENTS)
    # The rarest need more games than a short test plays.
    assert sum(events[event] == 0 for event in EVENTS) < 16


def test_edits_keep_positions_lawful_and_each_does_something() -> None:
    rng, changed = random.Random(5), Counter[str]()
    for players in SEATS:
        for _, _, after in played(REFEREE, deal(REFEREE, players, rng), random_policy, rng):
            if after["phase"] == "over":
                break
            position = copied(after)
            for edit in random_edits(rng):
                before = copied(position)
                edited(position, REFEREE.board, [edit])
                changed[edit[0]] += position != before
                assert complaints(REFEREE, position) == [], (edit, before)
    rare = {"gaps"}  # pile and discard have to be emptied first
    assert set(EDITS) - rare <= {name for name, count in changed.items() if count}


def test_gaps_are_opened_where_no_card_is_left() -> None:
    position = edited(Table().asked(0), REFEREE.board, [("few_equi", 0, 0), ("gaps", 5, 1)])
    assert [card is None for card in position["equi"]["row"]] == [True, False, True]
    assert complaints(REFEREE, position) == []


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("slaves", "discard", "slave_1"), 6, "slaves: not the deck"),
        (("equi", "row", 2), "weapon_3", "equi: not the deck"),
        (("players", 0, "equi_known", "weapon_1"), 1, r"players\[0\].equi_known: above equi"),
        (("spaces", "arena_2"), 3, "contest.strength"),
        (("spaces", "silver_2"), 3, "seat 3 on both sides"),
        (("spaces", "portus_gold"), 3, "seat 3 on two coin spaces"),
        (("portus_coins",), [], "portus_coins: not under every follower"),
        (("passed",), [1], "passed"),
        (("advantage",), [1, 1], "advantage"),
        (("stadium", "open"), None, "stadium.open"),
        (("dice", "dolus"), ["gold", "silver"], "dice.dolus"),
        (("blue_dice",), None, "has no blue dice"),
        (("blue_dice", "left"), 3, "blue_dice.left"),
        (("builds_left",), 1, "builds_left: given or null"),
        (("contest", "strength", "0"), 1, "contest.strength"),
        (("current_player",), 1, "has no blue dice"),
        (("phase",), "stadium_cards", "acts in stadium_cards"),
        (("phase",), "forum", "acts in forum"),
        (("round",), 4, "stadium.past"),
        (("surprise",), 1, "keys"),
    ],
)
def test_what_is_refused_is_complained_of(path: tuple[Any, ...], value: Any, complaint: str) -> None:
    """The contract's list of refusals, on its own example."""
    position: Any = example()
    place = position
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    found = complaints(REFEREE, position)
    assert any(re.search(complaint, line) for line in found), found


def test_coins_are_counted_in_stocks_and_under_followers() -> None:
    table = Table(3).coins(0, 1, 2, 3).coins(2, 4).put(portus_gold=1)
    assert coins_out(table.asked(0)) == Counter(bronze=5, silver=2, gold=4)
    after = copied(table.asked(0))
    after["players"][0]["coins"]["gold"] += 1
    assert unaccounted(REFEREE, table.asked(0), "place forum_1", after) == Counter(gold=1, bronze=0, silver=0)
