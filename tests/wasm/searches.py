"""The searches of a module, for comparison with those of `agents.search`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.registry import make
from agents.search.arrays import Rules
from agents.search.guided import MAX_TABLE, GuidedSearch
from agents.search.searcher import Budget, SearchAgent
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View
from porta_nigra_env.players.checkpoint import part_of, read_checkpoint
from porta_nigra_env.players.network import shape_of
from tests.wasm.machine import Array, Machine, halves


class TreeSearch:
    """IS-MCTS in a module."""

    def __init__(self, machine: Machine, game: Game, rules: Rules, simulations: int) -> None:
        self.machine, self.game, self.rules, self.simulations = machine, game, rules, simulations
        self.size = 1 << max(6, (2 * simulations - 1).bit_length())
        actions = game.actions.size
        self.memory = machine.take(machine("tree_bytes", self.size, rules.depth, game.num_players, actions))
        self.root = machine.take(game.dtype.itemsize)
        self.votes, self.values = machine.take(8 * actions), machine.take(8 * actions)

    def run(self, view: View, seed: int, chunk: int) -> tuple[Array, Array]:
        """Return votes and mean values of the actions, float64 (num_actions,), simulated in chunks."""
        machine, rules, actions = self.machine, self.rules, self.game.actions.size
        machine.put(view.state, self.root)
        for first in range(0, self.simulations, chunk):
            machine(
                "tree_search", machine.constants, self.root, self.memory, self.size, actions, *rules[:-1],
                *halves(seed), first, min(chunk, self.simulations - first),
            )  # fmt: skip
        machine(
            "tree_votes", machine.constants, self.root, self.memory, self.size, actions, rules.mode, rules.worlds,
            rules.depth, self.votes, self.values,
        )  # fmt: skip
        return machine.get(self.votes, np.float64, actions), machine.get(self.values, np.float64, actions)


def compiled_search(game: Game, view: View, rules: Rules, simulations: int, seed: int) -> tuple[Array, Array]:
    """Return the same results of `agents.search.searcher`."""
    agent = SearchAgent("search", game, RANDOM, rules, Budget(simulations), 0)
    agent.decision_seed = lambda *_: seed  # type: ignore[method-assign]
    result = agent.search(view)
    return result.votes.astype(np.float64), result.values


class Network:
    """A network in a module's memory.

    Args:
        weights: float16 arrays by the names of `players.network.NumpyNetwork`.
        normed: as in `NumpyNetwork`.
    """

    def __init__(self, machine: Machine, weights: Mapping[str, Array], normed: int = 0) -> None:
        self.machine, self.normed = machine, normed
        blocks = sum(name.startswith("blocks.") and name.endswith(".weight") for name in weights)
        layers = ["enter", *(f"blocks.{number}" for number in range(blocks)), "policy", "value"]
        parts = [weights[f"{layer}.{part}"] for layer in layers for part in ("weight", "bias")]
        self.weights = at = machine.take(4 * sum(part.size for part in parts))
        for part in parts:
            outputs, inputs = part.shape if part.ndim == 2 else (part.size, 1)
            machine("widen", machine.put(part.astype(np.float16)), outputs, inputs, at)
            at += 4 * part.size
        self.width, self.inputs = weights["enter.weight"].shape
        self.blocks, self.actions, self.seats = blocks, len(weights["policy.bias"]), len(weights["value.bias"])
        self.scratch = machine.take(machine("forward_bytes", self.inputs, self.width) + 4 * self.seats)

    def __call__(self, observations: Array, masks: Any = None) -> tuple[Array, Array]:
        """Return logits and values, like `NumpyNetwork`."""
        rows, machine = len(observations), self.machine
        address = machine.put(observations.astype(np.float32))
        logits, values = machine.take(4 * rows * self.actions), machine.take(4 * rows * self.seats)
        machine(
            "forward", self.weights, self.inputs, self.width, self.blocks, self.normed, self.actions, self.seats,
            address, rows, logits, values, self.scratch,
        )  # fmt: skip
        return machine.get(logits, np.float32, rows, self.actions), machine.get(values, np.float32, rows, self.seats)


def random_weights(game: Game, width: int, blocks: int, seed: int) -> dict[str, Array]:
    """Return random weights of a network that fits a game."""
    draw = np.random.default_rng(seed)
    sizes = {"enter": (width, game.observations.size), "policy": (game.actions.size, width)}
    sizes |= {f"blocks.{number}": (width, width) for number in range(blocks)} | {"value": (game.num_players, width)}
    weights = {}
    for name, (outputs, inputs) in sizes.items():
        weights[f"{name}.weight"] = (draw.normal(size=(outputs, inputs)) / np.sqrt(inputs)).astype(np.float16)
        weights[f"{name}.bias"] = draw.normal(size=outputs).astype(np.float16)
    return weights


class Guided:
    """The network-guided search in a module."""

    def __init__(self, network: Network, game: Game, simulations: int, parallel: int, observer: int) -> None:
        self.machine, self.network, self.game = network.machine, network, game
        self.simulations, self.parallel, self.observer = simulations, parallel, observer
        actions = game.actions.size
        size = min(1 << (2 * actions + 32 * simulations - 1).bit_length(), MAX_TABLE)
        self.begin_sizes = size, parallel, actions, game.observations.size
        self.sizes = size, parallel, game.num_players, actions, game.observations.size
        self.memory = self.machine.take(self.machine("guided_bytes", *self.sizes))
        self.root, self.forced = self.machine.take(game.dtype.itemsize), self.machine.take(4 * parallel)
        self.constants = self.machine.constants, self.memory, *self.sizes

    def begin(self, view: View, seed: int) -> tuple[Array, Array]:
        """Run the first round; return the network's logits float32 (num_actions,) and values float64 (players,)."""
        machine, actions, players = self.machine, self.game.actions.size, self.game.num_players
        machine("guided_begin", machine.put(view.state, self.root), self.memory, *self.begin_sizes, *halves(seed))
        self.round(0, 1)
        logits, expected = machine.take(4 * actions), machine.take(8 * players)
        machine("guided_root", *self.constants, logits, expected)
        return machine.get(logits, np.float32, actions), machine.get(expected, np.float64, players)

    def round(self, first: int, count: int, forced: int | None = None) -> int:
        """Run simulations; return the number of those that did not reach the end of the game."""
        network, at = self.network, 0
        if forced is not None:
            at = self.machine.put(np.full(count, forced, dtype=np.int32), self.forced)
        running: int = self.machine(
            "guided_round", *self.constants, first, count, 1.25, self.observer, at, network.weights, network.width,
            network.blocks, network.normed, network.seats, 0.5, network.scratch,
        )  # fmt: skip
        return running

    def tally(self) -> tuple[Array, Array]:
        """Return visits and mean values of the root's actions, float64 (num_actions,)."""
        actions = self.game.actions.size
        visits, values = self.machine.take(8 * actions), self.machine.take(8 * actions)
        self.machine("guided_tally", *self.constants, visits, values)
        return self.machine.get(visits, np.float64, actions), self.machine.get(values, np.float64, actions)

    def run(self, view: View, seed: int) -> tuple[Array, Array, Array, Array]:
        """Return logits, expectations, visits and values, with PUCT at the root."""
        estimate = self.begin(view, seed)
        for done in range(0, self.simulations, self.parallel):
            self.round(done + 1, min(self.parallel, self.simulations - done))
        return *estimate, *self.tally()


