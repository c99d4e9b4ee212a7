"""Monte Carlo tree search on information sets, for any game: flat arrays, one compiled call for many simulations.

Cowling, Powley, Whitehouse: *Information Set Monte Carlo Tree Search* (IEEE TCIAIG 4(2), 2012).  Every simulation draws
a world that agrees with what the searcher knows, walks down the tree along actions that are legal in that world, adds
one edge, plays on with a compiled policy, and enters the result, one value for each seat, along its path.  An edge is
compared with the others by how often it was chosen among the times it was available.

The same loop is four searches (`TreeRules.mode`, `TreeRules.depth`):

* IS-MCTS: a new world for each simulation;
* perfect-information Monte Carlo: so many worlds, a tree for each, votes added up;
* flat Monte Carlo: a tree of depth one;
* cheating: the true state, only to measure what hidden information is worth.

Nodes have no storage of their own.  A node is a key of 62 bits, a hash of what is seen (`agents.search.keys`); what is
stored are edges, in a hash table of the size of the search.  With one observer it is the searcher who sees, and the
nodes of her opponents do not tell apart what they hide from her.  With several it is whoever moves: opponents choose
by their own cards, and nobody by what another has done behind a screen, but each hand of theirs is a node of its own.
In a world that is given everything is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from agents.search import keys
from agents.search.keys import MOVER, NOBODY, find, look, mixed, new_sight, sight_key
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import later_seed, seed_policy_rng
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import choose, determinize, legal, rank, rounds, score, step
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import lead, win_share

#: Where simulations take their worlds from.
EACH_ANEW, WORLDS, TRUTH = range(3)

#: Utilities of a seat: its share of the win; the logistic of its lead over the best other; that lead.
WIN, LOGISTIC, LINEAR = range(3)

#: Random numbers of one simulation, at most: their counter is the simulation's number times this.
_NUMBERS: Final = 1 << 20


class TreeRules(NamedTuple):
    """What kind of search it is.

    Attributes:
        mode: EACH_ANEW, WORLDS or TRUTH.
        worlds: how many worlds there are with WORLDS.
        observer: whose sight makes the nodes: SEARCHER, MOVER or NOBODY (`agents.search.keys`).
        model: 1 if the others do not search but choose as the policy of the rollouts does, from what they see.
        depth: longest path in the tree, at most the length of `Tree.path`.
        rounds: rollouts end when so many rounds have ended; 0 for never.
        limit: decisions of a rollout, at most.
        utility: WIN, LOGISTIC or LINEAR.
        scale: points by which margins are divided.
        exploration: constant of the upper confidence bound.
        widening: a node with n visits has at most ``widening * sqrt(n + 1)`` edges, but one at least; 0 for no bound.
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


class Run(NamedTuple):
    """The simulations ``first .. first + simulations - 1`` of `player`, who is to move, from the node `root`."""

    player: int
    root: int
    seed: int
    first: int
    simulations: int


class Tree(NamedTuple):
    """The edges of a search, and scratch.

    keys: int64 (size,), size a power of two, 0 where empty.
    visits, available: int32 (size,), how often an edge was chosen, and could have been.
    values: float64 (size, players), sums of results.
    used: int64 (1,), edges in the table.
    path: int64 (depth,), edges of the running simulation.
    worlds: (1,) of the game's dtype: the world that is played; sight: `keys.Sight`, what one of its players sees.
    edges: int64 (num_actions,); words, left, untried: uint64 (num_words,); totals: int32, places: int8,
        results: float64 (players,); chance: int64 (3,), scratch.
    """

    keys: Any
    visits: Any
    available: Any
    values: Any
    used: Any
    path: Any
    worlds: Any
    sight: Any
    edges: Any
    words: Any
    left: Any
    untried: Any
    totals: Any
    places: Any
    results: Any
    policy_rng: Any


def new_tree(game: Game, simulations: int, depth: int) -> Tree:
    """An empty table for so many simulations, each of which adds at most one edge."""
    size = 1 << max(6, (2 * simulations - 1).bit_length())
    players = game.num_players
    return Tree(
        keys=np.zeros(size, dtype=np.int64),
        visits=np.zeros(size, dtype=np.int32),
        available=np.zeros(size, dtype=np.int32),
        values=np.zeros((size, players)),
        used=np.zeros(1, dtype=np.int64),
        path=np.zeros(depth, dtype=np.int64),
        worlds=np.zeros(1, dtype=game.dtype),
        sight=new_sight(game),
        edges=np.zeros(game.actions.size, dtype=np.int64),
        words=np.zeros(game.num_words, dtype=np.uint64),
        left=np.zeros(game.num_words, dtype=np.uint64),
        untried=np.zeros(game.num_words, dtype=np.uint64),
        totals=np.zeros(players, dtype=np.int32),
        places=np.zeros(players, dtype=np.int8),
        results=np.zeros(players),
        policy_rng=np.zeros(3, dtype=np.int64),
    )


