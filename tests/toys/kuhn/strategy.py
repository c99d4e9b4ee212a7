"""Strategies of Kuhn poker: value and exploitability."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.view import View
from tests.toys.kuhn.game import BET, CARDS, dealt

#: Probability of a bet by history (letters of actions) and card (its number).
Strategy = dict[tuple[str, int], float]

#: Histories at which each seat is to move.
POINTS = {0: ("", "pb"), 1: ("p", "b")}


def strategy(policy: Callable[[View], npt.NDArray[np.float32]]) -> Strategy:
    """Return the strategy of a policy, evaluated at every information state."""
    bets = {}
    for seat, histories in POINTS.items():
        for history, cards in itertools.product(histories, itertools.permutations(range(3), 2)):
            state = dealt([CARDS[card] for card in cards], history)
            bets[history, cards[seat]] = float(policy(state.view(seat))[BET])
    return bets


def result(history: str, cards: tuple[int, ...]) -> int:
    """Return the win of seat 0 at the end of a history."""
    higher = 1 if cards[0] > cards[1] else -1
    return {"pp": higher, "pbp": -1, "pbb": 2 * higher, "bp": 1, "bb": 2 * higher}[history]


def worth(bets: Strategy, *, stakes: bool = True) -> float:
    """Return the mean win of seat 0; without stakes a won game counts 1 and a lost one -1."""

    def value(history: str, cards: tuple[int, ...]) -> float:
        if history in ("pp", "pbp", "pbb", "bp", "bb"):
            won = result(history, cards)
            return won if stakes else (won > 0) - (won < 0)
        bet = bets[history, cards[len(history) % 2]]
        return bet * value(history + "b", cards) + (1 - bet) * value(history + "p", cards)

    return float(np.mean([value("", cards) for cards in itertools.permutations(range(3), 2)]))


def exploitability(bets: Strategy) -> float:
    """Return the mean win of the best responses of both seats to the strategy; 0 in equilibrium."""
    best = []
    for seat in (0, 1):
        own = [(history, card) for history in POINTS[seat] for card in range(3)]
        responses = itertools.product((0.0, 1.0), repeat=len(own))
        values = [worth(bets | dict(zip(own, response, strict=True))) for response in responses]
        best.append(max(values) if seat == 0 else -min(values))
    return sum(best) / 2
