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
    """The legal action with the lowest id, or, with a parameter of 1, the one with the highest."""
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
    """An illegal answer as soon as the die under another player's cup can be seen (of the dice game)."""
    s = states[row]
    for seat in range(int(s["num_players"])):
        if seat != player and s["cup"][seat] != 0:
            return -1
    return bits.select(words, 0)


@jit
def choose_from_one_state(
    constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any
) -> int:
    """An illegal answer as soon as there is another state in the array, or a random key in one of them."""
    for other in range(states.shape[0]):
        if other != row or states[other]["key"][0] != 0:
            return -1
    return bits.select(words, 0)


@jit
def choose_without_state(
    constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any
) -> int:
    """An illegal answer as soon as anything can be seen in the state, which has a number of players."""
    for other in range(states.shape[0]):
        if states[other]["num_players"] != 0:
            return -1
    return bits.select(words, 0)


@jit
def choose_nothing(
    constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any
) -> int:
    """Never a legal answer."""
    return 63


LOWEST: Final = Policy("lowest", choose_lowest, reads_state=False, sources=(Path(__file__),))
HIGHEST: Final = Policy("highest", choose_lowest, np.array([1.0]), reads_state=False, sources=(Path(__file__),))
WATCHFUL: Final = Policy("watchful", choose_without_keys, sources=(Path(__file__),))
PEEKING: Final = Policy("peeking", choose_by_cups, sources=(Path(__file__),))
SNOOPING: Final = Policy("snooping", choose_from_one_state, sources=(Path(__file__),))
BLIND: Final = Policy("blind", choose_without_state, reads_state=False, sources=(Path(__file__),))
BROKEN: Final = Policy("broken", choose_nothing, reads_state=False, sources=(Path(__file__),))


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
