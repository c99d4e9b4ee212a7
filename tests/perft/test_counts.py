"""Engine and referee reproduce the stored counts of the chosen positions."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import GAMES
from tests.lockstep.trial import Referee, trial_class
from tests.perft.counts import GAME_TESTS, Counted, all_counted, count, counted, counts_of, line_of
from tests.toys.kuhn.game import KuhnState

#: Most sequences counted in interpreted runs, and by the referee in the short run.
PATIENCE = 1_500


@pytest.mark.parametrize("position", all_counted(), ids=str)
def test_the_engine_counts_as_stored(position: Counted) -> None:
    counts = position.counts if COMPILED else [number for number in position.counts if number < PATIENCE]
    assert [count(position.state, depth) for depth in range(1, len(counts) + 1)] == counts


@cache
def referee_of(game: str, components: str) -> Referee:
    other = GAME_TESTS / game / "components" / "other.toml"
    return trial_class(game)("standard" if components == "standard" else other).referee


def referee_count(referee: Referee, state: State, position: dict[str, Any], depth: int) -> int:
    """Count with the referee's legal actions and positions; the engine only supplies the shuffles."""
    if depth == 0 or position["phase"] == "over":
        return 1
    total = 0
    for action in referee.legal_actions(position):
        child = state.clone().apply(action)
        total += referee_count(referee, child, referee.apply(position, action, child.to_dict()), depth - 1)
    return total


@pytest.mark.parametrize("patience", [PATIENCE, pytest.param(30_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("position", all_counted(), ids=str)
def test_the_referee_counts_as_stored(position: Counted, patience: int) -> None:
    patience = patience if COMPILED else 150
    depth = max((depth for depth, number in enumerate(position.counts, 1) if number <= patience), default=1)
    referee = referee_of(position.game, position.position["components"])
    assert referee_count(referee, position.state, position.position, depth) == position.counts[depth - 1]


@pytest.mark.parametrize("game", GAMES)
def test_every_phase_is_counted_from(game: str) -> None:
    phases: tuple[str, ...] = import_module(f"porta_nigra_env.games.{game}.components.names").PHASES
    assert {stored.position["phase"] for stored in counted(game)} == {*phases} - {"over"}


@pytest.mark.parametrize("game", GAMES)
def test_the_chosen_positions_are_stored(game: str) -> None:
    chosen = import_module(f"tests.games.{game}.perft.starts").positions()
    assert [(name, state.to_dict()) for name, state in chosen] == [
        (stored.name, stored.position) for stored in counted(game)
    ]


def test_counting_ends_with_the_depth_or_the_number() -> None:
    state = KuhnState.new(seed=1)
    assert counts_of(state) == [2, 4, 5, 5, 5, 5, 5, 5, 5]
    assert line_of(Counted("kuhn", "start", {"a": 1}, [2])) == '{"name": "start", "counts": [2], "position": {"a": 1}}'
