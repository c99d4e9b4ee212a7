"""The arrays of a batch, in one or two sets of buffers, and their snapshots."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch import encoding
from porta_nigra_env.core.batch.bookkeeping import BOOKKEEPING, Rows
from porta_nigra_env.core.game.game import Game, States

Array = npt.NDArray[Any]

OBSERVATIONS: Final = ("float32", "float16", "uint8", "none")
MASKS: Final = ("int8", "packed", "none")
#: Arrays of `core.batch.bookkeeping.Rows` in a snapshot: those that cannot be computed from the states.
SNAPSHOT_ARRAYS: Final = ("states", "bookkeeping", "rewards", "ended", "totals", "places", "before", "lineups")
SNAPSHOT_FORMAT: Final = "porta_nigra_env batch/3"


@dataclass(frozen=True)
class Formats:
    """The formats of observations and masks; see `envs.batch.BatchEnv`.  ValueError for an unknown one."""

    observations: str = "float32"
    masks: str = "int8"
    double_buffer: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (("observations", self.observations, OBSERVATIONS), ("masks", self.masks, MASKS)):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")


class Side(NamedTuple):
    """One set of buffers: those that the kernel writes, and those that the environment shows."""

    masks: Array
    shown_masks: Array
    observations: Array
    shown_observations: Array


class BatchArrays:
    """All arrays of a batch.

    Args:
        game: the game.
        num_envs: number of games.
        formats: formats of masks and observations.
        learner: True if there is a learner's seat, and so its final observations.
        buffers: the caller's arrays by name.

    Raises:
        ValueError: an array that does not fit or has an unknown name.
    """

    def __init__(
        self, game: Game, num_envs: int, formats: Formats, learner: bool, buffers: Mapping[str, Array] | None
    ) -> None:
        n, players, size = num_envs, game.num_players, game.observations.size
        left = dict(buffers or {})

        def array(name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
            if name not in left:
                return np.zeros(shape, dtype)
            chosen = left.pop(name)
            check_buffer(name, chosen, shape, np.dtype(dtype))
            chosen[...] = 0
            return chosen

        self.states: States = np.zeros(n, dtype=game.dtype)
        self.bookkeeping = np.zeros(n, dtype=BOOKKEEPING)
        self.words = np.zeros((n, game.num_words), dtype=np.uint64)
        self.lineups = np.zeros((n, players), dtype=np.int8)
        self.before = np.zeros((n, players), dtype=np.int32)
        self.rewards = array("rewards", (n, players), np.float32)
        self.current_player = array("current_player", (n,), np.int8)
        self.terminated = array("terminated", (n,), np.bool_)
        self.final_scores = array("final_scores", (n, players), np.int32)
        self.final_places = array("final_places", (n, players), np.int8)
        wanted = formats.observations != "none"
        self.final_observations = np.zeros((n, size if learner and wanted else 0), dtype=np.float32)
        if formats.double_buffer and left:
            raise ValueError(f"buffers: {sorted(left)[0]!r} cannot be given together with double_buffer")
        # The kernel writes float32; other kinds are converted from it.
        self.narrow = formats.observations in ("float16", "uint8")
        kind = formats.observations if wanted else "float32"
        shown = array("observations", (n, size if wanted else 0), kind)
        wide = np.zeros((n, size), dtype=np.float32) if self.narrow else shown
        self.packed = formats.masks == "packed"
        if self.packed:
            self.words = array("action_masks", self.words.shape, np.uint64)
            masks = np.zeros((n, 0), dtype=np.int8)
        else:
            masks = array("action_masks", (n, game.actions.size if formats.masks == "int8" else 0), np.int8)
        if left:
            raise ValueError(f"buffers: there is no array {sorted(left)[0]!r}")
        self._scales = game.observations.scales()
        self.sides = [Side(masks, self.words if self.packed else masks, wide, shown)]
        if formats.double_buffer:
            self._double()

    def _double(self) -> None:
        masks, _, wide, shown = self.sides[0]
        twin, twin_wide = np.zeros_like(masks), np.zeros_like(wide)
        # The next step reads the sets of legal actions, which have one buffer only: packed masks are copies.
        if self.packed:
            self.sides[0] = self.sides[0]._replace(shown_masks=np.zeros_like(self.words))
        shown_masks = np.zeros_like(self.words) if self.packed else twin
        self.sides.append(Side(twin, shown_masks, twin_wide, np.zeros_like(shown) if self.narrow else twin_wide))

    def rows(self, parameters: Array, reads: Array, scratch: States) -> list[Rows]:
        """Return the arrays of the compiled loops for each side.

        Args:
            parameters, reads: of the policies, see `core.batch.policy.stacked`.
            scratch: states by slot of a thread.
        """
        points = np.zeros((len(scratch), self.before.shape[1]), dtype=np.int32)
        return [
            Rows(
                states=self.states,
                bookkeeping=self.bookkeeping,
                words=self.words,
                masks=side.masks,
                observations=side.observations,
                finals=self.final_observations,
                rewards=self.rewards,
                current=self.current_player,
                ended=self.terminated,
                totals=self.final_scores,
                places=self.final_places,
                before=self.before,
                lineups=self.lineups,
                parameters=parameters,
                reads=reads,
                scratch=scratch,
                points=points,
            )
            for side in self.sides
        ]

    def convert(self, side: Side, first: int, last: int) -> None:
        """Fill the narrow observations of the rows `first` to `last` - 1."""
        wide, shown = side.observations, side.shown_observations
        if shown.dtype == np.uint8:
            encoding.to_bytes(wide, self._scales, shown, first, last)
        else:
            encoding.to_halves(wide, wide.view(np.int32), shown.view(np.uint16), first, last)

    def copy_packed(self, side: Side) -> None:
        """Copy the packed masks into a separate buffer if there is one."""
        if self.packed and side.shown_masks is not self.words:
            side.shown_masks[...] = self.words

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        own = [array for array in vars(self).values() if isinstance(array, np.ndarray)]
        buffers = [array for side in self.sides for array in side]
        return sum({id(array): array.nbytes for array in own + buffers}.values())


def check_buffer(name: str, array: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raise ValueError unless compiled loops can write this shape and dtype to `array`."""
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name}: expected a numpy array, not {type(array).__name__}")
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(f"{name}: expected {dtype} {shape}, not {array.dtype} {array.shape}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{name}: the array must be C-contiguous and writeable")


