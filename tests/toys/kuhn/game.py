"""Kuhn poker (H. W. Kuhn, 1950) as a toy game.

Two players hold one card each of jack, queen and king, and pay an ante of 1.  Actions are `pass` and `bet` (1 chip).
Pass-pass is a showdown for 1, bet-bet and pass-bet-bet for 2; a pass after a bet folds.  The value of the game for the
first player is -1/18.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.facts import SEAT, Fact, Narration, Phrase, entries, named, plain
from porta_nigra_env.core.positions.position import refuse
from tests.toys.plain import PlainGame

SOURCES: Final = (*CORE_SOURCES, Path(__file__))
jit = compiler(*SOURCES)

CARDS: Final = ("jack", "queen", "king")
ACTIONS: Final = ("pass", "bet")
PASS, BET = range(2)
#: Histories as strings of p and b: before a step, and at the end.
DECISIONS: Final = ("", "p", "b", "pb")
ENDS: Final = ("pp", "pbp", "pbb", "bp", "bb")
GAME_PURPOSE, DETERMINIZE_PURPOSE = 1, 2  # the first is `tests.toys.plain.GAME`

STATE: Final = np.dtype(
    [
        ("key", np.int64, (2,)),
        ("counters", np.int32, (2,)),
        ("num_players", np.int8),
        ("current_player", np.int8),  # -1 when over
        ("cards", np.int8, (2,)),  # -1 if unknown in a redacted state
        ("length", np.int8),  # number of steps
        ("history", np.int8, (3,)),  # -1 beyond the length
    ]
)
OBSERVATION: Final = Layout(
    [
        FieldSpec("seat", (2,), "one-hot: the observer's seat"),
        FieldSpec("card", (3,), "one-hot: its card"),
        FieldSpec("history", (3, 2), "one-hot: step, action"),
    ]
)
PRIVILEGED: Final = Layout([*(field.spec for field in OBSERVATION), FieldSpec("cards", (2, 3), "one-hot: seat, card")])
ACTION_LAYOUT: Final = Layout([FieldSpec("move", (2,), "pass or bet")])


@jit
def reset(constants: Constants, states: Any, row: int, seed: int, num_players: int) -> None:
    """Deal two of three cards."""
    s = states[row]
    seed_key(s["key"], s["counters"], seed, GAME_PURPOSE)
    s["num_players"] = num_players
    s["current_player"] = 0
    first = random_below(s["key"], s["counters"], 0, 3)
    s["cards"][0] = first
    s["cards"][1] = (first + 1 + random_below(s["key"], s["counters"], 0, 2)) % 3
    s["length"] = 0
    for i in range(3):
        s["history"][i] = -1


@jit
def step(constants: Constants, states: Any, row: int, action: int) -> None:
    """Carry out a pass or a bet."""
    s = states[row]
    length = int(s["length"])
    s["history"][length] = action
    s["length"] = length + 1
    # Over after pass-pass, and after every answer to a bet.
    over = length > 0 and (s["history"][length - 1] == BET or action == PASS)
    s["current_player"] = -1 if over else (length + 1) % 2


@jit
def legal(constants: Constants, states: Any, row: int, words: Any) -> None:
    """Allow both actions until the end."""
    words[0] = np.uint64(0)
    if states[row]["current_player"] >= 0:
        bits.put(words, 0, 3, 2)


@jit
def observe(constants: Constants, states: Any, row: int, player: int, out: Any) -> None:
    """Write seat, own card and history."""
    s = states[row]
    for i in range(out.shape[0]):
        out[i] = 0.0
    out[player] = 1.0
    out[2 + int(s["cards"][player])] = 1.0
    for i in range(int(s["length"])):
        out[5 + 2 * i + int(s["history"][i])] = 1.0


@jit
def shown(state: np.void) -> bool:
    """Return True after a showdown: the game is over without a fold."""
    if state["current_player"] >= 0:
        return False
    length = int(state["length"])
    return not (state["history"][length - 1] == PASS and state["history"][length - 2] == BET)


@jit
def redact(constants: Constants, states: Any, row: int, player: int) -> None:
    """Clear the other card, unless it has been shown, and the random key."""
    s = states[row]
    if not shown(s):
        s["cards"][1 - player] = -1
    for i in range(2):
        s["key"][i] = 0
        s["counters"][i] = 0


@jit
def determinize(constants: Constants, states: Any, row: int, player: int, seed: int) -> None:
    """Sample the other card, if it is unknown, from the two cards that the player does not hold."""
    s = states[row]
    redact(constants, states, row, player)
    seed_key(s["key"], s["counters"], seed, DETERMINIZE_PURPOSE)
    if s["cards"][1 - player] < 0:
        s["cards"][1 - player] = (int(s["cards"][player]) + 1 + random_below(s["key"], s["counters"], 1, 2)) % 3


@jit
def score(constants: Constants, states: Any, row: int, totals: Any) -> None:
    """Write the chips won; 0 before the end."""
    s = states[row]
    totals[0] = 0
    totals[1] = 0
    if s["current_player"] >= 0:
        return
    length = int(s["length"])
    last = int(s["history"][length - 1])
    if not shown(s):  # the last player folded
        winner, stake = length % 2, 1
    else:
        winner = 0 if s["cards"][0] > s["cards"][1] else 1
        stake = 2 if last == BET else 1
    totals[winner] = stake
    totals[1 - winner] = -stake


@jit
def privileged(constants: Constants, states: Any, row: int, out: Any) -> None:
    """Write the observation of seat 0 and both cards."""
    observe(constants, states, row, 0, out)
    for player in range(2):
        out[11 + 3 * player + int(states[row]["cards"][player])] = 1.0


KERNEL: Final = Kernel(reset, step, legal, observe, determinize, score, redact, privileged)
LOOPS: Final[Loops] = compile_loops("kuhn", KERNEL, jit)
CONSTANTS: Final = np.zeros(1, dtype=[("ante", np.int8)])
CONSTANTS.flags.writeable = False


def narration() -> Narration:
    """Return the words of the game, in English only."""
    return Narration(
        folder=Path(__file__).parent,
        axes={"card": named(CARDS), "move": named(ACTIONS), "step": named(["first", "second", "third"])},
        phrases={"move": Phrase("{move}", ("move",))},
        phases=("choose",),
        facts=(
            Fact("card", entries("cards"), (SEAT,), values="card", seen_by="owner", up=plain("{seat} shows {what}")),
            Fact("chosen", entries("history"), ("step",), values="move", up=plain("the {step} move is {what}")),
            Fact("mover", entries("current_player"), values=SEAT, up=plain("{seat} moves"), none=plain("the end")),
        ),
        silent={"length": "the number of moves", "key": "random key", "counters": "random streams"},
        chance=(),
    )


class Kuhn(PlainGame):
    """Kuhn poker; immutable."""

    name = "kuhn"
    version = 0
    seats = (2,)
    dtype = STATE
    num_words = 1
    phases = ("move",)
    position_format = "kuhn/1"
    kernel = KERNEL
    loops = LOOPS
    sources = SOURCES
    constants = CONSTANTS
    actions = ACTION_LAYOUT
    observations = OBSERVATION
    privileged = PRIVILEGED
    action_texts = ACTIONS

    def narration(self) -> Narration:
        return narration()

    def check_state(self, state: np.void) -> None:
        if sorted(state["cards"].tolist()) not in ([0, 1], [0, 2], [1, 2]):
            refuse("cards", f"expected two different ones in 0..2, not {state['cards'].tolist()}")
        if int(state["length"]) != (state["history"] >= 0).sum():
            refuse("length", "expected the number of actions in the history")


class KuhnState(State):
    """One game of Kuhn poker."""

    __slots__ = ()

    game_class = Kuhn


def dealt(cards: Sequence[str], history: str = "", seed: int = 0) -> KuhnState:
    """Return the state after a deal and a history of the letters p and b."""
    states = Kuhn().new_states(seed)
    states["cards"] = [CARDS.index(card) for card in cards]
    state = KuhnState(Kuhn(), states)
    for letter in history:
        state.apply_id("pb".index(letter))
    return state
