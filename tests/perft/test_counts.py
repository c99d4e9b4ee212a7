"""The engine reproduces the stored counts of the chosen positions."""

from __future__ import annotations

from importlib import import_module

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games import GAMES
from tests.perft.counts import Counted, all_counted, count, counted, counts_of, line_of
from tests.toys.kuhn.game import KuhnState

#: Most sequences counted in interpreted runs.
PATIENCE = 1_500


@pytest.mark.parametrize("position", all_counted(), ids=str)
def test_the_engine_counts_as_stored(position: Counted) -> None:
    counts = position.counts if COMPILED else [number for number in position.counts if number < PATIENCE]
    assert [count(position.state, depth) for depth in range(1, len(counts) + 1)] == counts


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
