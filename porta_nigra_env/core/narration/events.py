"""Events: what changed between two positions, as one seat sees it.

An event is a changed entry of a fact.  Both positions are redacted for the observer first, so two games that it cannot
tell apart have the same events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import States, check_player, copied
from porta_nigra_env.core.narration.facts import SEAT, Axis, Fact, Narration, named
from porta_nigra_env.core.narration.reading import layout_of, read_all

if TYPE_CHECKING:
    from porta_nigra_env.core.game.game import Game

Integers = npt.NDArray[np.int64]
#: Value of a fact with `Fact.values` that names nothing.
NONE: Final = -1


@dataclass(frozen=True)
class Event:
    """A change of one quantity.

    Attributes:
        kind: the fact that changed.
        index: the indices along the axes of the fact.
        before, after: its values; indices of `Fact.values` where the fact has them, -1 for none.
        seat: the seat concerned, or None.
    """

    kind: str
    index: tuple[int, ...]
    before: int
    after: int
    seat: int | None = None


class Facts:
    """The facts of a game: reads them from positions and compares positions.

    Args:
        game: the game; ValueError if it has no narration.
    """

    def __init__(self, game: Game) -> None:
        narration = game.narration()
        if narration is None:
            raise ValueError(f"{game.name} has no narration: its actions have no sentences and its steps no events")
        self.game: Final = game
        self.narration: Final[Narration] = narration
        self.by_kind: Final = {fact.kind: fact for fact in narration.facts}
        self.layout: Final = layout_of(game.dtype, tuple(fact.source for fact in narration.facts))

    def __reduce__(self) -> tuple[Any, ...]:
        # Narrations hold functions, which cannot be pickled; the game makes them again.
        return type(self), (self.game,)

    def axis(self, name: str) -> Axis:
        """Return an axis by name; that of seats counts from 0."""
        if name == SEAT:
            return named([str(seat) for seat in range(self.game.num_players)])
        return self.narration.axes[name]

    def redacted(self, states: States, observer: int) -> States:
        """Return a (1,) state array without everything hidden from a seat; ValueError for an unknown seat."""
        state = copied(states)
        self.game.kernel.redact(self.game.constants, state, 0, check_player(observer, self.game.num_players))
        return state

    def read(self, states: States) -> Integers:
        """Return the values of all facts in a (1,) redacted state array, int64 (`layout.starts[-1]`,)."""
        values = np.zeros(int(self.layout.starts[-1]), dtype=np.int64)
        read_all(self.layout.table, states.view(np.uint8), values)
        return values

    def events(self, before: States, after: States, observer: int) -> list[Event]:
        """Return the events between two (1,) state arrays, in the order of the facts.

        States may be redacted already; to redact them again changes nothing.
        """
        return self.changes(self.redacted(before, observer), self.redacted(after, observer))

    def changes(self, before: States, after: States) -> list[Event]:
        """Return the events between two (1,) redacted state arrays, in the order of the facts."""
        old, new = self.read(before), self.read(after)
        return self.told(old, new, old != new)

    def told(self, old: Integers, new: Integers, chosen: npt.NDArray[np.bool_]) -> list[Event]:
        """Return the events of chosen values of `read`, in the order of the facts."""
        return [self.event(*self.place(i), int(old[i]), int(new[i])) for i in np.flatnonzero(chosen).tolist()]

    def place(self, value: int) -> tuple[Fact, tuple[int, ...]]:
        """Return the fact and the indices along its axes of an entry of `read`."""
        number = int(np.searchsorted(self.layout.starts, value, side="right")) - 1
        index = np.unravel_index(value - int(self.layout.starts[number]), self.layout.shapes[number])
        return self.narration.facts[number], tuple(int(i) for i in index)

    def event(self, fact: Fact, index: tuple[int, ...], before: int, after: int) -> Event:
        """Return the event of a changed value of a fact."""
        return Event(fact.kind, index, before, after, self._seat(fact, index, after))

    @staticmethod
    def _seat(fact: Fact, index: Sequence[int], after: int) -> int | None:
        if SEAT in fact.axes:
            return int(index[fact.axes.index(SEAT)])
        return after if fact.values == SEAT and after != NONE else None

    def record(self, event: Event) -> dict[str, Any]:
        """Return an event as a JSON-able dict: kind, seat, the names along its axes, values before and after."""
        fact = self.by_kind[event.kind]
        about = {name: self.axis(name).ids[i] for name, i in zip(fact.axes, event.index, strict=True) if name != SEAT}
        values = {"before": self._value(fact, event.before), "after": self._value(fact, event.after)}
        return {"kind": event.kind, "seat": event.seat, **about, **values}

    def _value(self, fact: Fact, value: int) -> int | str | None:
        if fact.values is None or fact.values == SEAT:
            return None if fact.values == SEAT and value == NONE else value
        return None if value == NONE else self.axis(fact.values).ids[value]


class EventLog:
    """The events that seats have seen since each acted last.

    Args:
        seats: those to keep events for.
    """

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        self.facts: Final = Facts(game)
        self._events: dict[int, list[Event]] = {seat: [] for seat in seats}
        self._before: States = np.zeros(1, dtype=game.dtype)

    def begin(self, states: States) -> None:
        """Begin a game: forget all events."""
        self._before = copied(states)
        self._events = {seat: [] for seat in self._events}

    def update(self, states: States, actor: int) -> None:
        """Record a step of `actor`, after it; states: (1,)."""
        for seat, events in self._events.items():
            if seat == actor:
                events.clear()
            events += self.facts.events(self._before, states, seat)
        self._before = copied(states)

    def records(self, seat: int) -> list[dict[str, Any]]:
        """Return the events of a seat as JSON-able dicts, see `Facts.record`."""
        return [self.facts.record(event) for event in self._events[seat]]

    def clone(self) -> EventLog:
        """Return an independent copy."""
        twin = EventLog(self.facts.game, list(self._events))
        twin._events = {seat: list(events) for seat, events in self._events.items()}
        twin._before = self._before
        return twin
