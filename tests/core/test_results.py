"""Ranks and their returns."""

from __future__ import annotations

import numpy as np
import pytest

from porta_nigra_env.core.game.results import lead, margin_returns, outcome_returns, rank_by_totals, win_share, winners

NOTHING = np.zeros(1, dtype=np.int8)


@pytest.mark.parametrize(
    ("totals", "places"),
    [
        ([3, 1], [1, 2]),
        ([2, 2], [1, 1]),
        ([5, 9, 9, 1], [3, 1, 1, 4]),
        ([0, 0, 0, 0, 0, 0], [1] * 6),
        ([-4, -9, -4, 0, 7, 0], [4, 6, 4, 2, 1, 2]),
    ],
)
def test_shared_ranks_skip_the_following_ranks(totals: list[int], places: list[int]) -> None:
    ranks = np.zeros(len(totals), dtype=np.int8)
    rank_by_totals(NOTHING, NOTHING, 0, np.array(totals, dtype=np.int32), ranks)
    assert ranks.tolist() == places


def test_outcomes_follow_places_alone() -> None:
    assert outcome_returns([1, 2]).tolist() == [1.0, -1.0]
    assert outcome_returns([1, 1]).tolist() == [0.0, 0.0]
    assert outcome_returns([2, 1, 3]).tolist() == [-0.5, 1.0, -0.5]
    assert outcome_returns([1, 3, 1]).tolist() == pytest.approx([0.25, -0.5, 0.25])
    assert outcome_returns([6, 1, 2, 3, 4, 5]).tolist() == pytest.approx([-0.2, 1.0, -0.2, -0.2, -0.2, -0.2])
    assert [win_share(np.array([1, 3, 1]), seat) for seat in range(3)] == [0.5, 0.0, 0.5]
    assert winners([2, 1, 1]) == [1, 2]


def test_margins_and_leads_follow_totals_alone() -> None:
    assert margin_returns([10, 4, 1]).tolist() == [7.5, -1.5, -6.0]
    assert margin_returns([3, 3]).tolist() == [0.0, 0.0]
    assert [lead(np.array([10, 4, 12], dtype=np.int32), seat) for seat in range(3)] == [-2, -8, 2]
