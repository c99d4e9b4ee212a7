"""AIVAT: results of recorded games without the luck that a value function can see, and without bias.

At every random event of a game, what happened is compared with what could have happened: other deals, other futures of
the draw piles (`State.redraw`), and other actions of an agent that draws them from known probabilities
(`Agent.drawn`).  With a value function V

    corrected result = result + sum over events of (mean of V over alternatives - mean of V over what happened)

What happened stands there with as many redrawn futures as there are alternatives, and with the same random numbers.
Each term has the mean 0 for any V, so that the corrected result has the mean of the result.  The better V foresees the
result, the smaller is its variance.  V must not depend on the evaluated games: it is a network, or a linear function
that was fitted on other games.

The error of a value is that of one position, and larger than the luck of one event.  `Lookahead` therefore lets the
agents play on before the values count: the mean over many continuations has little of these errors left.

Sources:

* N. Burch, M. Schmid, M. Moravcik, D. Morrill, M. Bowling, *AIVAT: A New Variance Reduction Technique for Agent
  Evaluation in Imperfect Information Games*, AAAI 2018 (arXiv 1612.06915).
* M. White, M. Bowling, *Learning a Value Analysis Tool for Agent Evaluation*, IJCAI 2009: linear value functions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.arena.matches import Played, agent_seed
from agents.arena.ratings import Estimate, by_deal, mean_of_deals, share_of_deals, win_shares
from agents.networks.neural import NetworkAgent
from agents.registry import make
from agents.review.estimates import baseline, network_values
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.results import margin_returns
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.spaces import Watch

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: The measured quantities of a seat: its share of the win, its total minus the mean of the others, its total.
MEASURES: Final = ("wins", "margin", "points")
#: Deals from which a coefficient, or a ratio of variances, is estimated, at least.
ENOUGH: Final = 10
#: Games that a network continues at once.
ROWS: Final = 1024
#: Steps of a game whose states a linear baseline is fitted to.
FITTED: Final = 32


class Value(Protocol):
    """A value function, identified by name and digest."""

    @property
    def name(self) -> str:
        """Return the agent string of a network, or ``linear``."""

    @property
    def digest(self) -> str:
        """Return the digest of its weights, or of the games that it was fitted to."""

    @property
    def measure(self) -> str:
        """Return what it predicts, one of `MEASURES`."""

    def __call__(self, states: States) -> Floats:
        """Return the expected results by seat, float64 (k, players), of states (k,) that are not over."""
        ...


def results_of(totals: npt.ArrayLike, places: npt.ArrayLike, measure: str) -> Floats:
    """Return one of `MEASURES` by seat, float64 (k, players), like `totals` and `places`."""
    if measure == "wins":
        return win_shares(places)
    points: Floats = np.asarray(totals, dtype=np.float64)
    return points if measure == "points" else np.array([margin_returns(row) for row in points]).reshape(points.shape)


def results_now(game: Game, states: States, measure: str) -> Floats:
    """Return the results by seat, float64 (k, players), of states (k,), as if the games ended now."""
    rows, shape = range(len(states)), (len(states), game.num_players)
    totals = np.array([game.totals(states, row) for row in rows]).reshape(shape)
    return results_of(totals, np.array([game.places(states, row) for row in rows]).reshape(shape), measure)


class NetworkValue:
    """The values of a network, in the view of the player to move, as win shares.

    Args:
        game: the game.
        name: agent string of the network (`agents.review.estimates.baseline`, which names its errors).
        option: the command line's option that gave the name.
    """

    measure: Final = "wins"

    def __init__(self, game: Game, name: str, option: str = "network") -> None:
        found = baseline(name, game, option)
        self.game, self.name, self.digest, self._evaluator = game, found.name, found.digest, found.evaluator
        self.agent = make(name, game)

    def __call__(self, states: States) -> Floats:
        players = self.game.num_players
        return (1 + (players - 1) * network_values(self.game, self._evaluator, states)) / players


class Lookahead:
    """The values of another function after some steps that the agents at the table play.

    What is luck depends on who plays on: in a position that one agent wins, another one may lose.  Compiled agents, and
    networks that take their most probable actions, play on themselves; a network stands for all others.

    Args:
        value: the other function.
        network: stands for agents that do not play on.
        plies: number of steps, of all seats.
    """

    def __init__(self, value: Value, network: NetworkValue, plies: int) -> None:
        self.value, self.network, self.plies, self.measure = value, network, plies, value.measure
        self.name = f"{value.name} after {plies} steps of the agents, {network.name} for slow ones"
        self.digest = hashlib.sha256(f"{value.digest} {network.digest} {plies}".encode()).hexdigest()
        self._env = BatchEnv(network.game, ROWS, autoreset_mode="DISABLED", illegal_action="terminate")

    def __call__(self, states: States) -> Floats:
        return self.of([self.network.agent] * self.network.game.num_players, states)

    def at(self, seats: Sequence[Agent]) -> Callable[[States], Floats]:
        """Return the values of a table, given by its agents by seat."""
        return partial(self.of, [agent if plays_on(agent) else self.network.agent for agent in seats])

    def of(self, players: Sequence[Agent], states: States) -> Floats:
        """Return the values, float64 (k, players), of states (k,) in which `players` play on, one on each seat."""
        parts = [self._ahead(players, states[first : first + ROWS]) for first in range(0, len(states), ROWS)]
        return np.concatenate(parts)

    def _ahead(self, players: Sequence[Agent], states: States) -> Floats:
        used, env = len(states), self._env
        # The other rows of the batch repeat the first ones and are ignored.
        step = env.load(np.resize(states, ROWS), seed=0)
        for _ in range(self.plies):
            movers = step.current_player[:used]
            if (movers < 0).all():
                break
            actions = step.action_masks.argmax(axis=1)
            for player in dict.fromkeys(players):
                rows = np.flatnonzero(np.isin(movers, [seat for seat, other in enumerate(players) if other is player]))
                if len(rows):
                    actions[rows] = player.act_batch(env.views(rows))
            step = env.step(actions)
        return values_of(self.network.game, env.states[:used], self.value, self.measure)


def plays_on(agent: Agent) -> bool:
    """Return whether an agent plays many games fast, and answers a view in one way."""
    takes_best = isinstance(agent, NetworkAgent) and agent.temperature == 0 and not agent.history
    return takes_best or agent.compiled is not None


def values_of(game: Game, states: States, value: Callable[[States], Floats], measure: str) -> Floats:
    """Return values by seat, float64 (k, players), of states (k,): exact results where games are over."""
    running, values = states["current_player"] >= 0, np.empty((len(states), game.num_players))
    if running.any():
        values[running] = value(states[running])
    values[~running] = results_now(game, states[~running], measure)
    return values


@dataclass(frozen=True)
class LinearValue:
    """A linear function of a seat's lead as if the game ended now, with other weights in every round.

    Attributes:
        game, measure: of the values.
        scale: standard deviation of leads at the end of the fitted games.
        weights: float64 (features,).
        digest: of the fitted games.
    """

    game: Game
    measure: str
    scale: float
    weights: Floats
    digest: str
    name: str = "linear"

    @classmethod
    def fit(cls, game: Game, games: Sequence[Played], measure: str) -> LinearValue:
        """Fit the weights to recorded games, by least squares with a small ridge; ValueError without games."""
        if not games:
            raise ValueError(f"the linear baseline has no games of {game.num_players} players to fit")
        seen, results = list[States](), list[Floats]()
        for played in games:
            states, rows = game.new_states(played.seed), set(np.linspace(0, len(played.actions) - 1, FITTED, dtype=int))
            for step, action in enumerate(played.actions):
                if step in rows:
                    seen.append(states.copy())
                game.kernel.step(game.constants, states, 0, action)
            results += [results_now(game, states, measure)] * len(rows)
        scale = float(results_of([one.scores for one in games], [one.places for one in games], "margin").std()) or 1.0
        digest = hashlib.sha256(json.dumps([[one.seed, one.actions] for one in games]).encode()).hexdigest()
        untrained = cls(game, measure, scale, np.zeros(0), digest)
        features = untrained.features(np.concatenate(seen)).reshape(len(seen) * game.num_players, -1)
        square = features.T @ features + np.eye(features.shape[1])
        weights = np.asarray(np.linalg.solve(square, features.T @ np.concatenate(results).ravel()), dtype=np.float64)
        return cls(game, measure, scale, weights, digest)

    def features(self, states: States) -> Floats:
        """Return the features of every seat, float64 (k, players, features)."""
        leads = results_now(self.game, states, "margin") / self.scale
        kernel, rows = self.game.kernel, range(len(states))
        rounds = np.array([kernel.rounds(self.game.constants, states, row) for row in rows], dtype=np.float64)
        own = np.stack([np.ones_like(leads), leads, np.tanh(2 * leads)], axis=2)
        found: Floats = np.concatenate([own, own * rounds[:, None, None]], axis=2)
        return found

    def __call__(self, states: States) -> Floats:
        values: Floats = self.features(states) @ self.weights
        return values


class Chance:
    """Alternatives of chance, drawn from a generator.

    Args:
        game: the game.
        rng: the generator.
    """

    def __init__(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng

    def deals(self, count: int) -> States:
        """Return new games (count,)."""
        return np.concatenate([self.game.new_states(int(seed)) for seed in self.seeds(count)])

    def seeds(self, count: int) -> Integers:
        """Return seeds of futures, int64 (count,)."""
        return self.rng.integers(2**63 - 1, size=count)

    def redraw(self, states: States, seeds: Integers) -> None:
        """Redraw the chance of states (k,), with a seed for each."""
        for row, seed in enumerate(seeds.tolist()):
            self.game.kernel.redraw(self.game.constants, states, row, seed)

    def uniform(self) -> float:
        """Return a number in [0, 1)."""
        return float(self.rng.random())


class Alternatives(NamedTuple):
    """Actions that could have been taken, int64 (k,), and the weights of their values, float64 (k,), of sum 1."""

    actions: Integers
    weights: Floats


def alternatives(probabilities: npt.NDArray[Any] | None, action: int, samples: int, uniform: float) -> Alternatives:
    """Return the alternatives of an action: all that have any probability if they are at most `samples`, else a sample.

    Args:
        probabilities: of the actions, (num_actions,), or None if the agent would always take this one.
        action: the one that was taken.
        samples: number of alternatives, about: each action stands several times, for several futures.
        uniform: in [0, 1), of the systematic sample.
    """
    if probabilities is None:
        return Alternatives(np.full(samples, action), np.full(samples, 1 / samples))
    possible = np.flatnonzero(probabilities)
    shares = probabilities[possible] / probabilities[possible].sum(dtype=np.float64)
    if len(possible) <= samples:
        times = samples // len(possible)
        return Alternatives(np.repeat(possible, times), np.repeat(shares / times, times))
    points = (np.arange(samples) + uniform) / samples
    drawn = np.searchsorted(np.cumsum(shares), points, side="right")
    return Alternatives(possible[np.minimum(drawn, len(possible) - 1)], np.full(samples, 1 / samples))


def correction(
    game: Game,
    start: States,
    actions: Sequence[int],
    seats: Sequence[Agent],
    value: Callable[[States], Floats],
    measure: str,
    samples: int,
    chance: Chance,
) -> Floats:
    """Return the sum of the terms of one game, by seat, float64 (players,).

    Args:
        game: the game.
        start: its first state (1,), which is not changed.
        actions: ids of all actions.
        seats: the agents, with the seeds they had.
        value: the value function.
        measure: one of `MEASURES`, that of the values.
        samples: alternatives of an event.
        chance: source of the alternatives, independent of the game.
    """
    state, kernel, constants = start.copy(), game.kernel, game.constants
    watch = Watch(game, max(agent.history for agent in seats), ())
    watch.begin(state)
    happened, other, weights = list[States](), list[States](), list[Floats]()

    def compare(twins: States, shares: Floats) -> None:
        futures, seeds = np.repeat(state, len(twins)), chance.seeds(len(twins))
        # Between states that no player can tell apart, the mean difference is 0 and the measured one all error.
        differs = told_apart(game, futures, twins)
        for some in (futures, twins):
            chance.redraw(some, seeds)
        happened.append(futures[differs])
        other.append(twins[differs])
        weights.append(shares[differs])

    deals = chance.deals(samples)
    compare(deals, np.full(len(deals), 1 / len(deals)))
    for action in actions:
        mover = int(state["current_player"][0])
        drawn = seats[mover].drawn(View(game, state, 0, mover, watch.tokens(mover)))
        tried = alternatives(drawn, action, samples, chance.uniform())
        twins = np.repeat(state, len(tried.actions))
        chance.redraw(twins, chance.seeds(len(twins)))
        for row, each in enumerate(tried.actions.tolist()):
            kernel.step(constants, twins, row, each)
        kernel.step(constants, state, 0, action)
        watch.update(state, mover)
        compare(twins, tried.weights)
    values, factors = values_of(game, np.concatenate([*other, *happened]), value, measure), np.concatenate(weights)
    terms: Floats = factors @ (values[: len(factors)] - values[len(factors) :])
    return terms


def told_apart(game: Game, one: States, other: States) -> npt.NDArray[np.bool_]:
    """Return whether any player can tell each state from the other one, bool (k,), of states (k,)."""
    apart = np.zeros(len(one), dtype=np.bool_)
    for player in range(game.num_players):
        seen, others = one.copy(), other.copy()
        for row in range(len(seen)):
            game.kernel.redact(game.constants, seen, row, player)
            game.kernel.redact(game.constants, others, row, player)
        apart |= seen != others
    return apart


def correction_of(game: Game, played: Played, value: Value, measure: str, samples: int, seed: int) -> Floats:
    """Return `correction` of a game of a tournament; seed: of the alternatives, the same for all games."""
    seats = [make(text, game, agent_seed(played.seed, seat)) for seat, text in enumerate(played.match.agents)]
    # Line-ups of a deal get other alternatives: their errors must not be common.
    key = hashlib.sha256(json.dumps([seed, played.match.deal, played.match.agents]).encode()).digest()
    chance = Chance(game, np.random.default_rng(list(key)))
    values = value.at(seats) if isinstance(value, Lookahead) else value
    return correction(game, game.new_states(played.seed), played.actions, seats, values, measure, samples, chance)


class Corrected(NamedTuple):
    """The mean result of an agent at a number of players.

    raw, corrected: with 95 % intervals by deal, for raw win shares as in reports (`share_of_deals`).
    coefficients: of the terms in both halves of the deals (`coefficients`).
    ratio: of the variances of both means: corrected results need by this factor fewer games for the same interval.
        It is not a number for fewer than `ENOUGH` deals, or if raw results do not vary.
    """

    players: int
    agent: str
    games: int
    raw: Estimate
    corrected: Estimate
    coefficients: tuple[float, float]
    ratio: float


def coefficients(results: Floats, terms: Floats, half: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Return the coefficients of the terms outside and inside `half`, each from the deals of the other half.

    An imperfect value function does too much: a smaller coefficient leaves less variance.  It stays unbiased, since no
    deal's own result decides its coefficient.  The slope of results by terms is shrunk by its relative error, down to
    0 where results and terms may be unrelated.

    Args:
        results, terms: means of an agent by deal, float64 (deals,).
        half: which deals form the second half.
    """
    found = []
    for other in (half, ~half):
        # Few deals say nothing about the coefficient.
        if other.sum() < ENOUGH or not terms[other].std():
            found.append(1.0)
            continue
        (spread, both), (_, total) = np.cov(terms[other], results[other])
        explained = both**2 / (spread * total) if both else 0.0
        error = (1 - explained) / (explained * (other.sum() - 2)) if explained else 1.0
        found.append(-both / spread * max(0.0, 1 - error))
    return found[0], found[1]


