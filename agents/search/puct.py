"""The compiled halves of a simulation that a network guides: down to where the tree ends, and back up with its values.

Edges lie in a hash table for each game; a node is a key, a hash of what is seen there (`agents.search.keys`): by the
searcher, or by whoever moves.  What is legal for her opponents may differ between worlds that the searcher cannot tell
apart: where an action has no edge yet, the node is evaluated once more, in the world at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from agents.search import keys
from agents.search.keys import MOVER, ROOT, find, look, mixed, new_sight, sight_key
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import determinize, legal, observe, rank, score, step
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import outcome

_SOURCES: Final = (*CORE_SOURCES, Path(keys.__file__), Path(__file__))

#: Longest path in a tree; what lies deeper is evaluated without an edge.
DEPTH: Final = 64


class Roots(NamedTuple):
    """Where the games are searched from.

    states: (games,) redacted for `players`, int8 (games,), who are to move; seeds: int64 (games,).
    expected: float64 (games, players), what the network said about the roots, written when a path has no length.
    """

    states: Any
    players: Any
    seeds: Any
    expected: Any


class Trees(NamedTuple):
    """The edges of all games.

    keys: int64, visits: int32, priors: float32 (games, size), size a power of two; values: float64 (games, size,
    players), sums of results; used: int64 (games,), edges in each table.
    """

    keys: Any
    visits: Any
    priors: Any
    values: Any
    used: Any

    def of(self, games: int) -> Trees:
        """Those of the first games."""
        return Trees(*(array[:games] for array in self))


class Scratch(NamedTuple):
    """words, left: uint64 (num_words,); edges: int64 (num_actions,); totals: int32, places: int8, results: float64
    (players,); sight: `keys.Sight`."""

    words: Any
    left: Any
    edges: Any
    totals: Any
    places: Any
    results: Any
    sight: Any


class Slots(NamedTuple):
    """Simulations of one round, so many for each game.

    worlds: (slots,) of the game's dtype; forced: int64 (slots,), the root's action, or -1.
    path: int64, movers: int8 (slots, DEPTH), lengths: int64 (slots,): what was walked.
    leaves: int64 (slots,), keys of the ends; players: int8 (slots,), who is to move there, -1 where the game is over.
    observations: float32, masks: int8: what they see there; logits: float32 (slots, num_actions) and values: float32
    (slots, players), from the player to move on: what the network says.
    """

    worlds: Any
    forced: Any
    path: Any
    movers: Any
    lengths: Any
    leaves: Any
    players: Any
    observations: Any
    masks: Any
    logits: Any
    values: Any

    def of(self, slots: int) -> Slots:
        """The first ones."""
        return Slots(*(array[:slots] for array in self))


class Round(NamedTuple):
    """Simulations of every game: so many at once, from the number `first` on; exploration: constant of PUCT; observer:
    whose sight makes the nodes, SEARCHER or MOVER (`agents.search.keys`)."""

    first: int
    parallel: int
    exploration: float
    observer: int


def new_trees(game: Game, games: int, size: int) -> Trees:
    """Empty tables of `size` places."""
    return Trees(
        keys=np.zeros((games, size), dtype=np.int64),
        visits=np.zeros((games, size), dtype=np.int32),
        priors=np.zeros((games, size), dtype=np.float32),
        values=np.zeros((games, size, game.num_players)),
        used=np.zeros(games, dtype=np.int64),
    )


def new_slots(game: Game, slots: int) -> Slots:
    """Room for so many simulations."""
    return Slots(
        worlds=np.zeros(slots, dtype=game.dtype),
        forced=np.full(slots, -1, dtype=np.int64),
        path=np.zeros((slots, DEPTH), dtype=np.int64),
        movers=np.zeros((slots, DEPTH), dtype=np.int8),
        lengths=np.zeros(slots, dtype=np.int64),
        leaves=np.zeros(slots, dtype=np.int64),
        players=np.zeros(slots, dtype=np.int8),
        observations=np.zeros((slots, game.observations.size), dtype=np.float32),
        masks=np.zeros((slots, game.actions.size), dtype=np.int8),
        logits=np.zeros((slots, game.actions.size), dtype=np.float32),
        values=np.zeros((slots, game.num_players), dtype=np.float32),
    )


def new_scratch(game: Game) -> Scratch:
    """Scratch of one thread."""
    return Scratch(
        words=np.zeros(game.num_words, dtype=np.uint64),
        left=np.zeros(game.num_words, dtype=np.uint64),
        edges=np.zeros(game.actions.size, dtype=np.int64),
        totals=np.zeros(game.num_players, dtype=np.int32),
        places=np.zeros(game.num_players, dtype=np.int8),
        results=np.zeros(game.num_players),
        sight=new_sight(game),
    )


template = Template()


@template
def pick_edge(trees: Trees, scratch: Scratch, game: int, node: int, mover: int, exploration: float) -> tuple[int, int]:
    """The action with the highest bound of PUCT for `mover`, out of `Scratch.words`, and the place of its edge; -1, -1
    where one of them has no edge."""
    keys, visits, priors, values = trees.keys[game], trees.visits[game], trees.priors[game], trees.values[game]
    for i in range(scratch.words.shape[0]):
        scratch.left[i] = scratch.words[i]
    count = 0
    total = 0
    value = 0.0
    mass = 0.0
    while True:
        action = bits.take_lowest(scratch.left)
        if action < 0:
            break
        place = find(keys, mixed(node, action))
        scratch.edges[count] = place
        count += 1
        if keys[place] == 0:
            return -1, -1
        total += int(visits[place])
        value += values[place, mover]
        mass += float(priors[place])
    # An action that was never tried is taken to be worth what the node is.
    first_play = value / total if total > 0 else 0.0
    root_of_total = np.sqrt(float(total) + 1.0)
    best = -1
    highest = 0.0
    for i in range(count):
        place = scratch.edges[i]
        tried = int(visits[place])
        mean = values[place, mover] / tried if tried > 0 else first_play
        prior = float(priors[place]) / max(mass, 1e-9)
        bound = mean + exploration * prior * root_of_total / (1.0 + tried)
        if best < 0 or bound > highest:
            best, highest = i, bound
    return bits.select(scratch.words, best), scratch.edges[best]


@template
def show(constants: Any, slots: Slots, scratch: Scratch, slot: int, mover: int) -> None:
    """What the player to move sees at a simulation's end, for the network."""
    masks = slots.masks[slot]
    for action in range(masks.shape[0]):
        masks[action] = 0
    if mover >= 0:
        legal(constants, slots.worlds, slot, scratch.words)
        bits.unpack(scratch.words, masks)
        observe(constants, slots.worlds, slot, mover, slots.observations[slot])


