"""Search guided by a network, for many games at once: its probabilities are priors, its values evaluate leaves.

Every simulation samples a determinization of the searching player's information state and walks down the tree with PUCT
(`agents.search.tree`).  The network evaluates the leaves of all simulations of a round in one batch.

Root action selection is PUCT as well, or sequential halving over a sample of actions without replacement (Danihelka and
others, *Policy improvement by planning with Gumbel*, ICLR 2022).  The latter improves the network's policy also with
few simulations.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.sampling import NEVER
from agents.search.arrays import (
    OUTCOME,
    PUCT,
    PUCT_DEPTH,
    SAMPLED,
    Roots,
    Rules,
    Slots,
    Tree,
    new_scratch,
    new_slots,
    new_tree,
)
from agents.search.halving import Halving
from agents.search.keys import OBSERVERS, ROOT, child_key, find_slot
from agents.search.tree import bind_search
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.game import Game, States

#: Constants of the transformation of values at the root (Danihelka and others, equation 8).
VISITS_OFFSET, VALUE_SCALE = 50.0, 1.0
#: Largest table of a game, some 25 MB.
MAX_TABLE: Final = 1 << 19

#: Evaluates a batch: observations float32 (k, size), masks int8 (k, num_actions) to logits float32 (k, num_actions)
#: and values float32 (k, seats), results in -1..1 from the player to move on, for at least the seats of the game.  With
#: a network that reads histories, they come third: int16 (k, history, 4).
Evaluator = Callable[..., tuple[Any, Any]]


@dataclass(frozen=True)
class GuidedResult:
    """The result of a search, a row for each game.

    Attributes:
        visits: int64 (games, num_actions), visits of the root's actions.
        values: float64 (games, num_actions), mean result of each for the searching player, 0 without visits.
        means: float64 (games, players), mean result of all simulations by seat; `expected` where no simulation passed
            an edge of the root.
        logits: float32 (games, num_actions), the network's at the root, `NEVER` where illegal.
        expected: float64 (games, seats), the network's results at the root.
        actions: int64 (games,), the choice.
        improved: float64 (games, num_actions), the improved policy: logits and completed values together.
    """

    visits: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    means: npt.NDArray[np.float64]
    logits: npt.NDArray[np.float32]
    expected: npt.NDArray[np.float64]
    actions: npt.NDArray[np.int64]
    improved: npt.NDArray[np.float64]


class GuidedSearch:
    """A search of many games with shared arrays.

    Args:
        game: the game.
        evaluator: the network.
        simulations: for each game.
        parallel: simulations of a game between two calls of the network.
        exploration: constant of PUCT.
        gumbel: sequential halving at the root; else PUCT there too, and the choice is the action with most visits.
        observers: one of `keys.OBSERVERS`.
        prior_temperature: divides the logits of the priors; above 1, improbable actions are tried more often.
        threads: threads that share the games, each with separate trees and evaluator calls.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        simulations: int,
        parallel: int = 8,
        exploration: float = 1.25,
        gumbel: bool = True,
        observers: str = "single",
        prior_temperature: float = 1.0,
        threads: int = 1,
    ) -> None:
        options = simulations, parallel, exploration, gumbel, observers, prior_temperature
        self._others = [GuidedSearch(game, evaluator, *options) for _ in range(threads - 1)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.prior_temperature = prior_temperature
        self.game, self.evaluator, self.gumbel = game, evaluator, gumbel
        self.simulations, self.parallel = simulations, min(parallel, simulations)
        self.loops = bind_search(game)
        self._rules = Rules(
            SAMPLED, 1, OBSERVERS[observers], 0, PUCT_DEPTH, 0, 0, OUTCOME, 1.0, float(exploration), 0.0, PUCT
        )
        self._scratch = tuple(new_scratch(game))
        self._games = 0

    def _allocate(self, games: int) -> None:
        if games <= self._games:
            return
        # Half of a table is for edges: all those of the root, and of one node with ten or so for every simulation.  A
        # full table stops growing.
        size = min(1 << (2 * self.game.actions.size + 32 * self.simulations - 1).bit_length(), MAX_TABLE)
        self._tree = new_tree(self.game, games, size, PUCT)
        # By their number, since slicing the arrays takes time.
        slots = games * self.parallel
        self._slots: dict[int, Slots] = {slots: new_slots(self.game, slots, PUCT_DEPTH)}
        self._games = games

    def _slots_of(self, count: int) -> Slots:
        """Return the first slots."""
        if count not in self._slots:
            self._slots[count] = self._slots[max(self._slots)].of(count)
        return self._slots[count]

    def _simulate(
        self, roots: Roots, tree: Tree, forced: npt.NDArray[np.int64] | None, first: int, parallel: int
    ) -> Slots:
        """Run `parallel` simulations in every game; forced: the roots' actions, None for those of PUCT."""
        slots = self._slots_of(len(roots.states) * parallel)
        slots.forced[:] = -1 if forced is None else forced
        arrays, constants = (tuple(tree), tuple(slots), self._scratch), self.game.constants
        self.loops.descend(constants, roots, *arrays, RANDOM.parameters, self._rules, first, parallel)
        running = slots.players >= 0
        if running.any():
            # Nearly always no game is over, and nothing has to be copied.
            rows = slice(None) if running.all() else np.flatnonzero(running)
            logits, values = self.evaluator(slots.observations[rows], slots.masks[rows])
            slots.logits[rows] = logits / np.float32(self.prior_temperature)
            slots.values[rows] = values[:, : self.game.num_players]
        self.loops.backup(constants, roots, *arrays, parallel)
        return slots

    def run(
        self,
        roots: States,
        players: npt.NDArray[np.int8],
        seeds: npt.NDArray[np.int64],
        noise: float = 0.0,
        spent: Callable[[], float] = lambda: 0.0,
    ) -> GuidedResult:
        """Search in several games.

        A game's result is a function of its root, its seed and the network.  It is the same alone and with others, as
        far as the network's numbers are: their last bits may differ with the batch size.

        Args:
            roots: (games,) redacted states.
            players: int8 (games,), the players to move; each searches.
            seeds: int64 (games,).
            noise: weight of Gumbel noise in the root action selection: 1 samples as in training, 0 takes the best.  It
                has no effect without `gumbel`.
            spent: returns the spent share of the time, called once after every round; 1 ends the search.
        """
        if self._pool is None or len(roots) == 1:
            return self._run(roots, players, seeds, noise, spent)
        edges = np.linspace(0, len(roots), min(len(roots), 1 + len(self._others)) + 1).astype(int).tolist()
        futures = [
            self._pool.submit(search._run, roots[a:b], players[a:b], seeds[a:b], noise, spent)
            for search, (a, b) in zip((self, *self._others), itertools.pairwise(edges), strict=False)
        ]
        results = [future.result() for future in futures]
        names = [field.name for field in fields(GuidedResult)]
        return GuidedResult(**{name: np.concatenate([getattr(one, name) for one in results]) for name in names})

    def _run(
        self,
        states: States,
        players: npt.NDArray[np.int8],
        seeds: npt.NDArray[np.int64],
        noise: float,
        spent: Callable[[], float],
    ) -> GuidedResult:
        """Apply `run` in this thread."""
        games, actions = len(states), self.game.actions.size
        self._allocate(games)
        tree = self._tree.of(games)
        tree.clear()
        nodes = np.full(games, ROOT, dtype=np.int64)
        roots = Roots(states, players, seeds, nodes, np.zeros((games, self.game.num_players)))
        slots = self._simulate(roots, tree, None, 0, 1)
        logits = np.where(slots.masks != 0, slots.logits, np.float32(NEVER))
        edges = _root_edges(tree, logits)
        gumbel = np.zeros((games, actions))
        if noise:
            for i, seed in enumerate(seeds.tolist()):
                gumbel[i] = noise * np.random.default_rng(seed).gumbel(size=actions)
        halving = Halving(logits, gumbel, self.simulations) if self.gumbel else None
        done, share, forced = 0, 0.0, None
        while done < self.simulations and share < 1.0:
            count = min(self.parallel, self.simulations - done)
            if halving is not None:
                visits, values = _tally(tree, edges, players)
                scores = logits + gumbel + _completed(visits, values, logits, roots)
                forced = halving.next(count, scores, share)
            self._simulate(roots, tree, forced, done + 1, count)
            done += count
            share = spent()
        visits, values = _tally(tree, edges, players)
        completed = _completed(visits, values, logits, roots)
        if halving is not None:
            chosen = halving.best(logits + gumbel + completed, visits)
        else:
            chosen = np.lexsort((values.T, visits.T), axis=0)[-1]
        # Training learns from the network's own probabilities: tempered ones would become flatter with every update.
        untempered = np.where(logits > NEVER, logits * np.float32(self.prior_temperature), logits)
        improved, means = _softmax(untempered + completed), _means(tree, edges, visits, roots.expected)
        return GuidedResult(visits, values, means, untempered, roots.expected, chosen.astype(np.int64), improved)


def _root_edges(tree: Tree, logits: Any) -> npt.NDArray[np.int64]:
    """Return the roots' edges, int64 (games, num_actions), -1 where illegal or not in the table."""
    edges = np.full(logits.shape, -1, dtype=np.int64)
    for i, action in zip(*np.nonzero(logits > NEVER), strict=True):
        edge = find_slot(tree.keys[i], child_key(ROOT, int(action)))
        if tree.keys[i, edge] != 0:
            edges[i, action] = edge
    return edges


def _tally(
    tree: Tree, edges: npt.NDArray[np.int64], players: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return visits and mean values of the roots' actions."""
    rows, slots = np.arange(len(edges))[:, None], np.maximum(edges, 0)
    visits = np.where(edges >= 0, tree.visits[rows, slots], 0).astype(np.int64)
    sums = np.where(visits > 0, tree.values[rows, slots, players[:, None]], 0.0)
    return visits, sums / np.maximum(visits, 1)


def _means(tree: Tree, edges: npt.NDArray[np.int64], visits: npt.NDArray[np.int64], expected: Any) -> Any:
    """Return the mean results of all simulations by seat, float64 (games, players), or `expected` without any."""
    total = visits.sum(axis=1, keepdims=True)
    values = tree.values[np.arange(len(edges))[:, None], np.maximum(edges, 0)]
    sums = np.where((edges >= 0)[..., None], values, 0.0).sum(axis=1)
    return np.where(total > 0, sums / np.maximum(total, 1), expected)


def _completed(visits: npt.NDArray[np.int64], values: npt.NDArray[np.float64], logits: Any, roots: Roots) -> Any:
    """Return the completed values on the scale of logits; actions without visits get a mixture (appendix D)."""
    own = roots.expected[np.arange(len(visits)), roots.players.astype(np.int64)][:, None]
    shares = np.where(visits > 0, _softmax(logits), 0.0)
    weight, total = shares.sum(axis=1, keepdims=True), visits.sum(axis=1, keepdims=True)
    tried = (shares * values).sum(axis=1, keepdims=True) / np.maximum(weight, 1e-12)
    mixture = np.where(total > 0, (own + total * tried) / (1 + total), own)
    completed = np.where(visits > 0, values, mixture)
    return (VISITS_OFFSET + visits.max(axis=1, keepdims=True)) * VALUE_SCALE * (completed + 1.0) / 2.0


def _softmax(logits: Any) -> Any:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
