"""The starts and policies of the lock-step games: eight kinds of games in turn."""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from tests.games.aquileia.oracle.edits import EDITS
from tests.lockstep.trial import Edit, Policy, eager_policy, named_edits, random_edits, random_policy


def shy_policy(legal: list[str], rng: random.Random) -> str:
    """Decline if possible, more often than not."""
    declining = [action for action in legal if action in ("pass", "done")]
    return declining[0] if declining and rng.random() < 0.6 else rng.choice(legal)


POLICIES: Final[dict[str, Policy]] = {
    "random": random_policy,
    # Places all followers, builds, buys, plays and bids whenever possible; sometimes any action.
    "eager": eager_policy(("build", "activate", "exchange", "buy", "play", "bid", "place"), 0.2),
    "shy": shy_policy,
}


#: Index of the Theatrum among the spaces, for the edit that puts a follower there.
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


def plan(number: int, players: int) -> Plan:
    """The beginning of game `number`."""
    rng = random.Random(number * 8 + players)
    kind, plies = number % 8, rng.randrange(150)
    if kind in (0, 1):
        return Plan(("random", "eager")[kind], plies, random_edits(rng, EDITS))
    if kind in (3, 4):
        return Plan(("random", "eager")[kind - 3], 0, [])
    if kind == 2:  # hardly a card left, coins for all
        plies = rng.randrange(6 * players)
        edits = named_edits(rng, "few_slaves", "few_equi", *["riches"] * rng.randrange(4))
        edits += rng.choice([named_edits(rng, "spent"), [("few_equi", 0, 0), ("gaps", 7, rng.randrange(64))]])
        return Plan("eager", plies, edits)
    if kind == 5:  # the last rounds: full houses, a built-up town, theatre cards, equal points
        edits = [("late", rng.randrange(2), rng.randrange(64))]
        edits += named_edits(rng, rng.choice(["houses", "town"]), "theatre", "points", "points", "riches", "riches")
        return Plan("eager", rng.randrange(6 * players), edits)
    if kind == 6:  # crowded, or empty
        theatrum = ("follower", rng.randrange(64), THEATRUM)
        if rng.randrange(4) == 0:  # an auction without any coin
            return Plan("shy", 0, [("all_passed", 0, 0), ("broke", players, 0), theatrum])
        names = rng.choice([["crowd"], ["crowd", "all_passed"], ["all_passed"], ["harbour", "bidders"]])
        edits = [*random_edits(rng, EDITS, 3), *named_edits(rng, *names), theatrum]
        return Plan(rng.choice(["random", "shy"]), rng.randrange(40), edits)
    edits = named_edits(rng, "contests", "harbour", "crests", "slave_hand", "slave_hand", "equi_hand", "riches")
    edits += [("follower", rng.randrange(64), THEATRUM), *named_edits(rng, rng.choice(["broke", "purse", "known"]))]
    return Plan("eager", rng.randrange(6 * players), edits)
