"""Counts of action sequences by depth, from the positions that a game has chosen.

A game keeps them in a folder ``perft``.  ``positions.jsonl`` holds one object a line: a name, a position with random
state, and the counts for depths 1, 2, ...  ``positions()`` of its module ``starts`` yields the positions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import GAMES, state_class

GAME_TESTS: Final = Path(__file__).parents[1] / "games"
#: Levels with larger counts are not stored.
LARGEST: Final = 400_000
#: Most levels of a position.
DEEPEST: Final = 9


class Counted(NamedTuple):
    """A counted position: game, name, position, and the counts for depths 1, 2, ..."""

    game: str
    name: str
    position: dict[str, Any]
    counts: list[int]

    def __str__(self) -> str:
        return f"{self.game}-{self.name}"

    @property
    def state(self) -> State:
        """The position as a new state."""
        return state_class(self.game).from_dict(self.position)


def file_of(game: str) -> Path:
    """Return the file of a game."""
    return GAME_TESTS / game / "perft" / "positions.jsonl"


def counted(game: str) -> list[Counted]:
    """Return the content of a game's file; imports its `starts` to load the component files of positions."""
    import_module(f"tests.games.{game}.perft.starts")
    lines = file_of(game).read_text(encoding="utf-8").splitlines()
    return [Counted(game, **json.loads(line)) for line in lines]


def all_counted() -> list[Counted]:
    """Return the content of all files."""
    return [position for game in GAMES for position in counted(game)]


def count(state: State, depth: int) -> int:
    """Count sequences of `depth` actions (shorter where a game ends) in the compiled loop."""
    game = state.game
    states = np.zeros(depth + 1, dtype=game.dtype)
    states[0] = state.states[0]
    words = np.zeros((depth + 1, game.num_words), dtype=np.uint64)
    return int(game.loops.perft(game.constants, states, words, depth))


def counts_of(state: State) -> list[int]:
    """Return the counts for depths 1, 2, ... up to `LARGEST` and `DEEPEST`."""
    counts: list[int] = []
    while len(counts) < DEEPEST:
        number = count(state, len(counts) + 1)
        if number > LARGEST:
            break
        counts.append(number)
    return counts


def recount(game: str) -> Iterator[Counted]:
    """Recount the positions that a game has chosen."""
    for name, state in import_module(f"tests.games.{game}.perft.starts").positions():
        yield Counted(game, name, state.to_dict(), counts_of(state))


def line_of(counted: Counted) -> str:
    """Return a line of the file."""
    return json.dumps({"name": counted.name, "counts": counted.counts, "position": counted.position})
