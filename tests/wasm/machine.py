"""A module in wasmtime: its memory as arrays, its functions as Python functions."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import wasmtime

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.wasm.entries import policies_of

Array = npt.NDArray[Any]


def halves(seed: int) -> tuple[int, int]:
    """Return the low and high half of a seed, both signed, as a module expects them."""
    low, high = seed & 0xFFFFFFFF, seed >> 32
    return low - (1 << 32) if low >> 31 else low, high


@lru_cache
def _loaded(path: Path) -> tuple[wasmtime.Engine, wasmtime.Module]:
    """Return a module, compiled for this machine once."""
    engine = wasmtime.Engine()
    return engine, wasmtime.Module.from_file(engine, str(path))


class Machine:
    """A running module with the constants of one game in its memory.

    Attributes:
        constants: their address.
    """

    def __init__(self, path: Path, game: Game) -> None:
        engine, module = _loaded(path)
        self._store = wasmtime.Store(engine)
        instance: Any = wasmtime.Instance(self._store, module, [])
        self._exports: Any = instance.exports(self._store)
        self._memory = self._exports["memory"]
        self._top = int(self._exports["__heap_base"].value(self._store))
        self.constants = self.put(game.constants)

    def __call__(self, name: str, *arguments: float) -> Any:
        """Call an export and return its result."""
        return self._exports[name](self._store, *arguments)

    def take(self, size: int) -> int:
        """Allocate `size` bytes of memory and return their address."""
        address = (self._top + 15) // 16 * 16
        self._top = address + size
        while self._memory.data_len(self._store) < self._top:
            self._memory.grow(self._store, 64)
        return address

    def put(self, array: Array, address: int | None = None) -> int:
        """Write an array, by default to new memory, and return its address."""
        at = self.take(array.nbytes) if address is None else address
        if array.nbytes:
            self._memory.write(self._store, array.tobytes(), at)
        return at

    def get(self, address: int, kind: npt.DTypeLike, *shape: int) -> Array:
        """Return a copy of the array at an address."""
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        return np.frombuffer(self._memory.read(self._store, address, address + size), dtype=kind).reshape(shape)

    def parameters(self, game: Game) -> list[tuple[int, int]]:
        """Return the address and length of each policy's parameters."""
        return [(self.put(policy.parameters), len(policy.parameters)) for policy in policies_of(type(game)).values()]
