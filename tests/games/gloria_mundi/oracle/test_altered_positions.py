"""Positions with random changes are refused, or engine and referee play them alike."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.positions.position import PositionError
from porta_nigra_env.games.gloria_mundi.components.names import ENDS, PHASES
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.oracle.lockstep import Trial
from tests.games.gloria_mundi.oracle.odd import EDITS
from tests.games.gloria_mundi.oracle.referee import BASES, Board, Position

#: Fields that all positions of a component set share.
FIXED: Final = frozenset({"format", "components", "components_digest", "rng"})


def altered(position: Position, board: Board, rng: random.Random) -> Position:
    """Return a copy with one to three changes; an edit of `odd` counts as one, and is not undone."""
    p = copy.deepcopy(position)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if rng.random() < 0.35:
            _edit(p, board, rng)
        else:
            field = rng.choice(sorted(set(p) - FIXED))
            paths = [path for path in _paths(p, ()) if path[0] == field]
            *steps, last = rng.choice(paths)
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


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the paths to every value that is not an object, lists included."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from _paths(inside, (*path, key))
        return
    yield path
    if isinstance(value, list):
        for number, inside in enumerate(value):
            yield from _paths(inside, (*path, number))


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


def test_altered_positions_are_refused_or_played_alike() -> None:
    trial, rng = Trial(), random.Random(12)
    accepted = refused = 0
    for number in range(40 if COMPILED else 8):
        state, policy = trial.start(number, State.game_class.seats[number % 5])
        while not state.is_over:
            state.apply(trial.policies[policy](state.legal_actions(), rng))
            if rng.random() < 0.1:
                board = trial.referees[state.components.name].board
                try:
                    altered_state = State.from_dict(altered(state.to_dict(), board, rng))
                except PositionError:
                    refused += 1
                else:
                    trial.play(altered_state, trial.policies[policy], rng, Counter())
                    accepted += 1
    assert min(accepted, refused) > (100 if COMPILED else 10)
