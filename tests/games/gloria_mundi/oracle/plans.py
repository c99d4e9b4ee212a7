"""Starts and policies of the lock-step games: eight kinds of games in turn."""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from tests.games.gloria_mundi.oracle.edits import EDITS
from tests.lockstep.trial import Edit, Policy, eager_policy, named_edits, random_policy


def raider_policy(legal: list[str], rng: random.Random) -> str:
    """Play eagerly, but let the Goth march more often than not."""
    return eager_policy(("use", "buy", "again", rng.choice(("goth", "goth", "tribute"))), 0.2)(legal, rng)


POLICIES: Final[dict[str, Policy]] = {
    "random": random_policy,
    # Uses, buys, repeats and pays tribute if possible; sometimes any action.
    "eager": eager_policy(("use", "buy", "again", "tribute", "wall"), 0.2),
    "raider": raider_policy,
}


class Plan(NamedTuple):
    """The start of a game.

    Attributes:
        policy: a key of `POLICIES`.
        plies: random decisions before the edits; none are made if the game is over by then.
        edits: changes that make the position odd; none for a game from the setup.
        drawn: the number of a component file drawn at random (`random_components`); None for the one of the run.
    """

    policy: str
    plies: int
    edits: list[Edit]
    drawn: int | None = None


def some_edits(rng: random.Random, most: int = 12) -> list[Edit]:
    """Return between one and `most` random edits."""
    return named_edits(rng, *rng.choices(list(EDITS), k=rng.randrange(1, most + 1)))


#: Edits that make players equal.
TIE: Final = ("steps", "even")
#: Files drawn at random that a run plays with.
FILES: Final = 64


def plan(number: int, players: int) -> Plan:
    """The beginning of game `number`."""
    rng = random.Random(number * 8 + players)
    kind, plies = number % 8, rng.randrange(200)
    policy = rng.choice(list(POLICIES))
    if kind in (0, 1):
        return Plan(policy, plies, some_edits(rng))
    if kind in (3, 4):
        return Plan(policy, 0, [])
    if kind in (2, 6):  # another component file, from the setup or from an odd position
        edits = []
        if rng.randrange(2):
            edits = named_edits(rng, *rng.sample(("exclusives", "coloured", "eaters", "late", "steps"), 3))
            edits += some_edits(rng, 6)
        return Plan(policy, plies if edits else 0, edits, number // 4 % FILES)
    if kind == 5:  # payments: builders, stones of a few kinds, cards to choose from
        names = ["found_again", "builders", "builders", "top_card", *["stones"] * 3, "coloured", "eaters", "exclusives"]
        return Plan("eager", rng.randrange(150), named_edits(rng, *names))
    if rng.randrange(2) == 0:  # the Goth before Rome, all players equal
        return Plan("random", rng.randrange(60), [("goth", 0, 1), *((name, 63, rng.randrange(64)) for name in TIE)])
    # The last turns: tribute, walls, few base cards.
    names = ["goth", "tribute", "walls", "walls", *["lost"] * (3 * players), "late", "steps", "exclusives"]
    return Plan(
        rng.choice(["random", "raider"]), rng.randrange(200), named_edits(rng, *rng.sample(names, rng.randint(4, 9)))
    )
