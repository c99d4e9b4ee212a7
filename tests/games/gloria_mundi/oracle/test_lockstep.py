"""Engine and referee agree, from the setup and from odd positions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.positions.position import PositionError
from porta_nigra_env.games import state_class
from tests.games.gloria_mundi.components import files
from tests.games.gloria_mundi.oracle.altered import altered
from tests.games.gloria_mundi.oracle.events import EVENTS
from tests.games.gloria_mundi.oracle.lockstep import Trial
from tests.games.gloria_mundi.oracle.odd import EDITS, edits_tried
from tests.games.gloria_mundi.oracle.plans import POLICIES
from tests.games.gloria_mundi.oracle.referees import deal
from tests.games.gloria_mundi.rules.positions import COMPONENTS, REFEREES
from tests.lockstep.trial import Difference

SEATS = range(COMPONENTS["constants"]["players"][0], COMPONENTS["constants"]["players"][1] + 1)
#: The fewest games for each number of players in which every event is met.
GAMES = 40
OTHER = str(files.OTHER)


@pytest.mark.parametrize("players", SEATS)
def test_games_agree_with_the_other_components(players: int) -> None:
    _, decisions = Trial(OTHER).games(players, 0, 24 if COMPILED else 8)
    assert decisions > (1_000 if COMPILED else 300)


def test_games_agree_and_every_rare_event_is_met() -> None:
    events: Counter[str] = Counter()
    for players in SEATS:
        found, decisions = Trial().games(players, 0, GAMES if COMPILED else 8)
        events += found
        assert decisions > (3_500 if COMPILED else 600)
    missed = [event for event in EVENTS if not events[event]]
    # Interpreted, a fifth of the games is played; the rarest events are left to the compiled and the long run.
    assert len(missed) < (1 if COMPILED else 20), missed


edits = st.lists(
    st.tuples(st.sampled_from(list(EDITS)), st.integers(0, 63), st.integers(0, 63)), min_size=1, max_size=12
)


@settings(max_examples=30 if COMPILED else 15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    players=st.sampled_from(SEATS),
    seed=st.integers(0, 2**31),
    plies=st.integers(0, 300),
    edits=edits,
    policy=st.sampled_from(list(POLICIES)),
    components=st.one_of(st.sampled_from(["standard", OTHER]), st.integers(0, 10**6)),
)
def test_games_from_generated_positions_agree(
    players: int, seed: int, plies: int, edits: list[tuple[str, int, int]], policy: str, components: str | int
) -> None:
    """Any ability of the grammar beside any other: a number draws a component file."""
    trial = Trial(components) if isinstance(components, str) else Trial()
    sets = trial.drawn(components) if isinstance(components, int) else trial.main
    state = trial.odd_start(players, seed, plies, edits, sets)
    trial.play(state, POLICIES[policy], random.Random(seed), Counter())


def test_altered_positions_are_refused_or_played_alike() -> None:
    """Positions of all kinds of games with random changes; accepted positions are played to the end."""
    trial, rng, states = Trial(), random.Random(12), state_class("gloria_mundi")
    taken = refused = 0
    for number in range(40 if COMPILED else 8):
        state, policy = trial.start(number, SEATS[number % len(SEATS)])
        while not state.is_over:
            state.apply(POLICIES[policy](state.legal_actions(), rng))
            if rng.random() < 0.1:
                board = trial.referees[state.components.name].board
                try:
                    altered_state = states.from_dict(altered(state.to_dict(), board, rng))
                except PositionError:
                    refused += 1
                else:
                    trial.play(altered_state, POLICIES[policy], rng, Counter())
                    taken += 1
    assert min(taken, refused) > (100 if COMPILED else 10)


def test_every_edit_changes_positions() -> None:
    rng, unused = random.Random(5), list(EDITS)
    for players in SEATS:
        for referee in (REFEREES["standard"], REFEREES.add(Trial().drawn(players).data)):
            position = deal(referee, players, rng)
            while legal := referee.legal_actions(position):
                some = [(name, rng.randrange(64), rng.randrange(64)) for name in unused]
                for name, old, new in [next(edits_tried(position, referee, [edit])) for edit in some]:
                    if old != new:
                        unused.remove(name)
                position = referee.apply(position, rng.choice(legal))
    assert unused == []


def one_more_step(data: dict[str, Any]) -> None:
    data["building_cards"][0]["steps"] += 1


def a_dearer_card(data: dict[str, Any]) -> None:
    data["building_cards"][50]["price"]["glory"] = 1


def another_province(data: dict[str, Any]) -> None:
    data["tracks"]["goth"][0] = "FP"


def a_builder_with_x(data: dict[str, Any]) -> None:
    next(card for card in data["building_cards"] if card["name"] == "faber")["ability"]["repeat"] = True


@pytest.mark.parametrize("mistake", [one_more_step, a_dearer_card, another_province, a_builder_with_x])
def test_a_wrong_engine_is_found(mistake: Callable[[dict[str, Any]], None]) -> None:
    # A referee with one other number stands for an engine with a wrong rule.
    wrong = Trial().data
    mistake(wrong)
    with pytest.raises(Difference):
        Trial(ruled=wrong).games(3, 0, 24)
