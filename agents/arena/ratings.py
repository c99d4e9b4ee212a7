"""Statistics of games between agents: Plackett-Luce ratings and intervals whose unit is the deal.

Games of one deal share their cards, and so do not count as independent: everything here first adds up what belongs to
a deal.  Sources:

* Plackett-Luce: R. L. Plackett, *The analysis of permutations*, Applied Statistics 24 (1975) 193-202; existence of the
  maximum: D. R. Hunter, *MM algorithms for generalized Bradley-Terry models*, Annals of Statistics 32 (2004) 384-406.
* Standard errors from clusters: K.-Y. Liang, S. L. Zeger, *Longitudinal data analysis using generalized linear
  models*, Biometrika 73 (1986) 13-22.
* Wilson's interval: E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22
  (1927) 209-212; with an effective sample size: N. Dean, M. Pagano, *Evaluating confidence interval methods for
  binomial proportions in clustered surveys*, Journal of Survey Statistics and Methodology 3 (2015) 484-503.
* Bootstrap over clusters: A. C. Davison, D. V. Hinkley, *Bootstrap Methods and their Application* (1997), 3.8.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]
from scipy.stats import rankdata  # type: ignore[import-untyped]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: Points of Elo's scale for a factor e of strength: 400 points are odds of ten to one.
ELO: Final = 400 / np.log(10)
#: Half the width of a 95 % interval in standard errors.
Z: Final = 1.959963984540054


class Estimate(NamedTuple):
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float


# -- a game


def win_shares(places: npt.ArrayLike) -> Floats:
    """1 for a sole winner, 1/k for each of k, 0 for the others; places (games, players), float64 of the same shape."""
    first = np.asarray(places) == 1
    shares: Floats = first / first.sum(axis=1, keepdims=True)
    return shares


def ranks(places: npt.ArrayLike) -> Floats:
    """Places of which equal ones share the mean of theirs; places (games, players), float64 of the same shape."""
    shared: Floats = rankdata(np.asarray(places), method="average", axis=1)
    return shared


def margins(totals: npt.ArrayLike) -> Floats:
    """Own total less the best other one; totals (games, players), float64 of the same shape."""
    values = np.asarray(totals, dtype=np.float64)
    others = np.empty_like(values)
    for seat in range(values.shape[1]):
        others[:, seat] = np.delete(values, seat, axis=1).max(axis=1)
    return values - others


# -- means over deals


def by_deal(values: npt.ArrayLike, groups: npt.ArrayLike, deals: npt.ArrayLike, count: int) -> tuple[Floats, Floats]:
    """Sums and numbers of `values` (m,) for each deal and each of `count` groups; two arrays float64 (deals, count)."""
    found, rows = np.unique(np.asarray(deals), return_inverse=True)
    sums, numbers = np.zeros((len(found), count)), np.zeros((len(found), count))
    np.add.at(sums, (rows, np.asarray(groups)), np.asarray(values, dtype=np.float64))
    np.add.at(numbers, (rows, np.asarray(groups)), 1.0)
    return sums, numbers


def wilson(share: float, size: float) -> Estimate:
    """Wilson's interval of a share of `size` trials (not necessarily a whole number)."""
    centre = (share + Z * Z / (2 * size)) / (1 + Z * Z / size)
    half = Z / (1 + Z * Z / size) * np.sqrt(share * (1 - share) / size + Z * Z / (4 * size * size))
    return Estimate(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)))


def share_of_deals(sums: Floats, numbers: Floats) -> Estimate:
    """A share, e.g. of wins, with Wilson's interval for the effective number of trials.

    sums, numbers: float64 (deals,), of values in 0..1.  The effective number is that of independent trials with the
    variance that is seen between deals; it is taken to be no less than the number of deals and no more than the number
    of trials, so that an agent who always wins has an interval too, and a lucky agreement of deals does not narrow it.
    """
    trials = float(numbers.sum())
    if not trials:
        return Estimate(float("nan"), float("nan"), float("nan"))
    share = float(sums.sum()) / trials
    deals = int((numbers > 0).sum())
    variance = deals / max(1, deals - 1) * float(((sums - share * numbers) ** 2).sum()) / trials**2
    size = share * (1 - share) / variance if variance > 0 else 0.0
    return wilson(share, float(np.clip(size, min(deals, trials), trials)))


