"""The referee rejects impossible chance, impossible setups and illegal actions of the engine.

The rules tests (`tests/games/aquileia/rules`) cover its rules.
"""

from __future__ import annotations

from typing import Any

import pytest

from porta_nigra_env.games.aquileia.components.load import load
from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.oracle.referee import Outcome, Referee, RefereeError, copied
from tests.games.aquileia.rules.tables import Table

REFEREE = Referee(load().data)


def test_an_illegal_action_and_missing_chance_are_refused() -> None:
    table = Table().contest("arena_dice", 0, p0=1).stand(arena_1=0).blue(0)
    with pytest.raises(ValueError, match="an outcome is needed"):
        REFEREE.apply(table.position, "dice 1")


def test_apply_leaves_its_input_alone_and_drops_the_random_state() -> None:
    position = Table().position | {"rng": "opaque", "components_digest": "abc"}
    before = copied(position)
    after = REFEREE.apply(position, "place portus_bronze")
    assert position == before
    assert not {"rng", "components_digest"} & set(after)
    assert after["portus_coins"] == ["bronze"]


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
    outcome = Outcome({"dice": rolls, "slaves": {"draw": []}}, {"bronze": 2, "silver": 2, "gold": 0})
    with pytest.raises(RefereeError, match=message):
        outcome.dice("latro", 2, seat)


def test_a_rebuilt_slave_pile_is_a_shuffle_of_its_discard() -> None:
    after = Outcome({"slaves": {"draw": ["slave_2"]}}, {})
    assert after.slave_pile({"slave_1": 1, "slave_2": 2}) == ["slave_1", "slave_2", "slave_2"]
    with pytest.raises(RefereeError, match=r"slaves\.draw"):
        Outcome({"slaves": {"draw": ["slave_1", "slave_1"]}}, {}).slave_pile({"slave_1": 1, "slave_2": 2})


def test_a_rebuilt_equi_pile_went_to_the_buyer_and_into_the_row() -> None:
    after = {"equi": {"row": ["weapon_2", "weapon_3", "weapon_1"], "draw": ["gold_horse_1"]}}
    discard = {"weapon_1": 2, "weapon_2": 1, "gold_horse_1": 1}
    pile = Outcome(after, {}).equi_pile(discard, [0, 2], to_hand=True)
    assert pile == ["weapon_1", "weapon_2", "weapon_1", "gold_horse_1"]
    for cards, to_hand in ((discard, False), ({"weapon_1": 4}, True)):
        with pytest.raises(RefereeError, match=r"equi\.draw"):
            Outcome(after, {}).equi_pile(cards, [0, 2], to_hand=to_hand)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("starting_player",), 4),
        (("round",), 2),
        (("players", 1, "coins", "gold"), 2),
        (("slaves", "draw", 0), "weapon_1"),
        (("theatre", "draw", 0), "blue_white"),
        (("current_player",), None),
        (("surprise",), 0),
    ],
)
def test_an_impossible_setup_is_refused_A3_A4(path: tuple[Any, ...], value: object) -> None:
    """A3, A4."""
    position: Any = State.new(num_players=4, seed=1).to_dict()
    REFEREE.check_start(position)
    inside = position
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    with pytest.raises(RefereeError):
        REFEREE.check_start(position)
