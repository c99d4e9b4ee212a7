"""Positions with random changes: the engine must refuse them, or play them like the referee."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any, Final

from porta_nigra_env.games.gloria_mundi.components.names import ENDS, PHASES
from tests.games.gloria_mundi.oracle.odd import EDITS
from tests.games.gloria_mundi.oracle.referee import BASES, Board, Position

#: Fields that all positions of a component set share.
KEPT: Final = frozenset({"format", "components", "components_digest", "rng"})


def altered(position: Position, board: Board, rng: random.Random) -> Position:
    """Return a copy with one to three changes; an edit of `odd` counts as one, and is not undone."""
    p = copy.deepcopy(position)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if rng.random() < 0.35:
            _edit(p, board, rng)
        else:
            field = rng.choice(sorted(set(p) - KEPT))
            places = [place for place in _places(p, ()) if place[0] == field]
            *steps, last = rng.choice(places)
            inside: Any = p
            for step in steps:
                inside = inside[step]
            inside[last] = _other(inside[last], board, rng)
    return p


def _edit(p: Position, board: Board, rng: random.Random) -> None:
    """Make an edit; it does nothing if another change has removed its object."""
    after = copy.deepcopy(p)
    try:
        EDITS[rng.choice(list(EDITS))](after, board, rng.randrange(64), rng.randrange(64))
    except (TypeError, KeyError, ValueError, IndexError, AttributeError, ZeroDivisionError):
        return
    p.update(after)


def _places(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the paths to every value that is not an object, lists included."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from _places(inside, (*path, key))
        return
    yield path
    if isinstance(value, list):
        for number, inside in enumerate(value):
            yield from _places(inside, (*path, number))


def _other(value: Any, board: Board, rng: random.Random) -> Any:
    """Return another value, mostly of the same kind."""
    cards = list(board.cards)
    if isinstance(value, list):
        shuffled = rng.sample(value, len(value))
        return rng.choice((value[1:], [*value, *value[:1]], [*value, rng.choice(cards)], shuffled))
    if isinstance(value, int):
        return rng.choice((value - 1, value + 1, value + 1, 0, value + rng.randrange(5), None))
    for names in (cards, BASES, PHASES, ENDS):
        if value in names:
            return rng.choice((*names, None))
    return rng.choice((0, 1, 2, *BASES, *ENDS, *cards[:3]))
