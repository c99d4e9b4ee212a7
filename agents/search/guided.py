"""Search that a network guides, for many games at once: priors where to look, values instead of playing on.

Every simulation draws a world that agrees with what the searcher knows (information-set search, see
`agents.search.tree`), walks down the game's tree along actions that are legal in that world, and stops where the tree
ends.  The network judges the ends of all simulations of a round in one batch; then priors are entered, and values added
along the paths, one for each seat.

Inside the tree actions are chosen by PUCT (Silver and others, *A general reinforcement learning algorithm that masters
chess, shogi, and Go through self-play*, Science 362, 2018).  At the root either by PUCT as well, or by sequential
halving over a sample of actions without replacement (Danihelka and others, *Policy improvement by planning with
Gumbel*, ICLR 2022), which improves on the network's policy also with few simulations.

A node is a key of 62 bits, a hash of the actions that lead there; edges lie in a hash table for each game.  What is
legal differs between worlds: where an action has no edge yet, the node is judged once more, in the world at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.networks.network import NEVER, SEATS
from agents.search import tree as search
from agents.search.tree import find, mixed
from porta_nigra_env.core import bits
from porta_nigra_env.core.game import Game, States
from porta_nigra_env.core.jit import CORE_SOURCES, bind, compiler
from porta_nigra_env.core.rng import later_seed

_SOURCES: Final = (*CORE_SOURCES, Path(search.__file__), Path(__file__))

#: Key of a tree's first node.
ROOT: Final = 1
#: Longest path in a tree; what lies deeper is judged without an edge.
DEPTH: Final = 64
#: Constants of the transformation of values at the root (Danihelka and others, equation 8).
VISITS_OFFSET, VALUE_SCALE = 50.0, 1.0
#: Actions that are considered at a root, at most (`GuidedSearch.run` with gumbel).
CONSIDERED: Final = 16
#: Places of a game's table, at most: some 25 MB.
MOST_PLACES: Final = 1 << 19

#: Judges positions: observations float32 (k, size), masks int8 (k, num_actions) to logits float32 (k, num_actions) and
#: values float32 (k, SEATS) from the observer on, results in -1..1.
Judge = Callable[[Any, Any], tuple[Any, Any]]


# Stand-ins, replaced by `bind_guided`; calling one of them is a mistake in this module.
def step(*_: Any) -> Any:
    raise NotImplementedError("stand-in for a game's verb")


legal = determinize = observe = score = step


def _descend(
    tables: Any,
    roots: Any,
    players: Any,
    seeds: Any,
    forced: Any,
    simulation: int,
    parallel: int,
    exploration: float,
    worlds: Any,
    words: Any,
    left: Any,
    edges: Any,
    keys: Any,
    visits: Any,
    priors: Any,
    values: Any,
    path: Any,
    movers: Any,
    lengths: Any,
    nodes: Any,
    judges: Any,
    observations: Any,
    masks: Any,
) -> None:
    """One simulation in each of so many slots, `parallel` for each game, down to where the tree ends.

    roots: (games,) redacted for `players`, int8 (games,); seeds: int64 (games,); forced: int64 (slots,), the root's
    action, or -1; worlds: (slots,); words, left: uint64 (num_words,), edges: int64 (num_actions,), scratch; keys int64,
    visits int32, priors float32 (games, size) and values float64 (games, size, seats): the trees; path int64, movers
    int8 (slots, DEPTH), lengths int64 (slots,): what was walked; nodes int64 (slots,): the key of the end; judges int8
    (slots,): who is to move there, -1 where the game is over; observations, masks: what she sees, for the network.

    Every edge that was walked counts as lost until `_back_up` is called, so that slots of a game part.
    """
    for slot in range(worlds.shape[0]):
        game = slot // parallel
        player = int(players[game])
        worlds[slot] = roots[game]
        number = simulation + slot % parallel
        determinize(tables, worlds, slot, player, later_seed(int(seeds[game]), number + 1))
        node = ROOT
        length = 0
        mover = player
        while mover >= 0 and length < DEPTH:
            legal(tables, worlds, slot, words)
            for i in range(words.shape[0]):
                left[i] = words[i]
            count = 0
            known = True
            total = 0
            worth = 0.0
            mass = 0.0
            while True:
                action = bits.take_lowest(left)
                if action < 0:
                    break
                place = find(keys[game], mixed(node, action))
                edges[count] = place
                count += 1
                if keys[game, place] == 0:
                    known = False
                    break
                total += int(visits[game, place])
                worth += values[game, place, mover]
                mass += float(priors[game, place])
            if not known:
                break
            if length == 0 and forced[slot] >= 0:
                action = int(forced[slot])
                place = find(keys[game], mixed(node, action))
            else:
                # An action that was never tried is taken to be worth what the node is.
                even = worth / total if total > 0 else 0.0
                root_of_total = np.sqrt(float(total) + 1.0)
                best = -1
                highest = 0.0
                for i in range(count):
                    place = edges[i]
                    tried = int(visits[game, place])
                    mean = values[game, place, mover] / tried if tried > 0 else even
                    prior = float(priors[game, place]) / max(mass, 1e-9)
                    bound = mean + exploration * prior * root_of_total / (1.0 + tried)
                    if best < 0 or bound > highest:
                        best, highest = i, bound
                action = bits.select(words, best)
                place = edges[best]
            visits[game, place] += 1
            values[game, place, mover] -= 1.0
            path[slot, length] = place
            movers[slot, length] = mover
            length += 1
            node = mixed(node, action)
            step(tables, worlds, slot, action)
            mover = int(worlds[slot]["current_player"])
        lengths[slot] = length
        nodes[slot] = node
        judges[slot] = mover
        for action in range(masks.shape[1]):
            masks[slot, action] = 0
        if mover >= 0:
            legal(tables, worlds, slot, words)
            bits.unpack(words, masks[slot])
            observe(tables, worlds, slot, mover, observations[slot])


def _back_up(
    tables: Any,
    parallel: int,
    worlds: Any,
    totals: Any,
    keys: Any,
    visits: Any,
    priors: Any,
    values: Any,
    counts: Any,
    path: Any,
    movers: Any,
    lengths: Any,
    nodes: Any,
    judges: Any,
    masks: Any,
    logits: Any,
    judged: Any,
    first: Any,
) -> None:
    """Enter what the network said about the ends, and the results of games that were over.

    totals: int32 (seats,), scratch; counts: int64 (games,), edges in each table; logits (slots, num_actions), judged
    (slots, SEATS): of the network; first: float64 (games, seats), what it said about the roots, written when a path has
    no length.
    """
    seats = values.shape[2]
    result = np.zeros(seats)
    for slot in range(worlds.shape[0]):
        game = slot // parallel
        mover = int(judges[slot])
        if mover < 0:
            score(tables, worlds, slot, totals)
            best = int(totals[0])
            for seat in range(seats):
                best = max(best, int(totals[seat]))
            winners = 0
            for seat in range(seats):
                if totals[seat] == best:
                    winners += 1
            for seat in range(seats):
                share = 1.0 / winners if totals[seat] == best else 0.0
                result[seat] = (seats * share - 1.0) / (seats - 1)
        else:
            for place in range(seats):
                result[(mover + place) % seats] = min(1.0, max(-1.0, float(judged[slot, place])))
            highest = -np.inf
            for action in range(masks.shape[1]):
                if masks[slot, action] != 0:
                    highest = max(highest, float(logits[slot, action]))
            mass = 0.0
            for action in range(masks.shape[1]):
                if masks[slot, action] != 0:
                    mass += np.exp(float(logits[slot, action]) - highest)
            for action in range(masks.shape[1]):
                if masks[slot, action] != 0 and counts[game] < keys.shape[1] // 2:
                    key = mixed(int(nodes[slot]), action)
                    place = find(keys[game], key)
                    if keys[game, place] == 0:
                        keys[game, place] = key
                        visits[game, place] = 0
                        priors[game, place] = np.exp(float(logits[slot, action]) - highest) / mass
                        for seat in range(seats):
                            values[game, place, seat] = 0.0
                        counts[game] += 1
        if lengths[slot] == 0:
            for seat in range(seats):
                first[game, seat] = result[seat]
        for i in range(int(lengths[slot])):
            place = path[slot, i]
            # The loss that kept other slots away is taken back.
            values[game, place, int(movers[slot, i])] += 1.0
            for seat in range(seats):
                values[game, place, seat] += result[seat]


class GuidedLoops(NamedTuple):
    """The compiled halves of a simulation."""

    descend: Callable[..., Any]
    back_up: Callable[..., Any]


_BOUND: dict[Any, GuidedLoops] = {}


def bind_guided(game: Game) -> GuidedLoops:
    """The search, compiled over a game's verbs; once for each game, and cached on disk."""
    if game.kernel not in _BOUND:
        jit = compiler(*dict.fromkeys((*game.sources, *_SOURCES)))
        kernel = game.kernel
        verbs = {
            "step": kernel.step, "legal": kernel.legal, "determinize": kernel.determinize, "observe": kernel.observe,
            "score": kernel.score,
        }  # fmt: skip
        _BOUND[game.kernel] = GuidedLoops(*(bind(one, game.name, verbs, jit) for one in (_descend, _back_up)))
    return _BOUND[game.kernel]