def unpacked(words: Array, size: int) -> Array:
    """Expand bit sets to zeros and ones, int8 (..., size); words: uint64 (..., num_words)."""
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=-1, bitorder="little")
    return bits[..., :size].astype(np.int8)


def write_snapshot(arrays: Mapping[str, Array], chosen: Array, description: Mapping[str, Any]) -> bytes:
    """Return the bytes of a snapshot: the `chosen` rows (a mask) of arrays by name."""
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(description).encode(), dtype=np.uint8)
    contents: dict[str, Any] = {name: array[chosen] for name, array in arrays.items()}
    np.savez(file, description=text, **contents)
    return file.getvalue()


def read_snapshot(arrays: Mapping[str, Array], data: bytes, expected: Mapping[str, Any]) -> None:
    """Fill the arrays of a batch, by name, from a snapshot.

    Raises:
        ValueError: damaged bytes, or a description other than `expected`; nothing has changed.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            description = json.loads(file["description"].tobytes())
            stored = {name: file[name] for name in arrays if name in file}
    except (ValueError, KeyError, OSError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(f"not the bytes of a snapshot, or damaged ones: {error}") from error
    for name, value in expected.items():
        written = description.get(name) if isinstance(description, dict) else None
        if written != value:
            raise ValueError(f"snapshot: {name} is {written!r}, here it is {value!r}")
    for name, array in arrays.items():
        if name not in stored:
            raise ValueError(f"not the bytes of a snapshot, or damaged ones: there is no {name}")
        check_buffer(f"snapshot {name}", stored[name], array.shape, array.dtype)
    for name, array in arrays.items():
        array[...] = stored[name]
