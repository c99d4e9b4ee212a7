"""Mirror-descent search: rollouts of a network in many determinizations, and one policy update; no tree.

Every probable action is tried in the same determinizations of the searching player's information state.  The network
then plays all seats for some plies, sampling its actions, in one batch for all determinizations and actions; its values
bootstrap the games that are not over.  The new probabilities are one step of mirror descent from the network's:
proportional to ``exp((log p + step * q) / (1 + step * magnet))``.  Nothing is assumed to be known beyond the searching
player's view.  Actions that are significantly behind are eliminated, so that the time is spent on close ones.  With
time left, the search repeats with deeper rollouts.

Sokota and others: *The Update-Equivalence Framework for Decision-Time Planning* (arXiv 2304.13138); the search of
*Ataraxos* (arXiv 2511.07312).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.sampling import NEVER, sample
from agents.search.continuation import Rows, rollout_results
from agents.search.guided import Evaluator
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.view import View, latest_events
from porta_nigra_env.core.narration.history import retell
from porta_nigra_env.envs.batch import BatchEnv, BatchStep

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: An action is eliminated when it is behind by this number of standard errors.
ELIMINATION_ERRORS: Final = 3.0
#: Share of the remaining time of a race that a deeper one may follow.
MAX_SHARE: Final = 0.5
#: An undecided race counts after this number of determinizations.
MIN_WORLDS: Final = 64
#: Determinizations of a step in a shared batch, and the minimum before an elimination.
CHUNK: Final = 16


@dataclass(frozen=True)
class Effort:
    """The size of a search.

    Attributes:
        worlds: upper bound of the determinizations of an action.
        candidates: number of most probable actions that are tried.
        plies: rollout steps of the network, of all seats.
        rows: games in a batch.
        deepest: while time is left, the search repeats with twice the plies, up to this number.
        doubt: standard errors by which differences of results shrink towards 0.
    """

    worlds: int
    candidates: int
    plies: int
    rows: int
    deepest: int = 0
    doubt: float = 0.0


def shrink(differences: Floats | float, errors: Floats | float) -> Floats | float:
    """Move differences towards 0 by some errors, and not beyond it."""
    shrunk: Floats = np.sign(differences) * np.maximum(np.abs(differences) - errors, 0.0)
    return shrunk


@dataclass
class Race:
    """Results of candidate actions in common determinizations, and the distances of the eliminated ones.

    Attributes:
        running: int64 (running,), the remaining candidates.
        count: determinizations of the remaining candidates.
        sums: float64 (candidates,), of results.
        products: float64 (candidates, candidates), sums of products of two actions' results in a determinization.
        totals: float64 (candidates, players), sums of all seats' results.
        tried: int64 (candidates,), determinizations of each.
        bootstrapped: whether a rollout ended before its game, so that longer ones could give more information.
        behind: eliminated candidates: index, leader, distance, standard error of the distance.
    """

    running: Integers
    sums: Floats
    products: Floats
    totals: Floats
    tried: Integers
    count: int = 0
    bootstrapped: bool = False
    behind: list[tuple[int, int, float, float]] = field(default_factory=list)

    @classmethod
    def of(cls, size: int, players: int) -> Race:
        """Start a race of `size` candidates."""
        totals, tried = np.zeros((size, players)), np.zeros(size, dtype=np.int64)
        return cls(np.arange(size), np.zeros(size), np.zeros((size, size)), totals, tried)

    def add(self, results: Floats, bootstrapped: bool, player: int) -> None:
        """Add results by seat, float64 (worlds, running, players); those of `player` decide the race."""
        own = results[:, :, player]
        self.bootstrapped |= bootstrapped
        self.count += len(results)
        self.tried[self.running] += len(results)
        self.totals[self.running] += results.sum(axis=0)
        self.sums[self.running] += own.sum(axis=0)
        self.products[np.ix_(self.running, self.running)] += own.T @ own

    def eliminate(self, log_shares: Floats, step: float) -> None:
        """Eliminate candidates behind the leader in ``log p + step * result`` by `ELIMINATION_ERRORS` standard errors.

        Fewer than `CHUNK` determinizations are too few for a standard error.
        """
        if self.count < CHUNK:
            return
        running, means = self.running, self.sums / self.count
        weights = log_shares[running] + step * means[running]
        leader = running[weights.argmax()]
        errors = self.errors(leader)
        lost = weights + step * ELIMINATION_ERRORS * errors < weights.max()
        distances = means[leader] - means[running]
        self.behind += [
            (int(index), int(leader), float(distance), float(error))
            for index, distance, error in zip(running[lost], distances[lost], errors[lost], strict=True)
        ]
        self.running = running[~lost]

    def errors(self, other: int) -> Floats:
        """Return standard errors of the differences from a remaining candidate's results, float64 (running,)."""
        running, means = self.running, self.sums / self.count
        squares = np.diagonal(self.products) - 2.0 * self.products[other] + self.products[other, other]
        spread: Floats = (squares / self.count - (means - means[other]) ** 2)[running]
        return np.sqrt(np.maximum(spread, 0.0) / self.count)

    def means(self, log_shares: Floats, doubt: float) -> Floats:
        """Return mean results of all candidates, float64 (candidates,), whose differences shrink by `doubt` errors.

        Remaining candidates are compared with the most probable one, eliminated ones with their leader.
        """
        means: Floats = self.sums / max(self.count, 1)
        running = self.running
        if self.count:
            likeliest = running[log_shares[running].argmax()]
            differences, errors = means[running] - means[likeliest], doubt * self.errors(likeliest)
            means[running] = means[likeliest] + shrink(differences, errors)
        for index, leader, distance, error in reversed(self.behind):
            means[index] = means[leader] - shrink(distance, doubt * error)
        return means


