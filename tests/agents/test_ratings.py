"""Shares, places, intervals and ratings, against results by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from agents.arena import ratings
from agents.arena.ratings import ELO, Z, half_width, plackett_luce

T50 = half_width(50)


def test_shares_places_and_margins_of_ties() -> None:
    scores = [[30, 20, 10], [20, 20, 10], [10, 20, 20], [5, 5, 5]]
    places = [[1, 2, 3], [1, 1, 3], [3, 1, 1], [1, 1, 1]]
    assert ratings.win_shares(places).tolist() == [[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]]
    assert ratings.ranks(places).tolist() == [[1, 2, 3], [1.5, 1.5, 3], [3, 1.5, 1.5], [2, 2, 2]]
    assert ratings.margins(scores).tolist() == [[10, -10, -20], [0, 0, -10], [-10, 0, 0], [0, 0, 0]]


def test_who_wins_follows_from_places_and_not_from_totals() -> None:
    """A tie of totals that something else than points breaks, and a game in which the lower total wins."""
    assert ratings.win_shares([[2, 1, 3]]).tolist() == [[0, 1, 0]]
    assert ratings.ranks([[2, 1, 3], [4, 2, 2]]).tolist() == [[2, 1, 3], [3, 1.5, 1.5]]


def test_wilson() -> None:
    # 8 of 10: (0.8 + z²/20 ± z·sqrt(0.016 + z²/400)) / (1 + z²/10)
    found = ratings.wilson(0.8, 10)
    assert found == pytest.approx((0.8, 0.49016, 0.94331), abs=1e-4)
    assert ratings.wilson(1.0, 10).high == pytest.approx(1.0)
    assert ratings.wilson(1.0, 10).low == pytest.approx(10 / (10 + Z * Z))
    for size in range(1, 50):
        none, all_of_them = (ratings.wilson(share, size, half_width(size)) for share in (0.0, 1.0))
        assert none.low == 0.0
        assert all_of_them.high == 1.0


def test_the_deal_is_the_unit_of_shares() -> None:
    # Where the cards decide and the seats are rotated, every deal is 1 : 1 and the games count fully.
    even = ratings.share_of_deals(np.full(50, 1.0), np.full(50, 2.0))
    # Where the games of a deal always end alike, there are only as many trials as deals.
    alike = ratings.share_of_deals(np.tile([0.0, 2.0], 25), np.full(50, 2.0))
    assert even == pytest.approx(ratings.wilson(0.5, 50, T50))
    assert alike == pytest.approx(ratings.wilson(0.5, 50, T50))
    # Independent games of a deal: variance p(1-p)/2 between deals, 100 trials (less one deal for the mean).
    apart = ratings.share_of_deals(np.tile([0.0, 1.0, 1.0, 2.0], 25), np.full(100, 2.0))
    assert apart == pytest.approx(ratings.wilson(0.5, 2 * 99, half_width(100)))
    won = ratings.share_of_deals(np.full(20, 2.0), np.full(20, 2.0))
    assert won == pytest.approx(ratings.wilson(1.0, 20, half_width(20)))
    assert np.isnan(ratings.share_of_deals(np.zeros(3), np.zeros(3)).value)


def test_few_deals_have_wide_intervals() -> None:
    """Quantiles of Student's t from a table, for 3, 11 and 29 degrees of freedom."""
    for deals, quantile in ((4, 3.1824), (12, 2.2010), (30, 2.0452)):
        assert half_width(deals) == pytest.approx(quantile, abs=1e-4)
        halves = np.tile([0.0, 2.0], deals // 2)
        share = ratings.share_of_deals(halves, np.full(deals, 2.0))
        assert share == pytest.approx(ratings.wilson(0.5, deals, quantile), abs=1e-4)
        (mean,) = ratings.mean_of_deals(halves[:, None], np.full((deals, 1), 2.0))
        assert mean.high - mean.value == pytest.approx(quantile * np.std([0, 1] * deals) / np.sqrt(deals - 1), rel=1e-4)
        # The logit's standard error is that of the share over 1/4; the prior and 400 samples change it by a tenth.
        found = two("wl" * (deals // 2)).difference(0, 1)
        assert (found.high - found.low) / 2 == pytest.approx(quantile * 2 / np.sqrt(deals - 1), rel=0.2)


def test_intervals_of_few_deals_hold_what_they_promise() -> None:
    """With six deals, 95 % of the intervals contain the truth; those of a normal distribution miss it in 10 %."""
    rng = np.random.default_rng(1)
    kept, ours = np.zeros(2), 3000
    for _ in range(ours):
        sums = 2 * rng.normal(50, 3, 6)
        (found,) = ratings.mean_of_deals(sums[:, None], np.full((6, 1), 2.0))
        kept[0] += found.low < 50 < found.high
        kept[1] += abs(found.value - 50) < (found.high - found.value) * Z / half_width(6)
    assert 0.94 < kept[0] / ours < 0.96
    assert kept[1] / ours < 0.92


def test_of_one_deal_no_mean_is_known() -> None:
    (found,) = ratings.mean_of_deals(np.array([[3.0]]), np.array([[2.0]]))
    assert found.value == 1.5
    assert np.isnan(found.low)
    assert np.isnan(found.high)


def test_means_of_deals() -> None:
    rng = np.random.default_rng(1)
    # Two groups: the first with deals of deviation 3 around 50, the second without any spread.
    sums = np.column_stack([rng.normal(50, 3, 400) * 2, np.full(400, 14.0)])
    numbers = np.tile([2.0, 2.0], (400, 1))
    first, second = ratings.mean_of_deals(sums, numbers)
    error = (sums[:, 0] / 2).std(ddof=1) / 20
    assert first.value == pytest.approx((sums[:, 0] / 2).mean())
    assert first.high - first.low == pytest.approx(2 * half_width(400) * error)
    assert second == pytest.approx((7, 7, 7))


def two(results: str) -> ratings.Strengths:
    """Return strengths after games of two agents, each a separate deal: w, l or t for the first one."""
    places = {"w": [1.0, 2.0], "l": [2.0, 1.0], "t": [1.5, 1.5]}
    games = len(results)
    return plackett_luce([[0, 1]] * games, [places[one] for one in results], range(games), 2)


def gaps(found: ratings.Strengths) -> list[float]:
    """Return the distances from the last agent."""
    return (found.values - found.values[-1]).tolist()


@pytest.mark.parametrize(("results", "wins"), [("wwwl", 3), ("wwtl", 2.5), ("wwttttll", 4), ("wtttt", 3)])
def test_two_agents_differ_by_the_logit_of_the_win_share_with_one_more_tie(results: str, wins: float) -> None:
    found, share = two(results), (wins + 0.5) / (len(results) + 1)
    assert not found.bounded
    assert gaps(found) == pytest.approx([np.log(share / (1 - share)), 0], abs=1e-7)
    assert found.values.mean() == pytest.approx(0, abs=1e-9)


def test_intervals_of_two_agents() -> None:
    # The information of n games is n·p(1-p); the clustered error is sqrt(Σ(result - p)²·n/(n-1)) over it.
    found = two("wwwl" * 25)
    error = np.sqrt(100 / 99 * (75 * 0.25**2 + 25 * 0.75**2)) / (100 * 0.75 * 0.25)
    first, second = found.difference(0, 1), found.difference(1, 0)
    assert first.value == pytest.approx(np.log(75.5 / 25.5))
    assert (first.high - first.low) / 2 == pytest.approx(half_width(100) * error, rel=0.1)
    assert second == pytest.approx((-first.value, -first.high, -first.low))
    assert two("wwwl" * 25).difference(0, 1) == first


def test_ratings_rest_on_an_agent_or_on_the_mean() -> None:
    found = two("wwwl")
    gap = found.difference(0, 1)
    assert found.rating(1, anchor=1) == ((1500, 1500, 1500), 0)
    assert found.rating(0, anchor=1)[0] == pytest.approx([1500 + ELO * end for end in gap])
    assert found.rating(0, anchor=None)[0] == pytest.approx([1500 + ELO * end / 2 for end in gap])


@pytest.mark.parametrize("anchor", [1, None])
def test_one_game_of_the_weakest_agent_does_not_move_the_best(anchor: int | None) -> None:
    """Four agents play 720 games; the weakest one loses all of them, or wins a single one."""
    agents, places, deals = [], [], []
    for deal in range(60):
        for first, second in itertools.combinations(range(4), 2):
            wins = deal % 4 < 3 or second == 3
            agents += [[first, second], [second, first]]
            places += [[1, 2] if wins else [2, 1], [2, 1] if wins else [1, 2]]
            deals += [deal, deal]
    assert len(agents) == 720
    changed = places.copy()
    last = agents.index([0, 3])
    changed[last] = [2, 1]
    before, after = (plackett_luce(agents, each, deals, 4) for each in (places, changed))
    assert (before.bounded, after.bounded) == (True, False)
    moved = [after.rating(agent, anchor)[0].value - before.rating(agent, anchor)[0].value for agent in range(4)]
    assert abs(moved[0]) < 25
    assert 0 < moved[3] < 150


def test_games_of_a_deal_are_not_counted_as_independent() -> None:
    # Each game twice in its deal is no more knowledge than once.
    once = plackett_luce([[0, 1]] * 40, [[1, 2], [1, 2], [2, 1], [1, 2]] * 10, range(40), 2)
    twice = plackett_luce([[0, 1]] * 80, [[1, 2], [1, 2], [2, 1], [1, 2]] * 20, [*range(40)] * 2, 2)
    assert twice.values == pytest.approx(once.values)
    assert twice.samples == pytest.approx(once.samples)


def test_three_agents_by_hand() -> None:
    # 2x ABC, 2x ACB, 1x BAC, 1x CAB.  B and C are alike; with the strength a of A and 1 of both others the likelihood
    # is 4 log(a/(a+2)) + 2 log(1/(a+2)) + 2 log(a/(a+1)) and a constant, with the tied games of the prior another
    # log a - 2 log(a+1); the slope 7/a - 6/(a+2) - 4/(a+1) vanishes where 3a² - 7a - 14 = 0.
    orders: list[list[int]] = [[0, 1, 2]] * 2 + [[0, 2, 1]] * 2 + [[1, 0, 2], [2, 0, 1]]
    found = plackett_luce(orders, [[1, 2, 3]] * 6, range(6), 3)
    assert gaps(found) == pytest.approx([np.log((7 + np.sqrt(217)) / 6), 0, 0], abs=1e-7)
    # Seats do not matter, only ranks.
    places: list[list[int]] = [[order.index(agent) + 1 for agent in (2, 1, 0)] for order in orders]
    assert plackett_luce([[2, 1, 0]] * 6, places, range(6), 3).values == pytest.approx(found.values, abs=1e-7)


def test_three_agents_as_choix_rates_them() -> None:
    # choix 0.4.1, ilsr_rankings(3, orders, tol=1e-13), less the last one; many games make the prior negligible.
    orders = [(0, 1, 2), (0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (0, 1, 2), (2, 1, 0)] * 200
    found = plackett_luce(orders, [[1, 2, 3]] * 1600, range(1600), 3)
    assert gaps(found) == pytest.approx([0.6970175, 0.43104733, 0], abs=1e-3)


def test_a_tie_is_half_of_each_order() -> None:
    tied = plackett_luce([[0, 1, 2]] * 4, np.array([[1, 2.5, 2.5], [2, 2, 2], [2, 1, 3], [3, 2, 1]]), range(4), 3)
    # The same with six games in place of each.
    places = [[1, 2, 3], [1, 3, 2]] * 3
    places += [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] + [[2, 1, 3]] * 6 + [[3, 2, 1]] * 6
    whole = plackett_luce([[0, 1, 2]] * 24, places, np.repeat(range(4), 6), 3)
    assert tied.values == pytest.approx(whole.values, abs=1e-7)


def test_an_agent_on_two_seats() -> None:
    # A, A and B: B is last, in the middle and first.  With the strength 1 of B and a of A the chances are
    # 2a/(2a+1)·a/(a+1), 2a/(2a+1)·1/(a+1) and 1/(2a+1), each once: 3 log a - 3 log(2a+1) - 2 log(a+1) and a constant,
    # 3/a - 6/(2a+1) - 2/(a+1) = 0 where 4a² - a - 3 = 0.
    found = plackett_luce([[0, 0, 1]] * 3, [[1, 2, 3], [1, 3, 2], [2, 3, 1]], range(3), 2)
    assert found.values == pytest.approx([0, 0], abs=1e-7)


def test_an_agent_that_always_wins_is_held_by_the_prior() -> None:
    found = two("w" * 20)
    assert found.bounded
    assert gaps(found)[0] == pytest.approx(np.log(20.5 / 0.5), abs=1e-6)
    # The odds at the low end are about those at which twenty of twenty are won in one of forty cases.
    assert np.exp(found.difference(0, 1).low) == pytest.approx(1 / (0.025 ** (-1 / 20) - 1), rel=0.25)


def test_games_of_a_deal_are_not_counted_as_independent_where_an_agent_always_wins() -> None:
    """Each game five times in its deal is no more information than once, for the winner and the two others."""
    agents, places = [[0, 1], [0, 2], [1, 2]], {"w": [1, 2], "l": [2, 1]}
    games = [places[one] for deal in range(12) for one in ("w", "w", "wl"[deal % 2])]
    once = plackett_luce(agents * 12, games, np.repeat(range(12), 3), 3)
    often = plackett_luce(agents * 60, games * 5, np.tile(np.repeat(range(12), 3), 5), 3)
    assert once.bounded
    assert often.bounded
    assert often.values == pytest.approx(once.values, abs=1e-6)
    assert often.samples == pytest.approx(once.samples, abs=1e-6)
    assert often.difference(1, 2).high > 1.0


def test_agents_who_never_met_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="have not met"):
        plackett_luce([[0, 1], [2, 3]], [[1, 2], [1, 2]], range(2), 4)
