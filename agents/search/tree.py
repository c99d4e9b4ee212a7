"""Monte Carlo tree search on information sets: one tree, two selections and two evaluations.

Every simulation samples a determinization of the searching player's information state, selects edges that are legal in
it, expands the tree, evaluates the leaf, and backs up a value for each seat along its path.

* UCB1 with availability counts expands one edge a simulation, chosen by a compiled policy, and evaluates with a rollout
  of that policy (`SearchLoops.simulate`).  Cowling, Powley, Whitehouse: *Information Set Monte Carlo Tree Search* (IEEE
  TCIAIG 4(2), 2012).
* PUCT expands all legal actions with a network's priors.  The network evaluates the leaves of many simulations between
  `SearchLoops.descend` and `SearchLoops.backup` (Silver and others, *A general reinforcement learning algorithm that
  masters chess, shogi, and Go through self-play*, Science 362, 2018).

The rules (`agents.search.arrays`) make three searches of the first.  IS-MCTS samples a determinization for each
simulation.  Perfect-information Monte Carlo has a fixed number of them with a tree each.  Flat Monte Carlo has a tree
of depth one.

The tree stores edges only, in a hash table by node and action.  A node is the key of an information state
(`agents.search.keys`).  With a single observer, nodes do not tell apart actions and cards of opponents that the
searching player cannot see.  With multiple observers, opponents choose by their own cards, and each hand of an opponent
is a separate node.  A legal action of an opponent may have no edge yet where another determinization created the node;
PUCT then expands the node again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search import arrays, keys
from agents.search.arrays import FIXED, LINEAR, OUTCOME, PUCT, TRUTH, UCB1, WIN, Roots, Rules, Scratch, Slots, Tree
from agents.search.keys import MOVER, OPEN, child_key, find_slot, info_state_key, redact_into
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import later_seed, seed_policy_rng
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import (
    ConstantsArray,
    Parameters,
    PolicyRng,
    States,
    Words,
    choose,
    determinize,
    legal,
    observe,
    rank,
    rounds,
    score,
    step,
)
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import lead, outcome, win_share

#: Upper bound of the random numbers of a simulation: their counter starts at the simulation's number times this.
_NUMBERS: Final = 1 << 20
#: Sources of the compiled functions, next to core, game and policy.
SOURCES: Final = tuple(Path(file) for file in (keys.__file__, arrays.__file__, __file__))


template = Template()


@template
def find_edges(tree: Tree, scratch: Scratch, game: int, node: int, selection: int) -> tuple[int, int, int]:
    """Find the edges of all legal actions in `Scratch.words`, and count them as available for UCB1.

    Slots go into `Scratch.edges`, actions without an edge into `Scratch.untried`.  PUCT stops at the first of these.

    Returns:
        The number of actions, the number of those with an edge, and the visits of these.
    """
    table, visits, words, left = tree.keys[game], tree.visits[game], scratch.words, scratch.left
    for i in range(words.shape[0]):
        left[i] = words[i]
        scratch.untried[i] = np.uint64(0)
    number = 0
    tried = 0
    total = 0
    while True:
        action = bits.take_lowest(left)
        if action < 0:
            return number, tried, total
        edge = find_slot(table, child_key(node, action))
        scratch.edges[number] = edge
        number += 1
        if table[edge] == 0:
            if selection == PUCT:
                return number, tried, total
            bits.add(scratch.untried, action)
            continue
        tried += 1
        total += int(visits[edge])
        if selection == UCB1:
            tree.available[game, edge] += 1


@template
def add_edge(tree: Tree, game: int, node: int, action: int) -> int:
    """Add an edge and return its slot; -1 if it exists or the table is full."""
    table = tree.keys[game]
    key = child_key(node, action)
    edge = find_slot(table, key)
    if table[edge] != 0 or tree.used[game] >= table.shape[0] // 2:
        return -1
    table[edge] = key
    tree.visits[game, edge] = 0
    for seat in range(tree.values.shape[2]):
        tree.values[game, edge, seat] = 0.0
    tree.used[game] += 1
    return edge


@template
def best_ucb1(tree: Tree, edges: npt.NDArray[np.int64], game: int, player: int, number: int, exploration: float) -> int:
    """Return the index of the action with the highest upper confidence bound for `player`, among those with an edge."""
    table, visits, available, values = tree.keys[game], tree.visits[game], tree.available[game], tree.values[game]
    best = -1
    highest = 0.0
    for i in range(number):
        edge = edges[i]
        if table[edge] != 0:
            chosen = float(visits[edge])
            bonus = exploration * np.sqrt(np.log(float(available[edge])) / chosen)
            bound = values[edge, player] / chosen + bonus
            if best < 0 or bound > highest:
                best = i
                highest = bound
    return best


@template
def best_puct(
    tree: Tree, edges: npt.NDArray[np.int64], game: int, player: int, number: int, total: int, exploration: float
) -> int:
    """Return the index of the action with the highest bound of PUCT for `player`; all of them have edges."""
    visits, priors, values = tree.visits[game], tree.priors[game], tree.values[game]
    value = 0.0
    mass = 0.0
    for i in range(number):
        value += values[edges[i], player]
        mass += float(priors[edges[i]])
    # An action without visits has the value of its node.
    first_play = value / total if total > 0 else 0.0
    root_of_total = np.sqrt(float(total) + 1.0)
    best = -1
    highest = 0.0
    for i in range(number):
        edge = edges[i]
        tried = int(visits[edge])
        mean = values[edge, player] / tried if tried > 0 else first_play
        prior = float(priors[edge]) / max(mass, 1e-9)
        bound = mean + exploration * prior * root_of_total / (1.0 + tried)
        if best < 0 or bound > highest:
            best, highest = i, bound
    return best


@template
def select(tree: Tree, scratch: Scratch, rules: Rules, game: int, player: int, node: int) -> int:
    """Return the index of the selected action in `Scratch.words`, or -1 to expand.

    PUCT expands at a leaf, where an action has no edge.  UCB1 expands while the node may have more edges and the table
    has space.
    """
    number, tried, total = find_edges(tree, scratch, game, node, rules.selection)
    if rules.selection == PUCT:
        return -1 if tried < number else best_puct(tree, scratch.edges, game, player, number, total, rules.exploration)
    has_space = tree.used[game] < tree.keys.shape[1] // 2
    bound = number if rules.widening == 0.0 else max(1, int(rules.widening * np.sqrt(total + 1.0)))
    if tried < min(number, bound) and (has_space or tried == 0):
        return -1
    return best_ucb1(tree, scratch.edges, game, player, number, rules.exploration)


@template
def sample_state(
    constants: ConstantsArray, roots: Roots, states: States, rules: Rules, slot: int, game: int, number: int
) -> int:
    """Set the state of simulation `number`; return its root node."""
    copy_row(states, slot, roots.states, game)
    node = int(roots.nodes[game])
    if rules.mode == TRUTH:
        return node
    sample = number % rules.worlds if rules.mode == FIXED else number
    seed = later_seed(int(roots.seeds[game]), sample + 1)
    determinize(constants, states, slot, int(roots.players[game]), seed)
    return child_key(node, sample) if rules.mode == FIXED else node


@template
def walk(
    constants: ConstantsArray, tree: Tree, slots: Slots, scratch: Scratch, parameters: Parameters, rules: Rules,
    slot: int, game: int, searcher: int, node: int,
) -> None:  # fmt: skip
    """Select actions from `node` to a leaf, and enter path, leaf and player.

    UCB1 adds an edge for the action that the policy chooses.  PUCT counts every edge as a lost simulation until
    `backup`, so that the slots of a game take different paths.
    """
    states = slots.states
    viewer = OPEN if rules.observer == OPEN else searcher
    mover = searcher
    length = 0
    is_current = True
    is_leaf = False
    while mover >= 0 and length < rules.depth and not is_leaf:
        legal(constants, states, slot, scratch.words)
        if rules.model and mover != searcher:
            redact_into(constants, states, slot, scratch.info_state, mover)
            seen = scratch.info_state.states
            action = choose(constants, seen, 0, mover, scratch.words, parameters, scratch.policy_rng)
        else:
            if not is_current:
                observer = mover if rules.observer == MOVER else viewer
                redact_into(constants, states, slot, scratch.info_state, observer)
                node = info_state_key(scratch.info_state)
                is_current = True
            index = select(tree, scratch, rules, game, mover, node)
            if index >= 0:
                action, edge = bits.select(scratch.words, index), scratch.edges[index]
            elif rules.selection == PUCT:
                break
            else:
                action = choose(constants, states, slot, mover, scratch.untried, parameters, scratch.policy_rng)
                edge = add_edge(tree, game, node, action)
                is_leaf = True
                if edge >= 0:
                    tree.available[game, edge] = 1
            if length == 0 and slots.forced[slot] >= 0:
                action = int(slots.forced[slot])
                edge = find_slot(tree.keys[game], child_key(node, action))
            if edge >= 0:
                slots.path[slot, length] = edge
                slots.movers[slot, length] = mover
                length += 1
                if rules.selection == PUCT:
                    tree.visits[game, edge] += 1
                    tree.values[game, edge, mover] -= 1.0
        step(constants, states, slot, action)
        mover = int(states[slot]["current_player"])
        is_current = False
    if not is_current and mover >= 0 and rules.selection == PUCT:
        redact_into(constants, states, slot, scratch.info_state, mover if rules.observer == MOVER else viewer)
        node = info_state_key(scratch.info_state)
    slots.lengths[slot] = length
    slots.leaves[slot] = node
    slots.players[slot] = mover


@template
def roll_out(
    constants: ConstantsArray,
    states: States,
    words: Words,
    policy_rng: PolicyRng,
    parameters: Parameters,
    slot: int,
    last_round: int,
    limit: int,
) -> None:
    """Continue with the policy to the end of the game, of `last_round` (-1 for none), or of `limit` steps.

    The policy sees the determinization unredacted: it contains no hidden information, and redaction would take longer
    than the policy.
    """
    steps = 0
    player = int(states[slot]["current_player"])
    while player >= 0 and steps < limit and (last_round < 0 or rounds(constants, states, slot) <= last_round):
        legal(constants, states, slot, words)
        step(constants, states, slot, choose(constants, states, slot, player, words, parameters, policy_rng))
        steps += 1
        player = int(states[slot]["current_player"])


@template
def score_seats(
    constants: ConstantsArray, states: States, scratch: Scratch, slot: int, utility: int, scale: float
) -> None:
    """Write the utility of a state for each seat into `Scratch.results`."""
    score(constants, states, slot, scratch.totals)
    if utility in (WIN, OUTCOME):
        rank(constants, states, slot, scratch.totals, scratch.places)
    for seat in range(scratch.results.shape[0]):
        if utility == WIN:
            scratch.results[seat] = win_share(scratch.places, seat)
        elif utility == OUTCOME:
            scratch.results[seat] = outcome(scratch.places, seat)
        else:
            margin = lead(scratch.totals, seat) / scale
            scratch.results[seat] = margin if utility == LINEAR else 1.0 / (1.0 + np.exp(-margin))


@template
def add_results(
    tree: Tree, slots: Slots, results: npt.NDArray[np.float64], slot: int, game: int, selection: int
) -> None:
    """Add results along a path, and take back the lost simulations of PUCT."""
    visits, values, path = tree.visits[game], tree.values[game], slots.path[slot]
    for i in range(int(slots.lengths[slot])):
        edge = path[i]
        if selection == PUCT:
            values[edge, int(slots.movers[slot, i])] += 1.0
        else:
            visits[edge] += 1
        for seat in range(results.shape[0]):
            values[edge, seat] += results[seat]


@template
def simulate(
    constants: ConstantsArray, roots: Roots, tree: Tree, slots: Slots, scratch: Scratch, parameters: Parameters,
    rules: Rules, first: int, simulations: int,
) -> None:  # fmt: skip
    """Run the simulations ``first .. first + simulations - 1`` of one game with rollouts of a compiled policy.

    Args:
        tree, slots, scratch: as plain tuples, which Python passes in half the time; one slot.
        parameters: of the policy.
    """
    tree, slots, scratch = Tree(*tree), Slots(*slots), Scratch(*scratch)
    states, searcher, rng = slots.states, int(roots.players[0]), scratch.policy_rng
    seed_policy_rng(rng, int(roots.seeds[0]))
    for number in range(first, first + simulations):
        rng[2] = number * _NUMBERS
        node = sample_state(constants, roots, states, rules, 0, 0, number)
        last_round = rounds(constants, states, 0) + rules.rounds - 1 if rules.rounds > 0 else -1
        walk(constants, tree, slots, scratch, parameters, rules, 0, 0, searcher, node)
        roll_out(constants, states, scratch.words, rng, parameters, 0, last_round, rules.limit)
        score_seats(constants, states, scratch, 0, rules.utility, rules.scale)
        add_results(tree, slots, scratch.results, 0, 0, UCB1)


@template
def show(constants: ConstantsArray, slots: Slots, scratch: Scratch, slot: int) -> None:
    """Write the view of the player to move at a slot's leaf, for the network."""
    masks, mover = slots.masks[slot], int(slots.players[slot])
    for action in range(masks.shape[0]):
        masks[action] = 0
    if mover >= 0:
        legal(constants, slots.states, slot, scratch.words)
        bits.unpack(scratch.words, masks)
        observe(constants, slots.states, slot, mover, slots.observations[slot])