@dataclass(frozen=True)
class MirrorResult:
    """The result of a search.

    Attributes:
        values: float64 (num_actions,), mean result for the searching player; untried actions have the mean of the
            tried ones.
        tried: int64 (num_actions,), determinizations of each.
        improved: float64 (num_actions,), the improved policy.
        expected: float64 (players,), the network's results by seat.
        means: float64 (players,), mean result of the improved policy by seat; `expected` where nothing was tried.
    """

    values: Floats
    tried: Integers
    improved: Floats
    expected: Floats
    means: Floats


class Root(NamedTuple):
    """A step with a choice that is searched.

    view: of the searching player; actions: int64 (candidates,); log_shares: float64 (num_actions,), logarithms of the
    network's probabilities; expected: float64 (players,), its results by seat; seed: of the determinizations; rng: of
    the rollouts; histories: int16 (players, history, 4), what the searching player knows about them, or None.
    """

    view: View
    actions: Integers
    log_shares: Floats
    expected: Floats
    seed: int
    rng: np.random.Generator
    histories: npt.NDArray[np.int16] | None


class Batch(NamedTuple):
    """More determinizations for the remaining candidates of a root."""

    root: Root
    race: Race
    worlds: int


class MirrorSearch:
    """A search of one step after the other, or of many in shared batches.

    Args:
        game: the game.
        evaluator: the network.
        effort: the size of the search.
        step: step size of mirror descent: weight of a difference of results against one of log-probabilities.
        magnet: strength of the pull towards equal probabilities.
        history: number of events that the network reads.  In rollouts, other seats remember what the searching player
            knows that they have seen (`core.narration.history.retell`).
    """

    def __init__(
        self, game: Game, evaluator: Evaluator, effort: Effort, step: float, magnet: float = 0.0, history: int = 0
    ) -> None:
        self.game, self.evaluator, self.effort = game, evaluator, effort
        self.step, self.magnet, self.history = step, magnet, history
        self._env = BatchEnv(game, effort.rows, autoreset_mode="DISABLED", illegal_action="terminate", history=history)

    def run(self, view: View, seed: int, spent: Callable[[], float] = lambda: 0.0) -> MirrorResult:
        """Search for the player to move of a view.

        Args:
            view: of a player with a choice.
            seed: of determinizations and rollouts.
            spent: returns the spent share of the time, called after every batch; 1 ends the search.
        """
        root = self._roots([view], [seed])[0]
        return self._result(root, self._deepest_race(root, spent))

    def run_all(self, views: Sequence[View], seeds: Sequence[int]) -> list[MirrorResult]:
        """Search many views in shared batches, without a clock and no deeper than `plies`.

        The determinizations and rollouts of a view follow from its seed alone.

        Args:
            views: of players with a choice.
            seeds: one for each.
        """
        if not views:
            return []
        races = [(root, Race.of(len(root.actions), self.game.num_players)) for root in self._roots(views, seeds)]
        while waiting := [
            (root, race) for root, race in races if len(race.running) > 1 and race.count < self.effort.worlds
        ]:
            space, batches = self.effort.rows, []
            for root, race in waiting:
                size = min(CHUNK, self.effort.worlds - race.count, self.effort.rows // len(race.running))
                space -= size * len(race.running)
                if space < 0:
                    break
                batches.append(Batch(root, race, size))
            self._try(batches, self.effort.plies)
        return [self._result(root, race) for root, race in races]

    def _roots(self, views: Sequence[View], seeds: Sequence[int]) -> list[Root]:
        """Evaluate some views."""
        inputs = [np.stack([view.observation for view in views]), np.stack([view.action_mask for view in views])]
        memories: list[npt.NDArray[np.int16] | None] = [None] * len(views)
        if self.history:
            latest = [latest_events(view.history, self.history, "the network") for view in views]
            inputs.append(np.stack(latest))
            memories = [retell(self.game, tokens, view.player) for tokens, view in zip(latest, views, strict=True)]
        all_logits, all_values = self.evaluator(*inputs)
        roots = []
        for view, seed, row, values, memory in zip(views, seeds, all_logits, all_values, memories, strict=True):
            legal = view.legal_ids()
            logits = np.where(view.action_mask != 0, row, np.float32(NEVER)).astype(np.float64)
            actions = legal[np.argsort(-logits[legal], kind="stable")][: min(self.effort.candidates, self.effort.rows)]
            log_shares = logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max()
            expected = np.roll(values[: self.game.num_players].astype(np.float64), view.player)
            roots.append(Root(view, actions, log_shares, expected, seed, np.random.default_rng(seed), memory))
        return roots

    def _result(self, root: Root, race: Race) -> MirrorResult:
        game, actions, log_shares = self.game, root.actions, root.log_shares
        tried = np.zeros(game.actions.size, dtype=np.int64)
        tried[actions] = race.tried
        shares, means = np.exp(log_shares[actions]), race.means(log_shares[actions], self.effort.doubt)
        values = np.full(game.actions.size, (shares * means).sum() / shares.sum())
        values[actions] = means
        scores = (log_shares + self.step * (values - values[actions].max())) / (1.0 + self.step * self.magnet)
        legal = root.view.action_mask != 0
        improved = np.where(legal, np.exp(scores - scores[legal].max()), 0.0)
        played = improved[actions] @ (race.totals / np.maximum(race.tried, 1)[:, None]) / improved[actions].sum()
        expected = root.expected
        return MirrorResult(values, tried, improved / improved.sum(), expected, played if race.count else expected)

    def _deepest_race(self, root: Root, spent: Callable[[], float]) -> Race:
        """Run races with more and more plies until the time is over; return the deepest complete one."""
        effort, plies = self.effort, self.effort.plies
        best, start = Race.of(len(root.actions), self.game.num_players), 0.0
        while True:
            race, batches, deeper = Race.of(len(root.actions), self.game.num_players), 0, max(1, 2 * plies)
            until = 1.0 if deeper > effort.deepest else start + MAX_SHARE * (1.0 - start)
            while len(race.running) > 1 and race.count < effort.worlds and spent() < until:
                size = min(effort.rows // len(race.running), effort.worlds - race.count)
                self._try([Batch(root, race, size)], plies)
                batches += 1
            if not best.count or len(race.running) == 1 or race.count >= min(MIN_WORLDS, effort.worlds):
                best = race
            if deeper > effort.deepest or not race.bootstrapped:
                return best
            # A batch of the next race takes about twice as long.
            end = spent()
            if end + 2.0 * (end - start) / batches > 1.0:
                return best
            plies, start = deeper, end

    def _determinize(self, view: View, seed: int, first: int, count: int) -> States:
        """Return the determinizations ``first .. first + count - 1`` of a view, states (count,)."""
        states = np.repeat(view.state, count)
        kernel, constants = self.game.kernel, self.game.constants
        for row in range(count):
            kernel.determinize(constants, states, row, view.player, later_seed(seed, first + row + 1))
        return states

    def _try(self, batches: Sequence[Batch], plies: int) -> None:
        """Try the remaining candidates in more determinizations, all in one batch, and eliminate."""
        states, actions, uniforms, sizes = [], [], [], []
        for (view, candidates, _, _, seed, rng, _), race, size in batches:
            running = race.running
            states.append(np.repeat(self._determinize(view, seed, race.count, size), len(running)))
            actions.append(np.tile(candidates[running], size))
            # Common random numbers for all actions of a determinization reduce the variance of differences.
            uniforms.append(np.repeat(rng.random((plies, size)), len(running), axis=1))
            sizes.append(size * len(running))
        histories = None
        if self.history:
            all_histories = np.stack([batch.root.histories for batch in batches])  # type: ignore[misc]  # set by _roots
            histories = np.repeat(all_histories, sizes, axis=0)
        played = self._roll_out(
            np.concatenate(states), np.concatenate(actions), np.concatenate(uniforms, axis=1), histories
        )
        ends = np.cumsum(sizes)[:-1]
        for (root, race, size), results, bootstrapped in zip(
            batches, *(np.split(array, ends) for array in played), strict=True
        ):
            shape = (size, len(race.running), self.game.num_players)
            race.add(results.reshape(shape), bool(bootstrapped.any()), root.view.player)
            race.eliminate(root.log_shares[root.actions], self.step)

    def _roll_out(
        self, states: States, actions: Integers, uniforms: Floats, histories: npt.NDArray[np.int16] | None = None
    ) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Apply `rollout_results` to the network's policy; uniforms: float64 (plies, k), of the sampled actions."""

        def player(step: BatchStep, rows: Rows, ply: int) -> tuple[Integers, npt.NDArray[np.floating]]:
            masks = step.action_masks[rows]
            memories = [self._env.histories[rows]] if self.history else []
            logits, values = self.evaluator(step.observations[rows], masks, *memories)
            chosen = np.zeros(len(masks), dtype=np.int64)
            if ply < len(uniforms):
                sample(logits, masks, uniforms[ply, rows], chosen, np.zeros(len(masks), dtype=np.float32))
            return chosen, values

        return rollout_results(self._env, states, actions, len(uniforms), player, histories)
