"""Replay buffer on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from porta_nigra_env.core.game.game import Game
from training.run.folder import RunError


class ReplayBuffer:
    """Ring buffer of searched steps on disk.

    Its arrays have `size` rows.  observations: uint8 raw quantities.  masks: int8 (num_actions).  policies: float16
    (num_actions).  results: float32 (seats), the mover's first.  with_policy: int8 (1), 1 if the policy learns from the
    row.  players: int8 (1), number of players.

    Args:
        folder: folder of the files; complete files are kept.
        size: capacity in steps.
        game: one of the games.
    """

    def __init__(self, folder: Path, size: int, game: Game) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.arrays = {}
        for name, (file, dtype, shape) in ReplayBuffer.files(folder, size, game).items():
            if not _is_complete(file, dtype, shape):
                _allocate(file, np.dtype(dtype).itemsize * shape[0] * shape[1])
            self.arrays[name] = np.memmap(file, dtype, "r+", shape=shape)
        self.size, self.written = size, 0

    @staticmethod
    def files(folder: Path, size: int, game: Game) -> dict[str, tuple[Path, Any, tuple[int, int]]]:
        """Return file, dtype and shape of every array."""
        actions = game.actions.size
        kinds: dict[str, tuple[Any, int]] = {
            "observations": (np.uint8, game.observations.size), "masks": (np.int8, actions),
            "policies": (np.float16, actions), "results": (np.float32, max(game.seats)), "with_policy": (np.int8, 1),
            "players": (np.int8, 1),
        }  # fmt: skip
        return {name: (folder / f"{name}.bin", dtype, (size, columns)) for name, (dtype, columns) in kinds.items()}

    @staticmethod
    def check(folder: Path, size: int, game: Game) -> None:
        """Raise RunError if a file is missing or incomplete."""
        for file, dtype, shape in ReplayBuffer.files(folder, size, game).values():
            if not _is_complete(file, dtype, shape):
                raise RunError(f"{file}: missing or cut off; the run cannot be resumed without its replay buffer")

    def add(self, rows: dict[str, Any]) -> None:
        """Append steps, arrays by name; they replace the oldest."""
        count = len(rows["observations"])
        where = (self.written + np.arange(count)) % self.size
        for name, array in self.arrays.items():
            array[where] = rows[name]
        self.written += count

    def sample(self, count: int, rng: np.random.Generator) -> dict[str, Any]:
        """Return random steps, sampled with replacement."""
        where = np.sort(rng.integers(min(self.written, self.size), size=count))
        return {name: np.array(array[where]) for name, array in self.arrays.items()}

    def flush(self) -> None:
        """Write everything to disk."""
        for array in self.arrays.values():
            array.flush()


def _allocate(file: Path, size: int) -> None:
    """Make a file of zeros whose blocks exist: a process that runs out of disk in mapped memory is killed."""
    try:
        with open(file, "wb") as out:
            os.posix_fallocate(out.fileno(), 0, size)
    except OSError as error:
        error.filename = str(file)
        raise


def _is_complete(file: Path, dtype: Any, shape: tuple[int, int]) -> bool:
    return file.exists() and file.stat().st_size == np.dtype(dtype).itemsize * shape[0] * shape[1]
