"""Ratings that follow the games."""

from __future__ import annotations

import numpy as np
import pytest

from agents.live import LiveRatings


def test_the_stronger_rises_whoever_sits_where() -> None:
    """Draws from a Plackett-Luce model with strengths 1 : 2 : 6; the order is found, with falling deviations."""
    rng = np.random.default_rng(1)
    strength = {"weak": 1.0, "middle": 2.0, "strong": 6.0}
    live = LiveRatings(list(strength))
    before = live.standings()
    for _ in range(300):
        seats = list(rng.permutation(list(strength)))
        # The smallest of exponential variables with these rates is first with Plackett-Luce's probabilities.
        times = [rng.exponential(1 / strength[agent]) for agent in seats]
        live.add(seats, [-int(1e6 * time) for time in times])
    assert [one.agent for one in live.standings()] == ["strong", "middle", "weak"]
    assert max(one.deviation for one in live.standings()) < min(one.deviation for one in before) / 3


def test_a_tie_moves_equals_nowhere_and_numbers_of_players_mix() -> None:
    live = LiveRatings(["a", "b", "c"])
    live.add(["a", "b"], [40, 40])
    ratings = {one.agent: one for one in live.standings()}
    assert ratings["a"].rating == pytest.approx(ratings["b"].rating)
    live.add(["c", "a", "b"], [50, 40, 30])
    live.add(["a", "b"], [40, 30])
    assert [one.agent for one in live.standings()] == ["c", "a", "b"]
    assert live.line(2).startswith("c ")
    assert live.line(2).endswith(", ...")
    assert live.line().count("±") == 3


def test_an_unknown_agent_changes_nothing() -> None:
    live = LiveRatings(["a", "b"])
    before = live.standings()
    with pytest.raises(KeyError):
        live.add(["a", "nobody"], [1, 2])
    assert live.standings() == before


def test_an_agent_on_two_seats_is_rated_with_both_and_not_against_itself() -> None:
    """First and last in one game is even, in whatever order they sit; first and second is a win."""
    seen = []
    for seats, scores in (("AAB", [50, 10, 30]), ("ABA", [10, 30, 50]), ("BAA", [30, 50, 10])):
        live = LiveRatings(["A", "B"])
        live.add(list(seats), scores)
        seen.append({one.agent: one[1:] for one in live.standings()})
        assert seen[-1]["A"] == pytest.approx(seen[0]["A"])
        assert seen[-1]["B"] == pytest.approx(seen[0]["B"])
    assert seen[0]["A"][0] == pytest.approx(25)
    single, double = LiveRatings(["A", "B"]), LiveRatings(["A", "B"])
    single.add(["A", "B"], [50, 30])
    double.add(["A", "B", "A"], [50, 30, 40])
    ahead, same = ({one.agent: one for one in live.standings()} for live in (single, double))
    assert same["A"] == pytest.approx(ahead["A"])
    assert same["B"].rating < ahead["B"].rating


def test_an_agent_alone_moves_nowhere() -> None:
    live = LiveRatings(["A", "B"])
    before = live.standings()
    live.add(["A", "A"], [1, 2])
    assert live.standings() == before
