"""A search without a tree: the network plays on in many worlds, and its probabilities move towards what did well.

Every action that the network thinks likely is tried in the same worlds, drawn to agree with what the searcher knows.
The network then plays all seats for some plies, drawing its actions, in one batch for all worlds and actions; where the
game is not over, its values stand for the rest.  The new probabilities are those of mirror descent, one step from the
network's: proportional to ``exp((log p + step * q) / (1 + step * magnet))``.  Nothing is assumed to be known beyond
what the searcher sees, and worlds are never mixed up in a tree.  Actions that fall behind by more than chance are given
up on the way, so that the time goes to those that are close.  Where time is left, it begins anew and looks further.

Sokota and others: *The Update-Equivalence Framework for Decision-Time Planning* (arXiv 2304.13138); the search of
*Ataraxos* (arXiv 2511.07312).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.networks.network import NEVER
from agents.networks.sampling import sample
from agents.search.continuation import played_on
from agents.search.guided import Evaluator
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv, BatchStep

#: Standard errors by which an action is behind when it is given up.
SURE: Final = 3.0
#: Share of the time left that a race may take where a deeper one can follow it.
PATIENCE: Final = 0.5
#: Worlds after which a race counts that is not decided.
ENOUGH: Final = 64
#: Worlds that a decision is given at a time where many are searched side by side, and before anything is given up.
TURN: Final = 16


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    Attributes:
        worlds: in which every candidate is tried, at most.
        candidates: actions that are tried, the likeliest.
        plies: decisions that the network plays on for, of all seats.
        rows: games that are played on at once.
        deepest: where the search is over before its time, it begins anew with twice the plies, up to so many.
        doubt: standard errors by which results differ less than was found, since chance may have done as much.
    """

    worlds: int
    candidates: int
    plies: int
    rows: int
    deepest: int = 0
    doubt: float = 0.0


def beyond(found: Any, errors: Any) -> Any:
    """What is left of differences when chance may have made so much of them, in the same direction or nothing."""
    return np.sign(found) * np.maximum(np.abs(found) - errors, 0.0)


@dataclass
class Race:
    """What the actions still tried won in the same worlds, and by how much the others fell behind.

    Attributes:
        running: int64 (running,), which of the candidates are still tried.
        count: worlds in which these were tried.
        sums: float64 (candidates,), of results.
        products: float64 (candidates, candidates), sums of products of two actions' results in a world.
        totals: float64 (candidates, players), sums of all seats' results.
        tried: int64 (candidates,), worlds in which each was tried.
        judged: whether a game was left before its end, so that playing on for longer could tell more.
        behind: of each that was given up: which it was, which one led, how far it was behind, and the error of that.
    """

    running: npt.NDArray[np.int64]
    sums: npt.NDArray[np.float64]
    products: npt.NDArray[np.float64]
    totals: npt.NDArray[np.float64]
    tried: npt.NDArray[np.int64]
    count: int = 0
    judged: bool = False
    behind: list[tuple[int, int, float, float]] = field(default_factory=list)

    @classmethod
    def of(cls, size: int, players: int) -> Race:
        """Of so many candidates, before its start."""
        totals, tried = np.zeros((size, players)), np.zeros(size, dtype=np.int64)
        return cls(np.arange(size), np.zeros(size), np.zeros((size, size)), totals, tried)

    def add(self, results: npt.NDArray[np.float64], judged: bool, player: int) -> None:
        """Count results by seat, float64 (worlds, running, players), of which those of `player` decide; judged: whether
        a game was left before its end."""
        own = results[:, :, player]
        self.judged |= judged
        self.count += len(results)
        self.tried[self.running] += len(results)
        self.totals[self.running] += results.sum(axis=0)
        self.sums[self.running] += own.sum(axis=0)
        self.products[np.ix_(self.running, self.running)] += own.T @ own

    def give_up(self, log_shares: npt.NDArray[np.float64], step: float) -> None:
        """End those that are behind the leader in ``log p + step * result`` by `SURE` standard errors; fewer than
        `TURN` worlds say nothing of these."""
        if self.count < TURN:
            return
        running, means = self.running, self.sums / self.count
        weights = log_shares[running] + step * means[running]
        leader = running[weights.argmax()]
        errors = self.errors(leader)
        lost = weights + step * SURE * errors < weights.max()
        distances = means[leader] - means[running]
        self.behind += [
            (int(one), int(leader), float(distance), float(error))
            for one, distance, error in zip(running[lost], distances[lost], errors[lost], strict=True)
        ]
        self.running = running[~lost]

    def errors(self, other: int) -> npt.NDArray[np.float64]:
        """Standard errors of the differences from the results of an action that is still tried, float64 (running,)."""
        running, means = self.running, self.sums / self.count
        squares = np.diagonal(self.products) - 2.0 * self.products[other] + self.products[other, other]
        spread: npt.NDArray[np.float64] = (squares / self.count - (means - means[other]) ** 2)[running]
        return np.sqrt(np.maximum(spread, 0.0) / self.count)

    def means(self, log_shares: npt.NDArray[np.float64], doubt: float) -> npt.NDArray[np.float64]:
        """Results of all that began, float64 (candidates,), of which those still tried differ from the likeliest of
        them, and the others from who led when they were given up, by `doubt` standard errors less than was found."""
        means, running = self.sums / max(self.count, 1), self.running
        if self.count:
            likeliest = running[log_shares[running].argmax()]
            found, errors = means[running] - means[likeliest], doubt * self.errors(likeliest)
            means[running] = means[likeliest] + beyond(found, errors)
        for one, leader, distance, error in reversed(self.behind):
            means[one] = means[leader] - beyond(distance, doubt * error)
        return means


