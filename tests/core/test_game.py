"""Results and seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.game.game import check_player, check_seed
from porta_nigra_env.core.game.results import lead, margin_returns, outcome_returns, rank_by_totals, win_share, winners


def rank(totals: list[int]) -> list[int]:
    """Return the ranks by totals alone."""
    places = np.zeros(len(totals), dtype=np.int8)
    rank_by_totals(None, None, 0, np.array(totals, dtype=np.int32), places)
    return [int(place) for place in places]


@pytest.mark.parametrize(
    ("totals", "places", "expected"),
    [
        ([10, 4], [1, 2], [1, -1]),
        ([5, 5], [1, 1], [0, 0]),
        ([9, 3, 1], [1, 2, 3], [1, -0.5, -0.5]),
        ([9, 9, 1], [1, 1, 3], [0.25, 0.25, -0.5]),
        ([2, 2, 2], [1, 1, 1], [0, 0, 0]),
        ([1, 7, 3, 2], [4, 1, 2, 3], [-1 / 3, 1, -1 / 3, -1 / 3]),
        ([7, 7, 3, 2], [1, 1, 3, 4], [1 / 3, 1 / 3, -1 / 3, -1 / 3]),
        ([7, 7, 7, 2], [1, 1, 1, 4], [1 / 9, 1 / 9, 1 / 9, -1 / 3]),
        ([-3, 0, -3, 0, -3, -4], [3, 1, 3, 1, 3, 6], [-0.2, 0.4, -0.2, 0.4, -0.2, -0.2]),
        ([0, 0, 0, 0, 0, 0], [1] * 6, [0] * 6),
    ],
)
def test_results_by_hand(totals: list[int], places: list[int], expected: list[float]) -> None:
    assert rank(totals) == places
    assert outcome_returns(places) == pytest.approx(expected)
    assert outcome_returns(places).sum() == pytest.approx(0)
    assert winners(places) == [seat for seat, value in enumerate(expected) if value == max(expected)]


def test_margins_by_hand() -> None:
    assert margin_returns([10, 4]) == pytest.approx([6, -6])
    assert margin_returns([9, 3, 0]) == pytest.approx([7.5, -1.5, -6])
    assert [lead(np.array([9, 3, 0]), seat) for seat in range(3)] == [6, -6, -9]
    assert [win_share(np.array([1, 3, 1]), seat) for seat in range(3)] == [0.5, 0, 0.5]


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_out_of_range_are_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="seed must be in"):
        check_seed(seed)


@pytest.mark.parametrize("seed", [None, 1.0, "1", True])
def test_seeds_of_other_types_are_refused(seed: Any) -> None:
    with pytest.raises(TypeError, match="seed must be an integer"):
        check_seed(seed)


def test_valid_seeds_and_seats_become_plain_integers() -> None:
    assert type(check_seed(np.int64(3))) is int
    assert check_seed(2**63 - 1) == 2**63 - 1
    assert type(check_player(np.int8(1), 2)) is int
    for player in (-1, 2, True, 1.0, None, "0"):
        with pytest.raises(ValueError, match=r"seat in 0\.\.1"):
            check_player(player, 2)