@template
def descend(
    constants: ConstantsArray, roots: Roots, tree: Tree, slots: Slots, scratch: Scratch, parameters: Parameters,
    rules: Rules, first: int, parallel: int,
) -> None:  # fmt: skip
    """Run a simulation in each slot down to its leaf: `parallel` for each game, from the number `first` on.

    For the arguments see `simulate`.
    """
    tree, slots, scratch = Tree(*tree), Slots(*slots), Scratch(*scratch)
    for slot in range(slots.states.shape[0]):
        game = slot // parallel
        node = sample_state(constants, roots, slots.states, rules, slot, game, first + slot % parallel)
        walk(constants, tree, slots, scratch, parameters, rules, slot, game, int(roots.players[game]), node)
        show(constants, slots, scratch, slot)


@template
def expand_all(tree: Tree, slots: Slots, game: int, slot: int) -> None:
    """Add an edge with its prior for each legal action without one at a slot's leaf."""
    masks, logits, leaf = slots.masks[slot], slots.logits[slot], int(slots.leaves[slot])
    highest = -np.inf
    for action in range(masks.shape[0]):
        if masks[action] != 0:
            highest = max(highest, float(logits[action]))
    mass = 0.0
    for action in range(masks.shape[0]):
        if masks[action] != 0:
            mass += np.exp(float(logits[action]) - highest)
    for action in range(masks.shape[0]):
        if masks[action] != 0:
            edge = add_edge(tree, game, leaf, action)
            if edge >= 0:
                tree.priors[game, edge] = np.exp(float(logits[action]) - highest) / mass


