"""Read position dicts into state records, for games with component files and phases.

A game package subclasses `Reading` to read each field.  Invariants between fields are functions that take the whole
reading and raise through `refuse`.  They do not check that play can reach the position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from porta_nigra_env.core.game.game import States
from porta_nigra_env.core.positions import position as check

R = TypeVar("R", bound="Reading")


class Reading:
    """A position read into a record; each field is valid, invariants between fields are not yet checked.

    Class attributes of the game package:
        format: format of the position, ``<game>/<number>``.
        keys: keys of the position, without `core.positions.position.FRAME_KEYS` and "phase".
        seats, phases: numbers of players and names of phases, "over" among them.
        dtype, purpose: dtype of the record, and the purpose of its random key (`core.arrays.rng.seed_key`).
        unset: fields of the record that default to -1.

    Attributes:
        components, position: the component set and the position dict.
        states: the (1,) state array; `state` is its only record.
        constants: the record of the components' constants.
        players, phase, current: number of players, name of the phase, seat to move or -1.
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
        """Read all fields except the frame and the random state; PositionError names the field."""
        raise NotImplementedError

    def number(self, name: str) -> int:
        """Return a number of the components."""
        return int(self.constants[name])

    def seat(self, value: object, field: str) -> int:
        """Check and return a seat."""
        return check.seat(value, field, self.players)

    def in_phase(self, key: str, phases: Sequence[str]) -> Any:
        """Return the value of a key that must be null outside these phases, and must not be null in them."""
        value = self.position[key]
        if self.phase not in phases and value is not None:
            check.refuse(key, f"must be null in phase {self.phase}")
        if self.phase in phases and value is None:
            check.refuse(key, f"must not be null in phase {self.phase}")
        return value


class Reader(Protocol):
    """The ``from_dict`` of a game package."""

    def __call__(self, components: Any, position: Mapping[str, Any], seed: int = 0) -> States:
        """Return the (1,) state array of a position, which is not changed.

        Args:
            components: component set of the position, whose name and digest must match.
            position: mapping in the format of the game.
            seed: fixes the future where `rng` is null or absent.

        Raises:
            PositionError: a field is invalid; the message names it.
        """


def reader(reading: type[R], invariants: Sequence[Callable[[R], None]]) -> Reader:
    """Return the ``from_dict`` of a game package: it reads the fields, then checks the invariants in order."""

    def from_dict(components: Any, position: object, seed: int = 0) -> States:
        result = reading(components, position, seed)
        for check_invariant in invariants:
            check_invariant(result)
        return result.states

    from_dict.__doc__ = Reader.__call__.__doc__
    return from_dict