@dataclass(frozen=True)
class Found:
    """What a search has found, a row for each game.

    Attributes:
        visits: int64 (games, num_actions), how often each action was chosen at the root.
        values: float64 (games, num_actions), mean result of each for the searcher, 0 where never chosen.
        logits: float32 (games, num_actions), of the network at the root, `NEVER` where illegal.
        expected: float64 (games, seats), what the network expected.
        actions: int64 (games,), the choice.
        improved: float64 (games, num_actions), probabilities that are better than the network's: its logits and the
            values found, together.
    """

    visits: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    logits: npt.NDArray[np.float32]
    expected: npt.NDArray[np.float64]
    actions: npt.NDArray[np.int64]
    improved: npt.NDArray[np.float64]


class GuidedSearch:
    """Searches that share their arrays.

    Args:
        game: the game.
        judge: the network.
        simulations: for each game.
        parallel: simulations of a game between two calls of the network.
        exploration: constant of PUCT.
        gumbel: sequential halving at the root; else PUCT there too, and the choice is the action with most visits.
    """

    def __init__(
        self,
        game: Game,
        judge: Judge,
        simulations: int,
        parallel: int = 8,
        exploration: float = 1.25,
        gumbel: bool = True,
    ) -> None:
        self.game, self.judge = game, judge
        self.simulations, self.parallel = simulations, min(parallel, simulations)
        self.exploration, self.gumbel = exploration, gumbel
        self.loops = bind_guided(game)
        self._games = 0

    def _allocate(self, games: int) -> None:
        if games <= self._games:
            return
        game, slots = self.game, games * self.parallel
        # Half of a table is for edges: all that the root may have, and for every simulation those of one node, ten or
        # so; a full table stops growing, not searching.
        size = min(1 << (2 * game.actions.size + 32 * self.simulations - 1).bit_length(), MOST_PLACES)
        self._keys = np.zeros((games, size), dtype=np.int64)
        self._visits = np.zeros((games, size), dtype=np.int32)
        self._priors = np.zeros((games, size), dtype=np.float32)
        self._values = np.zeros((games, size, game.num_players))
        self._counts = np.zeros(games, dtype=np.int64)
        self._worlds = np.zeros(slots, dtype=game.dtype)
        self._words, self._left = (np.zeros(game.num_words, dtype=np.uint64) for _ in range(2))
        self._edges = np.zeros(game.actions.size, dtype=np.int64)
        self._path, self._movers = np.zeros((slots, DEPTH), dtype=np.int64), np.zeros((slots, DEPTH), dtype=np.int8)
        self._lengths, self._nodes = np.zeros(slots, dtype=np.int64), np.zeros(slots, dtype=np.int64)
        self._judges = np.zeros(slots, dtype=np.int8)
        self._observations = np.zeros((slots, game.observations.size), dtype=np.float32)
        self._masks = np.zeros((slots, game.actions.size), dtype=np.int8)
        self._totals = np.zeros(game.num_players, dtype=np.int32)
        self._games = games

    def _simulate(
        self, roots: States, players: Any, seeds: Any, forced: Any, done: int, parallel: int, first: Any
    ) -> None:
        """`parallel` simulations in every game."""
        game, games, slots = self.game, len(roots), len(roots) * parallel
        part = slice(0, slots)
        tree = (self._keys[:games], self._visits[:games], self._priors[:games], self._values[:games])
        self.loops.descend(
            game.tables, roots, players, seeds, forced, done, parallel, self.exploration, self._worlds[part],
            self._words, self._left, self._edges, *tree,
            self._path[part], self._movers[part], self._lengths[part], self._nodes[part], self._judges[part],
            self._observations[part], self._masks[part],
        )  # fmt: skip
        logits = np.zeros((slots, game.actions.size), dtype=np.float32)
        judged = np.zeros((slots, SEATS), dtype=np.float32)
        asked = np.flatnonzero(self._judges[part] >= 0)
        if len(asked):
            logits[asked], judged[asked] = self.judge(self._observations[asked], self._masks[asked])
        self.loops.back_up(
            game.tables, parallel, self._worlds[part], self._totals, *tree, self._counts[:games],
            self._path[part], self._movers[part], self._lengths[part], self._nodes[part],
            self._judges[part], self._masks[part], logits, judged, first,
        )  # fmt: skip
        if done == 0 and parallel == 1:
            self._root_logits = np.where(self._masks[part] != 0, logits, np.float32(NEVER))

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
        games, actions = len(roots), self.game.actions.size
        self._allocate(games)
        for array in (self._keys, self._counts):
            array[:games] = 0
        first = np.zeros((games, self.game.num_players))
        free = np.full(games * self.parallel, -1, dtype=np.int64)
        self._simulate(roots, players, seeds, free[:games], 0, 1, first)
        logits = self._root_logits
        places = self._places(logits)
        gumbel = np.zeros((games, actions))
        if noise:
            for i, seed in enumerate(seeds.tolist()):
                gumbel[i] = noise * np.random.default_rng(seed).gumbel(size=actions)
        halving = _Halving(logits, gumbel, self.simulations) if self.gumbel else None
        done, over = 0, 0.0
        while done < self.simulations and over < 1.0:
            count = min(self.parallel, self.simulations - done)
            forced = free[: games * count]
            if halving is not None:
                visits, values = self._tally(places, players)
                scores = logits + gumbel + self._worth(visits, values, logits, first, players)
                forced = halving.next(count, scores, over)
            self._simulate(roots, players, seeds, forced, done + 1, count, first)
            done += count
            over = spent()
        visits, values = self._tally(places, players)
        worth = self._worth(visits, values, logits, first, players)
        improved = _softmax(logits + worth)
        if halving is not None:
            scores = logits + gumbel + worth
            # Only what was tried as often as the others, but for the last round: the network's word is not enough.
            for i, one in enumerate(halving.candidates):
                scores[i, visits[i] < max(1, visits[i, one].max() - 1)] = -np.inf
            chosen = np.array([one[scores[i, one].argmax()] for i, one in enumerate(map(np.array, halving.candidates))])
        else:
            chosen = np.lexsort((values.T, visits.T), axis=0)[-1]
        return Found(visits, values, logits, first, chosen.astype(np.int64), improved)

    def _places(self, logits: Any) -> Any:
        """Where the root's edges are, int64 (games, num_actions), -1 where illegal or not in the table."""
        places = np.full(logits.shape, -1, dtype=np.int64)
        for i, action in zip(*np.nonzero(logits > NEVER), strict=True):
            place = find(self._keys[i], mixed(ROOT, int(action)))
            if self._keys[i, place] != 0:
                places[i, action] = place
        return places

    def _tally(self, places: Any, players: Any) -> tuple[Any, Any]:
        """Visits and mean values of the root's actions."""
        rows = np.arange(len(places))[:, None]
        there = np.maximum(places, 0)
        visits = np.where(places >= 0, self._visits[rows, there], 0).astype(np.int64)
        sums = np.where(visits > 0, self._values[rows, there, players[:, None]], 0.0)
        return visits, sums / np.maximum(visits, 1)

    def _worth(self, visits: Any, values: Any, logits: Any, first: Any, players: Any) -> Any:
        """What is added to logits: values of the tried, of the others a mixture (Danihelka and others, appendix D)."""
        own = first[np.arange(len(visits)), players.astype(np.int64)][:, None]
        shares = np.where(visits > 0, _softmax(logits), 0.0)
        weight, total = shares.sum(axis=1, keepdims=True), visits.sum(axis=1, keepdims=True)
        seen = (shares * values).sum(axis=1, keepdims=True) / np.maximum(weight, 1e-12)
        mixture = np.where(total > 0, (own + total * seen) / (1 + total), own)
        completed = np.where(visits > 0, values, mixture)
        return (VISITS_OFFSET + visits.max(axis=1, keepdims=True)) * VALUE_SCALE * (completed + 1.0) / 2.0


