"""Arrays and rules of the tree search of `agents.search.tree`."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search.keys import InfoState, new_info_state
from porta_nigra_env.core.game.contract import Places, PolicyRng, States, Totals, Words
from porta_nigra_env.core.game.game import Game

Int8s = npt.NDArray[np.int8]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Float32s = npt.NDArray[np.float32]
Float64s = npt.NDArray[np.float64]

#: States of the simulations: a determinization for each, a fixed number of them, or the true state.
SAMPLED, FIXED, TRUTH = range(3)
#: Selections.
UCB1, PUCT = range(2)
#: Utilities of a seat: its share of the win, the logistic of its lead, its lead, or its result in -1..1.
WIN, LOGISTIC, LINEAR, OUTCOME = range(4)
#: Longest path with PUCT; deeper leaves are evaluated without an edge.
PUCT_DEPTH: Final = 64


class Rules(NamedTuple):
    """The kind of search.

    Attributes:
        mode: SAMPLED, FIXED or TRUTH.
        worlds: number of determinizations with FIXED.
        observer: SEARCHER, MOVER or OPEN (`agents.search.keys`).
        model: 1 if the opponents follow the compiled policy on their views instead of the tree.
        depth: longest path in the tree, at most that of `Slots.path`.
        rounds: rounds until a rollout ends; 0 for no limit.
        limit: steps until a rollout ends.
        utility: WIN, LOGISTIC, LINEAR or OUTCOME.
        scale: points by which margins are divided.
        exploration: constant of UCB1 or PUCT.
        widening: a node with n visits has at most ``max(1, widening * sqrt(n + 1))`` edges; 0 for no limit.
        selection: UCB1 or PUCT.
    """

    mode: int
    worlds: int
    observer: int
    model: int
    depth: int
    rounds: int
    limit: int
    utility: int
    scale: float
    exploration: float
    widening: float
    selection: int = UCB1


class Roots(NamedTuple):
    """The root of each game.

    states: (games,), redacted for the searching player, or the true state with TRUTH; players: int8 (games,), to move;
    seeds, nodes: int64 (games,); expected: float64 (games, players), the network's results at the root, written where
    a path is empty.
    """

    states: States
    players: Int8s
    seeds: Int64s
    nodes: Int64s
    expected: Float64s


class Tree(NamedTuple):
    """The edges of each game.

    keys: int64 (games, size), 0 where empty, size a power of two; visits: int32 (games, size); available: int32, how
    often UCB1 could have chosen an edge, and priors: float32, of PUCT, (games, size) or (games, 0); values: float64
    (games, size, players), sums of results; used: int64 (games,), number of edges.
    """

    keys: Int64s
    visits: Int32s
    available: Int32s
    priors: Float32s
    values: Float64s
    used: Int64s

    def of(self, games: int) -> Tree:
        """Return the trees of the first games."""
        return Tree(*(array[:games] for array in self))  # type: ignore[arg-type]

    def clear(self) -> None:
        """Remove all edges."""
        self.keys.fill(0)
        self.used.fill(0)


class Slots(NamedTuple):
    """Simulations that run at the same time, as many for each game.

    states: (slots,) of the game's dtype; forced: int64 (slots,), the action at the root, or -1.
    path: int64, edges, and movers: int8 (slots, depth); lengths: int64 (slots,).
    leaves: int64 (slots,), nodes; players: int8 (slots,), to move at the leaf, -1 where the game is over.
    observations: float32, masks: int8: views of these players; logits: float32 (slots, num_actions) and values: float32
    (slots, players), from the player to move on: the network's evaluation.
    """

    states: States
    forced: Int64s
    path: Int64s
    movers: Int8s
    lengths: Int64s
    leaves: Int64s
    players: Int8s
    observations: Float32s
    masks: Int8s
    logits: Float32s
    values: Float32s

    def of(self, slots: int) -> Slots:
        """Return the first slots."""
        return Slots(*(array[:slots] for array in self))  # type: ignore[arg-type]


class Scratch(NamedTuple):
    """Scratch of one thread.

    words, left, untried: uint64 (num_words,); edges: int64 (num_actions,); totals: int32, places: int8, results:
    float64 (players,); info_state: `keys.InfoState`; policy_rng: int64 (3,).
    """

    words: Words
    left: Words
    untried: Words
    edges: Int64s
    totals: Totals
    places: Places
    results: Float64s
    info_state: InfoState
    policy_rng: PolicyRng


def table_size(edges: int) -> int:
    """Return the size of a table for a number of edges: half of it stays empty."""
    return 1 << max(6, (2 * edges - 1).bit_length())


def new_tree(game: Game, games: int, size: int, selection: int = UCB1) -> Tree:
    """Allocate empty tables."""
    return Tree(
        keys=np.zeros((games, size), dtype=np.int64),
        visits=np.zeros((games, size), dtype=np.int32),
        available=np.zeros((games, size if selection == UCB1 else 0), dtype=np.int32),
        priors=np.zeros((games, size if selection == PUCT else 0), dtype=np.float32),
        values=np.zeros((games, size, game.num_players)),
        used=np.zeros(games, dtype=np.int64),
    )


def new_slots(game: Game, slots: int, depth: int) -> Slots:
    """Allocate simulations."""
    return Slots(
        states=np.zeros(slots, dtype=game.dtype),
        forced=np.full(slots, -1, dtype=np.int64),
        path=np.zeros((slots, depth), dtype=np.int64),
        movers=np.zeros((slots, depth), dtype=np.int8),
        lengths=np.zeros(slots, dtype=np.int64),
        leaves=np.zeros(slots, dtype=np.int64),
        players=np.zeros(slots, dtype=np.int8),
        observations=np.zeros((slots, game.observations.size), dtype=np.float32),
        masks=np.zeros((slots, game.actions.size), dtype=np.int8),
        logits=np.zeros((slots, game.actions.size), dtype=np.float32),
        values=np.zeros((slots, game.num_players), dtype=np.float32),
    )


def new_scratch(game: Game) -> Scratch:
    """Allocate scratch."""
    return Scratch(
        words=np.zeros(game.num_words, dtype=np.uint64),
        left=np.zeros(game.num_words, dtype=np.uint64),
        untried=np.zeros(game.num_words, dtype=np.uint64),
        edges=np.zeros(game.actions.size, dtype=np.int64),
        totals=np.zeros(game.num_players, dtype=np.int32),
        places=np.zeros(game.num_players, dtype=np.int8),
        results=np.zeros(game.num_players),
        info_state=new_info_state(game),
        policy_rng=np.zeros(3, dtype=np.int64),
    )
