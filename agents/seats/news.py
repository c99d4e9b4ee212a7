"""News of a seat: the changes that it has seen since its last decision, one line for each turn of a player.

A line has the actions that the seat was told (`Game.told`) and the changes between the redacted positions at its ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from agents.seats.prompt import HIDDEN, YOU, narrator_of, said, seat_names
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.narration.language import SOURCE


class Turn(NamedTuple):
    """Steps of one player in a row.

    mover: their player; before: the record before them; actions: their ids.
    """

    mover: int
    before: bytes
    actions: list[int]


class News:
    """The turns that some seats have not yet answered to; older ones are forgotten.

    Args:
        seats: those that ask for news.
    """

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        self._game = game
        #: For each seat: the number of its first turn, and its own last action before, if any.
        self._first = dict.fromkeys(seats, 0)
        self._own: dict[int, Turn] = {}
        self._turns: list[Turn] = []
        self._forgotten = 0

    def note(self, mover: int, before: bytes, action: int) -> None:
        """Note a step: its player, the record before it, and the action."""
        if self._turns and self._turns[-1].mover == mover:
            self._turns[-1].actions.append(action)
        else:
            self._turns.append(Turn(mover, before, [action]))
        if mover in self._first:
            self._own[mover] = Turn(mover, before, [action])
            self._first[mover] = self._forgotten + len(self._turns)
        oldest = min(self._first.values(), default=self._forgotten + len(self._turns))
        if oldest > self._forgotten:
            del self._turns[: oldest - self._forgotten]
            self._forgotten = oldest

    def drop(self, seat: int) -> None:
        """Forget a seat that asks no more."""
        self._first.pop(seat, None)
        self._own.pop(seat, None)

    def lines(self, seat: int, now: States, language: str = SOURCE, names: tuple[str, ...] | None = None) -> list[str]:
        """Return a line for each turn since the seat's last decision, its own action included; now: the state."""
        return list(self._lines(seat, now, language, names))

    def _lines(self, seat: int, now: States, language: str, names: tuple[str, ...] | None) -> Iterator[str]:
        game, narrator = self._game, narrator_of(self._game, seat, language, names)
        called = seat_names(game, language, names)
        turns = [*([self._own[seat]] if seat in self._own else []), *self._turns[self._first[seat] - self._forgotten :]]
        records = [self._states(turn.before) for turn in turns]
        for turn, (before, after) in zip(turns, pairwise([*records, now]), strict=True):
            told = [game.told(action, to=seat, by=turn.mover) for action in turn.actions]
            texts = [said(language, HIDDEN) if one is None else game.action_texts[one] for one in told]
            who = said(language, YOU) if turn.mover == seat else called[turn.mover]
            changes: list[str] = []
            if narrator is not None:
                events = narrator.facts.events(before, after, seat)
                changes = [narrator.event(event) for event in events if not narrator.facts.by_kind[event.kind].aside]
            yield f"{who}: {', '.join(texts)}{' - ' if changes else ''}{', '.join(changes)}"

    def _states(self, record: bytes) -> States:
        return np.frombuffer(record, dtype=self._game.dtype)
