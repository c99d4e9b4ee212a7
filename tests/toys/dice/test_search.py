"""Searches come near the exact values of a turn of throws, in which the right choice depends on what was thrown."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from agents.registry import make
from agents.search.guided import GuidedSearch
from agents.search.searcher import SearchAgent
from tests.toys.dice.game import Dice, State
from tests.toys.dice.state import MOST, SIDES, STOP_ID, THROW_ID, THROWS
from tests.toys.dice.test_rules import player, position

#: The last player's eyes under the cup, by how many points of pots the other is ahead, and the dice beside his cup.
TURNS = [(3, 6, (6, 3)), (2, 5, (6, 3)), (1, 8, (6, 2))]
turns = pytest.mark.parametrize(("cup", "ahead", "thrown"), TURNS)


def last_turn(cup: int, ahead: int, thrown: tuple[int, ...]) -> State:
    """The last player of the game has still all her throws; she has fewer coins, so that a draw is lost."""
    other = player(bid=0, cup=1, thrown=list(thrown), pot_points=ahead)
    return position([other, player(bid=0, cup=cup, coins=2)], 1, 3)


@lru_cache
def chances(eyes: int, throws: int, ahead: int, beside: int) -> tuple[float, float]:
    """How likely she wins if she stops and if she throws, and does what is best ever after; the other's cup is any."""
    others = [ahead + (beside + cup if beside + cup <= MOST else 0) for cup in range(1, SIDES + 1)]
    stop = sum((eyes if eyes <= MOST else 0) > other for other in others) / SIDES
    if throws == 0:
        return stop, 0.0
    return stop, sum(max(chances(eyes + die, throws - 1, ahead, beside)) for die in range(1, SIDES + 1)) / SIDES


@pytest.mark.parametrize("observers", ["single", "multiple"])
@turns
def test_information_set_search(cup: int, ahead: int, thrown: tuple[int, ...], observers: str) -> None:
    """A search that decides on the second throw before it knows the first is off by a quarter and more."""
    agent = make(f"ismcts:simulations=8000,utility=win,exploration=0.4,observers={observers}", Dice(2), seed=1)
    assert isinstance(agent, SearchAgent)
    found = agent.search(last_turn(cup, ahead, thrown).view())
    stop, throw = chances(cup, THROWS, ahead, sum(thrown))
    assert found.values[THROW_ID] == pytest.approx(throw, abs=0.05)
    assert found.values[STOP_ID] == pytest.approx(stop, abs=0.2)  # seldom tried where it is bad
    assert found.action == (THROW_ID if throw > stop else STOP_ID)


def knows_nothing(observations: Any, masks: Any) -> tuple[Any, Any]:
    """All actions alike, all positions even."""
    return np.zeros(masks.shape, dtype=np.float32), np.zeros((len(masks), 2), dtype=np.float32)


@pytest.mark.parametrize("observers", ["single", "multiple"])
@turns
def test_guided_search(cup: int, ahead: int, thrown: tuple[int, ...], observers: str) -> None:
    """The same with a network that has nothing to say, results in -1..1."""
    view = last_turn(cup, ahead, thrown).view()
    search = GuidedSearch(Dice(2), knows_nothing, 6000, gumbel=False, observers=observers)
    found = search.run(view.state, np.array([view.player], dtype=np.int8), np.array([1]))
    _, throw = chances(cup, THROWS, ahead, sum(thrown))
    assert (found.values[0, THROW_ID] + 1) / 2 == pytest.approx(throw, abs=0.05)
