"""Search that a network guides, for many games at once: priors where to look, values instead of playing on.

Every simulation draws a world that agrees with what the searcher knows (information-set search, see
`agents.search.tree`), walks down the game's tree along actions that are legal in that world, and stops where the tree
ends.  The network evaluates the ends of all simulations of a round in one batch; then priors are entered, and values
added along the paths, one for each seat (`agents.search.puct`).

Inside the tree actions are chosen by PUCT (Silver and others, *A general reinforcement learning algorithm that masters
chess, shogi, and Go through self-play*, Science 362, 2018).  At the root either by PUCT as well, or by sequential
halving over a sample of actions without replacement (Danihelka and others, *Policy improvement by planning with
Gumbel*, ICLR 2022), which improves on the network's policy also with few simulations.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.networks.network import NEVER
from agents.search.halving import Halving
from agents.search.keys import OBSERVERS, ROOT, find, mixed
from agents.search.puct import Roots, Round, Slots, Trees, bind_puct, new_scratch, new_slots, new_trees
from porta_nigra_env.core.game.game import Game, States

#: Constants of the transformation of values at the root (Danihelka and others, equation 8).
VISITS_OFFSET, VALUE_SCALE = 50.0, 1.0
#: Places of a game's table, at most: some 25 MB.
MOST_PLACES: Final = 1 << 19

#: Evaluates positions: observations float32 (k, size), masks int8 (k, num_actions) to logits float32 (k, num_actions)
#: and values float32 (k, seats) from the player to move on, results in -1..1, for at least the seats of the game.
Evaluator = Callable[[Any, Any], tuple[Any, Any]]


@dataclass(frozen=True)
class Found:
    """What a search has found, a row for each game.

    Attributes:
        visits: int64 (games, num_actions), how often each action was chosen at the root.
        values: float64 (games, num_actions), mean result of each for the searcher, 0 where never chosen.
        means: float64 (games, players), mean result of all simulations for each seat; the network's expectation where
            none passed an action of the table.
        logits: float32 (games, num_actions), of the network at the root, `NEVER` where illegal.
        expected: float64 (games, seats), what the network expected.
        actions: int64 (games,), the choice.
        improved: float64 (games, num_actions), probabilities that are better than the network's: its logits and the
            values found, together.
    """

    visits: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    means: npt.NDArray[np.float64]
    logits: npt.NDArray[np.float32]
    expected: npt.NDArray[np.float64]
    actions: npt.NDArray[np.int64]
    improved: npt.NDArray[np.float64]


class GuidedSearch:
    """Searches that share their arrays.

    Args:
        game: the game.
        evaluator: the network.
        simulations: for each game.
        parallel: simulations of a game between two calls of the network.
        exploration: constant of PUCT.
        gumbel: sequential halving at the root; else PUCT there too, and the choice is the action with most visits.
        observers: one of `keys.OBSERVERS`.
        prior_temperature: by which the network's logits are divided where they tell what to try: above 1, what it
            thinks little of is tried more often.
        threads: that share out the games, each with trees of its own and calls of the evaluator.
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
        self.game, self.evaluator = game, evaluator
        self.simulations, self.parallel = simulations, min(parallel, simulations)
        self.exploration, self.gumbel, self.observer = exploration, gumbel, OBSERVERS[observers]
        self.loops = bind_puct(game)
        self._scratch = new_scratch(game)
        self._games = 0

    def _allocate(self, games: int) -> None:
        if games <= self._games:
            return
        # Half of a table is for edges: all that the root may have, and for every simulation those of one node, ten or
        # so; a full table stops growing, not searching.
        size = min(1 << (2 * self.game.actions.size + 32 * self.simulations - 1).bit_length(), MOST_PLACES)
        self._trees: Trees = new_trees(self.game, games, size)
        # By their number, since every slice of an array takes its time.
        slots = games * self.parallel
        self._slots: dict[int, Slots] = {slots: new_slots(self.game, slots)}
        self._games = games

    def _slots_of(self, count: int) -> Slots:
        """The first slots."""
        if count not in self._slots:
            self._slots[count] = self._slots[max(self._slots)].of(count)
        return self._slots[count]

    def _simulate(self, roots: Roots, trees: Trees, forced: npt.NDArray[np.int64] | None, now: Round) -> Slots:
        """``now.parallel`` simulations in every game; forced: the roots' actions, None for those of PUCT."""
        slots = self._slots_of(len(roots.states) * now.parallel)
        slots.forced[:] = -1 if forced is None else forced
        parts = tuple(trees), tuple(slots), tuple(self._scratch)
        self.loops.descend(self.game.constants, roots, *parts, now)
        running = slots.players >= 0
        if running.any():
            # Where no game is over, which is nearly always, nothing has to be copied.
            rows = slice(None) if running.all() else np.flatnonzero(running)
            logits, values = self.evaluator(slots.observations[rows], slots.masks[rows])
            slots.logits[rows] = logits / np.float32(self.prior_temperature)
            slots.values[rows] = values[:, : self.game.num_players]
        self.loops.back_up(self.game.constants, roots, *parts, now)
        return slots

    def run(
        self,
        roots: States,
        players: npt.NDArray[np.int8],
        seeds: npt.NDArray[np.int64],
        noise: float = 0.0,
        spent: Callable[[], float] = lambda: 0.0,
    ) -> Found:
        """Search in several games.

        A game's answer is a function of its root and seed and of what the network says; it is the same alone and
        together with others as far as the network's numbers are, whose last bits may differ with the size of a batch.

        Args:
            roots: (games,) redacted states; players: who is to move and searches.
            seeds: int64 (games,).
            noise: how strongly Gumbel noise counts in the choice among the root's actions: 1 to sample as in
                training, 0 for the best.  It has no effect without `gumbel`.
            spent: asked once after every round of simulations: how much of the time is over; 1 ends the search.
        """
        if self._pool is None or len(roots) == 1:
            return self._run(roots, players, seeds, noise, spent)
        edges = np.linspace(0, len(roots), min(len(roots), 1 + len(self._others)) + 1).astype(int).tolist()
        parts = [slice(*ends) for ends in itertools.pairwise(edges)]
        waiting = [
            self._pool.submit(one._run, roots[part], players[part], seeds[part], noise, spent)
            for one, part in zip((self, *self._others), parts, strict=False)
        ]
        found = [one.result() for one in waiting]
        names = [one.name for one in fields(Found)]
        return Found(**{name: np.concatenate([getattr(one, name) for one in found]) for name in names})

    def _run(
        self,
        roots: States,
        players: npt.NDArray[np.int8],
        seeds: npt.NDArray[np.int64],
        noise: float,
        spent: Callable[[], float],
    ) -> Found:
        """`run` in this thread."""
        games, actions = len(roots), self.game.actions.size
        self._allocate(games)
        trees = self._trees.of(games)
        trees.keys.fill(0)
        trees.used.fill(0)
        whence = Roots(roots, players, seeds, np.zeros((games, self.game.num_players)))
        slots = self._simulate(whence, trees, None, Round(0, 1, self.exploration, self.observer))
        logits = np.where(slots.masks != 0, slots.logits, np.float32(NEVER))
        places = _places(trees, logits)
        gumbel = np.zeros((games, actions))
        if noise:
            for i, seed in enumerate(seeds.tolist()):
                gumbel[i] = noise * np.random.default_rng(seed).gumbel(size=actions)
        halving = Halving(logits, gumbel, self.simulations) if self.gumbel else None
        done, over, forced = 0, 0.0, None
        while done < self.simulations and over < 1.0:
            count = min(self.parallel, self.simulations - done)
            if halving is not None:
                visits, values = _tally(trees, places, players)
                scores = logits + gumbel + _completed(visits, values, logits, whence)
                forced = halving.next(count, scores, over)
            now = Round(done + 1, count, self.exploration, self.observer)
            self._simulate(whence, trees, forced, now)
            done += count
            over = spent()
        visits, values = _tally(trees, places, players)
        completed = _completed(visits, values, logits, whence)
        if halving is not None:
            chosen = halving.best(logits + gumbel + completed, visits)
        else:
            chosen = np.lexsort((values.T, visits.T), axis=0)[-1]
        # What is learned from are the network's own probabilities: tempered ones would grow flatter with every lesson.
        told = np.where(logits > NEVER, logits * np.float32(self.prior_temperature), logits)
        improved, means = _softmax(told + completed), _means(trees, places, visits, whence.expected)
        return Found(visits, values, means, told, whence.expected, chosen.astype(np.int64), improved)


