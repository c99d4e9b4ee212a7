"""Engine and referee of every game agree, from the setup and from odd positions."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.positions.position import PositionError
from porta_nigra_env.games import GAMES, game_entry, state_class
from tests.games.component_files import Key, changed
from tests.games.positions import paths_of
from tests.lockstep.trial import Difference, Position, named_edits, trial_class

#: Games of a sample, over all numbers of players.
SAMPLE = 288 if COMPILED else 48
TRIALS = {game: trial_class(game) for game in GAMES}
OTHER = {game: str(Path(__file__).parent / game / "components" / "other.toml") for game in GAMES}


@pytest.mark.parametrize(("game", "players"), [(game, players) for game in GAMES for players in game_entry(game).seats])
def test_games_agree_with_the_other_components(game: str, players: int) -> None:
    _, decisions = TRIALS[game](OTHER[game]).games(players, 0, 24 if COMPILED else 8)
    assert decisions > (1_000 if COMPILED else 300)


@pytest.mark.parametrize("game", GAMES)
def test_games_agree_and_rare_events_occur(game: str) -> None:
    trial, events, steps, seats = TRIALS[game](), Counter[str](), 0, game_entry(game).seats
    for players in seats:
        sample_events, decisions = trial.games(players, 0, SAMPLE // len(seats))
        events += sample_events
        steps += decisions
    assert steps > 60 * SAMPLE
    missed = [event for event in trial.events if not events[event]]
    # Interpreted, a sixth of the games is played; the rarest events are left to the compiled and the long run.
    assert len(missed) <= (trial.rarest if COMPILED else 19), missed


@pytest.mark.parametrize("game", GAMES)
def test_games_from_generated_positions_agree(game: str) -> None:
    trials = [TRIALS[game](source) for source in ("standard", OTHER[game])]
    edit = st.tuples(st.sampled_from(list(trials[0].edits)), st.integers(0, 63), st.integers(0, 63))

    @settings(max_examples=30 if COMPILED else 15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        trial=st.sampled_from(trials),
        players=st.sampled_from(game_entry(game).seats),
        seed=st.integers(0, 2**31),
        plies=st.integers(0, 250),
        edits=st.lists(edit, min_size=1, max_size=12),
        policy=st.sampled_from(list(trials[0].policies)),
    )
    def agree(trial, players, seed, plies, edits, policy):  # type: ignore[no-untyped-def]
        state = trial.edited_start(players, seed, plies, edits)
        trial.play(state, trial.policies[policy], random.Random(seed), Counter())

    agree()


def altered(position: Position, rng: random.Random) -> Position:
    """Change one to three values of a position in place: the order of a list, an amount by a little, or a name."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        paths = [path for path in paths_of(position) if path[0] not in ("format", "components", "rng")]
        field = rng.choice(sorted({path[0] for path in paths}))
        *steps, last = rng.choice([path for path in paths if path[0] == field])
        inside: Any = position
        for step in steps:
            inside = inside[step]
        value = inside[last]
        if isinstance(value, list):
            inside[last] = rng.choice((rng.sample(value, len(value)), value[1:]))
        elif type(value) is int:
            inside[last] = rng.choice((value - 1, value + 1, value + 1, 0, value + rng.randrange(5)))
        elif not isinstance(value, dict):
            names = sorted(set(re.findall(r"[a-z]\w+", json.dumps(position))))
            inside[last] = rng.choice((None, 0, 1, 2, *names))
    return position


@pytest.mark.parametrize("game", GAMES)
def test_altered_positions_are_refused_or_played_alike(game: str) -> None:
    trial, states, seats, rng = TRIALS[game](), state_class(game), game_entry(game).seats, random.Random(12)
    accepted = refused = 0
    for number in range(24 if COMPILED else 8):
        state, policy = trial.start(number, seats[number % len(seats)])
        while not state.is_over:
            state.apply(trial.policies[policy](state.legal_actions(), rng))
            if rng.random() < 0.1:
                try:
                    altered_state = states.from_dict(altered(state.to_dict(), rng))
                except PositionError:
                    refused += 1
                else:
                    trial.play(altered_state, trial.policies[policy], rng, Counter())
                    accepted += 1
    assert min(accepted, refused) > (30 if COMPILED else 5)


@pytest.mark.parametrize("game", GAMES)
def test_every_edit_changes_positions(game: str) -> None:
    trial, rng = TRIALS[game](), random.Random(5)
    unused = set(trial.edits)
    for seed in itertools.takewhile(lambda _: unused, range(500)):
        players, plies = rng.choice(game_entry(game).seats), rng.randrange(200)
        others = named_edits(rng, *rng.choices(list(trial.edits), k=3))  # some edits need the change of another one
        before = trial.edited_start(players, seed, plies, others).to_dict()
        for edit in named_edits(rng, *sorted(unused)):
            if trial.edited_start(players, seed, plies, [*others, edit]).to_dict() != before:
                unused.remove(edit[0])
    assert unused == set()


@pytest.mark.parametrize(
    ("game", "key", "value"), [(game, key, value) for game in GAMES for key, value in TRIALS[game].mistakes.items()]
)
def test_a_wrong_engine_is_detected(game: str, key: Key, value: object) -> None:
    """A referee with one different number stands for an engine with a wrong rule."""
    wrong = changed(TRIALS[game]().data, {key: value})
    with pytest.raises(Difference):
        TRIALS[game](ruled=wrong).games(3, 0, 24)
