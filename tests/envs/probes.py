"""Compiled policies and batched agents made for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.game.view import BatchView

jit = compiler(*CORE_SOURCES, Path(__file__))


@jit
def choose_lowest(
    constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any
) -> int:
    """The legal action with the lowest id; with a parameter of 1 the one with the highest, of -1 none."""
    if parameters.shape[0] > 0 and parameters[0] < 0.0:
        return 63
    members = bits.count(words)
    return bits.select(words, members - 1 if parameters.shape[0] > 0 and parameters[0] == 1.0 else 0)


@jit
def choose_without_keys(
    constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any
) -> int:
    """An illegal answer as soon as a random key can be seen."""
    s = states[row]
    if s["key"][0] != 0 or s["key"][1] != 0:
        return -1
    return bits.select(words, 0)


@jit
def choose_by_cups(
    constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any
) -> int:
    """An illegal answer as soon as anything hidden can be seen (of the dice game).

    Hidden are other states in the array, random keys, and the die under another player's cup; with a parameter, all of
    the state, which has a number of players.
    """
    for other in range(states.shape[0]):
        s = states[other]
        if parameters.shape[0] > 0:
            if s["num_players"] != 0:
                return -1
        elif other != row or s["key"][0] != 0 or s["key"][1] != 0:
            return -1
    for seat in range(int(states[row]["num_players"])):
        if seat != player and states[row]["cup"][seat] != 0:
            return -1
    return bits.select(words, 0)


# Few functions: each set of them is compiled into the loops of each game.
LOWEST: Final = Policy("lowest", choose_lowest, reads_state=False, sources=(Path(__file__),))
HIGHEST: Final = Policy("highest", choose_lowest, np.array([1.0]), reads_state=False, sources=(Path(__file__),))
BROKEN: Final = Policy("broken", choose_lowest, np.array([-1.0]), reads_state=False, sources=(Path(__file__),))
WATCHFUL: Final = Policy("watchful", choose_without_keys, sources=(Path(__file__),))
PEEKING: Final = Policy("peeking", choose_by_cups, sources=(Path(__file__),))
BLIND: Final = Policy("blind", choose_by_cups, np.zeros(1), reads_state=False, sources=(Path(__file__),))


def copies_of_lowest(count: int) -> list[Policy]:
    """Return policies like `LOWEST`, each with a different function."""

    def copy_lowest(number: int) -> Policy:
        @jit
        def choose_copy(
            constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any
        ) -> int:
            return bits.select(words, 0) if number >= 0 else -1

        return Policy(f"copy {number}", choose_copy, reads_state=False, sources=(Path(__file__),))

    return [copy_lowest(number) for number in range(count)]


class LowestAgent:
    """`LOWEST`, asked from outside; it keeps its views."""

    name = "lowest outside"

    def __init__(self) -> None:
        self.views: list[BatchView] = []

    def act_batch(self, views: BatchView) -> Any:
        self.views.append(views)
        return views.action_masks.argmax(axis=1)


class Answers:
    """An agent with a fixed answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act_batch(self, views: BatchView) -> Any:
        return self.answer
