"""Impossible positions: each is refused by its field, with the rule it breaks, before anything is changed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.positions.position import PositionError
from porta_nigra_env.games.aquileia import text as notation
from porta_nigra_env.games.aquileia.components.load import load
from porta_nigra_env.games.aquileia.components.names import PHASES
from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.notation.phases import example, in_phase
from tests.games.aquileia.notation.refusals import LISTS, coins
from tests.games.positions import DROP, Changes, assert_refused, change, damage, damages, play_on

ALL = {name: refusal for refusals in LISTS for name, refusal in refusals.items()}


@pytest.mark.parametrize("name", ALL)
def test_an_impossible_position_is_refused_by_its_field(name: str) -> None:
    phase, changes, field, said = ALL[name]
    assert_refused(State, change(in_phase(phase), changes), field, said)


def test_the_lists_have_no_name_twice() -> None:
    assert len(ALL) == sum(map(len, LISTS))


@pytest.mark.parametrize("view", range(4))
def test_a_view_is_refused_as_such(view: int) -> None:
    with pytest.raises(PositionError, match="this is what one seat sees"):
        State.from_dict(State.from_dict(example()).to_dict(view=view))


@pytest.mark.parametrize("position", [None, 3, [], "text", {}])
def test_other_values_than_positions_are_refused(position: Any) -> None:
    with pytest.raises(PositionError):
        State.from_dict(position)


@pytest.mark.parametrize("value", [10**5_000, "m" * 100_000], ids=["digits", "letters"])
@pytest.mark.parametrize("field", ["format", "components_digest", "phase", "spaces", "players", "rng", "round"])
def test_a_huge_value_is_refused_in_a_short_message(field: str, value: Any) -> None:
    with pytest.raises(PositionError, match=f"^{field}: ") as caught:
        notation.from_dict(load(), {**example(), field: value})
    assert len(str(caught.value)) < 300


# ------------------------------------------------------------------------------------------------ what is not refused


GOOD: list[tuple[str, Changes]] = [
    ("place", {"advantage": []}),
    ("place", {"passed": [1, 2]}),
    ("place", {"dice.arena": {}}),
    ("pecunia", {"exchange": {"received": coins(gold=3), "last": "bronze gold"}}),
    ("equi", {"equi.row": [None, "gold_horse_2", None], "equi.draw": ["weapon_2", "silver_horse_1"]}),
    ("arena_cards", {"contest.last": "weapon_3"}),
    ("arena_cards", {"blue_dice": None}),
    ("arena_prize", {"blue_dice": {"owner": 1, "left": 0}}),
    ("arena_prize", {"blue_dice": {"owner": 3, "left": 4}}),
    ("arena_prize", {"contest.strength.1": 5, "advantage": [], "starting_player": 0}),
    ("stadium_cards", {"blue_dice": {"owner": 0, "left": 0}}),
    ("stadium_cards", {"contest.last": "silver_horse_2"}),
    ("auction", {"auction.out": [3], "current_player": 0}),
    ("auction", {"auction.bid": coins(gold=3), "auction.bidder": 2, "auction.out": [0, 1]}),
    ("portus", {"spaces": {"portus_bronze": 3, "portus_gold": 1}}),
    ("over", {"advantage": []}),
    ("arena_dice", {"components_digest": load().digest}),
    ("arena_dice", {"equi.discard.gold_horse_2": DROP, "players.0.equi_known.weapon_3": DROP}),
    # Play does not reach these positions, and they can be played on all the same.
    ("place", {"equi.row.2": None, "equi.draw": ["silver_horse_1"]}),
    ("arena_dice", {"spaces.silver_2": 3, "spaces.theatrum": 0}),
    ("arena_dice", {"spaces.portus_gold": 3, "spaces.theatrum": DROP}),
    ("arena_dice", {"portus_coins": []}),
    ("arena_dice", {"spaces.portus_gold": 0, "portus_coins": ["gold", "bronze", "gold"]}),
    ("place", {"passed": [2, 1, 3]}),
    ("place", {"passed": [0, 1]}),
    ("place", {"current_player": 3}),
    ("arena_cards", {"blue_dice.left": 3, "contest.last": "gold_horse_1"}),
    ("arena_dice", {"blue_dice.left": 0, "contest.strength.0": 0}),
    ("arena_prize", {"blue_dice": {"owner": 3, "left": 3}}),
    ("over", {"round": 5, "stadium.past.5": DROP, "stadium.draw": ["laurel_3", "yellow"]}),
    ("pecunia", {"players.2.coins": coins()}),
    ("pecunia", {"players.2.coins": coins(bronze=1), "exchange": {"received": coins(gold=4), "last": None}}),
    (
        "arena_cards",
        {"players.0.slaves": {}, "players.0.equi": {}, "players.0.equi_known": {}, "slaves.discard.slave_1": 6,
         "equi.discard.gold_horse_1": 3},
    ),
    ("stadium_cards", {"contest.last": "slave_1"}),
    ("stadium_cards", {"current_player": 3, "contest.last": "silver_horse_1"}),
    ("auction", {"players.3.coins": coins()}),
    ("auction", {"auction.out": [3, 0]}),
    ("auction", {"auction.bid": coins(gold=1), "auction.bidder": 3}),
    ("auction", {"auction.bid": coins(gold=1), "auction.bidder": 2, "auction.out": [2]}),
    ("auction", {"auction.bid": coins(gold=1), "auction.bidder": 0}),
    ("portus", {"buildings": {"villa_white_4": 3, "workshop_smith": 0}}),
    ("forum", {"builds_left": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("phase", "changes"), GOOD, ids=range(len(GOOD)))
def test_a_consistent_position_is_accepted_and_playable(phase: str, changes: Changes) -> None:
    play_on(State.from_dict(change(in_phase(phase), changes)), 1)


# ------------------------------------------------------------------------------------------------ any damage at all


WORDS = ("bronze", "gold", "white", "slave_1", "arena_1")


@settings(max_examples=300 if COMPILED else 40, deadline=None, suppress_health_check=list(HealthCheck))
@given(phase=st.sampled_from(PHASES), changes=damages(WORDS))
def test_damaged_positions_load_and_can_be_played_or_are_refused(
    phase: str, changes: list[tuple[int, Any, bool]]
) -> None:
    position = damage(in_phase(phase), changes)
    try:
        state = State.from_dict(position)
    except PositionError:
        return
    play_on(state, 2)
