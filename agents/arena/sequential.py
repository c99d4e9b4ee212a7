"""Sequential tests on duplicate deals: a test ends when the difference between two agents is decided.

The tested agent has one seat of every table and the reference agent all others.  A deal is one trial: its result is the
mean win share of the tested agent over all seats, so that equal cards do not count as independent games.  The test is
the generalized sequential probability ratio test: the log-likelihood ratio compares the most probable distributions of
a deal's results with the expected shares of both hypotheses.  Sources:

* A. Wald, *Sequential tests of statistical hypotheses*, Annals of Mathematical Statistics 16 (1945) 117-186: bounds of
  the ratio, and the expected number of trials.
* M. Van den Bergh, *A practical introduction to the GSPRT* (2018), for Fishtest; distributions of maximum likelihood
  with a given mean: A. B. Owen, *Empirical Likelihood* (2001), 2.9.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.arena.executors import Jobs
from agents.arena.matches import Played
from agents.arena.playing import Arena
from agents.arena.ratings import ELO, Floats, win_shares
from agents.arena.results import ForeignFolderError, ResultsError, read
from agents.arena.tournament import run
from porta_nigra_env.core.files import write_whole

#: File of a test in the folder of its games.
TEST: Final = "sprt.json"
#: Games after which a test without a decision stops, unless another limit is given.
LIMIT: Final = 100_000
#: Weight of the extreme results 0 and 1 before the first deal: every mean between them stays possible.
UNSEEN: Final = 1e-3
#: Deals after which the measured variance replaces that of independent games in expected numbers.
ENOUGH: Final = 30

ACCEPTED: Final = {"elo0": "H0 accepted", "elo1": "H1 accepted", "": "undecided"}


@dataclass(frozen=True)
class Sprt:
    """A sequential test.

    Attributes:
        elo0: hypothesis H0, the difference of the agents in Elo points.
        elo1: hypothesis H1, greater than `elo0`.
        alpha: probability of accepting H1 although H0 is true, below 1/2.
        beta: probability of accepting H0 although H1 is true, below 1/2.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -2000 <= self.elo0 < self.elo1 <= 2000:
            raise ValueError(f"elo0 must be less than elo1, both in -2000..2000, not {self.elo0:g} and {self.elo1:g}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} must be between 0 and 0.5, not {getattr(self, name):g}")

    @classmethod
    def parse(cls, texts: Sequence[str]) -> Sprt:
        """Parse arguments such as ``elo1=5``; ValueError for an unknown name or value."""
        names, values = [field.name for field in fields(cls)], dict[str, float]()
        for text in texts:
            name, _, value = text.partition("=")
            if name not in names or name in values:
                raise ValueError(f"expected each of {', '.join(names)} once, as in elo1=5, not {text!r}")
            try:
                values[name] = float(value)
            except ValueError:
                raise ValueError(f"{name} must be a number, not {value!r}") from None
        return cls(**values)

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def shares(self, players: int) -> tuple[float, float]:
        """Return the expected win shares of both hypotheses (`expected_share`)."""
        return expected_share(self.elo0, players), expected_share(self.elo1, players)

    def expected_deals(self, players: int, variance: float) -> tuple[float, float, float]:
        """Return the expected numbers of deals if `elo0` is true, if the middle is, and if `elo1` is (Wald).

        Args:
            variance: of a deal's result.
        """
        low, high = self.bounds
        # The log-likelihood ratio of a deal has this variance, and half of it as its mean under H1.
        step = (np.diff(self.shares(players)).item()) ** 2 / variance
        at0 = (self.alpha * high + (1 - self.alpha) * low) / (-step / 2)
        at1 = (self.beta * low + (1 - self.beta) * high) / (step / 2)
        return at0, -low * high / step, at1

    def ratios(self, results: npt.ArrayLike, players: int) -> Floats:
        """Return the log-likelihood ratio after each deal, float64 (deals,).

        Args:
            results: mean win share of the tested agent in each deal (deals,), in order.
        """
        values, which = np.unique(np.concatenate([[0.0, 1.0], np.asarray(results, float)]), return_inverse=True)
        counts = np.cumsum(np.eye(len(values))[which[2:]], axis=0)
        counts[:, [0, -1]] += UNSEEN
        low, high = (_log_tilts(values, counts, share) for share in self.shares(players))
        ratios: Floats = (counts * (low - high)).sum(axis=1)
        return ratios


def expected_share(elo: float, players: int) -> float:
    """Return the win share of an agent that is `elo` points stronger than each of the others (Plackett-Luce).

    >>> [round(expected_share(100, players), 3) for players in (2, 3, 4)]
    [0.64, 0.471, 0.372]
    """
    return 1 / (1 + (players - 1) * math.exp(-elo / ELO))


def elo_of(share: float, players: int) -> float:
    """Return the difference in Elo points of a win share: the inverse of `expected_share`."""
    return math.inf if share >= 1 else -math.inf if share <= 0 else ELO * math.log(share * (players - 1) / (1 - share))


def _log_tilts(values: Floats, counts: Floats, mean: float) -> Floats:
    """Return log(1 + x * (values - mean)), float64 (n, k): the observed over the fitted probability of each value.

    The fitted distribution has the given mean and maximum likelihood for each row of counts (n, k).
    """
    away = values - mean
    low, high = np.full(len(counts), -1 / away[-1]), np.full(len(counts), -1 / away[0])
    # The derivative of the likelihood falls from plus to minus infinity between both ends.
    for _ in range(60):
        middle = (low + high) / 2
        falls = (counts * away / (1 + middle[:, None] * away)).sum(axis=1) > 0
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    tilts: Floats = np.log1p(low[:, None] * away)
    return tilts


