"""The searches as exports of a game's WebAssembly module (`porta_nigra_env.wasm.entries`): templates over addresses.

The caller provides one block of memory for all arrays of a search, of the size that `tree_bytes` or `guided_bytes`
returns for the same arguments, and leaves it unchanged between two calls.  Roots are states redacted for the player to
move.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from agents.search import tree
from agents.search.arrays import FIXED, OUTCOME, PUCT, PUCT_DEPTH, SAMPLED, UCB1, Roots, Rules, Scratch, Slots, Tree
from agents.search.keys import ROOT, InfoState, info_state_key, new_info_state
from agents.search.tree import backup, bind_search, count_votes, descend, simulate
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
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

#: Sources of the exports, next to those of a game.
SOURCES = (*tree.SOURCES, Path(__file__))


def info_state_words() -> int:
    """Return the size of `InfoState.words`: a placeholder that `search_entries` replaces."""
    raise NotImplementedError


def info_state_at(address: int) -> InfoState:
    """Return the information state at an address: a placeholder, too."""
    raise NotImplementedError


#: The memory of the searches, and the exports over it.
memory_template, template = Template(), Template()


def whole(size: int) -> int:
    """Round a number of bytes up to the alignment of the next array."""
    return (size + 15) & ~15


@memory_template
def arrays_at(
    memory: int, size: int, parallel: int, count: int, depth: int, players: int, actions: int, observation: int,
    selection: int,
) -> Any:  # fmt: skip
    """Return the arrays of a search in one game, `count` of `parallel` slots, and the end of their memory."""
    available_size, priors_size = (size, 0) if selection == UCB1 else (0, size)
    expected = memory + whole(state_bytes())
    seeds = expected + whole(8 * players)
    nodes = seeds + whole(8)
    searchers = nodes + whole(8)
    roots = Roots(
        states_at(memory, 1),
        array_at(searchers, INT8, (1,)),
        array_at(seeds, INT64, (1,)),
        array_at(nodes, INT64, (1,)),
        array_at(expected, FLOAT64, (1, players)),
    )
    keys = searchers + whole(1)
    visits = keys + whole(8 * size)
    available = visits + whole(4 * size)
    priors = available + whole(4 * available_size)
    values = priors + whole(4 * priors_size)
    used = values + whole(8 * size * players)
    tree = Tree(
        array_at(keys, INT64, (1, size)),
        array_at(visits, INT32, (1, size)),
        array_at(available, INT32, (1, available_size)),
        array_at(priors, FLOAT32, (1, priors_size)),
        array_at(values, FLOAT64, (1, size, players)),
        array_at(used, INT64, (1,)),
    )
    states = used + whole(8)
    forced = states + whole(state_bytes() * parallel)
    path = forced + whole(8 * parallel)
    movers = path + whole(8 * parallel * depth)
    lengths = movers + whole(parallel * depth)
    leaves = lengths + whole(8 * parallel)
    to_move = leaves + whole(8 * parallel)
    observations = to_move + whole(parallel)
    masks = observations + whole(4 * parallel * observation)
    logits = masks + whole(parallel * actions)
    evaluations = logits + whole(4 * parallel * actions)
    slots = Slots(
        states_at(states, count),
        array_at(forced, INT64, (count,)),
        array_at(path, INT64, (count, depth)),
        array_at(movers, INT8, (count, depth)),
        array_at(lengths, INT64, (count,)),
        array_at(leaves, INT64, (count,)),
        array_at(to_move, INT8, (count,)),
        array_at(observations, FLOAT32, (count, observation)),
        array_at(masks, INT8, (count, actions)),
        array_at(logits, FLOAT32, (count, actions)),
        array_at(evaluations, FLOAT32, (count, players)),
    )
    words = evaluations + whole(4 * parallel * players)
    left = words + whole(8 * num_words())
    untried = left + whole(8 * num_words())
    edges = untried + whole(8 * num_words())
    totals = edges + whole(8 * actions)
    places = totals + whole(4 * players)
    results = places + whole(players)
    policy_rng = results + whole(8 * players)
    info_state = policy_rng + whole(24)
    scratch = Scratch(
        array_at(words, UINT64, (num_words(),)),
        array_at(left, UINT64, (num_words(),)),
        array_at(untried, UINT64, (num_words(),)),
        array_at(edges, INT64, (actions,)),
        array_at(totals, INT32, (players,)),
        array_at(places, INT8, (players,)),
        array_at(results, FLOAT64, (players,)),
        info_state_at(info_state),
        array_at(policy_rng, INT64, (3,)),
    )
    return roots, tree, slots, scratch, info_state + whole(4 * info_state_words())


@memory_template
def write_votes(
    constants: int, roots: Roots, tree: Tree, scratch: Scratch, worlds: int, visits: int, values: int
) -> None:
    """Write visits and mean results of the root's actions for the searching player, both float64 (actions,)."""
    actions = scratch.edges.shape[0]
    counts, means = array_at(visits, FLOAT64, (actions,)), array_at(values, FLOAT64, (actions,))
    for action in range(actions):
        counts[action] = 0.0
        means[action] = 0.0
    count_votes(constants_at(constants), roots, tree, scratch, worlds, counts, means)
    for action in range(actions):
        if counts[action] > 0.0:
            means[action] /= counts[action]


