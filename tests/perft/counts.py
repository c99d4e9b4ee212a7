"""Counts of action sequences by depth, from the positions that a room has chosen.

A room keeps them in a folder ``perft``: ``positions.jsonl`` holds one object a line, a name, a position with its random
state, and the counts for depths 1, 2, ...; its module ``starts`` says with ``positions()`` which positions they are.
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

ROOMS: Final = Path(__file__).parents[1] / "games"
#: The deepest level whose count stays below this is the last one kept.
LARGEST: Final = 400_000
#: Most levels of a position.
DEEPEST: Final = 9


class Counted(NamedTuple):
    """A position whose sequences have been counted: whose, its name, itself, and the counts for depths 1, 2, ..."""

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
    """The file of a room."""
    return ROOMS / game / "perft" / "positions.jsonl"


def counted(game: str) -> list[Counted]:
    """What a room's file holds; its `starts` are imported for the component files that positions are played with."""
    import_module(f"tests.games.{game}.perft.starts")
    lines = file_of(game).read_text(encoding="utf-8").splitlines()
    return [Counted(game, **json.loads(line)) for line in lines]


def all_counted() -> list[Counted]:
    """What the files of all rooms hold."""
    return [one for game in GAMES for one in counted(game)]


def count(state: State, depth: int) -> int:
    """Sequences of `depth` actions (shorter where a game ends), counted by the compiled loop."""
    game = state.game
    states = np.zeros(depth + 1, dtype=game.dtype)
    states[0] = state.states[0]
    words = np.zeros((depth + 1, game.num_words), dtype=np.uint64)
    return int(game.loops.perft(game.constants, states, words, depth))


def counts_of(state: State) -> list[int]:
    """The counts for depths 1, 2, ... that are kept."""
    counts: list[int] = []
    while len(counts) < DEEPEST:
        found = count(state, len(counts) + 1)
        if found > LARGEST:
            break
        counts.append(found)
    return counts


def recount(game: str) -> Iterator[Counted]:
    """The positions that a room has chosen, counted anew."""
    for name, state in import_module(f"tests.games.{game}.perft.starts").positions():
        yield Counted(game, name, state.to_dict(), counts_of(state))


def line_of(one: Counted) -> str:
    """A line of the file."""
    return json.dumps({"name": one.name, "counts": one.counts, "position": one.position})
