"""Nim with one heap of 5 to 20 (by the seed): players take 1 to 3 in turn, and who takes the last one wins.

Two players, perfect information, solved: leave a multiple of four.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.layout import FieldSpec, Layout
from porta_nigra_env.core.arrays.rng import random_below, seed_key
from porta_nigra_env.core.batch.loops import Loops, compile_loops
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.game.game import Game, Position, States
from porta_nigra_env.core.game.kernel import Kernel

SOURCES: Final = (*CORE_SOURCES, Path(__file__))
jit = compiler(*SOURCES)

MOST: Final = 3
SMALLEST, LARGEST = 5, 20
GAME_PURPOSE = 1

STATE: Final = np.dtype(
    [
        ("key", np.int64, (2,)),
        ("counters", np.int32, (2,)),
        ("num_players", np.int8),
        ("current_player", np.int8),  # -1 when over
        ("heap", np.int8),
        ("winner", np.int8),  # -1 before the end
    ]
)
OBSERVATION: Final = Layout([FieldSpec("seat", (2,), "one-hot"), FieldSpec("heap", (21,), "one-hot: what is left")])
PRIVILEGED: Final = Layout([field.spec for field in OBSERVATION])
ACTIONS: Final = tuple(f"take {i + 1}" for i in range(MOST))
SPANS: Final = Layout([FieldSpec("take", (MOST,), "how many, less one")])


@jit
def reset(constants: Any, states: Any, row: int, seed: int, num_players: int) -> None:
    """A heap of a size that the seed decides."""
    s = states[row]
    seed_key(s["key"], s["counters"], seed, GAME_PURPOSE)
    s["num_players"] = 2
    s["current_player"] = 0
    s["heap"] = SMALLEST + random_below(s["key"], s["counters"], 0, LARGEST - SMALLEST + 1)
    s["winner"] = -1


@jit
def step(constants: Any, states: Any, row: int, action: int) -> None:
    """Take action + 1."""
    s = states[row]
    player = int(s["current_player"])
    s["heap"] = int(s["heap"]) - action - 1
    s["current_player"] = 1 - player
    if s["heap"] == 0:
        s["winner"] = player
        s["current_player"] = -1


@jit
def legal(constants: Any, states: Any, row: int, words: Any) -> None:
    """No more than there are."""
    words[0] = np.uint64(0)
    bits.put(words, 0, (1 << min(MOST, int(states[row]["heap"]))) - 1, MOST)


@jit
def observe(constants: Any, states: Any, row: int, player: int, out: Any) -> None:
    """The seat and the heap."""
    out[0] = 1 - player
    out[1] = player
    for left in range(LARGEST + 1):
        out[2 + left] = 1.0 if int(states[row]["heap"]) == left else 0.0


@jit
def determinize(constants: Any, states: Any, row: int, player: int, seed: int) -> None:
    """Nothing is hidden, and there is no chance to come."""
    s = states[row]
    seed_key(s["key"], s["counters"], seed, 2)


@jit
def score(constants: Any, states: Any, row: int, totals: Any) -> None:
    """1 for the winner."""
    for seat in range(2):
        totals[seat] = 1 if states[row]["winner"] == seat else 0


@jit
def redact(constants: Any, states: Any, row: int, player: int) -> None:
    """The random key."""
    s = states[row]
    s["key"][0] = 0
    s["key"][1] = 0
    s["counters"][0] = 0
    s["counters"][1] = 0


@jit
def privileged(constants: Any, states: Any, row: int, out: Any) -> None:
    """As seat 0 sees it."""
    observe(constants, states, row, 0, out)


KERNEL: Final = Kernel(reset, step, legal, observe, determinize, score, redact, privileged)
LOOPS: Final[Loops] = compile_loops("nim", KERNEL, jit)
TABLES: Final = np.zeros(1, dtype=[("nothing", np.int8)])
TABLES.flags.writeable = False


class Nim(Game):
    """Nim; immutable."""

    name = "nim"
    version = 0
    seats = (2,)
    dtype = STATE
    num_words = 1
    phases = ("take",)
    position_format = "nim/1"
    kernel = KERNEL
    loops = LOOPS
    sources = SOURCES
    constants = TABLES
    actions = SPANS
    observations = OBSERVATION
    privileged = PRIVILEGED
    action_texts = ACTIONS

    def position(self, states: States, row: int = 0, view: int | None = None) -> Position:
        current = int(states[row]["current_player"])
        return {
            "format": "nim/1",
            "num_players": 2,
            "current_player": None if current < 0 else current,
            "heap": int(states[row]["heap"]),
        }

    def load_position(self, position: Mapping[str, Any], seed: int = 0) -> States:
        heap, current = position.get("heap"), position.get("current_player")
        if type(heap) is not int or not 1 <= heap <= LARGEST or current not in (0, 1):
            raise ValueError(f"heap: expected 1 to {LARGEST} with player 0 or 1 to move, not {position!r}")
        states = np.zeros(1, dtype=STATE)
        seed_key(states[0]["key"], states[0]["counters"], seed, GAME_PURPOSE)
        states["num_players"], states["current_player"], states["heap"], states["winner"] = 2, current, heap, -1
        return states

    def board(self, states: States, row: int = 0, view: int | None = None) -> str:
        return f"NIM  {int(states[row]['heap'])} left"