@dataclass(frozen=True)
class Weighed:
    """What a search has found.

    Attributes:
        values: float64 (num_actions,), mean result for the searcher; where nothing was tried, the mean of what was.
        tried: int64 (num_actions,), worlds in which each was tried.
        improved: float64 (num_actions,), the new probabilities.
        expected: float64 (players,), what the network expected, by seat.
        means: float64 (players,), mean result of the new probabilities, by seat; `expected` where nothing was tried.
    """

    values: npt.NDArray[np.float64]
    tried: npt.NDArray[np.int64]
    improved: npt.NDArray[np.float64]
    expected: npt.NDArray[np.float64]
    means: npt.NDArray[np.float64]


class Decision(NamedTuple):
    """What is searched.

    view: of somebody who has a choice; actions: int64 (candidates,), what is tried; log_shares: float64 (num_actions,),
    logarithms of the network's probabilities; expected: float64 (players,), what it expects, by seat; seed: of the
    worlds; rng: of what is drawn.
    """

    view: View
    actions: npt.NDArray[np.int64]
    log_shares: npt.NDArray[np.float64]
    expected: npt.NDArray[np.float64]
    seed: int
    rng: np.random.Generator


class Turn(NamedTuple):
    """So many more worlds for what is still in the race of a decision."""

    decision: Decision
    race: Race
    worlds: int


