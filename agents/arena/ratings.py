"""Statistics of games between agents: Plackett-Luce ratings, and intervals clustered by deal.

Games of a deal share their cards and are not independent: all statistics first sum over each deal.  Sources:

* Plackett-Luce: R. L. Plackett, *The analysis of permutations*, Applied Statistics 24 (1975) 193-202; existence of the
  maximum: D. R. Hunter, *MM algorithms for generalized Bradley-Terry models*, Annals of Statistics 32 (2004) 384-406.
* The prior of ratings, one tied deal for each pair of agents: the virtual draws of R. Coulom's BayesElo (2005).
* Resampling of deals: D. B. Rubin, *The Bayesian bootstrap*, Annals of Statistics 9 (1981) 130-134; of likelihoods:
  M. A. Newton, A. E. Raftery, *Approximate Bayesian inference with the weighted likelihood bootstrap*, Journal of the
  Royal Statistical Society B 56 (1994) 3-48.
* Wilson's interval: E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22
  (1927) 209-212; with an effective sample size: N. Dean, M. Pagano, *Evaluating confidence interval methods for
  binomial proportions in clustered surveys*, Journal of Survey Statistics and Methodology 3 (2015) 484-503.
* Student's t for few clusters, and means as ratios of sums over clusters: W. G. Cochran, *Sampling Techniques* (1977),
  6.3 and 9A.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]
from scipy.stats import rankdata, t  # type: ignore[import-untyped]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: Points of Elo's scale for a factor e of strength: 400 points are odds of ten to one.
ELO: Final = 400 / np.log(10)
#: Rating of the anchor: an agent, or the mean of all agents.
ANCHOR: Final = 1500.0
#: Half the width of a 95 % interval in standard errors, if these are known.
Z: Final = 1.959963984540054
#: Samples of the deals, their seed, and the size of the arrays of samples that are fitted together.
SAMPLES, SEED, BLOCK = 400, 1, 1 << 22


def half_width(deals: int) -> float:
    """Return half the width of a 95 % interval in standard errors estimated from a number of deals.

    That is a quantile of Student's t with ``deals - 1`` degrees of freedom, at least one.

    >>> [round(half_width(deals), 2) for deals in (4, 12, 30, 500)]
    [3.18, 2.2, 2.05, 1.96]
    """
    return float(t.ppf(0.975, max(1, deals - 1)))


class Estimate(NamedTuple):
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float


# -- a game


def win_shares(places: npt.ArrayLike) -> Floats:
    """Return 1 for a sole winner, 1/k for each of k, 0 for the others: float64 (games, players), like `places`."""
    first = np.asarray(places) == 1
    shares: Floats = first / first.sum(axis=1, keepdims=True)
    return shares


def ranks(places: npt.ArrayLike) -> Floats:
    """Return ranks in which ties share the mean: float64 (games, players), like `places`."""
    shared: Floats = rankdata(np.asarray(places), method="average", axis=1)
    return shared


def margins(totals: npt.ArrayLike) -> Floats:
    """Return own total minus the best other one: float64 (games, players), like `totals`."""
    values = np.asarray(totals, dtype=np.float64)
    others = np.empty_like(values)
    for seat in range(values.shape[1]):
        others[:, seat] = np.delete(values, seat, axis=1).max(axis=1)
    return values - others


# -- means over deals


def by_deal(values: npt.ArrayLike, groups: npt.ArrayLike, deals: npt.ArrayLike, count: int) -> tuple[Floats, Floats]:
    """Return sums and numbers of `values` (m,) by deal and by one of `count` groups, both float64 (deals, count)."""
    unique, rows = np.unique(np.asarray(deals), return_inverse=True)
    sums, numbers = np.zeros((len(unique), count)), np.zeros((len(unique), count))
    np.add.at(sums, (rows, np.asarray(groups)), np.asarray(values, dtype=np.float64))
    np.add.at(numbers, (rows, np.asarray(groups)), 1.0)
    return sums, numbers


def wilson(share: float, size: float, z: float = Z) -> Estimate:
    """Return Wilson's interval of a share of `size` trials, which may be a fraction, `z` standard errors each way."""
    centre = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * np.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    # Rounding must not exclude a share of 0 or 1.
    return Estimate(share, min(share, max(0.0, float(centre - half))), max(share, min(1.0, float(centre + half))))


def share_of_deals(sums: Floats, numbers: Floats) -> Estimate:
    """Return a share, e.g. of wins, with Wilson's interval for the effective number of trials.

    The effective number is that of independent trials with the observed variance between deals.  It is at least the
    number of deals and at most the number of trials: an agent that always wins has an interval too, and a lucky
    agreement of deals does not narrow it.

    Args:
        sums, numbers: float64 (deals,), of values in 0..1.
    """
    trials = float(numbers.sum())
    if not trials:
        return Estimate(float("nan"), float("nan"), float("nan"))
    share = float(sums.sum()) / trials
    deals = int((numbers > 0).sum())
    variance = deals / max(1, deals - 1) * float(((sums - share * numbers) ** 2).sum()) / trials**2
    size = share * (1 - share) / variance if variance > 0 else 0.0
    return wilson(share, float(np.clip(size, min(deals, trials), trials)), half_width(deals))


