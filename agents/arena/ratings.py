"""Statistics of games between agents: Plackett-Luce ratings, and intervals clustered by deal.

Games of a deal share their cards and are not independent: all statistics first sum over each deal.  Sources:

* Plackett-Luce: R. L. Plackett, *The analysis of permutations*, Applied Statistics 24 (1975) 193-202; existence of the
  maximum: D. R. Hunter, *MM algorithms for generalized Bradley-Terry models*, Annals of Statistics 32 (2004) 384-406.
* Standard errors from clusters: K.-Y. Liang, S. L. Zeger, *Longitudinal data analysis using generalized linear
  models*, Biometrika 73 (1986) 13-22.
* Wilson's interval: E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22
  (1927) 209-212; with an effective sample size: N. Dean, M. Pagano, *Evaluating confidence interval methods for
  binomial proportions in clustered surveys*, Journal of Survey Statistics and Methodology 3 (2015) 484-503.
* Student's t for few clusters, and means as ratios of sums over clusters: W. G. Cochran, *Sampling Techniques* (1977),
  6.3 and 9A.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]
from scipy.stats import rankdata, t  # type: ignore[import-untyped]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: Points of Elo's scale for a factor e of strength: 400 points are odds of ten to one.
ELO: Final = 400 / np.log(10)
#: Half the width of a 95 % interval in standard errors, if these are known.
Z: Final = 1.959963984540054


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


# -- Plackett-Luce


@dataclass(frozen=True)
class Strengths:
    """Logarithms of Plackett-Luce strengths.

    Attributes:
        values: float64 (agents,), 0 for the anchor.
        covariance: float64 (agents, agents) of the same, zero for the anchor.
        bounded: True if the likelihood has no maximum, e.g. because an agent always wins, and every pair of agents has
            one additional tied deal.
        deals: number of deals.
    """

    values: Floats
    covariance: Floats
    bounded: bool
    deals: int

    def difference(self, first: int, second: int) -> Estimate:
        """Return the difference of two strengths with a 95 % interval."""
        between = float(self.values[first] - self.values[second])
        c = self.covariance
        error = float(np.sqrt(max(0.0, c[first, first] + c[second, second] - 2 * c[first, second])))
        half = half_width(self.deals) * error
        return Estimate(between, between - half, between + half)


class _Choices(NamedTuple):
    """Choices of the next agent among the remaining ones.

    chosen: (m,), agents; left: (m, agents), seats of each among the remaining ones; weights: (m,); patterns: (m,).
    """

    chosen: Integers
    left: Floats
    weights: Floats
    patterns: Integers


def _orders(places: tuple[float, ...]) -> list[tuple[int, ...]]:
    """Return all orders of the seats that agree with ranks, which may have ties."""
    seats = sorted(range(len(places)), key=lambda seat: places[seat])
    tied = [itertools.permutations(list(group)) for _, group in itertools.groupby(seats, lambda seat: places[seat])]
    return [tuple(itertools.chain(*groups)) for groups in itertools.product(*tied)]


def _choices(patterns: Floats, agents: int) -> _Choices:
    """Return the choices of games (m, 2 * players), agents by seat and their ranks; a tie has all orders equally."""
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


def _tied_deals(seated: Integers, deals: int, agents: int) -> _Choices:
    """Return a tied deal of every pair: the games in which the two meet in a mean deal, but at least one.

    One tied game would have little weight among the games of a deal.  The winner of twelve deals would be as certain of
    the next as the winner of seven hundred.
    """
    present = (seated[:, :, None] == np.arange(agents)).any(axis=1).astype(np.float64)
    met = np.maximum(present.T @ present / deals, 1.0)
    pairs = np.array(list(itertools.combinations(range(agents), 2)))
    left = np.zeros((len(pairs), agents))
    left[np.arange(len(pairs))[:, None], pairs] = 1
    weights, numbers = met[pairs[:, 0], pairs[:, 1]] / 2, np.arange(len(pairs))
    return _Choices(pairs.T.reshape(-1), np.vstack([left, left]), np.tile(weights, 2), np.tile(numbers, 2))


def _scores(choices: _Choices, chances: Floats) -> Floats:
    """Return the slope of the log-likelihood of each pattern, float64 (patterns, agents); chances: (m, agents)."""
    slopes = -chances * choices.weights[:, None]
    slopes[np.arange(len(slopes)), choices.chosen] += choices.weights
    sums = np.zeros((int(choices.patterns.max()) + 1, chances.shape[1]))
    np.add.at(sums, choices.patterns, slopes)
    return sums


def plackett_luce(
    agents: npt.ArrayLike, places: npt.ArrayLike, deals: npt.ArrayLike, count: int, anchor: int = 0
) -> Strengths:
    """Return strengths of `count` agents by maximum likelihood.

    The log-likelihood of a game with ties is the mean over all orders that agree with them.  With two players a tie is
    half a win for each, and the difference of two strengths the logit of the win share.

    Args:
        agents: integers (games, players), agents by seat; an agent may have several seats.
        places: (games, players), 1 for the best; equal ones are ties (`ranks`).
        deals: integers (games,), the clusters of the standard errors.
        count: number of agents; each must meet others.
        anchor: the agent with strength 0.

    Raises:
        ValueError: some agents are not connected by games.
    """
    seated = np.asarray(agents, dtype=np.int64)
    patterns, which, times = np.unique(
        np.hstack([seated, np.asarray(places, dtype=np.float64)]), axis=0, return_inverse=True, return_counts=True
    )
    clusters, rows = np.unique(np.asarray(deals), return_inverse=True)
    choices = _choices(patterns, count)
    games = len(seated)
    # The maximum exists if chains of "has ranked before" lead from every agent to every other one.
    before = np.zeros((count, count))
    np.add.at(before, choices.chosen, choices.left)
    if connected_components(before + before.T, directed=False)[0] > 1:
        raise ValueError("the agents fall into groups that have not met; their strengths cannot be compared")
    bounded = connected_components(before, directed=True, connection="strong")[0] > 1
    left, chosen = choices.left, choices.chosen
    weights = choices.weights * times[choices.patterns]
    ties = _tied_deals(seated, len(clusters), count)
    if bounded:
        left, chosen = np.vstack([left, ties.left]), np.concatenate([chosen, ties.chosen])
        weights = np.concatenate([weights, ties.weights])
    free = np.delete(np.arange(count), anchor)
    values = np.zeros(count)

    def shares(strengths: Floats) -> tuple[Floats, Floats]:
        """Return each agent's probability (m, agents), and the logarithm of the sum of strengths (m,)."""
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
        hessian = np.diag(weights @ chances) - chances.T @ (weights[:, None] * chances)
        return np.asarray(hessian[np.ix_(free, free)] / games)

    optimum: Any = minimize(loss, np.zeros(count - 1), jac=True, hess=curvature, method="trust-exact", tol=1e-10)
    chances, own = shares(optimum.x)[0], len(choices.chosen)
    spread = inverse = np.linalg.inv(curvature(optimum.x) * games)
    if len(clusters) > 1:
        # Slopes of the log-likelihood by deal: games of a deal may agree or compensate each other, which the curvature
        # ignores.
        slopes = np.zeros((len(clusters), count))
        np.add.at(slopes, rows.reshape(-1), _scores(choices, chances[:own])[which.reshape(-1)])
        slopes *= np.sqrt(len(clusters) / (len(clusters) - 1))
        if bounded:
            # Ties are deals as well: without them an agent that always wins would have no error.
            slopes = np.vstack([slopes, _scores(ties, chances[own:])])
        spread = inverse @ slopes[:, free].T @ slopes[:, free] @ inverse
    covariance = np.zeros((count, count))
    covariance[np.ix_(free, free)] = spread
    values[free] = optimum.x
    return Strengths(values.copy(), covariance, bounded, len(clusters))