template = Template()


@template
def find_edges(tree: Tree, node: int) -> tuple[int, int, int]:
    """The places of all legal actions' edges into `Tree.edges`, the actions without one into `Tree.untried`; the number
    of actions, how many have an edge, and the visits of those."""
    for i in range(tree.words.shape[0]):
        tree.left[i] = tree.words[i]
        tree.untried[i] = np.uint64(0)
    number = 0
    tried = 0
    total = 0
    while True:
        action = bits.take_lowest(tree.left)
        if action < 0:
            return number, tried, total
        place = find(tree.keys, mixed(node, action))
        tree.edges[number] = place
        if tree.keys[place] != 0:
            tried += 1
            total += int(tree.visits[place])
            tree.available[place] += 1
        else:
            bits.add(tree.untried, action)
        number += 1


@template
def add_edge(constants: Any, tree: Tree, parameters: Any, player: int, node: int) -> tuple[int, int]:
    """What the policy of the rollouts chooses out of the actions without an edge, and the place of the edge it is
    given, -1 where the table is full."""
    action = choose(constants, tree.worlds, 0, player, tree.untried, parameters, tree.policy_rng)
    place = find(tree.keys, mixed(node, action))
    if tree.used[0] >= tree.keys.shape[0] // 2:
        return action, -1
    tree.keys[place] = mixed(node, action)
    tree.visits[place] = 0
    tree.available[place] = 1
    for seat in range(tree.values.shape[1]):
        tree.values[place, seat] = 0.0
    tree.used[0] += 1
    return action, place


@template
def best_edge(tree: Tree, player: int, number: int, exploration: float) -> tuple[int, int]:
    """The action with the highest upper confidence bound for `player`, and its place, among those with an edge."""
    best = -1
    highest = 0.0
    for i in range(number):
        place = tree.edges[i]
        if tree.keys[place] != 0:
            chosen = float(tree.visits[place])
            bonus = exploration * np.sqrt(np.log(float(tree.available[place])) / chosen)
            bound = tree.values[place, player] / chosen + bonus
            if best < 0 or bound > highest:
                best = i
                highest = bound
    return bits.select(tree.words, best), tree.edges[best]


@template
def pick_edge(
    constants: Any, tree: Tree, parameters: Any, rules: TreeRules, player: int, node: int
) -> tuple[int, int, bool]:
    """The action to walk along out of the legal ones in `Tree.words`, the place of its edge, and whether that is new.

    An action without an edge gets one as long as the node may have more and the table has room.
    """
    number, tried, total = find_edges(tree, node)
    room = tree.used[0] < tree.keys.shape[0] // 2
    bound = number if rules.widening == 0.0 else max(1, int(rules.widening * np.sqrt(total + 1.0)))
    if tried < min(number, bound) and (room or tried == 0):
        action, place = add_edge(constants, tree, parameters, player, node)
        return action, place, True
    action, place = best_edge(tree, player, number, rules.exploration)
    return action, place, False


@template
def descend(constants: Any, tree: Tree, parameters: Any, rules: TreeRules, player: int, node: int) -> int:
    """Walk from `node` down to where the tree ends; the length of the path that was entered."""
    worlds = tree.worlds
    searcher = NOBODY if rules.observer == NOBODY else player
    length = 0
    fresh = False
    mover = player
    while mover >= 0 and length < rules.depth and not fresh:
        legal(constants, worlds, 0, tree.words)
        if rules.model and mover != player:
            look(constants, worlds, 0, tree.sight, mover)
            action = choose(constants, tree.sight.states, 0, mover, tree.words, parameters, tree.policy_rng)
        else:
            if length > 0:
                look(constants, worlds, 0, tree.sight, mover if rules.observer == MOVER else searcher)
                node = sight_key(tree.sight)
            action, place, fresh = pick_edge(constants, tree, parameters, rules, mover, node)
            if place >= 0:
                tree.path[length] = place
                length += 1
        step(constants, worlds, 0, action)
        mover = int(worlds[0]["current_player"])
    return length