class _Halving:
    """Which of the root's actions each simulation tries: all considered ones equally often, then the better half.

    There are never more of them than simulations.  A phase ends with its share of the simulations or of the time.
    """

    def __init__(self, logits: Any, gumbel: Any, simulations: int) -> None:
        legal = (logits > NEVER).sum(axis=1)
        order = np.argsort(-(logits + gumbel), axis=1, kind="stable")
        self.candidates = [
            row[: min(CONSIDERED, simulations, count)].tolist()
            for row, count in zip(order, legal.tolist(), strict=True)
        ]
        # A game's phases: how many simulations each of them has.
        self.phases = [max(1, int(np.ceil(np.log2(max(2, len(one)))))) for one in self.candidates]
        self.simulations = simulations
        self.left = [self._length(i) for i in range(len(self.candidates))]
        self.turn = [0] * len(self.candidates)
        self.over = [0] * len(self.candidates)

    def _length(self, game: int) -> int:
        """Simulations of a phase, the same number for each candidate."""
        each = max(1, self.simulations // (self.phases[game] * len(self.candidates[game])))
        return each * len(self.candidates[game])

    def next(self, count: int, scores: Any, spent: float) -> npt.NDArray[np.int64]:
        """The root's actions of the next `count` simulations of every game, int64 (games * count,)."""
        found = np.empty((len(self.candidates), count), dtype=np.int64)
        for game, candidates in enumerate(self.candidates):
            late = spent * self.phases[game] >= self.over[game] + 1
            if (self.left[game] <= 0 or late) and len(candidates) > 2:
                candidates.sort(key=lambda action: -float(scores[game, action]))
                del candidates[(len(candidates) + 1) // 2 :]
                self.left[game], self.turn[game] = self._length(game), 0
                self.over[game] += 1
            for i in range(count):
                found[game, i] = candidates[(self.turn[game] + i) % len(candidates)]
            self.turn[game] += count
            self.left[game] -= count
        return found.reshape(-1)


def _softmax(logits: Any) -> Any:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
