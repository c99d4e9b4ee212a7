"""Helpers for tests of positions: changes, random damage, and the messages of refusals."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import strategies as st

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.positions.position import PositionError

Position = dict[str, Any]
#: A change with this value removes the entry at the end of a path.
DROP: Final = object()
#: By path, such as ``players.0.coins.gold``.
Changes = dict[str, Any]
#: A phase, changes to its position, the refused field, and the message.
Refusal = tuple[str, Changes, str, str]


def wrong(phase: str, path: str, value: Any, said: str) -> Refusal:
    """Return a refusal of a single value by its own field."""
    return phase, {path: value}, field_of(int(step) if step.isdigit() else step for step in path.split(".")), said


def field_of(path: Iterable[str | int]) -> str:
    """Return a path as a field in errors."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


@dataclass(frozen=True)
class PositionCases:
    """Positions of a game for the tests of `tests.games.test_positions`.

    The tests of the game have an example of the format, "text/position_example.json".

    Attributes:
        state_class: the game's class.
        steps: changes of the example, in place, that make a position of each phase.
        legal: the legal actions of the example.
        common: phases that a few random games meet.
        refused: refused changes of a phase's position.
        good: phases and accepted changes; all of these positions can be played to the end.
        words: words for damaged positions.
    """

    state_class: type[State]
    steps: Mapping[str, Callable[[Position], None]]
    legal: Sequence[str]
    common: Sequence[str]
    refused: Sequence[Refusal]
    good: Sequence[tuple[str, Changes]]
    words: Sequence[str]

    @property
    def game(self) -> type[Game]:
        """The class of the game."""
        assert self.state_class.game_class is not None
        return self.state_class.game_class

    @property
    def folder(self) -> Path:
        """The tests of the game."""
        return Path(__file__).parent / self.game.name

    @property
    def files(self) -> tuple[str, str]:
        """The component files of the tests."""
        return "standard", str(self.folder / "components" / "other.toml")

    @cached_property
    def _example(self) -> str:
        return (self.folder / "text" / "position_example.json").read_text(encoding="utf-8")

    def example(self) -> Position:
        """Return the example of the format."""
        position: Position = json.loads(self._example)
        return position

    def in_phase(self, phase: str) -> Position:
        """Return the example, changed into a position of a phase."""
        position = self.example()
        position["phase"] = phase
        self.steps[phase](position)
        return position


def change(position: Position, changes: Changes) -> Position:
    """Change a position in place, and give it."""
    for path, value in changes.items():
        *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
        inside: Any = position
        for step in steps:
            inside = inside[str(step) if isinstance(inside, dict) else step]
        last = str(last) if isinstance(inside, dict) else last
        if value is DROP:
            del inside[last]
        elif isinstance(inside, list) and last == len(inside):
            inside.append(value)
        else:
            inside[last] = value
    return position


def assert_refused(state_class: type[State], position: Position, field: str, said: str) -> None:
    """A position is refused by this field with these words, and left as it was."""
    before = copy.deepcopy(position)
    with pytest.raises(PositionError) as caught:
        state_class.from_dict(position)
    assert str(caught.value).split(": ")[0] == field, caught.value
    assert said in str(caught.value)
    assert position == before


def play(state: State, seed: int) -> Iterator[State]:
    """Yield the state before each step of a random game, and the state at the end."""
    rng = random.Random(seed)
    yield state
    while not state.is_over:
        yield state.apply(rng.choice(state.legal_actions()))


def play_on(state: State, seed: int) -> None:
    """Random actions to the end; positions on the way are lawful ones."""
    rng = random.Random(seed)
    while not state.is_over:
        state.apply(rng.choice(state.legal_actions()))
        if rng.random() < 0.1:
            assert type(state).from_dict(state.to_dict()) == state


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to every value within a JSON value."""
    found = [path] if path else []
    if isinstance(value, dict):
        return found + [inner for key in value for inner in paths_of(value[key], (*path, key))]
    if isinstance(value, list):
        return found + [inner for i, item in enumerate(value) for inner in paths_of(item, (*path, i))]
    return found


def damages(words: Sequence[str]) -> st.SearchStrategy[list[tuple[int, Any, bool]]]:
    """Return a strategy of up to three changes: index of a path, new value, and whether to remove the entry."""
    values: list[Any] = [
        None,
        True,
        False,
        0,
        1,
        2,
        3,
        -1,
        7,
        10**30,
        1.0,
        "",
        *words,
        [],
        {},
        [0],
        [None],
        {"count": 1},
    ]
    change_of_value = st.tuples(st.integers(0, 10**6), st.sampled_from(values), st.booleans())
    return st.lists(change_of_value, min_size=1, max_size=3)


def damage(position: Position, changes: Sequence[tuple[int, Any, bool]]) -> Position:
    """Apply the changes drawn from `damages`, in place."""
    for place, value, removed in changes:
        paths = paths_of(position)
        *steps, last = paths[place % len(paths)]
        inside: Any = position
        for step in steps:
            inside = inside[step]
        if removed:
            del inside[last]
        else:
            inside[last] = copy.deepcopy(value)  # one object for all: it would come to lie in itself
    return position
