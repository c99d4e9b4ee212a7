"""Comparisons of a module with the compiled kernel: random games, drawings, choices of policies."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from porta_nigra_env.core.arrays.rng import later_seed, seed_policy_rng
from porta_nigra_env.core.conformance import moments
from porta_nigra_env.core.game.game import Game, States, copied
from porta_nigra_env.wasm.entries import policies_of
from tests.wasm.machine import Array, Machine, halves


def compare_games(machine: Machine, game: Game, steps: int, seed: int) -> int:
    """Play random steps in both; return the number of games begun.

    After every step, compare the state and the results of every export of a kernel function, for every seat.
    """
    names = ("state", "other", "words", "ids", "floats", "totals", "places", "seed")
    floats = 4 * max(game.observations.size, game.privileged.size)
    sizes = (game.dtype.itemsize, game.dtype.itemsize, 8 * game.num_words, 256 * game.num_words, floats, 64, 16, 8)
    at = {name: machine.take(size) for name, size in zip(names, sizes, strict=True)}
    states, rng, games = np.zeros(1, dtype=game.dtype), random.Random(seed), 0
    for number in range(steps):
        if games == 0 or int(states["current_player"][0]) < 0:
            begun = later_seed(seed, games)
            machine("later_seed", *halves(seed), games, at["seed"])
            assert machine.get(at["seed"], np.int64, 1).tolist() == [begun]
            game.kernel.reset(game.constants, states, 0, begun, game.num_players)
            machine("reset", machine.constants, at["state"], *halves(begun), game.num_players)
            games += 1
        for name, actual, wanted in _results(machine, game, states, at, later_seed(seed, number + 1)):
            assert actual.tobytes() == wanted.tobytes(), f"{name}, after {number} steps, game {games}"
        if legal := moments.legal_ids(game, states):
            action = rng.choice(legal)
            game.kernel.step(game.constants, states, 0, action)
            machine("step", machine.constants, at["state"], action)
    return games


def _results(
    machine: Machine, game: Game, states: States, at: dict[str, int], seed: int
) -> Iterator[tuple[str, Array, Array]]:
    """Yield names and results of the exports and of the kernel at a position."""
    constants, players, size = machine.constants, game.num_players, game.dtype.itemsize

    def call(name: str, *arguments: int, state: str = "state") -> Any:
        return machine(name, constants, at[state], *arguments)

    yield "state", machine.get(at["state"], np.uint8, size), states
    call("legal", at["words"])
    yield "legal", machine.get(at["words"], np.uint64, game.num_words), moments.legal_words(game, states)
    count = call("legal_ids", at["words"], at["ids"])
    ids = np.array(moments.legal_ids(game, states), dtype=np.int32)
    yield "legal_ids", machine.get(at["ids"], np.int32, count), ids
    call("privileged", at["floats"], game.privileged.size)
    vector = machine.get(at["floats"], np.float32, game.privileged.size)
    yield "privileged", vector, moments.privileged_of(game, states)
    for seat in range(players):
        call("observe", seat, at["floats"], game.observations.size)
        seen = machine.get(at["floats"], np.float32, game.observations.size)
        yield f"observe {seat}", seen, moments.observed(game, states, seat)
        for name, more, kernel in (("redact", (), ()), ("determinize", halves(seed), (seed,))):
            machine.put(states, at["other"])
            call(name, seat, *more, state="other")
            wanted = moments.changed(game, states, getattr(game.kernel, name), seat, *kernel)
            yield f"{name} {seat}", machine.get(at["other"], np.uint8, size), wanted
    for name, read in (("score", moments.totals_of), ("points", moments.points_of)):
        call(name, at["totals"])
        yield name, machine.get(at["totals"], np.int32, players), read(game, states)
    call("rank", at["totals"], at["places"])
    yield "totals of rank", machine.get(at["totals"], np.int32, players), moments.totals_of(game, states)
    yield "rank", machine.get(at["places"], np.int8, players), moments.places_of(game, states)
    yield "rounds", np.array([call("rounds")]), np.array([moments.rounds_of(game, states)])
    yield "current_player", np.array([machine("current_player", at["state"])]), states["current_player"].astype(int)


def compare_choices(machine: Machine, game: Game, decisions: int, seed: int) -> None:
    """Let every policy play `decisions` steps; both must choose the same and use the same random numbers."""
    memory = {
        name: machine.take(size)
        for name, size in (
            ("state", game.dtype.itemsize),
            ("scratch", game.dtype.itemsize),
            ("words", 8 * game.num_words),
            ("chance", 24),
        )
    }
    parameters = machine.parameters(game)
    words, policy_rng = np.zeros(game.num_words, dtype=np.uint64), np.zeros(3, dtype=np.int64)
    for number, policy in enumerate(policies_of(type(game)).values()):
        states = game.new_states(seed + number)
        machine("seed_chance", memory["chance"], *halves(seed))
        seed_policy_rng(policy_rng, seed)
        for decision in range(decisions):
            player = int(states["current_player"][0])
            if player < 0:
                states = game.new_states(seed + number + 1000 * decision)
                continue
            machine.put(states, memory["state"])
            seen = copied(states)
            game.kernel.redact(game.constants, seen, 0, player)
            game.kernel.legal(game.constants, states, 0, words)
            wanted = policy.choose(game.constants, seen, 0, player, words, policy.parameters, policy_rng)
            chosen = machine(
                "choose", number, machine.constants, memory["state"], *parameters[number], memory["chance"],
                memory["words"], memory["scratch"],
            )  # fmt: skip
            assert chosen == wanted, (policy.name, game.action_texts[wanted], game.action_texts[chosen])
            assert machine.get(memory["chance"], np.int64, 3).tolist() == policy_rng.tolist(), policy.name
            game.kernel.step(game.constants, states, 0, wanted)


def compare_drawings(machine: Machine, game: Game, drawing: Any, positions: int, seed: int) -> None:
    """Compare the draw lists of a random game's positions, as seen by every seat and in full."""
    size = drawing.max_rows + 1
    canvas, state = machine.take(4 * 9 * size), machine.take(game.dtype.itemsize)
    states, words, policy_rng = game.new_states(seed), np.zeros(game.num_words, dtype=np.uint64), np.array([seed, 0, 0])
    for _ in range(positions):
        for viewer in range(-1, game.num_players):
            seen = copied(states)
            if viewer >= 0:
                game.kernel.redact(game.constants, seen, 0, viewer)
            machine.put(seen, state)
            machine("draw", machine.constants, state, viewer, canvas)
            painted = machine.get(canvas, np.int32, size, 9)
            rows = drawing.rows(seen, 0, viewer)
            assert painted[0, 0] == len(rows)
            assert (painted[1 : len(rows) + 1] == rows).all(), viewer
        game.loops.playout(game.constants, states, 0, words, policy_rng, 23)