@template
def tree_bytes(size: int, depth: int, players: int, actions: int) -> int:
    """Return the memory of a tree, in bytes; size: a power of two, at least twice the simulations."""
    return int(arrays_at(0, size, 1, 1, depth, players, actions, 0, UCB1)[4])


@template
def tree_search(
    constants: int, root: int, memory: int, size: int, actions: int,
    mode: int, worlds: int, observer: int, model: int, depth: int, rounds: int, limit: int, utility: int,
    scale: float, exploration: float, widening: float, low: int, high: int, first: int, simulations: int,
) -> int:  # fmt: skip
    """Run the simulations from the number `first` on with random rollouts (`agents.search.tree`).

    The tree is emptied if `first` is 0.  Returns its number of edges.
    """
    given = states_at(root, 1)
    players = int(given[0]["num_players"])
    roots, tree, slots, scratch, _ = arrays_at(memory, size, 1, 1, depth, players, actions, 0, UCB1)
    if first == 0:
        copy_row(roots.states, 0, given, 0)
        copy_row(scratch.info_state.states, 0, given, 0)
        roots.players[0] = given[0]["current_player"]
        roots.seeds[0] = joined(low, high)
        roots.nodes[0] = info_state_key(scratch.info_state)
        for i in range(size):
            tree.keys[0, i] = 0
        tree.used[0] = 0
        slots.forced[0] = -1
    rules = Rules(
        mode, worlds, observer, model, depth, rounds, limit, utility, scale, exploration, widening, UCB1
    )  # fmt: skip
    policy = array_at(0, FLOAT64, (0,))
    simulate(constants_at(constants), roots, tree, slots, scratch, policy, rules, first, simulations)
    return int(tree.used[0])


@template
def tree_votes(
    constants: int, root: int, memory: int, size: int, actions: int, mode: int, worlds: int, depth: int, votes: int,
    values: int,
) -> None:  # fmt: skip
    """Write the votes of a tree; see `write_votes`."""
    players = int(states_at(root, 1)[0]["num_players"])
    roots, tree, _, scratch, _ = arrays_at(memory, size, 1, 1, depth, players, actions, 0, UCB1)
    write_votes(constants, roots, tree, scratch, worlds if mode == FIXED else 0, votes, values)


@template
def guided_bytes(size: int, parallel: int, players: int, actions: int, observation: int) -> int:
    """Return the memory of a guided search, in bytes; size: of its table, a power of two; parallel: slots."""
    return int(arrays_at(0, size, parallel, parallel, PUCT_DEPTH, players, actions, observation, PUCT)[4])


@template
def guided_begin(
    root: int, memory: int, size: int, parallel: int, actions: int, observation: int, low: int, high: int
) -> None:
    """Start a search with an empty table."""
    given = states_at(root, 1)
    players = int(given[0]["num_players"])
    roots, tree, _, _, _ = arrays_at(memory, size, parallel, 1, PUCT_DEPTH, players, actions, observation, PUCT)
    copy_row(roots.states, 0, given, 0)
    roots.players[0] = given[0]["current_player"]
    roots.seeds[0] = joined(low, high)
    roots.nodes[0] = ROOT
    for i in range(size):
        tree.keys[0, i] = 0
    tree.used[0] = 0


