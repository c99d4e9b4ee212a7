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

Nodes have no storage of their own.  A node is a key of 62 bits, a hash of the actions that lead there; what is stored
are edges, in a hash table of the size of the search.  With several observers the key also holds what the player to move
sees, so that opponents choose by their own cards, not by what the searcher knows of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from porta_nigra_env.core import bits
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.jit import CORE_SOURCES, bind, compiler
from porta_nigra_env.core.policy import Policy
from porta_nigra_env.core.rng import chance_below, later_seed, seed_chance

jit = compiler(*CORE_SOURCES, Path(__file__))

#: Where simulations take their worlds from.
EACH_ANEW, WORLDS, TRUTH = range(3)

#: What a result is worth to a seat: its share of the win; the logistic of its margin to the best other; that margin.
WIN, LOGISTIC, LINEAR = range(3)

#: Random numbers of one simulation, at most: their counter is the simulation's number times this.
_NUMBERS: Final = 1 << 20
_MASK31: Final = (1 << 31) - 1


class TreeRules(NamedTuple):
    """What kind of search it is.

    Attributes:
        players: seats of the game.
        mode: EACH_ANEW, WORLDS or TRUTH.
        worlds: how many worlds there are with WORLDS.
        observers: 1 if nodes also tell apart what the player to move sees.
        model: 1 if the others do not search but choose as the policy of the rollouts does, from what they see.
        depth: longest path in the tree, at most the length of `Tree.path`.
        rounds: rollouts end when so many rounds have ended; 0 for never.
        limit: decisions of a rollout, at most.
        utility: WIN, LOGISTIC or LINEAR.
        scale: points by which margins are divided.
        exploration: constant of the upper confidence bound.
        widening: a node with n visits has at most ``widening * sqrt(n + 1)`` edges, but one at least; 0 for no bound.
    """

    players: int
    mode: int
    worlds: int
    observers: int
    model: int
    depth: int
    rounds: int
    limit: int
    utility: int
    scale: float
    exploration: float
    widening: float


class Tree(NamedTuple):
    """The edges of a search, and scratch.

    keys: int64 (size,), size a power of two, 0 where empty.
    visits, available: int32 (size,), how often an edge was chosen, and could have been.
    values: float64 (size, players), sums of results.
    count: int64 (1,), edges in the table.
    path, movers: int64 (depth,), edges of the running simulation and who chose them.
    edges: int64 (num_actions,), scratch.
    words, left: uint64 (num_words,), scratch.
    totals: int32 (players,), results: float64 (players,), chance: int64 (3,), scratch.
    """

    keys: Any
    visits: Any
    available: Any
    values: Any
    count: Any
    path: Any
    movers: Any
    edges: Any
    words: Any
    left: Any
    totals: Any
    results: Any
    chance: Any


def new_tree(game: Game, simulations: int, depth: int) -> Tree:
    """An empty table for so many simulations, each of which adds at most one edge."""
    size = 1 << max(6, (2 * simulations - 1).bit_length())
    players = game.num_players
    return Tree(
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.int32),
        np.zeros((size, players)),
        np.zeros(1, dtype=np.int64),
        np.zeros(depth, dtype=np.int64),
        np.zeros(depth, dtype=np.int64),
        np.zeros(game.actions.size, dtype=np.int64),
        np.zeros(game.num_words, dtype=np.uint64),
        np.zeros(game.num_words, dtype=np.uint64),
        np.zeros(players, dtype=np.int32),
        np.zeros(players),
        np.zeros(3, dtype=np.int64),
    )


@jit
def mixed(key: int, number: int) -> int:
    """A key of 62 bits, never 0, from another one and a number in ``[0, 2**31)``; two lanes of 31 bits, so that no
    product leaves 63 bits."""
    high, low = key >> 31, key & _MASK31
    high = ((high ^ number ^ (high >> 15)) * 0x2C1B3C6D) & _MASK31
    high = ((high ^ (high >> 12)) * 0x297A2D39) & _MASK31
    high ^= high >> 15
    low = ((low ^ (low >> 13)) + number + high) & _MASK31
    low = (low * 0x165667B1) & _MASK31
    low = ((low ^ (low >> 14)) * 0x27D4EB2F) & _MASK31
    low ^= low >> 16
    return (high << 31) | low | 1


@jit
def sight(key: int, seen: Any) -> int:
    """`mixed` with every byte of what is seen, uint8 (n,), three at a time."""
    for i in range(0, seen.shape[0] - 2, 3):
        key = mixed(key, int(seen[i]) | int(seen[i + 1]) << 8 | int(seen[i + 2]) << 16)
    for i in range(seen.shape[0] - seen.shape[0] % 3, seen.shape[0]):
        key = mixed(key, int(seen[i]))
    return key