def summarize(games: Sequence[Played], results: Floats, terms: Floats, measure: str) -> list[Corrected]:
    """Return a row for each agent of games at one number of players.

    Args:
        games: the games.
        results, terms: float64 (games, players).
        measure: one of `MEASURES`, that of the results.
    """
    names, players = sorted({text for game in games for text in game.match.agents}), results.shape[1]
    groups = np.ravel([[names.index(text) for text in game.match.agents] for game in games])
    deals = np.repeat([game.match.deal for game in games], players)
    sums, numbers = by_deal(results.ravel(), groups, deals, len(names))
    taken, _ = by_deal(terms.ravel(), groups, deals, len(names))
    rows = []
    for column, name in enumerate(names):
        met = numbers[:, column] > 0
        own, count, term = sums[met, column], numbers[met, column], taken[met, column]
        half = np.arange(len(own)) % 2 == 1
        chosen = coefficients(own / count, term / count, half)
        corrected = own + np.where(half, chosen[1], chosen[0]) * term
        (before,), (after,) = (mean_of_deals(each[:, None], count[:, None]) for each in (own, corrected))
        width, ratio = before.high - before.low, float("nan")
        # Equal results differ by rounding.
        if len(own) >= ENOUGH and width > 1e-9:
            with np.errstate(divide="ignore"):
                ratio = float(np.divide(width, after.high - after.low) ** 2)
        raw = share_of_deals(own, count) if measure == "wins" else before
        if np.array_equal(own, corrected):
            after = raw
        played = sum(name in game.match.agents for game in games)
        rows.append(Corrected(players, name, played, raw, after, chosen, ratio))
    return rows