@template
def descend(constants: Any, roots: Roots, trees: Any, slots: Any, scratch: Any, now: Round) -> None:
    """One simulation in each slot, ``now.parallel`` for each game, down to where the tree ends.

    Every edge that was walked counts as lost until `back_up` is called, so that slots of a game part.  `trees`,
    `slots` and `scratch` are handed over as plain tuples, which Python does in half the time.
    """
    trees, slots, scratch = Trees(*trees), Slots(*slots), Scratch(*scratch)
    for slot in range(slots.worlds.shape[0]):
        game = slot // now.parallel
        mover = searcher = int(roots.players[game])
        slots.worlds[slot] = roots.states[game]
        number = now.first + slot % now.parallel
        determinize(constants, slots.worlds, slot, searcher, later_seed(int(roots.seeds[game]), number + 1))
        node = ROOT
        length = 0
        while mover >= 0 and length < DEPTH:
            legal(constants, slots.worlds, slot, scratch.words)
            action, place = pick_edge(trees, scratch, game, node, mover, now.exploration)
            if action < 0:
                break
            if length == 0 and slots.forced[slot] >= 0:
                action = int(slots.forced[slot])
                place = find(trees.keys[game], mixed(node, action))
            trees.visits[game, place] += 1
            trees.values[game, place, mover] -= 1.0
            slots.path[slot, length] = place
            slots.movers[slot, length] = mover
            length += 1
            step(constants, slots.worlds, slot, action)
            mover = int(slots.worlds[slot]["current_player"])
            if mover >= 0:
                look(constants, slots.worlds, slot, scratch.sight, mover if now.observer == MOVER else searcher)
                node = sight_key(scratch.sight)
        slots.lengths[slot] = length
        slots.leaves[slot] = node
        slots.players[slot] = mover
        show(constants, slots, scratch, slot, mover)


