"""Engine and referee agree, from the setup and from odd positions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.aquileia.game import Aquileia
from tests.games.aquileia.oracle.events import EVENTS
from tests.games.aquileia.oracle.lockstep import Trial, odd_start
from tests.games.aquileia.oracle.odd import EDITS
from tests.games.aquileia.oracle.plans import POLICIES
from tests.lockstep.trial import Difference

SEATS = Aquileia.seats
OTHER = str(Path(__file__).parents[1] / "components" / "other.toml")


@pytest.mark.parametrize("players", SEATS)
def test_games_agree_with_the_other_components(players: int) -> None:
    _, decisions = Trial(OTHER).games(players, 0, 24 if COMPILED else 8)
    assert decisions > (1_000 if COMPILED else 300)


def test_games_agree_and_every_rare_event_is_met() -> None:
    events: Counter[str] = Counter()
    for players in SEATS:
        found, decisions = Trial().games(players, 0, 96 if COMPILED else 16)
        events += found
        assert decisions > (6_000 if COMPILED else 1_000)
    missed = [event for event in EVENTS if not events[event]]
    # Interpreted, a tenth of the games is played; the rarest events are left to the compiled and the long run.
    assert len(missed) < (4 if COMPILED else 20), missed


edits = st.lists(
    st.tuples(st.sampled_from(list(EDITS)), st.integers(0, 63), st.integers(0, 63)), min_size=1, max_size=12
)


@settings(max_examples=30 if COMPILED else 15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    players=st.sampled_from(SEATS),
    seed=st.integers(0, 2**31),
    plies=st.integers(0, 250),
    edits=edits,
    policy=st.sampled_from(list(POLICIES)),
    components=st.sampled_from(["standard", OTHER]),
)
def test_games_from_generated_positions_agree(
    players: int, seed: int, plies: int, edits: list[tuple[str, int, int]], policy: str, components: str
) -> None:
    trial = Trial(components)
    state = odd_start(players, seed, plies, edits, components, trial.board)
    trial.play(state, POLICIES[policy], random.Random(seed), Counter())


def more_points_for_an_exchange(data: dict[str, Any]) -> None:
    data["mercatus"]["pecunia_vp"] += 1


def a_dearer_card(data: dict[str, Any]) -> None:
    data["mercatus"]["equi_price"] = {"bronze": 2}


def a_stronger_space(data: dict[str, Any]) -> None:
    data["arena"]["spaces"][-1] += 1


@pytest.mark.parametrize("mistake", [more_points_for_an_exchange, a_dearer_card, a_stronger_space])
def test_a_wrong_engine_is_found(mistake: Callable[[dict[str, Any]], None]) -> None:
    # A referee with one other number stands for an engine with a wrong rule.
    wrong = Trial().data
    mistake(wrong)
    with pytest.raises(Difference):
        Trial(ruled=wrong).games(3, 3, 6)