class Decision(NamedTuple):
    """State of a test after the games played so far.

    Attributes:
        accepted: "elo0", "elo1", or "" if the test is undecided.
        ratio: the log-likelihood ratio after the last counted deal.
        deals: counted deals: up to the decision, from the first one on without a gap.
        games: games of these.
        share: mean win share of the tested agent in them.  A test that stops early exaggerates it.
        variance: of a deal's result, NaN for fewer than two deals.
    """

    accepted: str
    ratio: float
    deals: int
    games: int
    share: float
    variance: float


def deal_results(games: Sequence[Played], tested: str, players: int) -> Floats:
    """Return the mean win share of an agent in each complete deal up to the first incomplete one, float64 (deals,).

    Args:
        games: of a tournament with `alone`, in any order; those of other numbers of players do not count.
    """
    sums, numbers = dict[int, float](), dict[int, int]()
    for game in games:
        if len(game.places) == players:
            deal, share = game.match.deal, win_shares([game.places])[0, game.match.agents.index(tested)]
            sums[deal], numbers[deal] = sums.get(deal, 0.0) + share, numbers.get(deal, 0) + 1
    results = list[float]()
    while numbers.get(len(results)) == players:
        results.append(sums[len(results)] / players)
    return np.array(results)


def decide(test: Sprt, results: Floats, players: int) -> Decision:
    """Return the decision of a test, which depends on the deals in their order alone."""
    if not len(results):
        return Decision("", 0.0, 0, 0, math.nan, math.nan)
    ratios = test.ratios(results, players)
    low, high = test.bounds
    crossed = np.flatnonzero((ratios <= low) | (ratios >= high))
    deals = int(crossed[0]) + 1 if len(crossed) else len(results)
    ratio, counted = float(ratios[deals - 1]), results[:deals]
    accepted = "elo1" if ratio >= high else "elo0" if ratio <= low else ""
    variance = float(counted.var(ddof=1)) if deals > 1 else math.nan
    return Decision(accepted, ratio, deals, deals * players, float(counted.mean()), variance)


def run_test(
    arena: Arena,
    players: int,
    test: Sprt,
    folder: Path,
    limit: int = LIMIT,
    jobs: Jobs | int = 1,
    progress: bool = False,
) -> Decision:
    """Play until the test is decided or `limit` games are played; repeat the call to resume.

    Args:
        arena: two agents; the tested one is `Setup.alone`.
        folder: of the games and the test.
        limit: of games, rounded up to whole deals.
        jobs, progress: as in `agents.arena.tournament.run`; the decision does not depend on `jobs`.

    Raises:
        ForeignFolderError: the folder holds another test: hypotheses must not follow from results.
        Other errors: as in `agents.arena.tournament.run`.
    """
    file, settings = folder / TEST, {"players": players, "tested": arena.setup.alone, **asdict(test)}
    stored = read_settings(folder)
    if stored is None and read(folder) is not None:
        raise ForeignFolderError(f"{folder} holds a tournament, not a sequential test; name another folder")
    if stored not in (None, settings):
        raise ForeignFolderError(f"{folder} holds the test {stored}, here it is {settings}; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(settings) + "\n")

    def decided(games: Sequence[Played]) -> bool:
        return bool(decide(test, deal_results(games, arena.setup.alone, players), players).accepted)

    run(arena, [players], limit, folder, jobs, progress, decided)
    return stored_decision(folder, test, arena.setup.alone, players)


def stored_decision(folder: Path, test: Sprt, tested: str, players: int) -> Decision:
    """Return the decision of the games in a folder; ResultsError if they cannot be read."""
    results = read(folder)
    return decide(test, deal_results(results.games if results else (), tested, players), players)


def read_settings(folder: Path) -> dict[str, object] | None:
    """Return the settings of a folder's test, or None without a test.

    Raises:
        ResultsError: the file of the settings is damaged.
    """
    file = folder / TEST
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise ResultsError(f"{file}: {error}; name another folder") from None


def forecast(test: Sprt, players: int, before: Decision) -> str:
    """Return a sentence about the expected number of games, before the next ones are played."""
    low, high = test.shares(players)
    if before.deals >= ENOUGH and before.variance > 0:
        variance, source = before.variance, f"the variance of {before.deals} deals"
    else:
        variance, source = low * (1 - low) / players, "independent games"
    numbers = [players * deals for deals in test.expected_deals(players, variance)]
    return (
        f"H0: {test.elo0:g} Elo, a win share of {low:.1%}; H1: {test.elo1:g} Elo, {high:.1%}. Expected games with "
        f"{source}: {numbers[0]:,.0f} if H0 is true, {numbers[2]:,.0f} if H1 is, {numbers[1]:,.0f} in the middle."
    )


def summary(test: Sprt, decision: Decision, players: int) -> str:
    """Return the result of a test in two sentences."""
    low, high = test.bounds
    if not decision.deals:
        return "undecided: no deal is complete"
    return (
        f"{ACCEPTED[decision.accepted]} after {decision.games} games ({decision.deals} deals): log-likelihood ratio "
        f"{decision.ratio:.2f}, bounds {low:.2f} and {high:.2f}. Win share {decision.share:.1%}, "
        f"{elo_of(decision.share, players):+.0f} Elo; an early stop exaggerates it."
    )
