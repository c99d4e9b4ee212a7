"""Schedules of games between agents: line-ups, deals and seats.

A *deal* is a game seed.  Every line-up plays every deal in all rotations of its seats, so that each agent has each seat
with the same cards: the random streams of a game do not depend on the actions.  All line-ups of a number of players
share the deals.

The order around the table matters, too.  In each deal a line-up sits in one cyclic order.  Consecutive deals use all
orders in random order, so that they are balanced after as many deals as there are orders (two at three seats, six at
four), and a deal has no more games than seats.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.game.game import Game


@dataclass(frozen=True)
class Setup:
    """The games of a tournament; it is sent to other processes, so its functions must be module-level.

    Attributes:
        game_of: returns the game for a number of players.
        agents: agent strings of `agents.registry`, all different.
        seed: of the deals (`deal_seed`).
        alone: an agent that has one seat of every table, and one of the others all the rest; "" for all line-ups.
        record: whether games keep their actions.
    """

    game_of: Callable[[int], Game]
    agents: tuple[str, ...]
    seed: int = 0
    alone: str = ""
    record: bool = False


@dataclass(frozen=True)
class Match:
    """A scheduled game: the number of its deal, and the agents by seat."""

    deal: int
    agents: tuple[str, ...]


@dataclass(frozen=True)
class Played:
    """A finished game.

    Attributes:
        match: the scheduled game.
        seed: of the deal.
        scores: final totals by seat.
        places: final ranks by seat, 1 for the first, ties share a rank.
        decisions: steps of all players together.
        sources: points by seat and source (`Game.point_sources`); empty for games without.
        actions: ids of all actions; empty without `Setup.record`.
    """

    match: Match
    seed: int
    scores: tuple[int, ...]
    places: tuple[int, ...]
    decisions: int
    sources: tuple[tuple[int, ...], ...] = ()
    actions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Pace:
    """Wall clock of an agent: `decisions` steps took `seconds` in games of `players`."""

    players: int
    agent: str
    decisions: int
    seconds: float


def lineups(agents: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """Return all selections of `players` seats with as many different agents as possible.

    Two agents at three seats make AAB and ABB, three at two make AB, AC and BC.  The agents' order does not matter.
    """
    different = min(len(agents), players)
    seatings = itertools.combinations_with_replacement(sorted(agents), players)
    return [seats for seats in seatings if len(set(seats)) == different]


def lineups_alone(alone: str, agents: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """Return line-ups with one agent on one of `players` seats, and each of the others in turn on all the rest.

    >>> lineups_alone("A", "ABC", 3)
    [('A', 'B', 'B'), ('A', 'C', 'C')]
    """
    return [tuple(sorted((alone, *[other] * (players - 1)))) for other in sorted(agents) if other != alone]


def rotations(lineup: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the rotations of an order around the table, each once.

    In an order that repeats itself, such as AA, several seats start the same game.
    """
    return list(dict.fromkeys(tuple(lineup[seat:]) + tuple(lineup[:seat]) for seat in range(len(lineup))))


def cyclic_order(agents: Sequence[str]) -> tuple[str, ...]:
    """Return the order around the table in a form that does not depend on seat 0: the least of the rotations."""
    return min(rotations(agents))


@lru_cache
def cyclic_orders(lineup: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return all orders around the table: (n - 1)! of n different agents.

    >>> cyclic_orders(("A", "B", "C"))
    (('A', 'B', 'C'), ('A', 'C', 'B'))
    """
    others = itertools.permutations(lineup[1:])
    return tuple(sorted({cyclic_order((lineup[0], *rest)) for rest in others}))


def order_of_deal(seed: int, lineup: tuple[str, ...], deal: int) -> tuple[str, ...]:
    """Return the order of a line-up in a deal of the tournament `seed`; a function of these alone."""
    orders = cyclic_orders(lineup)
    block, index = divmod(deal, len(orders))

    def lot(order: tuple[str, ...]) -> bytes:
        return hashlib.sha256(json.dumps([seed, block, order]).encode()).digest()

    return sorted(orders, key=lot)[index]


def deal_seed(seed: int, deal: int) -> int:
    """Return the game seed of a deal of the tournament `seed`."""
    return int(later_seed(seed, deal + 1))


def agent_seed(deal: int, seat: int) -> int:
    """Return the seed of the agent on a seat in the game with the seed `deal`."""
    return int(np.random.SeedSequence([deal, seat]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def schedule(setup: Setup, players: int, games: int) -> list[Match]:
    """Return all games of a number of players, deal by deal; each line-up plays `games`, rounded up to whole deals.

    An order that repeats itself, such as ABAB, has two games a deal instead of four.
    """
    seated = lineups_alone(setup.alone, setup.agents, players) if setup.alone else lineups(setup.agents, players)
    return [
        Match(deal, seats)
        for deal in range(-(-games // players))  # each deal is played from every seat
        for lineup in seated
        for seats in rotations(order_of_deal(setup.seed, lineup, deal))
    ]
