"""The engine counts what is kept, and what is kept are the positions that the rooms have chosen."""

from __future__ import annotations

from importlib import import_module

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games import GAMES
from tests.perft.counts import Counted, all_counted, count, counted, counts_of, line_of
from tests.toys.kuhn.game import KuhnState

#: Sequences that are counted one by one where nothing is compiled.
PATIENCE = 1_500


@pytest.mark.parametrize("one", all_counted(), ids=str)
def test_the_engine_counts_as_stored(one: Counted) -> None:
    counts = one.counts if COMPILED else [number for number in one.counts if number < PATIENCE]
    assert [count(one.state, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize("game", GAMES)
def test_the_chosen_positions_are_kept(game: str) -> None:
    chosen = import_module(f"tests.games.{game}.perft.starts").positions()
    assert [(name, state.to_dict()) for name, state in chosen] == [(one.name, one.position) for one in counted(game)]


def test_counting_ends_with_the_depth_or_the_number() -> None:
    state = KuhnState.new(seed=1)
    assert counts_of(state) == [2, 4, 5, 5, 5, 5, 5, 5, 5]
    assert line_of(Counted("kuhn", "start", {"a": 1}, [2])) == '{"name": "start", "counts": [2], "position": {"a": 1}}'