def mean_of_deals(sums: Floats, numbers: Floats, samples: int = 2000, seed: int = 0) -> list[Estimate]:
    """Means of groups with percentile intervals of a bootstrap over deals; sums, numbers: float64 (deals, groups)."""
    deals = len(sums)
    rng = np.random.default_rng(seed)
    drawn = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(0, samples, 100):
            weights = rng.multinomial(deals, np.full(deals, 1 / deals), size=100).astype(np.float64)
            drawn.append(weights @ sums / (weights @ numbers))
        means = sums.sum(axis=0) / numbers.sum(axis=0)
    every = np.concatenate(drawn)
    estimates = []
    for group, mean in enumerate(means.tolist()):
        kept = every[:, group][np.isfinite(every[:, group])]
        low, high = np.percentile(kept, [2.5, 97.5]).tolist() if len(kept) else (mean, mean)
        estimates.append(Estimate(mean, low, high))
    return estimates


# -- Plackett-Luce


@dataclass(frozen=True)
class Strengths:
    """Logarithms of Plackett-Luce strengths.

    Attributes:
        values: float64 (agents,), 0 for the anchor.
        covariance: float64 (agents, agents) of the same, zero for the anchor.
        bounded: True if the likelihood has no maximum, e.g. since somebody always wins, and every pair of agents was
            given one tie in addition.
    """

    values: Floats
    covariance: Floats
    bounded: bool

    def difference(self, first: int, second: int) -> Estimate:
        """How much stronger `first` is than `second`, with a 95 % interval."""
        between = float(self.values[first] - self.values[second])
        c = self.covariance
        error = float(np.sqrt(max(0.0, c[first, first] + c[second, second] - 2 * c[first, second])))
        return Estimate(between, between - Z * error, between + Z * error)


class _Choices(NamedTuple):
    """First places among those that are left: the agent chosen (m,), how often each agent was left (m, agents), the
    weight (m,), and the pattern it belongs to (m,)."""

    chosen: Integers
    left: Floats
    weights: Floats
    patterns: Integers


def _orders(places: tuple[float, ...]) -> list[tuple[int, ...]]:
    """All orders of the seats that agree with places, of which some may be equal."""
    seats = sorted(range(len(places)), key=lambda seat: places[seat])
    tied = [itertools.permutations(list(group)) for _, group in itertools.groupby(seats, lambda seat: places[seat])]
    return [tuple(itertools.chain(*one)) for one in itertools.product(*tied)]


def _choices(patterns: Floats, agents: int) -> _Choices:
    """The choices of games (m, 2 * players), agents by seat and their places; ties stand for all their orders alike."""
    chosen, left, weights, numbers = [], [], [], []
    players = patterns.shape[1] // 2
    for number, line in enumerate(patterns.tolist()):
        seats = [int(agent) for agent in line[:players]]
        orders = _orders(tuple(line[players:]))
        for order in orders:
            for stage in range(players - 1):
                chosen.append(seats[order[stage]])
                left.append(np.bincount([seats[seat] for seat in order[stage:]], minlength=agents))
                weights.append(1 / len(orders))
                numbers.append(number)
    return _Choices(np.array(chosen), np.array(left, dtype=np.float64), np.array(weights), np.array(numbers))


