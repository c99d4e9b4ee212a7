"""Engine and referee agree, from the setup and from odd positions."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.porta_nigra.components.load import load
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.events import EVENTS
from tests.games.porta_nigra.oracle.lockstep import POLICIES, Trial, odd_start
from tests.games.porta_nigra.oracle.odd import EDITS
from tests.lockstep.__main__ import Arguments, tasks
from tests.lockstep.trial import Difference, carry_out

SEATS = State.game_class.seats
OTHER = str(Path(__file__).parents[1] / "components" / "other.toml")


@pytest.mark.parametrize("players", SEATS)
def test_games_agree_with_the_other_components(players: int) -> None:
    _, decisions = Trial(OTHER).games(players, 0, 24 if COMPILED else 8)
    assert decisions > (1_000 if COMPILED else 300)


def test_games_agree_and_every_rare_event_is_met() -> None:
    events: Counter[str] = Counter()
    for players in SEATS:
        found, decisions = Trial().games(players, 0, 64 if COMPILED else 24)
        events += found
        assert decisions > (4_000 if COMPILED else 1_000)
    missed = [event for event in EVENTS if not events[event]]
    # The rarest events are left to the compiled run; `python -m tests.lockstep` plays many more games.
    assert len(missed) == 0 if COMPILED else len(missed) < 8


edits = st.lists(
    st.tuples(st.sampled_from(list(EDITS)), st.integers(0, 63), st.integers(0, 63)), min_size=1, max_size=14
)


@settings(max_examples=30 if COMPILED else 15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    players=st.sampled_from(SEATS),
    seed=st.integers(0, 2**31),
    plies=st.integers(0, 220),
    edits=edits,
    policy=st.sampled_from(list(POLICIES)),
    components=st.sampled_from(["standard", OTHER]),
)
def test_games_from_generated_positions_agree(
    players: int, seed: int, plies: int, edits: list[tuple[str, int, int]], policy: str, components: str
) -> None:
    trial = Trial(components)
    state = odd_start(players, seed, plies, edits, components, trial.data)
    trial.play(state, POLICIES[policy], random.Random(seed), Counter())


def test_a_wrong_engine_is_found() -> None:
    # A referee with one other number stands for an engine with a wrong rule.
    wrong = load().data
    wrong["constants"]["border_cost"] += 1
    state = State.new(num_players=2, seed=1)
    with pytest.raises(Difference, match=r"legal only|players\["):
        Trial(ruled=wrong).play(state, POLICIES["eager"], random.Random(1), Counter())


def test_the_work_is_all_games_at_all_numbers_of_players() -> None:
    given = list(tasks(Arguments(games=70)))
    assert {task.players for task in given} == set(SEATS)
    for players in SEATS:
        numbers = [task.first + i for task in given if task.players == players for i in range(task.games)]
        assert numbers == list(range(70))
    done = carry_out(given[0]._replace(games=1))
    assert done.failure == ""
    assert done.decisions > 50