@template
def results_of(constants: Any, slots: Slots, scratch: Scratch, slot: int) -> None:
    """The results of a simulation into `Scratch.results`: of the game's end, or what the network expects."""
    players = scratch.results.shape[0]
    mover = int(slots.players[slot])
    if mover < 0:
        score(constants, slots.worlds, slot, scratch.totals)
        rank(constants, slots.worlds, slot, scratch.totals, scratch.places)
    for i in range(players):
        if mover < 0:
            scratch.results[i] = outcome(scratch.places, i)
        else:
            scratch.results[(mover + i) % players] = min(1.0, max(-1.0, float(slots.values[slot, i])))


@template
def add_edges(trees: Trees, slots: Slots, game: int, slot: int) -> None:
    """An edge for each legal action at a simulation's end that has none, with its prior."""
    masks, logits, keys = slots.masks[slot], slots.logits[slot], trees.keys[game]
    leaf = int(slots.leaves[slot])
    highest = -np.inf
    for action in range(masks.shape[0]):
        if masks[action] != 0:
            highest = max(highest, float(logits[action]))
    mass = 0.0
    for action in range(masks.shape[0]):
        if masks[action] != 0:
            mass += np.exp(float(logits[action]) - highest)
    for action in range(masks.shape[0]):
        if masks[action] != 0 and trees.used[game] < keys.shape[0] // 2:
            key = mixed(leaf, action)
            place = find(keys, key)
            if keys[place] == 0:
                keys[place] = key
                trees.visits[game, place] = 0
                trees.priors[game, place] = np.exp(float(logits[action]) - highest) / mass
                for seat in range(trees.values.shape[2]):
                    trees.values[game, place, seat] = 0.0
                trees.used[game] += 1


@template
def back_up(constants: Any, roots: Roots, trees: Any, slots: Any, scratch: Any, now: Round) -> None:
    """Enter what the network said about the ends, and the results of games that were over; arguments as of
    `descend`."""
    trees, slots, scratch = Trees(*trees), Slots(*slots), Scratch(*scratch)
    for slot in range(slots.worlds.shape[0]):
        game = slot // now.parallel
        results_of(constants, slots, scratch, slot)
        if slots.players[slot] >= 0:
            add_edges(trees, slots, game, slot)
        if slots.lengths[slot] == 0:
            for seat in range(scratch.results.shape[0]):
                roots.expected[game, seat] = scratch.results[seat]
        for i in range(int(slots.lengths[slot])):
            place = slots.path[slot, i]
            # The loss that kept other slots away is taken back.
            trees.values[game, place, int(slots.movers[slot, i])] += 1.0
            for seat in range(scratch.results.shape[0]):
                trees.values[game, place, seat] += scratch.results[seat]


class PuctLoops(NamedTuple):
    """The compiled halves of a simulation."""

    descend: Callable[..., Any]
    back_up: Callable[..., Any]


_BOUND: dict[Any, PuctLoops] = {}


def bind_puct(game: Game) -> PuctLoops:
    """The search, compiled over a game's verbs; once for each game, and cached on disk."""
    if game.kernel not in _BOUND:
        jit = compiler(*dict.fromkeys((*game.sources, *_SOURCES)))
        looks = keys.template.specialize(game.name, game.kernel.replacements, jit)
        compiled = template.specialize(game.name, looks, jit)
        _BOUND[game.kernel] = PuctLoops(compiled[descend], compiled[back_up])
    return _BOUND[game.kernel]
