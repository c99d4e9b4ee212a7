"""Chance, and its outcome as read from the position after a step."""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

from tests.games.aquileia.oracle.referee.board import KINDS

Position = dict[str, Any]


class RefereeError(AssertionError):
    """An outcome of the engine that the rules do not allow; the message names the field."""


def demand(condition: bool, field: str, complaint: str) -> None:
    """Raise a RefereeError about `field` unless the condition holds."""
    if not condition:
        raise RefereeError(f"{field}: {complaint}")


class Chance(Protocol):
    """Throws dice and shuffles piles."""

    def dice(self, roll: str, count: int, seat: int | None = None) -> list[str]:
        """Return a roll of `count` dice in the order of kinds; `roll` is its key in `dice`, `seat` a contestant."""
        ...

    def slave_pile(self, discard: dict[str, int]) -> list[str]:
        """The slave pile made of its discard."""
        ...

    def equi_pile(self, discard: dict[str, int], gaps: list[int], to_hand: bool) -> list[str]:
        """The equi pile made of its discard, next card first.

        Args:
            discard: the cards.
            gaps: places of the row that are empty now.
            to_hand: whether the first card goes to the buyer on the first space; the next ones fill the gaps.
        """
        ...


class Outcome:
    """Chance as shown by the position after the step (the contract's chapter on chance).

    Args:
        after: that position.
        die: sides of each kind.
    """

    def __init__(self, after: Position, die: dict[str, int]) -> None:
        self._after, self._die = after, die

    def dice(self, roll: str, count: int, seat: int | None = None) -> list[str]:
        field, faces = f"dice.{roll}", self._after["dice"][roll]
        if seat is not None:
            field = f"{field}.{seat}"
            demand(str(seat) in faces, field, "not thrown")
            faces = faces[str(seat)]
        demand(len(faces) == count, field, f"not {count} dice: {faces}")
        demand(all(self._die.get(face, 0) > 0 for face in faces), field, f"a face that no die has: {faces}")
        demand(sorted(faces, key=KINDS.index) == faces, field, f"not in the order of kinds: {faces}")
        return list(faces)

    def slave_pile(self, discard: dict[str, int]) -> list[str]:
        left = self._after["slaves"]["draw"]
        # All cards drawn went to one hand, so their order is of no effect.
        return [*_rest(discard, left, "slaves.draw").elements(), *left]

    def equi_pile(self, discard: dict[str, int], gaps: list[int], to_hand: bool) -> list[str]:
        row, left = self._after["equi"]["row"], self._after["equi"]["draw"]
        known = [row[place] for place in gaps if row[place] is not None] + left
        rest = _rest(discard, known, "equi.draw")
        demand(rest.total() == to_hand, "equi.draw", f"{known} is not what a shuffle of {discard} leaves")
        return [*rest.elements(), *known]


def _rest(discard: dict[str, int], seen: list[str], field: str) -> Counter[str]:
    """The discarded cards that are not among those seen of the rebuilt pile."""
    rest, shown = Counter(discard), Counter(seen)
    demand(shown <= rest, field, f"{seen} were not all on the discard {discard}")
    return rest - shown
