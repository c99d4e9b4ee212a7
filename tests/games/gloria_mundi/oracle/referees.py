"""Referees for several component files."""

from __future__ import annotations

import random
from typing import Any

from tests.games.gloria_mundi.oracle.referee import Position, Referee


class Referees:
    """A referee for each component file, by the name of the file."""

    def __init__(self) -> None:
        self._by_name: dict[str, Referee] = {}
        #: Rare events of the last step.
        self.notes: list[str] = []

    def add(self, data: dict[str, Any]) -> Referee:
        """Add the referee for a file's data and return it."""
        referee = self._by_name[data["name"]] = Referee(data)
        return referee

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Referee:
        return self._by_name[name]

    def legal_actions(self, position: Position) -> list[str]:
        """See `trial.Referee`."""
        return self[position["components"]].legal_actions(position)

    def apply(self, position: Position, action: str, after: Position) -> Position:
        """See `trial.Referee`; nothing is random, and the action must be legal."""
        referee = self[position["components"]]
        found = referee.apply(position, action)
        self.notes = referee.notes
        return found

    def scores(self, position: Position) -> list[dict[str, int]]:
        """See `trial.Referee`."""
        return self[position["components"]].scores(position)

    def winners(self, position: Position) -> list[int]:
        """See `trial.Referee`."""
        return self[position["components"]].winners(position)


def deal(referee: Referee, players: int, rng: random.Random) -> Position:
    """Return the first decision of a game (G1, G44)."""
    deck = list(referee.board.cards)
    rng.shuffle(deck)
    return referee.start(players, rng.randrange(players), deck)