@template
def guided_round(
    constants: int, memory: int, size: int, parallel: int, players: int, actions: int, observation: int,
    first: int, count: int, exploration: float, observer: int, forced: int,
    weights: int, width: int, blocks: int, normed: int, seats: int, value_scale: float, scratch: int,
) -> int:  # fmt: skip
    """Run `count` simulations, at most `parallel`, from the number `first` on; the first round is simulation 0 alone.

    Returns the number of leaves that the network evaluated; the others are finished games.

    Args:
        forced: int32 (count,), the root's action of each, or -1; 0 for none.
        weights, width, blocks, normed, seats: of the network (`porta_nigra_env.wasm.forward`).
        value_scale: unit of its values.
        scratch: of the network, and `4 * seats` bytes more.
    """
    roots, tree, slots, own, _ = arrays_at(
        memory, size, parallel, count, PUCT_DEPTH, players, actions, observation, PUCT
    )
    wanted = array_at(forced, INT32, (count,))
    for slot in range(count):
        slots.forced[slot] = -1 if forced == 0 else int(wanted[slot])
    rules = Rules(SAMPLED, 1, observer, 0, PUCT_DEPTH, 0, 0, OUTCOME, 1.0, exploration, 0.0, PUCT)
    record, policy = constants_at(constants), array_at(0, FLOAT64, (0,))
    descend(record, roots, tree, slots, own, policy, rules, first, count)
    at = scratch + 4 * seats
    values = array_at(scratch, FLOAT32, (1, seats))
    running = 0
    for slot in range(count):
        if slots.players[slot] >= 0:
            running += 1
            end = slot + 1
            shape = width, blocks, normed
            forward(weights, shape, slots.observations[slot:end], slots.logits[slot:end], values, at)
            for i in range(players):
                slots.values[slot, i] = values[0, i] * np.float32(value_scale)
    backup(record, roots, tree, slots, own, count)
    return running


@template
def guided_root(
    constants: int, memory: int, size: int, parallel: int, players: int, actions: int, observation: int,
    logits: int, expected: int,
) -> None:  # fmt: skip
    """Write the network's evaluation of the root, after the first round and before the next one.

    logits: float32 (actions,), -1e9 where illegal; expected: float64 (players,), results by seat.
    """
    roots, _, slots, _, _ = arrays_at(memory, size, parallel, 1, PUCT_DEPTH, players, actions, observation, PUCT)
    out, results = array_at(logits, FLOAT32, (actions,)), array_at(expected, FLOAT64, (players,))
    for action in range(actions):
        out[action] = slots.logits[0, action] if slots.masks[0, action] != 0 else np.float32(-1e9)
    for seat in range(players):
        results[seat] = roots.expected[0, seat]


@template
def guided_tally(
    constants: int, memory: int, size: int, parallel: int, players: int, actions: int, observation: int,
    visits: int, values: int,
) -> None:  # fmt: skip
    """Write the votes of a guided search; see `write_votes`."""
    roots, tree, _, scratch, _ = arrays_at(memory, size, parallel, 1, PUCT_DEPTH, players, actions, observation, PUCT)
    write_votes(constants, roots, tree, scratch, 0, visits, values)


def search_entries(kind: type[Game]) -> dict[str, Callable[..., Any]]:
    """Return the exports of a game's searches by name: IS-MCTS with random rollouts, and guided search."""
    game = kind()
    loops, info_state = bind_search(game, RANDOM), new_info_state(game)
    layout, size, factors = layout_of(game), len(info_state.words), info_state.factors
    record_at = layout[states_at]

    def locate(address: int) -> InfoState:
        return InfoState(record_at(address, 1), array_at(address, INT32, (size,)), factors)

    replacements: dict[Callable[..., Any], Any] = {
        simulate: loops.simulate,
        descend: loops.descend,
        backup: loops.backup,
        count_votes: loops.count_votes,
        info_state_words: lambda: size,
        info_state_at: locate,
        **layout,
    }
    return export(template, game, memory_template.specialize(game.name, replacements, lambda function: function))
