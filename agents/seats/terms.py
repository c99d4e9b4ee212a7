"""The terms under which live seats play, and the answers and the time that each of them has used up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from porta_nigra_env.core.narration.language import SOURCE, check_language

#: Why a seat forfeited: too many refused answers, no time left, or it left the game.
Why = Literal["answers", "time", "left"]


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The terms under which live seats play.

    A seat forfeits by one refused answer more than `retries` at a decision, or when its time is up.  From then on
    `fallback` plays it, so the others finish their game.  Its place is behind all seats that did not forfeit; of two
    seats that did, the first ends last.

    Attributes:
        retries: refused answers at one decision that are forgiven.
        seconds: thinking time of each live seat for the whole game; None for no clock.
        fallback: the agent string for forfeited seats.
        language: of the texts, one of `core.narration.language.LANGUAGES`.
        tokens: the budget of a prompt; None for the default of `agents.seats.prompt.prompt`.
    """

    retries: int = 3
    seconds: float | None = None
    fallback: str = "random"
    language: str = SOURCE
    tokens: int | None = None

    def __post_init__(self) -> None:
        if self.retries < 0:
            raise ValueError(f"retries must be 0 or more, not {self.retries}")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise ValueError(f"seconds must be a number above 0, or None for no clock, not {self.seconds}")
        check_language(self.language)


#: The default terms.
TERMS: Final = Terms()


class Conduct:
    """Refused answers, thinking time and forfeits of the seats under terms.

    Args:
        seats: those under the terms; `add` brings more.
        clock: returns seconds.

    Attributes:
        terms: as given.
        forfeits: why seats forfeited, by seat, the first one first.
    """

    __slots__ = ("_asked", "_clock", "_mover", "_refused", "_used", "forfeits", "terms")

    def __init__(self, terms: Terms, seats: Iterable[int], clock: Callable[[], float] = time.monotonic) -> None:
        self.terms, self._clock = terms, clock
        self._used = dict.fromkeys(seats, 0.0)
        self._mover, self._asked, self._refused = -1, 0.0, 0
        self.forfeits: dict[int, Why] = {}

    def __contains__(self, seat: object) -> bool:
        """Return whether a seat is under the terms; it stays so after a forfeit."""
        return seat in self._used

    def add(self, seat: int) -> None:
        """Put a seat under the terms; its clock begins now."""
        self._used.setdefault(seat, 0.0)
        if seat == self._mover:
            self._asked = self._clock()

    # -- decisions

    def ask(self, seat: int) -> None:
        """Begin a decision of a seat, unless it has begun: its clock runs, and its refused answers count from 0.

        No clock runs while the fallback of a forfeited seat decides.
        """
        mover = -1 if seat in self.forfeits else seat
        if mover != self._mover:
            self._mover, self._asked, self._refused = mover, self._clock(), 0

    def stop(self) -> None:
        """End a decision: no clock runs."""
        if self._mover in self._used:
            self._used[self._mover] = self.used(self._mover)
        self._mover = -1

    def refuse(self) -> int:
        """Count a refused answer; return how many are left, where none means a forfeit."""
        self._refused += 1
        return self.terms.retries + 1 - self._refused

    # -- time

    def used(self, seat: int) -> float:
        """Return the seconds that a seat has used, those of the present decision included."""
        return self._used[seat] + (self._clock() - self._asked if seat == self._mover else 0.0)

    def restore(self, seat: int, seconds: float) -> None:
        """Set the seconds that a seat has used."""
        self._used[seat] = seconds

    def left(self, seat: int) -> float | None:
        """Return the seconds that a seat has left; None without a clock."""
        if self.terms.seconds is None or seat not in self._used:
            return None
        return max(0.0, self.terms.seconds - self.used(seat))

    @property
    def late(self) -> bool:
        """True if the seat that decides has no time left."""
        return self.left(self._mover) == 0.0

    # -- forfeits

    def forfeit(self, seat: int, why: Why) -> None:
        """Note that a seat forfeited."""
        if seat == self._mover:
            self.stop()
        self.forfeits[seat] = why