def _places(trees: Trees, logits: Any) -> Any:
    """Where the roots' edges are, int64 (games, num_actions), -1 where illegal or not in the table."""
    places = np.full(logits.shape, -1, dtype=np.int64)
    for i, action in zip(*np.nonzero(logits > NEVER), strict=True):
        place = find(trees.keys[i], mixed(ROOT, int(action)))
        if trees.keys[i, place] != 0:
            places[i, action] = place
    return places


def _tally(trees: Trees, places: Any, players: Any) -> tuple[Any, Any]:
    """Visits and mean values of the roots' actions."""
    rows = np.arange(len(places))[:, None]
    there = np.maximum(places, 0)
    visits = np.where(places >= 0, trees.visits[rows, there], 0).astype(np.int64)
    sums = np.where(visits > 0, trees.values[rows, there, players[:, None]], 0.0)
    return visits, sums / np.maximum(visits, 1)


def _means(trees: Trees, places: Any, visits: Any, expected: Any) -> Any:
    """Mean results of all simulations by seat, float64 (games, players); `expected` where there were none."""
    total = visits.sum(axis=1, keepdims=True)
    found = trees.values[np.arange(len(places))[:, None], np.maximum(places, 0)]
    sums = np.where((places >= 0)[..., None], found, 0.0).sum(axis=1)
    return np.where(total > 0, sums / np.maximum(total, 1), expected)


def _completed(visits: Any, values: Any, logits: Any, roots: Roots) -> Any:
    """The completed values, on the scale of logits: of what was tried those found, of the others a mixture (Danihelka
    and others, appendix D)."""
    own = roots.expected[np.arange(len(visits)), roots.players.astype(np.int64)][:, None]
    shares = np.where(visits > 0, _softmax(logits), 0.0)
    weight, total = shares.sum(axis=1, keepdims=True), visits.sum(axis=1, keepdims=True)
    seen = (shares * values).sum(axis=1, keepdims=True) / np.maximum(weight, 1e-12)
    mixture = np.where(total > 0, (own + total * seen) / (1 + total), own)
    completed = np.where(visits > 0, values, mixture)
    return (VISITS_OFFSET + visits.max(axis=1, keepdims=True)) * VALUE_SCALE * (completed + 1.0) / 2.0


def _softmax(logits: Any) -> Any:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
