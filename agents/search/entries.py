"""The searches as exports of a game's WebAssembly module (`porta_nigra_env.wasm.entries`): templates over addresses.

Whoever calls gives one block of memory for all arrays of a search, as large as `tree_bytes` or `guided_bytes` says for
the same sizes; between two calls it has to stay as it is.  Roots are states that are redacted for the player to move.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from agents.search import keys, puct, tree
from agents.search.keys import ROOT, Sight, find, mixed, new_sight, sight_key
from agents.search.puct import DEPTH, Roots, Round, Scratch, Slots, Trees, back_up, bind_puct, descend
from agents.search.tree import Run, Tree, TreeRules, bind_search, count_votes, search
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import legal
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.wasm.arrays import (
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    UINT64,
    array_at,
    constants_at,
    layout_of,
    num_words,
    state_bytes,
    states_at,
)
from porta_nigra_env.wasm.entries import export, joined
from porta_nigra_env.wasm.forward import forward

#: What the exports are made of, beside a game.
SOURCES = tuple(Path(str(one)) for one in (keys.__file__, puct.__file__, tree.__file__, __file__))


def sight_words() -> int:
    """Return the size of `Sight.words`: a placeholder that `search_entries` replaces."""
    raise NotImplementedError


def sight_factors() -> Any:
    """Return `Sight.factors`: a placeholder, too."""
    raise NotImplementedError


#: The memory of the searches, and the exports over it.
memory_template, template = Template(), Template()


def whole(size: int) -> int:
    """A number of bytes, so many more that what follows is aligned."""
    return (size + 15) & ~15


@memory_template
def sight_at(at: int) -> Any:
    """Scratch for what one player sees, and where what follows may begin."""
    sight = Sight(states_at(at, 1), array_at(at, INT32, (sight_words(),)), sight_factors())
    return sight, at + whole(4 * sight_words())


@memory_template
def tree_at(memory: int, size: int, depth: int, players: int, actions: int) -> Any:
    """The arrays of a tree, one after the other, and where they end."""
    values = memory + whole(8 * size)
    visits = values + whole(8 * size * players)
    available = visits + whole(4 * size)
    path = available + whole(4 * size)
    edges = path + whole(8 * depth)
    words = edges + whole(8 * actions)
    left = words + whole(8 * num_words())
    untried = left + whole(8 * num_words())
    results = untried + whole(8 * num_words())
    totals = results + whole(8 * players)
    places = totals + whole(4 * players)
    policy_rng = places + whole(players)
    used = policy_rng + whole(24)
    worlds = used + whole(8)
    sight, end = sight_at(worlds + whole(state_bytes()))
    made = Tree(
        array_at(memory, INT64, (size,)),
        array_at(visits, INT32, (size,)),
        array_at(available, INT32, (size,)),
        array_at(values, FLOAT64, (size, players)),
        array_at(used, INT64, (1,)),
        array_at(path, INT64, (depth,)),
        states_at(worlds, 1),
        sight,
        array_at(edges, INT64, (actions,)),
        array_at(words, UINT64, (num_words(),)),
        array_at(left, UINT64, (num_words(),)),
        array_at(untried, UINT64, (num_words(),)),
        array_at(totals, INT32, (players,)),
        array_at(places, INT8, (players,)),
        array_at(results, FLOAT64, (players,)),
        array_at(policy_rng, INT64, (3,)),
    )
    return made, end


@template
def tree_bytes(size: int, depth: int, players: int, actions: int) -> int:
    """Bytes of memory for a tree with `size` places, a power of two, twice as many as simulations at least."""
    return int(tree_at(0, size, depth, players, actions)[1])


@template
def tree_search(
    constants: int, root: int, memory: int, size: int, actions: int,
    mode: int, worlds: int, observer: int, model: int, depth: int, rounds: int, limit: int, utility: int,
    scale: float, exploration: float, widening: float, low: int, high: int, first: int, simulations: int,
) -> int:  # fmt: skip
    """The simulations from the number `first` on (`agents.search.tree`), in an empty tree where that is 0.

    Returns the edges in the tree; random actions play on.
    """
    roots = states_at(root, 1)
    players, player = int(roots[0]["num_players"]), int(roots[0]["current_player"])
    made, _ = tree_at(memory, size, depth, players, actions)
    if first == 0:
        for i in range(size):
            made.keys[i] = 0
        made.used[0] = 0
    rules = TreeRules(
        mode, worlds, observer, model, depth, rounds, limit, utility, scale, exploration, widening
    )  # fmt: skip
    copy_row(made.sight.states, 0, roots, 0)
    run = Run(player, sight_key(made.sight), joined(low, high), first, simulations)
    search(constants_at(constants), roots, made, array_at(0, FLOAT64, (0,)), rules, run)
    return int(made.used[0])


@template
def tree_votes(
    constants: int, root: int, memory: int, size: int, actions: int, mode: int, worlds: int, depth: int, votes: int,
    values: int,
) -> None:  # fmt: skip
    """How often each action was chosen at the root, and its mean result for the player, both float64 (actions,)."""
    roots = states_at(root, 1)
    players, player = int(roots[0]["num_players"]), int(roots[0]["current_player"])
    made, _ = tree_at(memory, size, depth, players, actions)
    counts, sums = array_at(votes, FLOAT64, (actions,)), array_at(values, FLOAT64, (actions,))
    for action in range(actions):
        counts[action] = 0.0
        sums[action] = 0.0
    copy_row(made.sight.states, 0, roots, 0)
    rules = TreeRules(mode, worlds, 0, 0, depth, 0, 0, 0, 0.0, 0.0, 0.0)
    run = Run(player, sight_key(made.sight), 0, 0, 0)
    count_votes(constants_at(constants), roots, made, rules, run, counts, sums)
    for action in range(actions):
        if counts[action] > 0.0:
            sums[action] /= counts[action]


@memory_template
def guided_at(memory: int, size: int, parallel: int, players: int, actions: int, observation: int) -> Any:
    """The arrays of a guided search in one game, one after the other, and where they end."""
    states = memory
    expected = states + whole(state_bytes())
    seeds = expected + whole(8 * players)
    movers = seeds + whole(8)
    roots = Roots(
        states_at(states, 1),
        array_at(movers, INT8, (1,)),
        array_at(seeds, INT64, (1,)),
        array_at(expected, FLOAT64, (1, players)),
    )
    keys = movers + whole(1)
    visits = keys + whole(8 * size)
    priors = visits + whole(4 * size)
    values = priors + whole(4 * size)
    used = values + whole(8 * size * players)
    trees = Trees(
        array_at(keys, INT64, (1, size)),
        array_at(visits, INT32, (1, size)),
        array_at(priors, FLOAT32, (1, size)),
        array_at(values, FLOAT64, (1, size, players)),
        array_at(used, INT64, (1,)),
    )
    worlds = used + whole(8)
    forced = worlds + whole(state_bytes() * parallel)
    path = forced + whole(8 * parallel)
    along = path + whole(8 * parallel * DEPTH)
    lengths = along + whole(parallel * DEPTH)
    leaves = lengths + whole(8 * parallel)
    asked = leaves + whole(8 * parallel)
    seen = asked + whole(parallel)
    masks = seen + whole(4 * parallel * observation)
    logits = masks + whole(parallel * actions)
    said = logits + whole(4 * parallel * actions)
    slots = Slots(
        states_at(worlds, parallel),
        array_at(forced, INT64, (parallel,)),
        array_at(path, INT64, (parallel, DEPTH)),
        array_at(along, INT8, (parallel, DEPTH)),
        array_at(lengths, INT64, (parallel,)),
        array_at(leaves, INT64, (parallel,)),
        array_at(asked, INT8, (parallel,)),
        array_at(seen, FLOAT32, (parallel, observation)),
        array_at(masks, INT8, (parallel, actions)),
        array_at(logits, FLOAT32, (parallel, actions)),
        array_at(said, FLOAT32, (parallel, players)),
    )
    words = said + whole(4 * parallel * players)
    left = words + whole(8 * num_words())
    edges = left + whole(8 * num_words())
    totals = edges + whole(8 * actions)
    places = totals + whole(4 * players)
    results = places + whole(players)
    sight, end = sight_at(results + whole(8 * players))
    scratch = Scratch(
        array_at(words, UINT64, (num_words(),)),
        array_at(left, UINT64, (num_words(),)),
        array_at(edges, INT64, (actions,)),
        array_at(totals, INT32, (players,)),
        array_at(places, INT8, (players,)),
        array_at(results, FLOAT64, (players,)),
        sight,
    )
    return roots, trees, slots, scratch, end


@template
def guided_bytes(size: int, parallel: int, players: int, actions: int, observation: int) -> int:
    """Bytes of memory for a guided search: a table of `size` places, a power of two, so many simulations at once."""
    return int(guided_at(0, size, parallel, players, actions, observation)[4])


@template
def guided_begin(
    root: int, memory: int, size: int, parallel: int, actions: int, observation: int, low: int, high: int
) -> None:
    """Begin a search with an empty table."""
    given = states_at(root, 1)
    players = int(given[0]["num_players"])
    roots, trees, _, _, _ = guided_at(memory, size, parallel, players, actions, observation)
    copy_row(roots.states, 0, given, 0)
    roots.players[0] = int(given[0]["current_player"])
    roots.seeds[0] = joined(low, high)
    for i in range(size):
        trees.keys[0, i] = 0
    trees.used[0] = 0


@template
def guided_round(
    constants: int, memory: int, size: int, parallel: int, players: int, actions: int, observation: int,
    first: int, count: int, exploration: float, observer: int, forced: int,
    weights: int, width: int, blocks: int, normed: int, seats: int, value_scale: float, scratch: int,
) -> int:  # fmt: skip
    """`count` simulations, at most `parallel`, from the number `first` on; the first round is number 0, one simulation.

    Returns how many did not end with the game; for those the network was asked.

    Args:
        forced: int32 (count,), the root's action of each, or -1; 0 for none.
        weights, width, blocks, normed, seats: of the network (`porta_nigra_env.wasm.forward`).
        value_scale: unit of its values.
        scratch: of the network, and `4 * seats` bytes more.
    """
    roots, trees, slots, own, _ = guided_at(memory, size, parallel, players, actions, observation)
    slots = Slots(
        slots.worlds[:count], slots.forced[:count], slots.path[:count], slots.movers[:count], slots.lengths[:count],
        slots.leaves[:count], slots.players[:count], slots.observations[:count], slots.masks[:count],
        slots.logits[:count], slots.values[:count],
    )  # fmt: skip
    wanted = array_at(forced, INT32, (count,))
    for slot in range(count):
        slots.forced[slot] = -1 if forced == 0 else int(wanted[slot])
    now = Round(first, count, exploration, observer)
    given = constants_at(constants)
    descend(given, roots, trees, slots, own, now)
    at = scratch + 4 * seats
    values = array_at(scratch, FLOAT32, (1, seats))
    running = 0
    for slot in range(count):
        if slots.players[slot] >= 0:
            running += 1
            one = slot + 1
            shape = width, blocks, normed
            forward(weights, shape, slots.observations[slot:one], slots.logits[slot:one], values, at)
            for i in range(players):
                slots.values[slot, i] = values[0, i] * np.float32(value_scale)
    back_up(given, roots, trees, slots, own, now)
    return running


@template
def guided_root(
    constants: int, memory: int, size: int, parallel: int, players: int, actions: int, observation: int,
    logits: int, expected: int,
) -> None:  # fmt: skip
    """What the network said of the root, after the first round and before the next one.

    logits: float32 (actions,), -1e9 where illegal; expected: float64 (players,), results by seat.
    """
    roots, _, slots, _, _ = guided_at(memory, size, parallel, players, actions, observation)
    found, results = array_at(logits, FLOAT32, (actions,)), array_at(expected, FLOAT64, (players,))
    for action in range(actions):
        found[action] = slots.logits[0, action] if slots.masks[0, action] != 0 else np.float32(-1e9)
    for seat in range(players):
        results[seat] = roots.expected[0, seat]


@template
def guided_tally(
    constants: int, memory: int, size: int, parallel: int, players: int, actions: int, observation: int,
    visits: int, values: int,
) -> None:  # fmt: skip
    """How often each action was chosen at the root, and its mean result for the searcher, both float64 (actions,)."""
    roots, trees, _, scratch, _ = guided_at(memory, size, parallel, players, actions, observation)
    counts, means = array_at(visits, FLOAT64, (actions,)), array_at(values, FLOAT64, (actions,))
    player = int(roots.players[0])
    legal(constants_at(constants), roots.states, 0, scratch.words)
    for action in range(actions):
        counts[action] = 0.0
        means[action] = 0.0
        if bits.contains(scratch.words, action):
            place = find(trees.keys[0], mixed(ROOT, action))
            if trees.keys[0, place] != 0 and trees.visits[0, place] > 0:
                counts[action] = float(trees.visits[0, place])
                means[action] = trees.values[0, place, player] / counts[action]


def search_entries(kind: type[Game]) -> dict[str, Callable[..., Any]]:
    """Exports of a game's searches, by name: IS-MCTS that plays on at random, and the search that a network guides."""
    game = kind()
    loops, halves = bind_search(game, RANDOM), bind_puct(game)
    sight = new_sight(game)
    len_words, factors = len(sight.words), sight.factors
    replacements: dict[Callable[..., Any], Any] = {
        search: loops.search,
        count_votes: loops.count_votes,
        descend: halves.descend,
        back_up: halves.back_up,
        legal: kind.kernel.legal,
        sight_words: lambda: len_words,
        sight_factors: lambda: factors,
        **layout_of(game),
    }
    memory = memory_template.specialize(game.name, replacements, lambda function: function)
    return export(template, game, memory)
