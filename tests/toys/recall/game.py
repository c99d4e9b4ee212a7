"""Recall, a toy game that needs memory: a digit is shown once, and has to be named later.

The digit is on the table until both players have looked; then it is hidden.  Both wait once, and name a digit.  A right
answer is worth a point.  An observation after the digit was hidden does not hold it, but the event of hiding it does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.layout import FieldSpec, Layout
from porta_nigra_env.core.arrays.rng import random_below, seed_key
from porta_nigra_env.core.batch.loops import Loops, compile_loops
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.game.contract import Constants
from porta_nigra_env.core.game.kernel import Kernel
from porta_nigra_env.core.narration.facts import SEAT, Fact, Narration, Phrase, entries, named, plain
from tests.toys.plain import PlainGame

SOURCES: Final = (*CORE_SOURCES, Path(__file__))
jit = compiler(*SOURCES)

DIGITS: Final = 4
#: Turns: both look, both wait, both answer.
HIDES, ANSWERS, TURNS = 2, 4, 6
ACTIONS: Final = ("go_on", *(f"name_{digit}" for digit in range(DIGITS)))
GAME_PURPOSE, DETERMINIZE_PURPOSE = 1, 2

STATE: Final = np.dtype(
    [
        ("key", np.int64, (2,)),
        ("counters", np.int32, (2,)),
        ("num_players", np.int8),
        ("current_player", np.int8),  # -1 when over
        ("digit", np.int8),  # -1 in a redacted state
        ("shown", np.int8),  # the digit, -1 after it was hidden
        ("turn", np.int8),
        ("right", np.int8, (2,)),  # 1 after a right answer
        ("pad", np.int8),
    ]
)
OBSERVATION: Final = Layout(
    [
        FieldSpec("seat", (2,), "one-hot: the observer's seat"),
        FieldSpec("shown", (DIGITS,), "one-hot: the digit while it is shown"),
        FieldSpec("turn", (TURNS + 1,), "one-hot: the turn"),
    ]
)
PRIVILEGED: Final = Layout([*(field.spec for field in OBSERVATION), FieldSpec("digit", (DIGITS,), "one-hot: digit")])


@jit
def reset(constants: Constants, states: Any, row: int, seed: int, num_players: int) -> None:
    """Draw and show a digit."""
    s = states[row]
    seed_key(s["key"], s["counters"], seed, GAME_PURPOSE)
    s["num_players"] = num_players
    s["current_player"] = 0
    s["digit"] = s["shown"] = random_below(s["key"], s["counters"], 0, DIGITS)
    s["turn"] = s["right"][0] = s["right"][1] = s["pad"] = 0


@jit
def step(constants: Constants, states: Any, row: int, action: int) -> None:
    """Look, wait or answer."""
    s = states[row]
    turn = int(s["turn"])
    if turn >= ANSWERS and action - 1 == s["digit"]:
        s["right"][turn % 2] = 1
    s["turn"] = turn + 1
    if turn + 1 == HIDES:
        s["shown"] = -1
    s["current_player"] = -1 if turn + 1 == TURNS else (turn + 1) % 2


@jit
def legal(constants: Constants, states: Any, row: int, words: Any) -> None:
    """Allow to continue, and at the end the names of all digits."""
    words[0] = np.uint64(0)
    if states[row]["current_player"] >= 0:
        if states[row]["turn"] < ANSWERS:
            bits.add(words, 0)
        else:
            bits.put(words, 1, (1 << DIGITS) - 1, DIGITS)


@jit
def observe(constants: Constants, states: Any, row: int, player: int, out: Any) -> None:
    """Write seat, digit and turn."""
    s = states[row]
    for i in range(out.shape[0]):
        out[i] = 0.0
    out[player] = 1.0
    if s["shown"] >= 0:
        out[2 + int(s["shown"])] = 1.0
    out[2 + DIGITS + int(s["turn"])] = 1.0


@jit
def redact(constants: Constants, states: Any, row: int, player: int) -> None:
    """Clear a hidden digit and the random key."""
    s = states[row]
    if s["shown"] < 0 and s["current_player"] >= 0:
        s["digit"] = -1
    for i in range(2):
        s["key"][i] = 0
        s["counters"][i] = 0


@jit
def determinize(constants: Constants, states: Any, row: int, player: int, seed: int) -> None:
    """Draw a hidden digit again: a state remembers nothing that is not visible."""
    s = states[row]
    redact(constants, states, row, player)
    seed_key(s["key"], s["counters"], seed, DETERMINIZE_PURPOSE)
    if s["digit"] < 0:
        s["digit"] = random_below(s["key"], s["counters"], 1, DIGITS)


@jit
def score(constants: Constants, states: Any, row: int, totals: Any) -> None:
    """Write the right answers."""
    for player in range(2):
        totals[player] = states[row]["right"][player]


@jit
def privileged(constants: Constants, states: Any, row: int, out: Any) -> None:
    """Write the observation of seat 0 and the digit."""
    observe(constants, states, row, 0, out)
    out[2 + DIGITS + TURNS + 1 + int(states[row]["digit"])] = 1.0


KERNEL: Final = Kernel(reset, step, legal, observe, determinize, score, redact, privileged)
LOOPS: Final[Loops] = compile_loops("recall", KERNEL, jit)
CONSTANTS: Final = np.zeros(1, dtype=[("digits", np.int8)])
CONSTANTS.flags.writeable = False


class Recall(PlainGame):
    """Recall; immutable."""

    name = "recall"
    version = 0
    seats = (2,)
    dtype = STATE
    num_words = 1
    phases = ("turn",)
    position_format = "recall/1"
    kernel = KERNEL
    loops = LOOPS
    sources = SOURCES
    constants = CONSTANTS
    actions = Layout([FieldSpec("choice", (len(ACTIONS),), "go on, or name a digit")])
    observations = OBSERVATION
    privileged = PRIVILEGED
    action_texts = ACTIONS

    def narration(self) -> Narration:
        """Return the words of the game, in English only."""
        return Narration(
            folder=Path(__file__).parent,
            axes={"digit": named([str(digit) for digit in range(DIGITS)]), "choice": named(ACTIONS)},
            phrases={"choice": Phrase("{choice}", ("choice",))},
            phases=("choose",),
            facts=(
                Fact(
                    "shown",
                    entries("shown"),
                    values="digit",
                    up=plain("{what} is shown"),
                    none=plain("{what} is hidden"),
                ),
                Fact("mover", entries("current_player"), values=SEAT, up=plain("{seat} moves"), none=plain("the end")),
                Fact("right", entries("right"), (SEAT,), up=plain("{seat} was right")),
            ),
            silent={"turn": "follows from the mover", "digit": "shown or hidden", "key": "", "counters": "", "pad": ""},
            chance=(),
        )