@jit
def find(keys: Any, key: int) -> int:
    """The place of a key in the table, or of the empty one where it belongs."""
    last: int = keys.shape[0] - 1
    place = (key >> 7) & last
    while keys[place] != 0 and keys[place] != key:
        place = (place + 1) & last
    return place


# Stand-ins, replaced by `bind_search`; calling one of them is a mistake in this module.
def choose(*_: Any) -> Any:
    raise NotImplementedError("stand-in for a game's verb")


step = legal = determinize = redact = score = choose
pick_edge = roll_out = value_seats = choose


def _pick_edge(
    tables: Any,
    worlds: Any,
    player: int,
    node: int,
    words: Any,
    left: Any,
    edges: Any,
    keys: Any,
    visits: Any,
    available: Any,
    values: Any,
    count: Any,
    parameters: Any,
    chance: Any,
    exploration: float,
    widening: float,
) -> tuple[int, int, bool]:
    """The action to walk along, the place of its edge, and whether the edge is new.

    words: the legal actions.  An action without an edge gets one as long as the node may have more: first the one
    that the policy of the rollouts would choose, then random ones.  The place is -1 where the table is full.
    """
    for i in range(words.shape[0]):
        left[i] = words[i]
    tried = 0
    total = 0
    number = 0
    while True:
        action = bits.take_lowest(left)
        if action < 0:
            break
        place = find(keys, mixed(node, action))
        edges[number] = place
        if keys[place] != 0:
            tried += 1
            total += int(visits[place])
            available[place] += 1
        number += 1
    room = count[0] < keys.shape[0] // 2
    bound = number if widening == 0.0 else max(1, int(widening * np.sqrt(total + 1.0)))
    if tried < min(number, bound) and (room or tried == 0):
        action = choose(tables, worlds, 0, player, words, parameters, chance)
        place = find(keys, mixed(node, action))
        if keys[place] != 0:
            nth = chance_below(chance, number - tried)
            for i in range(number):
                if keys[edges[i]] == 0:
                    if nth == 0:
                        action = bits.select(words, i)
                        place = edges[i]
                        break
                    nth -= 1
        if not room:
            return action, -1, True
        keys[place] = mixed(node, action)
        visits[place] = 0
        available[place] = 1
        for seat in range(values.shape[1]):
            values[place, seat] = 0.0
        count[0] += 1
        return action, place, True

    best = -1
    highest = 0.0
    for i in range(number):
        place = edges[i]
        if keys[place] != 0:
            chosen = float(visits[place])
            bonus = exploration * np.sqrt(np.log(float(available[place])) / chosen)
            bound_here = values[place, player] / chosen + bonus
            if best < 0 or bound_here > highest:
                best = i
                highest = bound_here
    return bits.select(words, best), edges[best], False


def _roll_out(
    tables: Any, worlds: Any, words: Any, parameters: Any, chance: Any, rounds: Any, last_round: int, limit: int
) -> None:
    """Play on with the policy, to the end of the game, of the round `last_round` (-1 for none), or of `limit`.

    The policy is shown the drawn world as it is: there is nothing of the true one in it, and redacting it for each
    decision would take longer than the decision.
    """
    decisions = 0
    player = int(worlds[0]["current_player"])
    while player >= 0 and decisions < limit and (last_round < 0 or int(rounds[0]) <= last_round):
        legal(tables, worlds, 0, words)
        step(tables, worlds, 0, choose(tables, worlds, 0, player, words, parameters, chance))
        decisions += 1
        player = int(worlds[0]["current_player"])


def _value_seats(totals: Any, results: Any, utility: int, scale: float) -> None:
    """What the totals are worth to each seat."""
    players = totals.shape[0]
    best = int(totals[0])
    for seat in range(1, players):
        best = max(best, int(totals[seat]))
    winners = 0
    second = -1
    for seat in range(players):
        if totals[seat] == best:
            winners += 1
    for seat in range(players):
        if utility == WIN:
            results[seat] = 1.0 / winners if totals[seat] == best else 0.0
        else:
            second = -(1 << 30)
            for other in range(players):
                if other != seat:
                    second = max(second, int(totals[other]))
            margin = (int(totals[seat]) - second) / scale
            results[seat] = margin if utility == LINEAR else 1.0 / (1.0 + np.exp(-margin))


