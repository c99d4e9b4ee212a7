"""Nim: two players take 1 to 3 of a heap of 5 to 20 in turn; the last one to take wins.  Leave multiples of four."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.layout import FieldSpec, Layout
from porta_nigra_env.core.arrays.rng import random_below, seed_key
from porta_nigra_env.core.batch.loops import compile_loops
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.game.contract import Constants
from porta_nigra_env.core.game.game import Game, Position, States
from porta_nigra_env.core.game.kernel import Kernel

jit = compiler(*CORE_SOURCES, Path(__file__))
MOST, SMALLEST, LARGEST = 3, 5, 20
GAME, DETERMINIZE = 1, 2
#: current_player is -1 when the game is over, winner is -1 before.
FIELDS = ("num_players", "current_player", "heap", "winner")
STATE = np.dtype([("key", np.int64, 2), ("counters", np.int32, 2), *((name, np.int8) for name in FIELDS)])


@jit
def reset(constants: Constants, states: Any, row: int, seed: int, num_players: int) -> None:
    """Begin with a heap of random size."""
    s = states[row]
    seed_key(s["key"], s["counters"], seed, GAME)
    s["num_players"] = 2
    s["current_player"] = 0
    s["heap"] = SMALLEST + random_below(s["key"], s["counters"], 0, LARGEST - SMALLEST + 1)
    s["winner"] = -1


@jit
def step(constants: Constants, states: Any, row: int, action: int) -> None:
    """Take action + 1."""
    s = states[row]
    player = int(s["current_player"])
    s["heap"] = int(s["heap"]) - action - 1
    s["current_player"] = 1 - player
    if s["heap"] == 0:
        s["winner"] = player
        s["current_player"] = -1


@jit
def legal(constants: Constants, states: Any, row: int, words: Any) -> None:
    """Allow at most the size of the heap."""
    words[0] = np.uint64(0)
    bits.put(words, 0, (1 << min(MOST, int(states[row]["heap"]))) - 1, MOST)


@jit
def observe(constants: Constants, states: Any, row: int, player: int, out: Any) -> None:
    """Write the seat and the heap."""
    out[0] = 1 - player
    out[1] = player
    for size in range(LARGEST + 1):
        out[2 + size] = 1.0 if int(states[row]["heap"]) == size else 0.0


@jit
def determinize(constants: Constants, states: Any, row: int, player: int, seed: int) -> None:
    """Reseed; nothing is hidden."""
    seed_key(states[row]["key"], states[row]["counters"], seed, DETERMINIZE)


@jit
def score(constants: Constants, states: Any, row: int, totals: Any) -> None:
    """Write 1 for the winner."""
    for seat in range(2):
        totals[seat] = 1 if states[row]["winner"] == seat else 0


@jit
def redact(constants: Constants, states: Any, row: int, player: int) -> None:
    """Clear the random state."""
    for i in range(2):
        states[row]["key"][i] = 0
        states[row]["counters"][i] = 0


@jit
def privileged(constants: Constants, states: Any, row: int, out: Any) -> None:
    """Write the observation of seat 0."""
    observe(constants, states, row, 0, out)


class Nim(Game):
    """Nim; immutable."""

    name, version, seats, position_format = "nim", 0, (2,), "nim/1"
    dtype, num_words, phases = STATE, 1, ("take",)
    kernel = Kernel(reset, step, legal, observe, determinize, score, redact, privileged)
    loops = compile_loops("nim", kernel, jit)
    sources = (*CORE_SOURCES, Path(__file__))
    constants = np.zeros(1, dtype=[("nothing", np.int8)])
    actions = Layout([FieldSpec("take", (MOST,), "number taken - 1")])
    observations = Layout([FieldSpec("seat", (2,), "one-hot"), FieldSpec("heap", (LARGEST + 1,), "one-hot")])
    privileged = observations
    action_texts = tuple(f"take {i + 1}" for i in range(MOST))

    def position(self, states: States, row: int = 0, view: int | None = None) -> Position:
        return {name: int(states[row][name]) for name in ("num_players", "current_player", "heap")}

    def load_position(self, position: Mapping[str, Any], seed: int = 0) -> States:
        states = np.zeros(1, dtype=STATE)
        seed_key(states[0]["key"], states[0]["counters"], seed, GAME)
        for name, value in {**position, "num_players": 2, "winner": -1}.items():
            states[name] = value
        return states

    def board(self, states: States, row: int = 0, view: int | None = None) -> str:
        return str(self.position(states, row, view))