def plackett_luce(
    agents: npt.ArrayLike, places: npt.ArrayLike, deals: npt.ArrayLike, count: int, anchor: int = 0
) -> Strengths:
    """Strengths of `count` agents by maximum likelihood.

    The log-likelihood of a game with ties is the mean over all orders that agree with them: with two players a tie is
    half a win for each, and the difference of two strengths the logit of the win share.

    Args:
        agents: integers (games, players), who sits where; an agent may have several seats.
        places: (games, players), 1 for the best; equal ones are ties (`ranks`).
        deals: integers (games,), the clusters of the standard errors.
        count: number of agents, all of whom have to meet others.
        anchor: whose strength is 0.

    Raises:
        ValueError: games are missing that would compare all agents.
    """
    seated = np.asarray(agents, dtype=np.int64)
    patterns, which, times = np.unique(
        np.hstack([seated, np.asarray(places, dtype=np.float64)]), axis=0, return_inverse=True, return_counts=True
    )
    which = which.reshape(-1)
    choices = _choices(patterns, count)
    games = len(seated)
    # Somebody was placed before somebody else; the maximum exists if chains of this lead from all to all.
    before = np.zeros((count, count))
    np.add.at(before, choices.chosen, choices.left)
    if connected_components(before + before.T, directed=False)[0] > 1:
        raise ValueError("the agents fall into groups that have not met; their strengths cannot be compared")
    bounded = connected_components(before, directed=True, connection="strong")[0] > 1
    left, chosen = choices.left, choices.chosen
    weights = choices.weights * times[choices.patterns]
    if bounded:
        pairs = np.array(list(itertools.permutations(range(count), 2)))
        met = np.zeros((len(pairs), count))
        met[np.arange(len(pairs))[:, None], pairs] = 1
        left, chosen = np.vstack([left, met]), np.concatenate([chosen, pairs[:, 0]])
        weights = np.concatenate([weights, np.full(len(pairs), 0.5)])
    free = np.delete(np.arange(count), anchor)
    values = np.zeros(count)

    def shares(strengths: Floats) -> tuple[Floats, Floats]:
        """Each agent's probability to be chosen (m, agents), and the logarithm of the sum of strengths (m,)."""
        values[free] = strengths
        top = values.max()
        powers = left * np.exp(values - top)
        sums = powers.sum(axis=1)
        return powers / sums[:, None], np.log(sums) + top

    def loss(strengths: Floats) -> tuple[float, Floats]:
        chances, logs = shares(strengths)
        slope = chances.copy()
        slope[np.arange(len(chosen)), chosen] -= 1
        return float(weights @ (logs - values[chosen])) / games, weights @ slope[:, free] / games

    def curvature(strengths: Floats) -> Floats:
        chances = shares(strengths)[0]
        whole = np.diag(weights @ chances) - chances.T @ (weights[:, None] * chances)
        return np.asarray(whole[np.ix_(free, free)] / games)

    found: Any = minimize(loss, np.zeros(count - 1), jac=True, hess=curvature, method="trust-exact", tol=1e-10)
    chances = shares(found.x)[0][: len(choices.chosen)]
    inverse = np.linalg.inv(curvature(found.x) * games)
    spread = inverse
    clusters, rows = np.unique(np.asarray(deals), return_inverse=True)
    if not bounded and len(clusters) > 1:
        # The slope of each game's log-likelihood, added up by deals: neighbours in a deal may agree or make up for
        # each other, which the curvature does not know.
        slopes = -chances * choices.weights[:, None]
        slopes[np.arange(len(slopes)), choices.chosen] += choices.weights
        by_pattern = np.zeros((len(patterns), count))
        np.add.at(by_pattern, choices.patterns, slopes)
        by_cluster = np.zeros((len(clusters), count))
        np.add.at(by_cluster, rows.reshape(-1), by_pattern[which])
        seen = by_cluster[:, free]
        spread = inverse @ (len(clusters) / (len(clusters) - 1) * seen.T @ seen) @ inverse
    covariance = np.zeros((count, count))
    covariance[np.ix_(free, free)] = spread
    values[free] = found.x
    return Strengths(values.copy(), covariance, bounded)