def compiled_guided(network: Network, game: Game, view: View, guided: Guided, seed: int) -> tuple[Array, ...]:
    """Return the same results of `agents.search.guided`, with the module's network."""

    def evaluate(observations: Any, masks: Any) -> tuple[Any, Any]:
        logits, values = network(observations)
        return logits, values * np.float32(0.5)

    observers = "single" if guided.observer else "multiple"
    search = GuidedSearch(game, evaluate, guided.simulations, guided.parallel, 1.25, False, observers)
    result = search.run(view.state, np.array([view.player], dtype=np.int8), np.array([seed], dtype=np.int64))
    return result.logits[0], result.expected[0], result.visits[0].astype(np.float64), result.values[0]


def tree_rules(game: Game) -> Rules:
    """Return the rules of the agent "ismcts" with default parameters."""
    agent = make("ismcts", game)
    assert isinstance(agent, SearchAgent)
    return agent.rules


def network_of(machine: Machine, game: Game) -> Network:
    """Return the published network of a game, or a random one without a published network."""
    if game.num_players not in game.networks():
        return Network(machine, random_weights(game, width=64, blocks=1, seed=1))
    path = game.networks()[game.num_players]
    arrays, described = read_checkpoint(path)
    return Network(machine, part_of(arrays, "network") or arrays, shape_of(path, described).normed)
