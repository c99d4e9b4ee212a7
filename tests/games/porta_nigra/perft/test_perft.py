"""Both engines count the same sequences."""

from __future__ import annotations

import json
from typing import Any

import pytest

from porta_nigra_env.core.cache import COMPILED
from porta_nigra_env.games.porta_nigra.components.load import load
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.referee import Referee
from tests.games.porta_nigra.perft.counts import FILE, engine_count, referee_count

ROWS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
#: Nodes the plain-Python referee walks for one position in the short run.
PATIENCE = 3_000


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_the_engine_counts_as_stored(row: dict[str, Any]) -> None:
    state = State.from_dict(row["position"])
    counts = row["counts"] if COMPILED else [count for count in row["counts"] if count < PATIENCE]
    assert [engine_count(state, depth) for depth in range(1, len(counts) + 1)] == counts


def check_with_the_referee(row: dict[str, Any], patience: int) -> None:
    state = State.from_dict(row["position"])
    referee = Referee(load().data)
    depths = [depth for depth, count in enumerate(row["counts"], 1) if count <= patience]
    assert depths
    assert referee_count(state, state.to_dict(), referee, depths[-1]) == row["counts"][depths[-1] - 1]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_the_referee_counts_as_stored(row: dict[str, Any]) -> None:
    check_with_the_referee(row, PATIENCE)


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_the_referee_counts_as_stored_deeper(row: dict[str, Any]) -> None:
    check_with_the_referee(row, 30_000)


def test_all_phases_are_counted_from() -> None:
    phases = {row["position"]["phase"] for row in ROWS}
    assert phases >= {"place_builder", "choose_card", "main", "crown", "split_tens", "split_units", "appoint"}
