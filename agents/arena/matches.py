"""Games between agents: who meets whom, and on which cards.

A *deal* is a game seed.  Every lineup plays every deal in all rotations of its seats, so that each agent has had each
seat with the same cards: the random streams of a game do not depend on what anybody decides.  All lineups of a number
of players share the deals.

Who sits to the left of whom matters, too.  In each deal a lineup sits in one cyclic order; one deal after the other
takes all of them, drawn by lot without replacement, so that they are in balance after as many deals as there are
orders (two at three seats, six at four), and a deal costs no more games than it has seats.
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
    """What games are played; it is sent to other processes, so its functions have to be those of modules.

    Attributes:
        game_of: the game for a number of players.
        agents: texts of `agents.registry`, all different.
        seed: the deals follow from it (`deal_seed`).
        alone: an agent that has one seat of every table, and one of the others all the rest; "" for all line-ups.
    """

    game_of: Callable[[int], Game]
    agents: tuple[str, ...]
    seed: int = 0
    alone: str = ""


@dataclass(frozen=True)
class Match:
    """A game to be played: the number of its deal, and the agents by seat."""

    deal: int
    agents: tuple[str, ...]


@dataclass(frozen=True)
class Played:
    """A game that has been played.

    Attributes:
        match: which one.
        seed: of the deal.
        scores: final totals by seat.
        places: final places by seat, 1 for the first, equal ones shared.
        decisions: made by all players together.
        sources: points by seat and source (`Game.point_sources`); empty for games without.
    """

    match: Match
    seed: int
    scores: tuple[int, ...]
    places: tuple[int, ...]
    decisions: int
    sources: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Pace:
    """Time for decisions: so many of them took `agent` so many seconds of wall clock in games of `players`."""

    players: int
    agent: str
    decisions: int
    seconds: float


def lineups(agents: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """All selections of `players` seats with as many different agents as there can be.

    Two agents at three seats make AAB and ABB, three at two make AB, AC and BC.  The agents' order does not matter.
    """
    different = min(len(agents), players)
    seatings = itertools.combinations_with_replacement(sorted(agents), players)
    return [one for one in seatings if len(set(one)) == different]


def lineups_alone(alone: str, agents: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """One agent on one of `players` seats, each of the others in turn on all the rest.

    >>> lineups_alone("A", "ABC", 3)
    [('A', 'B', 'B'), ('A', 'C', 'C')]
    """
    return [tuple(sorted((alone, *[other] * (players - 1)))) for other in sorted(agents) if other != alone]


def rotations(lineup: Sequence[str]) -> list[tuple[str, ...]]:
    """The same order around the table, begun at each of its seats.

    Each stands there once: in an order that repeats itself, as AA does, several seats begin the same game.
    """
    return list(dict.fromkeys(tuple(lineup[seat:]) + tuple(lineup[:seat]) for seat in range(len(lineup))))


def cyclic_order(agents: Sequence[str]) -> tuple[str, ...]:
    """The order around the table, whoever sits on seat 0: the least of the rotations."""
    return min(rotations(agents))


@lru_cache
def cyclic_orders(lineup: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """All orders around the table: (n - 1)! of n different agents.

    >>> cyclic_orders(("A", "B", "C"))
    (('A', 'B', 'C'), ('A', 'C', 'B'))
    """
    others = itertools.permutations(lineup[1:])
    return tuple(sorted({cyclic_order((lineup[0], *rest)) for rest in others}))


def order_of_deal(seed: int, lineup: tuple[str, ...], deal: int) -> tuple[str, ...]:
    """The order in which a lineup sits in a deal of the tournament `seed`; a function of these alone."""
    orders = cyclic_orders(lineup)
    block, place = divmod(deal, len(orders))

    def lot(order: tuple[str, ...]) -> bytes:
        return hashlib.sha256(json.dumps([seed, block, order]).encode()).digest()

    return sorted(orders, key=lot)[place]


def deal_seed(seed: int, deal: int) -> int:
    """The game seed of a deal of the tournament `seed`."""
    return int(later_seed(seed, deal + 1))


def agent_seed(deal: int, seat: int) -> int:
    """The seed of the agent on a seat in the game with the seed `deal`."""
    return int(np.random.SeedSequence([deal, seat]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def deals_for(players: int, games: int) -> int:
    """How many deals a lineup plays for so many games, each from every seat."""
    return -(-games // players)


def schedule(setup: Setup, players: int, games: int) -> list[Match]:
    """All games of a number of players, deal by deal; each lineup plays `games` or somewhat more, in whole deals.

    Fewer where an order repeats itself, as ABAB does, of which a deal has two games instead of four.
    """
    seated = lineups_alone(setup.alone, setup.agents, players) if setup.alone else lineups(setup.agents, players)
    return [
        Match(deal, seats)
        for deal in range(deals_for(players, games))
        for lineup in seated
        for seats in rotations(order_of_deal(setup.seed, lineup, deal))
    ]
