"""The rules tests run against two implementations: the engine, and the referee behind the interface of a `State`."""

from __future__ import annotations

import random
from functools import cache
from typing import Any, Self

import pytest

from porta_nigra_env.games.aquileia.components.load import load
from tests.games.aquileia.oracle.referee import Position, Referee, copied
from tests.games.aquileia.oracle.referee.board import KINDS
from tests.games.aquileia.rules.tables import OTHER, Table
from tests.lockstep.differences import UNRULED


class Dice:
    """Chance for the referee, from a random generator."""

    def __init__(self, rng: random.Random, die: dict[str, int]) -> None:
        self._rng = rng
        self._sides = [kind for kind in KINDS for _ in range(die.get(kind, 0))]

    def dice(self, roll: str, count: int, seat: int | None = None) -> list[str]:
        return sorted((self._rng.choice(self._sides) for _ in range(count)), key=KINDS.index)

    def slave_pile(self, discard: dict[str, int]) -> list[str]:
        pile = [face for face in sorted(discard) for _ in range(discard[face])]
        self._rng.shuffle(pile)
        return pile

    def equi_pile(self, discard: dict[str, int], gaps: list[int], to_hand: bool) -> list[str]:
        return self.slave_pile(discard)


@cache
def referee_of(components: str) -> Referee:
    """Return the referee for a component set, by its name."""
    return next(Referee(found.data) for found in map(load, ("standard", OTHER)) if found.name == components)


class RuledState:
    """The referee with the methods of the engine's `State` that the rules tests use."""

    def __init__(self, position: Position, chance: Dice) -> None:
        self._position, self._chance = position, chance
        self._referee = referee_of(position["components"])

    @classmethod
    def from_dict(cls, position: Position, seed: int = 0) -> Self:
        plain = copied({key: value for key, value in position.items() if key not in UNRULED})
        return cls(plain, Dice(random.Random(seed), referee_of(position["components"]).board.die))

    @property
    def current_player(self) -> int | None:
        seat: int | None = self._position["current_player"]
        return seat

    @property
    def is_over(self) -> bool:
        return self.current_player is None

    def clone(self) -> Self:
        return type(self)(copied(self._position), self._chance)

    def to_dict(self) -> Position:
        return copied(self._position)

    def legal_actions(self) -> list[str]:
        return self._referee.legal_actions(self._position)

    def apply(self, action: str) -> Self:
        self._position = self._referee.follow(self._position, action, self._chance)
        return self

    def scores(self) -> list[dict[str, Any]]:
        return self._referee.scores(self._position)

    def winners(self) -> list[int]:
        return self._referee.winners(self._position)


@pytest.fixture(params=["engine", "referee"])
def implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play the tables of a test with the engine, and again with the referee."""
    if request.param == "referee":
        monkeypatch.setattr(Table, "state_class", RuledState)
