"""Two judges of a position: the engine and the referee.  Both get texts and give texts."""

from __future__ import annotations

import random

from tests.games.aquileia.oracle.alone import Thrown
from tests.games.aquileia.oracle.referee import Position, Referee
from tests.lockstep import judges
from tests.lockstep.judges import Judge

__all__ = ["Engine", "Judge", "Ruled"]


class Engine(judges.Engine):
    """The room's `State`."""

    def __init__(self) -> None:
        super().__init__("aquileia")


class Ruled(judges.Ruled):
    """The referee with dice and shuffles of its own."""

    def __init__(self, referee: Referee) -> None:
        super().__init__(referee)
        self._alone = referee

    def play(self, position: Position, *actions: str, seed: int = 0) -> Position:
        """See `Judge`."""
        policy_rng = Thrown(random.Random(seed), self._alone.board.die)
        for action in actions:
            position = self._alone.follow(position, action, policy_rng)
        return position
