"""Toy games write their fields as positions, without names of cards, checks of rules, or a drawn board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from porta_nigra_env.core.arrays.rng import MASK32, seed_key
from porta_nigra_env.core.game.game import Game, Position, States, check_seed
from porta_nigra_env.core.positions.position import integer, listed, mapping, refuse

#: The purpose of a game's seed (`core.arrays.rng.seed_key`).
GAME = 1


class PlainGame(Game):
    """A game whose positions are the fields of its record; "rng" holds `key` and `counters`."""

    @property
    def _names(self) -> list[str]:
        return [name for name in self.dtype.names or () if name not in ("key", "counters")]

    def position(self, states: States, row: int = 0, view: int | None = None) -> Position:
        states = states[row : row + 1].copy()
        if view is not None:
            self.kernel.redact(self.constants, states, 0, view)
        state = states[0]
        rng = {"rng": [*state["key"].tolist(), *state["counters"].tolist()]} if view is None else {"view": view}
        return {"format": self.position_format, **{name: state[name].tolist() for name in self._names}, **rng}

    def load_position(self, position: Mapping[str, Any], seed: int = 0) -> States:
        given = mapping(position, "", ("format", *self._names), optional=("rng",))
        if given["format"] != self.position_format:
            refuse("format", f"expected {self.position_format!r}")
        integer(given["num_players"], "num_players", self.num_players, self.num_players)
        states = np.zeros(1, dtype=self.dtype)
        for name in self._names:
            states[0][name] = _read(given[name], name, self.dtype[name])
        key, counters = states[0]["key"], states[0]["counters"]
        if given.get("rng") is None:
            seed_key(key, counters, check_seed(seed), GAME)
        else:
            count = len(key) + len(counters)
            rng = listed(given["rng"], "rng", lambda word, where: integer(word, where, 0, MASK32), count, count)
            key[:], counters[:] = rng[: len(key)], rng[len(key) :]
        self.check_state(states[0])
        return states

    def check_state(self, state: np.void) -> None:
        """Raise PositionError if the game cannot continue from a state that has been read."""

    def board(self, states: States, row: int = 0, view: int | None = None) -> str:
        position = self.position(states, row, view)
        return "\n".join([self.name.upper(), *(f"{name} {position[name]}" for name in self._names)])


def _read(given: object, name: str, kind: np.dtype[Any]) -> Any:
    """Return the values of a field; ValueError if they do not fit."""
    limits = np.iinfo(kind.base)

    def read(value: object, where: str, shape: tuple[int, ...] = kind.shape) -> Any:
        if not shape:
            return integer(value, where, int(limits.min), int(limits.max))
        return listed(value, where, lambda inner, at: read(inner, at, shape[1:]), shape[0], shape[0])

    return read(given, name)