@template
def roll_out(constants: Any, tree: Tree, parameters: Any, last_round: int, limit: int) -> None:
    """Play on with the policy, to the end of the game, of the round `last_round` (-1 for none), or of `limit`.

    The policy is shown the drawn world as it is: there is nothing of the true one in it, and redacting it for each
    decision would take longer than the decision.
    """
    worlds = tree.worlds
    decisions = 0
    player = int(worlds[0]["current_player"])
    while player >= 0 and decisions < limit and (last_round < 0 or rounds(constants, worlds, 0) <= last_round):
        legal(constants, worlds, 0, tree.words)
        step(constants, worlds, 0, choose(constants, worlds, 0, player, tree.words, parameters, tree.policy_rng))
        decisions += 1
        player = int(worlds[0]["current_player"])


@template
def value_seats(constants: Any, tree: Tree, rules: TreeRules) -> None:
    """What the position that was reached is worth to each seat, into `Tree.results`."""
    score(constants, tree.worlds, 0, tree.totals)
    if rules.utility == WIN:
        rank(constants, tree.worlds, 0, tree.totals, tree.places)
    for seat in range(tree.results.shape[0]):
        if rules.utility == WIN:
            tree.results[seat] = win_share(tree.places, seat)
        else:
            margin = lead(tree.totals, seat) / rules.scale
            tree.results[seat] = margin if rules.utility == LINEAR else 1.0 / (1.0 + np.exp(-margin))


@template
def search(constants: Any, roots: Any, tree: Tree, parameters: Any, rules: TreeRules, run: Run) -> None:
    """The simulations of `run` from ``roots[0]``.

    roots: (1,), redacted for the player, or the true state with TRUTH; parameters: of the policy that plays on.
    """
    worlds, policy_rng = tree.worlds, tree.policy_rng
    seed_policy_rng(policy_rng, run.seed)
    for simulation in range(run.first, run.first + run.simulations):
        policy_rng[2] = simulation * _NUMBERS
        worlds[0] = roots[0]
        node = run.root
        if rules.mode == EACH_ANEW:
            determinize(constants, worlds, 0, run.player, later_seed(run.seed, simulation + 1))
        elif rules.mode == WORLDS:
            world = simulation % rules.worlds
            determinize(constants, worlds, 0, run.player, later_seed(run.seed, world + 1))
            node = mixed(run.root, world)
        last_round = rounds(constants, worlds, 0) + rules.rounds - 1 if rules.rounds > 0 else -1
        length = descend(constants, tree, parameters, rules, run.player, node)
        roll_out(constants, tree, parameters, last_round, rules.limit)
        value_seats(constants, tree, rules)
        for i in range(length):
            place = tree.path[i]
            tree.visits[place] += 1
            for seat in range(tree.results.shape[0]):
                tree.values[place, seat] += tree.results[seat]


@template
def count_votes(constants: Any, roots: Any, tree: Tree, rules: TreeRules, run: Run, votes: Any, values: Any) -> None:
    """Visits of the root's actions, int64 (num_actions,), and sums of their values for the player of `run`, float64;
    both are added to what stands there."""
    legal(constants, roots, 0, tree.words)
    for world in range(rules.worlds if rules.mode == WORLDS else 1):
        node = mixed(run.root, world) if rules.mode == WORLDS else run.root
        for i in range(tree.words.shape[0]):
            tree.left[i] = tree.words[i]
        while True:
            action = bits.take_lowest(tree.left)
            if action < 0:
                break
            place = find(tree.keys, mixed(node, action))
            if tree.keys[place] != 0:
                votes[action] += int(tree.visits[place])
                values[action] += tree.values[place, run.player]


class SearchLoops(NamedTuple):
    """The compiled search of a game with a policy for its rollouts."""

    search: Callable[..., Any]
    count_votes: Callable[..., Any]


_BOUND: dict[tuple[Any, ...], SearchLoops] = {}


def bind_search(game: Game, policy: Policy) -> SearchLoops:
    """The search, compiled over a game's verbs and a policy; once for each pair, and cached on disk.

    Raises:
        ValueError: the policy is made for another game.
    """
    policy.check_plays(game.name)
    key = (game.kernel, policy.choose)
    if key in _BOUND:
        return _BOUND[key]
    jit = compiler(*CORE_SOURCES, *game.sources, *policy.sources, Path(keys.__file__), Path(__file__))
    replacements = {**game.kernel.replacements, choose: policy.choose}
    compiled = template.specialize(game.name, keys.template.specialize(game.name, replacements, jit), jit)
    _BOUND[key] = SearchLoops(compiled[search], compiled[count_votes])
    return _BOUND[key]
