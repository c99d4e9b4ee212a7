"""Reading a position dict into a state record, for games with component files and phases.

A room subclasses `Reading` with its fields, one by one; what ties them together are laws, functions that take the
whole reading and refuse.  What is checked are invariants of a position, not whether play can reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from porta_nigra_env.core.game.game import States
from porta_nigra_env.core.positions import position as check

R = TypeVar("R", bound="Reading")


class Reading:
    """A position read into a record; each field is right by itself, what ties them together is not yet checked.

    Class attributes, which a room says:
        format: of the position, ``<game>/<number>``.
        keys: of the position, without `core.positions.position.FRAME_KEYS` and "phase".
        seats, phases: numbers of players and names of phases, "over" among them.
        dtype, purpose: of the record, and what its random key is for (`core.arrays.rng.seed_key`).
        unset: fields of the record that hold -1 where the position has nothing.

    Attributes:
        components, position: what was read.
        states: the (1,) state array; `state` is its only record.
        tables: the record of the components' tables.
        players, phase, current: number of players, name of the phase, the seat that is asked or -1.
    """

    format: ClassVar[str]
    keys: ClassVar[tuple[str, ...]]
    seats: ClassVar[Sequence[int]]
    phases: ClassVar[Sequence[str]]
    dtype: ClassVar[np.dtype[np.void]]
    purpose: ClassVar[int]
    unset: ClassVar[tuple[str, ...]] = ()

    components: Any

    def __init__(self, components: Any, position: object, seed: int) -> None:
        self.components, self.constants = components, components.constants[0]
        check.check_format(position, self.format)
        self.position = check.mapping(position, "", (*check.FRAME_KEYS, "phase", *self.keys), check.OPTIONAL_KEYS)
        self.states = np.zeros(1, dtype=self.dtype)
        self.state = self.states[0]
        for name in self.unset:
            self.state[name] = -1
        check.check_components(self.position, components)
        self.players = check.num_players(self.position, self.seats)
        phase = check.index(self.position["phase"], "phase", self.phases, "phase")
        self.phase = self.phases[phase]
        self.current = check.current_player(self.position, self.players, self.phase == "over")
        self.state["num_players"], self.state["phase"] = self.players, phase
        self.state["current_player"] = self.current
        self.read()
        check.read_rng_or_seed(self.position, self.state, seed, self.purpose)

    def read(self) -> None:
        """Read everything but the frame and the random state; PositionError names the field."""
        raise NotImplementedError

    def number(self, name: str) -> int:
        """A number of the components."""
        return int(self.constants[name])

    def seat(self, value: object, field: str) -> int:
        """A seat."""
        return check.seat(value, field, self.players)

    def in_phase(self, key: str, phases: Sequence[str]) -> Any:
        """The value of a key in these phases; null, and None, in the others."""
        value = self.position[key]
        if self.phase not in phases and value is not None:
            check.refuse(key, f"must be null in phase {self.phase}")
        if self.phase in phases and value is None:
            check.refuse(key, f"must not be null in phase {self.phase}")
        return value


class Reader(Protocol):
    """A room's ``from_dict``."""

    def __call__(self, components: Any, position: Mapping[str, Any], seed: int = 0) -> States:
        """The (1,) state array of a position, which is not changed.

        Args:
            components: the set the position is played with; its name and digest are checked against the position's.
            position: a mapping of the game's format.
            seed: fixes the future where `rng` is null or absent.

        Raises:
            PositionError: names the field and what is wrong with it.
        """


def reader(reading: type[R], laws: Sequence[Callable[[R], None]]) -> Reader:
    """The room's ``from_dict``: its fields, then its laws in this order."""

    def from_dict(components: Any, position: object, seed: int = 0) -> States:
        found = reading(components, position, seed)
        for law in laws:
            law(found)
        return found.states

    from_dict.__doc__ = Reader.__call__.__doc__
    return from_dict