@template
def backup(constants: ConstantsArray, roots: Roots, tree: Tree, slots: Slots, scratch: Scratch, parallel: int) -> None:
    """Expand the leaves with the network's evaluation, and back up its values and the results of finished games.

    For the arguments see `descend`.
    """
    tree, slots, scratch = Tree(*tree), Slots(*slots), Scratch(*scratch)
    players = scratch.results.shape[0]
    for slot in range(slots.states.shape[0]):
        game = slot // parallel
        mover = int(slots.players[slot])
        if mover < 0:
            score_seats(constants, slots.states, scratch, slot, OUTCOME, 1.0)
        else:
            for i in range(players):
                scratch.results[(mover + i) % players] = min(1.0, max(-1.0, float(slots.values[slot, i])))
            expand_all(tree, slots, game, slot)
        if slots.lengths[slot] == 0:
            for seat in range(players):
                roots.expected[game, seat] = scratch.results[seat]
        add_results(tree, slots, scratch.results, slot, game, PUCT)


@template
def count_votes(
    constants: ConstantsArray,
    roots: Roots,
    tree: Tree,
    scratch: Scratch,
    worlds: int,
    votes: npt.NDArray[Any],
    values: npt.NDArray[np.float64],
) -> None:
    """Add up visits and values of the first game's actions at the root.

    Args:
        worlds: number of determinizations with a tree each; 0 for one tree.
        votes: (num_actions,), visits are added.
        values: float64 (num_actions,), sums of results of the searching player are added.
    """
    tree, scratch = Tree(*tree), Scratch(*scratch)
    legal(constants, roots.states, 0, scratch.words)
    table, player = tree.keys[0], int(roots.players[0])
    for sample in range(max(worlds, 1)):
        node = child_key(int(roots.nodes[0]), sample) if worlds > 0 else int(roots.nodes[0])
        for i in range(scratch.words.shape[0]):
            scratch.left[i] = scratch.words[i]
        while True:
            action = bits.take_lowest(scratch.left)
            if action < 0:
                break
            edge = find_slot(table, child_key(node, action))
            if table[edge] != 0:
                votes[action] += int(tree.visits[0, edge])
                values[action] += tree.values[0, edge, player]


class SearchLoops(NamedTuple):
    """The compiled search of a game with a policy for its rollouts."""

    simulate: Callable[..., Any]
    descend: Callable[..., Any]
    backup: Callable[..., Any]
    count_votes: Callable[..., Any]


_BOUND: dict[tuple[Any, ...], SearchLoops] = {}


def bind_search(game: Game, policy: Policy = RANDOM) -> SearchLoops:
    """Specialize the search for a game and a policy, once for each pair.

    Raises:
        ValueError: the policy is made for another game.
    """
    policy.check_plays(game.name)
    key = game.kernel, policy.choose
    if key not in _BOUND:
        jit = compiler(*CORE_SOURCES, *game.sources, *policy.sources, *SOURCES)
        replacements = {**game.kernel.replacements, choose: policy.choose}
        compiled = template.specialize(game.name, keys.template.specialize(game.name, replacements, jit), jit)
        _BOUND[key] = SearchLoops(*(compiled[function] for function in (simulate, descend, backup, count_votes)))
    return _BOUND[key]
