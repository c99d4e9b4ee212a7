"""Searches approximate the exact values of a turn of throws, in which each choice depends on the dice so far."""

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

#: Eyes under the cup of the last player, the lead of the other player in points, and the dice beside the other cup.
TURNS = [(3, 6, (6, 3)), (2, 5, (6, 3)), (1, 8, (6, 2))]
turns = pytest.mark.parametrize(("cup", "ahead", "thrown"), TURNS)


def last_turn(cup: int, ahead: int, thrown: tuple[int, ...]) -> State:
    """Return the last turn of the game; the player has all throws left and fewer coins, so a draw is lost."""
    other = player(bid=0, cup=1, thrown=list(thrown), pot_points=ahead)
    return position([other, player(bid=0, cup=cup, coins=2)], 1, 3)


@lru_cache
def chances(eyes: int, throws: int, ahead: int, beside: int) -> tuple[float, float]:
    """Return the win probabilities of stop and throw with optimal play, for a uniform die under the other cup."""
    others = [ahead + (beside + cup if beside + cup <= MOST else 0) for cup in range(1, SIDES + 1)]
    stop = sum((eyes if eyes <= MOST else 0) > other for other in others) / SIDES
    if throws == 0:
        return stop, 0.0
    return stop, sum(max(chances(eyes + die, throws - 1, ahead, beside)) for die in range(1, SIDES + 1)) / SIDES


@pytest.mark.parametrize("observers", ["single", "multiple"])
@turns
def test_information_set_search(cup: int, ahead: int, thrown: tuple[int, ...], observers: str) -> None:
    """A search that plans the second throw without the result of the first is wrong by more than 0.25."""
    agent = make(f"ismcts:simulations=8000,utility=win,exploration=0.4,observers={observers}", Dice(2), seed=1)
    assert isinstance(agent, SearchAgent)
    result = agent.search(last_turn(cup, ahead, thrown).view())
    stop, throw = chances(cup, THROWS, ahead, sum(thrown))
    assert result.values[THROW_ID] == pytest.approx(throw, abs=0.05)
    assert result.values[STOP_ID] == pytest.approx(stop, abs=0.2)  # a bad stop is rarely tried
    assert result.action == (THROW_ID if throw > stop else STOP_ID)


def uniform_network(observations: Any, masks: Any) -> tuple[Any, Any]:
    """Return equal logits for all actions and even values."""
    return np.zeros(masks.shape, dtype=np.float32), np.zeros((len(masks), 2), dtype=np.float32)


@pytest.mark.parametrize("observers", ["single", "multiple"])
@turns
def test_guided_search(cup: int, ahead: int, thrown: tuple[int, ...], observers: str) -> None:
    """A guided search with an uninformative network has the same values, in -1..1."""
    view = last_turn(cup, ahead, thrown).view()
    search = GuidedSearch(Dice(2), uniform_network, 6000, gumbel=False, observers=observers)
    result = search.run(view.state, np.array([view.player], dtype=np.int8), np.array([1]))
    _, throw = chances(cup, THROWS, ahead, sum(thrown))
    assert (result.values[0, THROW_ID] + 1) / 2 == pytest.approx(throw, abs=0.05)