def _search(
    tables: Any,
    roots: Any,
    worlds: Any,
    seen: Any,
    rounds: Any,
    player: int,
    root: int,
    seed: int,
    first: int,
    count: int,
    tree: Tree,
    parameters: Any,
    rules: TreeRules,
) -> None:
    """The simulations ``first .. first + count - 1`` of `player`, who is to move in ``roots[0]``.

    roots: (1,), redacted for `player`, or the true state with TRUTH; worlds: (2,) of the game's dtype, scratch; seen:
    uint8 (itemsize,), the memory of ``worlds[1]``; rounds: the field that counts rounds in `worlds`, or int8 (1,) of
    zeros; root: the key of the root; parameters: of the policy that plays on.
    """
    keys, visits, available, values, used = tree.keys, tree.visits, tree.available, tree.values, tree.count
    path, movers, edges, words, left = tree.path, tree.movers, tree.edges, tree.words, tree.left
    totals, results, chance = tree.totals, tree.results, tree.chance
    seed_chance(chance, seed)
    for simulation in range(first, first + count):
        chance[2] = simulation * _NUMBERS
        worlds[0] = roots[0]
        node = root
        if rules.mode == EACH_ANEW:
            determinize(tables, worlds, 0, player, later_seed(seed, simulation + 1))
        elif rules.mode == WORLDS:
            world = simulation % rules.worlds
            determinize(tables, worlds, 0, player, later_seed(seed, world + 1))
            node = mixed(root, world)
        last_round = int(rounds[0]) + rules.rounds - 1 if rules.rounds > 0 else -1

        length = 0
        fresh = False
        mover = player
        while mover >= 0 and length < rules.depth and not fresh:
            legal(tables, worlds, 0, words)
            if rules.model and mover != player:
                worlds[1] = worlds[0]
                redact(tables, worlds, 1, mover)
                action = choose(tables, worlds, 1, mover, words, parameters, chance)
                node = mixed(node, action)
                step(tables, worlds, 0, action)
                mover = int(worlds[0]["current_player"])
                continue
            if rules.observers and length > 0:
                worlds[1] = worlds[0]
                redact(tables, worlds, 1, mover)
                node = sight(node, seen)
            action, place, fresh = pick_edge(
                tables, worlds, mover, node, words, left, edges, keys, visits, available, values, used,
                parameters, chance, rules.exploration, rules.widening,
            )  # fmt: skip
            if place >= 0:
                path[length] = place
                movers[length] = mover
                length += 1
            node = mixed(node, action)
            step(tables, worlds, 0, action)
            mover = int(worlds[0]["current_player"])
        roll_out(tables, worlds, words, parameters, chance, rounds, last_round, rules.limit)

        score(tables, worlds, 0, totals)
        value_seats(totals, results, rules.utility, rules.scale)
        for i in range(length):
            visits[path[i]] += 1
            for seat in range(rules.players):
                values[path[i], seat] += results[seat]


def _count_votes(
    tables: Any, roots: Any, player: int, root: int, tree: Tree, rules: TreeRules, votes: Any, values: Any
) -> None:
    """Visits of the root's actions, int64 (num_actions,), and sums of their values for `player`, float64; both are
    added to what stands there."""
    legal(tables, roots, 0, tree.words)
    for world in range(rules.worlds if rules.mode == WORLDS else 1):
        node = mixed(root, world) if rules.mode == WORLDS else root
        for i in range(tree.words.shape[0]):
            tree.left[i] = tree.words[i]
        while True:
            action = bits.take_lowest(tree.left)
            if action < 0:
                break
            place = find(tree.keys, mixed(node, action))
            if tree.keys[place] != 0:
                votes[action] += int(tree.visits[place])
                values[action] += tree.values[place, player]


class SearchLoops(NamedTuple):
    """The compiled search of a game with a policy for its rollouts."""

    search: Callable[..., Any]
    count_votes: Callable[..., Any]


_BOUND: dict[tuple[Any, ...], SearchLoops] = {}


def bind_search(game: Game, policy: Policy) -> SearchLoops:
    """The search, compiled over a game's verbs and a policy; once for each pair, and cached on disk."""
    key = (game.kernel, policy.choose)
    if key in _BOUND:
        return _BOUND[key]
    compiled = compiler(*CORE_SOURCES, *game.sources, *policy.sources, Path(__file__))
    kernel = game.kernel
    names = f"{game.name}_{policy.choose.__module__}.{policy.choose.__name__}"
    verbs: dict[str, Any] = {
        "step": kernel.step,
        "legal": kernel.legal,
        "determinize": kernel.determinize,
        "redact": kernel.redact,
        "score": kernel.score,
        "choose": policy.choose,
    }
    parts: Sequence[tuple[str, Any]] = (
        ("pick_edge", _pick_edge),
        ("roll_out", _roll_out),
        ("value_seats", _value_seats),
    )
    for name, template in parts:
        verbs[name] = bind(template, names, verbs, compiled)
    bound = SearchLoops(*(bind(template, names, verbs, compiled) for template in (_search, _count_votes)))
    _BOUND[key] = bound
    return bound
