"""Games of the referee alone, so that it can be tried without the engine."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tests.games.gloria_mundi.oracle.referee import Position, Referee

Policy = Callable[[list[str], random.Random], str]


def deal(referee: Referee, players: int, rng: random.Random) -> Position:
    """The first decision of a game (G1, G44)."""
    deck = list(referee.board.cards)
    rng.shuffle(deck)
    return referee.start(players, rng.randrange(players), deck)


def played(
    referee: Referee, position: Position, policy: Policy, rng: random.Random
) -> Iterator[tuple[Position, str, Position]]:
    """(before, action, after) of a game to its end."""
    while legal := referee.legal_actions(position):
        action = policy(legal, rng)
        after = referee.follow(position, action)
        yield position, action, after
        position = after
