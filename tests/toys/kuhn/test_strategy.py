"""Exploitability of known strategies of Kuhn poker."""

from __future__ import annotations

import pytest

from tests.toys.kuhn.strategy import POINTS, exploitability, worth


def test_exploitability_of_known_strategies() -> None:
    points = [(history, card) for histories in POINTS.values() for history in histories for card in range(3)]
    always = dict.fromkeys(points, 1.0)
    assert worth(always) == pytest.approx(0.0)
    # The best response to constant bets folds the jack and calls or bets with the other cards.
    assert exploitability(always) == pytest.approx(1 / 3)
    # Kuhn's equilibrium with a first bluff of 1/3 with the jack, and so always a bet with the king.
    nash = {
        ("", 0): 1 / 3, ("", 1): 0.0, ("", 2): 1.0, ("pb", 0): 0.0, ("pb", 1): 2 / 3, ("pb", 2): 1.0,
        ("p", 0): 1 / 3, ("p", 1): 0.0, ("p", 2): 1.0, ("b", 0): 0.0, ("b", 1): 1 / 3, ("b", 2): 1.0,
    }  # fmt: skip
    assert worth(nash) == pytest.approx(-1 / 18)
    assert exploitability(nash) == pytest.approx(0.0, abs=1e-12)