class MirrorSearch:
    """Searches of one decision after the other, or of many side by side.

    Args:
        game: the game.
        evaluator: the network.
        effort: how much is tried.
        step: of mirror descent: how much a difference of results counts against one of log-probabilities.
        magnet: how strongly probabilities are drawn towards equal ones.
    """

    def __init__(self, game: Game, evaluator: Evaluator, effort: Effort, step: float, magnet: float = 0.0) -> None:
        self.game, self.evaluator, self.effort = game, evaluator, effort
        self.step, self.magnet = step, magnet
        self._env = BatchEnv(game, effort.rows, autoreset_mode="DISABLED", illegal_action="terminate")

    def run(self, view: View, seed: int, spent: Callable[[], float] = lambda: 0.0) -> Weighed:
        """Search for the player to move of a view.

        Args:
            view: of somebody who has a choice.
            seed: of worlds and of what is drawn.
            spent: asked after every batch: how much of the time is over; 1 ends the search.
        """
        decision = self._decisions([view], [seed])[0]
        return self._weighed(decision, self._raced(decision, spent))

    def run_all(self, views: Sequence[View], seeds: Sequence[int]) -> list[Weighed]:
        """Search many decisions side by side, without a clock and no deeper than `plies`.

        The worlds and draws of a decision follow from its own seed, whatever is searched beside it.

        Args:
            views: of players who have a choice.
            seeds: one for each.
        """
        if not views:
            return []
        races = [(decision, self._race(decision)) for decision in self._decisions(views, seeds)]
        while waiting := [one for one in races if len(one[1].running) > 1 and one[1].count < self.effort.worlds]:
            room, turns = self.effort.rows, []
            for decision, race in waiting:
                size = min(TURN, self.effort.worlds - race.count, self.effort.rows // len(race.running))
                room -= size * len(race.running)
                if room < 0:
                    break
                turns.append(Turn(decision, race, size))
            self._try(turns, self.effort.plies)
        return [self._weighed(decision, race) for decision, race in races]

    def _decisions(self, views: Sequence[View], seeds: Sequence[int]) -> list[Decision]:
        """What the network thinks of some decisions."""
        found, guessed = self.evaluator(
            np.stack([view.observation for view in views]), np.stack([view.action_mask for view in views])
        )
        decisions = []
        for view, seed, scored, values in zip(views, seeds, found, guessed, strict=True):
            legal = view.legal_ids()
            logits = np.where(view.action_mask != 0, scored, np.float32(NEVER)).astype(np.float64)
            actions = legal[np.argsort(-logits[legal], kind="stable")][: min(self.effort.candidates, self.effort.rows)]
            log_shares = logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max()
            expected = np.roll(values[: self.game.num_players].astype(np.float64), view.player)
            decisions.append(Decision(view, actions, log_shares, expected, seed, np.random.default_rng(seed)))
        return decisions

    def _race(self, decision: Decision) -> Race:
        """Of a decision's actions, before its start."""
        return Race.of(len(decision.actions), self.game.num_players)

    def _weighed(self, decision: Decision, race: Race) -> Weighed:
        """What a race says of a decision."""
        game, actions, log_shares = self.game, decision.actions, decision.log_shares
        tried = np.zeros(game.actions.size, dtype=np.int64)
        tried[actions] = race.tried
        shares, means = np.exp(log_shares[actions]), race.means(log_shares[actions], self.effort.doubt)
        values = np.full(game.actions.size, (shares * means).sum() / shares.sum())
        values[actions] = means
        weighed = (log_shares + self.step * (values - values[actions].max())) / (1.0 + self.step * self.magnet)
        legal = decision.view.action_mask != 0
        improved = np.where(legal, np.exp(weighed - weighed[legal].max()), 0.0)
        played = improved[actions] @ (race.totals / np.maximum(race.tried, 1)[:, None]) / improved[actions].sum()
        expected = decision.expected
        return Weighed(values, tried, improved / improved.sum(), expected, played if race.count else expected)

    def _raced(self, decision: Decision, spent: Callable[[], float]) -> Race:
        """The deepest race of a decision that there was time for."""
        effort, plies = self.effort, self.effort.plies
        found, begun = self._race(decision), 0.0
        while True:
            race, batches, deeper = self._race(decision), 0, max(1, 2 * plies)
            until = 1.0 if deeper > effort.deepest else begun + PATIENCE * (1.0 - begun)
            while len(race.running) > 1 and race.count < effort.worlds and spent() < until:
                size = min(effort.rows // len(race.running), effort.worlds - race.count)
                self._try([Turn(decision, race, size)], plies)
                batches += 1
            if not found.count or len(race.running) == 1 or race.count >= min(ENOUGH, effort.worlds):
                found = race
            if deeper > effort.deepest or not race.judged:
                return found
            # A batch of the next race takes about twice as long.
            ended = spent()
            if ended + 2.0 * (ended - begun) / batches > 1.0:
                return found
            plies, begun = deeper, ended

    def _worlds(self, view: View, seed: int, first: int, count: int) -> Any:
        """States (count,), the worlds from the number `first` on."""
        worlds = np.repeat(view.state, count)
        for row in range(count):
            self.game.kernel.determinize(
                self.game.constants, worlds, row, view.player, later_seed(seed, first + row + 1)
            )
        return worlds

    def _try(self, turns: Sequence[Turn], plies: int) -> None:
        """Try what is still in each race in so many more worlds, all in one batch, and give up what is behind."""
        states, actions, uniforms, sizes = [], [], [], []
        for (view, candidates, _, _, seed, rng), race, size in turns:
            running = race.running
            states.append(np.repeat(self._worlds(view, seed, race.count, size), len(running)))
            actions.append(np.tile(candidates[running], size))
            # The same numbers for all actions of a world: what differs is what the actions did.
            uniforms.append(np.repeat(rng.random((plies, size)), len(running), axis=1))
            sizes.append(size * len(running))
        played = self._played_on(np.concatenate(states), np.concatenate(actions), np.concatenate(uniforms, axis=1))
        ends = np.cumsum(sizes)[:-1]
        for (decision, race, size), results, judged in zip(
            turns, *(np.split(one, ends) for one in played), strict=True
        ):
            shape = (size, len(race.running), self.game.num_players)
            race.add(results.reshape(shape), bool(judged.any()), decision.view.player)
            race.give_up(decision.log_shares[decision.actions], self.step)

    def _played_on(
        self, states: Any, actions: Any, uniforms: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Results of k actions, each in its state, by seat, float64 (k, players), and where a game was left before its
        end, so that the network's values stand for the rest, bool (k,); uniforms: (plies, k), of what is drawn."""

        def player(step: BatchStep, rows: Any, ply: int) -> tuple[Any, Any]:
            masks = step.action_masks[rows]
            logits, values = self.evaluator(step.observations[rows], masks)
            chosen = np.zeros(len(masks), dtype=np.int64)
            if ply < len(uniforms):
                sample(logits, masks, uniforms[ply, rows], chosen, np.zeros(len(masks), dtype=np.float32))
            return chosen, values

        return played_on(self._env, states, actions, len(uniforms), player)
