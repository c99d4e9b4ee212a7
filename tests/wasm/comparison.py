"""Comparisons of a module with the compiled kernel: digests of random games, drawings, choices of policies."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from porta_nigra_env.core.arrays.rng import seed_policy_rng
from porta_nigra_env.core.game.game import Game, copied
from porta_nigra_env.wasm.entries import policies_of
from porta_nigra_env.wasm.trace import compiled_trace, new_traced
from tests.wasm.machine import Machine, halves

#: Maximum number of steps of one call.
CHUNK = 5_000


def compare_traces(machine: Machine, game: Game, decisions: int, seed: int) -> int:
    """Play random steps in both, in chunks of random lengths; return the number of games begun.

    The digests include states, legal actions, every seat's observation, redacted state and determinization, privileged
    vectors, totals, ranks, points and rounds of every position.
    """
    trace, to = compiled_trace(game), new_traced(game, seed)
    observation, everything = game.observations.size, game.privileged.size
    memory = machine.take(machine("trace_bytes", game.num_players, observation, everything))
    progress = machine.put(to.progress)
    lengths, remaining = random.Random(seed), decisions
    while remaining > 0:
        chunk = min(remaining, lengths.randint(1, CHUNK))
        before = to.progress.copy()
        trace(game.constants, to, chunk)
        machine("trace", machine.constants, memory, game.num_players, observation, everything, chunk, progress)
        actual = machine.get(progress, np.int64, 3)
        assert actual.tolist() == to.progress.tolist(), f"within {chunk} steps after {before.tolist()}"
        state = machine.get(memory, np.uint8, game.dtype.itemsize)
        assert state.tobytes() == to.states.tobytes(), f"{chunk} steps after {before.tolist()}"
        remaining -= chunk
    return int(to.progress[1])


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