def mean_of_deals(sums: Floats, numbers: Floats) -> list[Estimate]:
    """Return means of groups with intervals from the variance between deals; sums, numbers: float64 (deals, groups).

    A single deal has no variance: its interval is not a number.
    """
    totals = numbers.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums.sum(axis=0) / totals
        squares = ((sums - means * numbers) ** 2).sum(axis=0)
        deals = (numbers > 0).sum(axis=0)
        errors = np.sqrt(deals / (deals - 1.0) * squares) / totals
    return [
        Estimate(mean, mean - half_width(count) * error, mean + half_width(count) * error)
        for mean, error, count in zip(means.tolist(), errors.tolist(), deals.tolist(), strict=True)
    ]


def mean_of_rows(values: Floats) -> list[Estimate]:
    """Return means of columns with intervals from the variance between rows; values: float64 (rows, columns)."""
    return mean_of_deals(values, np.ones_like(values))


# -- Plackett-Luce


@dataclass(frozen=True)
class Strengths:
    """Logarithms of Plackett-Luce strengths.

    Attributes:
        values: float64 (agents,), with the mean 0.
        samples: float64 (SAMPLES, agents), the same with resampled deals.
        bounded: True if the games alone have no maximum of the likelihood, e.g. because an agent always wins.  Some
            differences then rest on the prior.
        deals: number of deals.
    """

    values: Floats
    samples: Floats
    bounded: bool
    deals: int

    def estimate(self, contrast: Floats, offset: float = 0.0) -> Estimate:
        """Return ``contrast @ values + offset`` with a 95 % interval.

        The interval holds 95 % of the samples, widened for few deals: by Student's t, and because resampling n deals
        has the variance of n + 1 instead of n - 1.
        """
        value = float(self.values @ contrast)
        wider = half_width(self.deals) / Z * np.sqrt((self.deals + 1) / max(1, self.deals - 1))
        ends = np.quantile(self.samples @ contrast, (0.025, 0.975))
        low, high = (value + offset + float(wider * (end - value)) for end in ends)
        return Estimate(value + offset, low, high)

    def difference(self, first: int, second: int) -> Estimate:
        """Return the difference of two strengths with a 95 % interval."""
        return self.estimate(_contrast(len(self.values), first, second))

    def rating(self, agent: int, anchor: int | None) -> tuple[Estimate, float]:
        """Return an Elo rating and its standard error; `ANCHOR` is that of an agent, or the mean for None."""
        contrast = ELO * _contrast(len(self.values), agent, anchor)
        return self.estimate(contrast, ANCHOR), float(np.std(self.samples @ contrast))


def _contrast(count: int, agent: int, other: int | None) -> Floats:
    """Return the weights of an agent's difference from another one, or from the mean."""
    weights = np.full(count, -1.0 / count) if other is None else -np.eye(count)[other]
    weights[agent] += 1.0
    return weights


def _orders(places: Sequence[float]) -> list[tuple[int, ...]]:
    """Return all orders of the seats that agree with ranks, which may have ties."""
    seats = sorted(range(len(places)), key=lambda seat: places[seat])
    tied = [itertools.permutations(list(group)) for _, group in itertools.groupby(seats, lambda seat: places[seat])]
    return [tuple(itertools.chain(*groups)) for groups in itertools.product(*tied)]


class _Choices(NamedTuple):
    """Choices of the next agent among the remaining ones.

    chosen: int64 (m,), agents; left: float64 (m, agents), seats of each among the remaining ones; weights: float64
    (clusters, m), how often a choice occurs in a deal, or in the prior of a pair.
    """

    chosen: Integers
    left: Floats
    weights: Floats


def _choices(patterns: Floats, times: Floats, agents: int) -> _Choices:
    """Return the choices of games (m, 2 * players), agents and their ranks; a tie has all orders with equal weights.

    times: float64 (deals, m), how often a game occurs.
    """
    chosen, left, weights = [], [], []
    players = patterns.shape[1] // 2
    for number, line in enumerate(patterns.tolist()):
        seats = [int(agent) for agent in line[:players]]
        orders = _orders(line[players:])
        for order, stage in itertools.product(orders, range(players - 1)):
            chosen.append(seats[order[stage]])
            left.append(np.bincount([seats[seat] for seat in order[stage:]], minlength=agents))
            weights.append((number, 1 / len(orders)))
    unique, which = np.unique(np.column_stack([chosen, left]), axis=0, return_inverse=True)
    numbers, shares = (np.array(column) for column in zip(*weights, strict=True))
    sums = np.zeros((times.shape[1], len(unique)))
    np.add.at(sums, (numbers, which.reshape(-1)), shares)
    return _Choices(unique[:, 0].astype(np.int64), unique[:, 1:].astype(np.float64), times @ sums)


