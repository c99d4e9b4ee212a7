"""Games of the referee alone: dice are thrown and piles shuffled here, so that it can be tried without the engine."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from tests.games.aquileia.oracle.odd import edited
from tests.games.aquileia.oracle.plans import POLICIES, Policy, plan, random_policy
from tests.games.aquileia.oracle.referee import Position, Referee, copied
from tests.games.aquileia.oracle.referee.board import KINDS


class Thrown:
    """Chance made by a random generator.

    Args:
        rng: the generator.
        die: faces of each kind.
    """

    def __init__(self, rng: random.Random, die: dict[str, int]) -> None:
        self._rng = rng
        self._faces = [kind for kind in KINDS for _ in range(die.get(kind, 0))]

    def dice(self, roll: str, count: int, seat: int | None = None) -> list[str]:
        """So many dice."""
        return sorted((self._rng.choice(self._faces) for _ in range(count)), key=KINDS.index)

    def slave_pile(self, discard: dict[str, int]) -> list[str]:
        """The shuffled discard."""
        return shuffled(self._rng, discard)

    def equi_pile(self, discard: dict[str, int], gaps: list[int], to_hand: bool) -> list[str]:
        """The shuffled discard."""
        return shuffled(self._rng, discard)


def shuffled(rng: random.Random, cards: dict[str, int]) -> list[str]:
    """All these cards in a random order."""
    pile = [face for face in sorted(cards) for _ in range(cards[face])]
    rng.shuffle(pile)
    return pile


def deal(referee: Referee, players: int, rng: random.Random) -> Position:
    """A setup (A3, A4)."""
    decks = {name: shuffled(rng, cards) for name, cards in referee.decks().items()}
    return referee.start(players, rng.randrange(players), decks)


def played(
    referee: Referee, position: Position, policy: Policy, rng: random.Random
) -> Iterator[tuple[Position, str, Position]]:
    """(before, action, after) of a game to its end."""
    chance = Thrown(rng, referee.board.die)
    while legal := referee.legal_actions(position):
        action = policy(legal, rng)
        after = referee.follow(position, action, chance)
        yield position, action, after
        position = after


def totals(position: Position) -> Counter[str]:
    """Coins outside the bank: in all stocks and under followers."""
    found: Counter[str] = Counter(position["portus_coins"])
    for player in position["players"]:
        found.update(player["coins"])
    return found


def started(referee: Referee, number: int, players: int) -> tuple[Position, Policy, random.Random]:
    """The first position of game `number` of the plans, who plays it, and the generator that goes on."""
    planned, rng = plan(number, players), random.Random(number)
    position = deal(referee, players, rng)
    if planned.edits:
        for _, (_, _, after) in zip(range(planned.plies), played(referee, position, random_policy, rng), strict=False):
            position = after
        if position["phase"] == "over":
            position = deal(referee, players, rng)
        position = edited(copied(position), referee.board, planned.edits)
    return position, POLICIES[planned.policy], rng
