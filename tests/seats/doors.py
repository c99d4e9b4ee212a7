"""The doors that need no other library."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from unittest.mock import patch

from agents.seats import prompt as texts
from agents.seats.local import LIVE, TERMS, LocalTable, Terms
from agents.seats.news import News
from agents.seats.text_loop import TextLoop
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State

T = TypeVar("T")


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


class OfTable:
    """The parts of a `Play` that read and change the table itself."""

    table: LocalTable

    def state(self) -> State:
        return self.table._state.clone()

    def replace(self, state: State) -> None:
        self.table._state = state

    def shown(self, seat: int) -> str:
        """Return the texts of the contract for a seat; they share one computation of its choices and its news."""
        table = self.table
        with patch.object(texts, "choices", first(texts.choices)), patch.object(News, "lines", first(News.lines)):
            legal = [(one.action, one.text, one.sentence, one.effects) for one in table.legal(seat)]
            return json.dumps([table.prompt(seat), table.events(seat), legal, table.rules(), table.mover])


def first(function: Callable[..., list[T]]) -> Callable[..., list[T]]:
    """Return a function that computes its list at the first call, and returns copies."""
    results: list[list[T]] = []

    def again(*arguments: Any) -> list[T]:
        if not results:
            results.append(function(*arguments))
        return list(results[0])

    return again


class TablePlay(OfTable):
    """The contract itself."""

    def __init__(self, table: LocalTable) -> None:
        self.table = table

    def ask(self) -> tuple[int, str]:
        self.table.check_time()
        return self.table.mover, self.table.prompt(self.table.mover) if self.table.mover >= 0 else self.table.report()

    def answer(self, text: str) -> str:
        return self.table.act(self.table.mover, text).reason

    def result(self) -> dict[str, Any]:
        return self.table.result().record()


class TableDoor:
    name, forfeits, seconds = "table", True, 100.0
    asks, answers = "table.prompt(table.mover)", "table.act(table.mover, {!r})"

    def __init__(self) -> None:
        self.clock = Clock()

    def begin(self, game: Game, seats: Sequence[str], seed: int, terms: Terms = TERMS) -> TablePlay:
        return TablePlay(LocalTable(game, seats, seed, terms, clock=self.clock))


class LoopPlay(OfTable):
    """The text loop."""

    def __init__(self, loop: TextLoop) -> None:
        self.loop, self.table = loop, loop.table

    def ask(self) -> tuple[int, str]:
        return self.loop.get_observation()

    def answer(self, text: str) -> str:
        done, info = self.loop.step(text)
        assert done == self.table.is_over
        return str(info["reason"])

    def result(self) -> dict[str, Any]:
        rewards, info = self.loop.close()
        result = self.table.result()
        assert all(reward == result.returns[seat] for seat, reward in rewards.items())
        assert all(more["place"] == result.places[seat] for seat, more in info.items())
        return result.record()

    def shown(self, seat: int) -> str:
        """Return the text of a decision: the loop has no other, and `TableDoor` shows those of the table."""
        return self.ask()[1] if self.table.mover == seat else ""


class LoopDoor:
    name, forfeits, seconds = "text_loop", True, 100.0
    asks, answers = "loop.get_observation()[1]", "loop.step({!r})"

    def __init__(self) -> None:
        self.clock = Clock()

    def begin(self, game: Game, seats: Sequence[str], seed: int, terms: Terms = TERMS) -> LoopPlay:
        opponents = {seat: text for seat, text in enumerate(seats) if text != LIVE}
        loop = TextLoop(game.name, opponents, terms, clock=self.clock)
        loop.reset(game.num_players, seed)
        return LoopPlay(loop)