def _prior(seated: Integers, deals: int, agents: int) -> _Choices:
    """Return both orders of a tied deal of every pair: the games in which they meet in a mean deal, but at least one.

    One tied game would have little weight among the games of a deal.  The winner of twelve deals would be as certain of
    the next as the winner of seven hundred.
    """
    present = (seated[:, :, None] == np.arange(agents)).any(axis=1).astype(np.float64)
    met = np.maximum(present.T @ present / deals, 1.0)
    pairs = np.array(list(itertools.combinations(range(agents), 2)))
    left = np.eye(agents)[pairs].sum(axis=1)
    return _Choices(pairs.T.reshape(-1), np.vstack([left, left]), np.diag(np.tile(met[pairs[:, 0], pairs[:, 1]], 2)))


def _fit(chosen: Integers, left: Floats, weights: Floats) -> Floats:
    """Return the strengths (samples, agents) of maximum likelihood for weights (samples, m), with the mean 0.

    Newton's method with steps of at most 1: with the prior the likelihood is concave and has a maximum.
    """
    count = left.shape[1]
    wins = weights @ np.eye(count)[chosen]
    values = np.zeros((len(weights), count))
    for _ in range(200):
        powers = left * np.exp(values - values.max(axis=1, keepdims=True))[:, None, :]
        shares = powers / powers.sum(axis=2, keepdims=True)
        weighted = weights[:, :, None] * shares
        expected = weighted.sum(axis=1)
        hessian = expected[:, :, None] * np.eye(count) - weighted.transpose(0, 2, 1) @ shares
        # Equal additions to all strengths change nothing; the constant keeps the mean at 0.
        scale = weights.sum(axis=1)[:, None, None] / count
        steps = np.linalg.solve(hessian + scale / count, (wins - expected)[:, :, None])[:, :, 0]
        largest = np.abs(steps).max(axis=1, keepdims=True)
        values += steps / np.maximum(1.0, largest)
        if largest.max() < 1e-8:
            break
    return values


def plackett_luce(agents: npt.ArrayLike, places: npt.ArrayLike, deals: npt.ArrayLike, count: int) -> Strengths:
    """Return strengths of `count` agents by maximum a posteriori; the prior is one tied deal for each pair.

    The log-likelihood of a game with ties is the mean over all orders that agree with them.  With two players a tie is
    half a win for each, and the difference of two strengths the logit of the win share.  Samples draw a weight from
    the gamma distribution for each deal, of shape 1, and for each half of a tied deal, of shape 1/2; `SEED` fixes them.

    Args:
        agents: integers (games, players), agents by seat; an agent may have several seats.
        places: (games, players), 1 for the best; equal ones are ties (`ranks`).
        deals: integers (games,).
        count: number of agents; each must meet others.

    Raises:
        ValueError: some agents are not connected by games.
    """
    seated, ranked = np.asarray(agents, dtype=np.int64), np.asarray(places, dtype=np.float64)
    # Seats do not matter, only ranks.
    order = np.lexsort((seated, ranked), axis=1)
    games = np.hstack([np.take_along_axis(seated, order, axis=1), np.take_along_axis(ranked, order, axis=1)])
    patterns, which = np.unique(games, axis=0, return_inverse=True)
    clusters, rows = np.unique(np.asarray(deals), return_inverse=True)
    times = np.zeros((len(clusters), len(patterns)))
    np.add.at(times, (rows.reshape(-1), which.reshape(-1)), 1.0)
    played, prior = _choices(patterns, times, count), _prior(seated, len(clusters), count)
    # The maximum exists without a prior if chains of "has ranked before" lead from every agent to every other one.
    before = np.zeros((count, count))
    np.add.at(before, played.chosen, played.left)
    if connected_components(before + before.T, directed=False)[0] > 1:
        raise ValueError("the agents fall into groups that have not met; their strengths cannot be compared")
    bounded = connected_components(before, directed=True, connection="strong")[0] > 1
    rng = np.random.default_rng(SEED)
    draws = [
        np.vstack([np.full(size, shape), rng.gamma(shape, size=(SAMPLES, size))]) @ part.weights
        for part, shape in ((played, 1.0), (prior, 0.5))
        for size in (len(part.weights),)
    ]
    chosen, left = np.concatenate([played.chosen, prior.chosen]), np.vstack([played.left, prior.left])
    weights = np.hstack(draws)
    size = max(1, BLOCK // left.size)
    fits = [_fit(chosen, left, weights[first : first + size]) for first in range(0, len(weights), size)]
    values = np.concatenate(fits)
    return Strengths(values[0], values[1:], bounded, len(clusters))
