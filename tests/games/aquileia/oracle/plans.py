"""The starts and policies of the lock-step games: eight kinds of games in turn."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, NamedTuple

from tests.games.aquileia.oracle.odd import EDITS, Edit

Policy = Callable[[list[str], random.Random], str]


def random_policy(legal: list[str], rng: random.Random) -> str:
    """Any legal action."""
    return rng.choice(legal)


#: Beginnings of action texts, the most wanted first.
WANTED: Final = ("build", "activate", "exchange", "buy", "play", "bid", "place")


def eager_policy(legal: list[str], rng: random.Random) -> str:
    """Places all followers, builds, buys, plays and bids whenever possible; sometimes anything."""
    if rng.random() < 0.2:
        return rng.choice(legal)
    for beginning in WANTED:
        wanted = [action for action in legal if action.startswith(beginning)]
        if wanted:
            return rng.choice(wanted)
    return rng.choice(legal)


def shy_policy(legal: list[str], rng: random.Random) -> str:
    """Decline if possible, more often than not."""
    declining = [action for action in legal if action in ("pass", "done")]
    return declining[0] if declining and rng.random() < 0.6 else rng.choice(legal)


POLICIES: Final[dict[str, Policy]] = {"random": random_policy, "eager": eager_policy, "shy": shy_policy}


#: Place of the Theatrum among the spaces, for the edit that puts a follower there.
THEATRUM: Final = 18


class Plan(NamedTuple):
    """The start of a game.

    Attributes:
        policy: a key of `POLICIES`.
        plies: random steps before the edits; none are made if the game is over by then.
        edits: changes that make the position odd; none for a game from the setup.
    """

    policy: str
    plies: int
    edits: list[Edit]


def random_edits(rng: random.Random, most: int = 12) -> list[Edit]:
    """Some edits."""
    names = list(EDITS)
    return [(rng.choice(names), rng.randrange(64), rng.randrange(64)) for _ in range(rng.randrange(1, most + 1))]


def _some(rng: random.Random, *names: str) -> list[Edit]:
    return [(name, rng.randrange(64), rng.randrange(64)) for name in names]


def plan(number: int, players: int) -> Plan:
    """The beginning of game `number`."""
    rng = random.Random(number * 8 + players)
    kind, plies = number % 8, rng.randrange(150)
    if kind in (0, 1):
        return Plan(("random", "eager")[kind], plies, random_edits(rng))
    if kind in (3, 4):
        return Plan(("random", "eager")[kind - 3], 0, [])
    if kind == 2:  # hardly a card left, coins for all
        plies = rng.randrange(6 * players)
        edits = _some(rng, "few_slaves", "few_equi", *["riches"] * rng.randrange(4))
        edits += rng.choice([_some(rng, "spent"), [("few_equi", 0, 0), ("gaps", 7, rng.randrange(64))]])
        return Plan("eager", plies, edits)
    if kind == 5:  # the last rounds: full houses, a built-up town, theatre cards, equal points
        edits = [("late", rng.randrange(2), rng.randrange(64))]
        edits += _some(rng, rng.choice(["houses", "town"]), "theatre", "points", "points", "riches", "riches")
        return Plan("eager", rng.randrange(6 * players), edits)
    if kind == 6:  # crowded, or empty
        theatrum = ("follower", rng.randrange(64), THEATRUM)
        if rng.randrange(4) == 0:  # an auction without any coin
            return Plan("shy", 0, [("all_passed", 0, 0), ("broke", players, 0), theatrum])
        names = rng.choice([["crowd"], ["crowd", "all_passed"], ["all_passed"], ["harbour", "bidders"]])
        edits = [*random_edits(rng, 3), *_some(rng, *names), theatrum]
        return Plan(rng.choice(["random", "shy"]), rng.randrange(40), edits)
    edits = _some(rng, "contests", "harbour", "crests", "slave_hand", "slave_hand", "equi_hand", "riches")
    edits += [("follower", rng.randrange(64), THEATRUM), *_some(rng, rng.choice(["broke", "purse", "known"]))]
    return Plan("eager", rng.randrange(6 * players), edits)
