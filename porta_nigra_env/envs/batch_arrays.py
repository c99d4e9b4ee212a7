"""The arrays of a batch, in one or two sets of buffers, and their snapshots."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.rng import MASK32, SEED_LIMIT
from porta_nigra_env.core.batch import encoding
from porta_nigra_env.core.batch.bookkeeping import ABANDONED, BOOKKEEPING, OUTSIDE, Rows
from porta_nigra_env.core.game.game import Game, copied
from porta_nigra_env.core.narration.history import Memory, new_memory, rebound
from porta_nigra_env.envs.batch_options import Settings

Array = npt.NDArray[Any]

#: Arrays of `core.batch.bookkeeping.Rows` in a snapshot: those that cannot be computed from the states.
SNAPSHOT_ARRAYS: Final = ("states", "bookkeeping", "rewards", "ended", "totals", "places", "before", "lineups")
#: The greatest counter and the greatest int32 of a snapshot, which leave space to count on.
_COUNTER: Final = 2**62
_LENGTH: Final = 2**30


#: The names in `envs.batch.BatchEnv` of arrays of `Rows`.
SHOWN: Final = {
    "rewards": "rewards", "current": "current_player", "ended": "terminated", "totals": "final_scores",
    "places": "final_places",
}  # fmt: skip


def row_forms(settings: Settings, slots: int) -> dict[str, tuple[tuple[int, ...], npt.DTypeLike]]:
    """Return shape and dtype of the arrays of `Rows`; slots: of scratch."""
    game, n, players = settings.game, settings.num_envs, settings.game.num_players
    size = 0 if settings.observations == "none" else game.observations.size
    return {
        "states": ((n,), game.dtype),
        "bookkeeping": ((n,), BOOKKEEPING),
        "words": ((n, game.num_words), np.uint64),
        "masks": ((n, game.actions.size if settings.masks == "int8" else 0), np.int8),
        "observations": ((n, size), np.uint8 if settings.raw else np.float32),
        "finals": ((n, size if settings.has_learner else 0), np.float32),
        "rewards": ((n, players), np.float32),
        "current": ((n,), np.int8),
        "ended": ((n,), np.bool_),
        "totals": ((n, players), np.int32),
        "places": ((n, players), np.int8),
        "before": ((n, players), np.int32),
        "lineups": ((n, players), np.int8),
        "functions": ((1,), np.int64),
        "parameters": ((1, 0), np.float64),
        "reads": ((1,), np.bool_),
        "scratch": ((slots + 1, 1), game.dtype),
        "points": ((slots, players), np.int32),
        "history": ((0,), np.int8),
    }


class Side(NamedTuple):
    """One set of buffers: the arrays of the loops, and those that the environment shows."""

    rows: Rows
    observations: Array
    masks: Array


class BatchArrays:
    """All arrays of a batch.

    Args:
        settings: the options of the batch.
        slots: slots of scratch.
        double_buffer: True for two sets of observations and masks.
        buffers: the caller's arrays by name.

    Raises:
        ValueError: an array that does not fit or has an unknown name.
    """

    def __init__(
        self, settings: Settings, slots: int, double_buffer: bool, buffers: Mapping[str, Array] | None
    ) -> None:
        left = dict(buffers or {})
        if double_buffer and (both := left.keys() & {"observations", "action_masks"}):
            raise ValueError(f"buffers: {min(both)!r} cannot be given together with double_buffer")

        def array(name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
            if name not in left:
                return np.zeros(shape, dtype)
            chosen = left.pop(name)
            check_buffer(name, chosen, shape, np.dtype(dtype))
            chosen[...] = 0
            return chosen

        # The loops write float32 or uint8 of the game; float16 and component numbers are added afterwards.
        self.narrow: Final = settings.observations == "float16"
        self.widened: Final = settings.observe_components and settings.observations != "none"
        self.converted: Final = self.narrow or self.widened
        self.packed: Final = settings.masks == "packed"
        names = SHOWN | {"words" if self.packed else "masks": "action_masks"}
        names |= {} if self.converted else {"observations": "observations"}
        forms = row_forms(settings, slots)
        rows = Rows(**{field: array(names.get(field, ""), *form) for field, form in forms.items()})
        if settings.history:
            rows = rows._replace(history=new_memory(settings.game, rows.states, settings.history, slots))
        rows.lineups[:] = settings.lineup
        shown, self.finals = rows.observations, rows.finals
        if self.narrow and not self.widened:
            shown = array("observations", shown.shape, np.float16)
        if self.widened:
            dtype = np.dtype(np.float16) if self.narrow else shown.dtype
            numbers = _numbers(settings, dtype)
            shown = array("observations", (len(shown), shown.shape[1] + numbers.shape[1]), dtype)
            shown[:, rows.observations.shape[1] :] = numbers
            if settings.has_learner:
                self.finals = np.zeros(shown.shape, dtype=np.float32)
                self.finals[:, rows.finals.shape[1] :] = _numbers(settings, self.finals.dtype)
        if left:
            raise ValueError(f"buffers: there is no array {min(left)!r}")
        self.sides: Final = [Side(rows, shown, rows.words if self.packed else rows.masks)]
        if double_buffer:
            self._double()

    def _double(self) -> None:
        rows, shown, _ = self.sides[0]
        twin = rows._replace(masks=np.zeros_like(rows.masks), observations=np.zeros_like(rows.observations))
        if isinstance(rows.history, Memory):
            twin = twin._replace(history=rows.history._replace(shown=np.zeros_like(rows.history.shown)))
        # The next step reads the sets of legal actions, which have one buffer only: packed masks are copies.
        if self.packed:
            self.sides[0] = self.sides[0]._replace(masks=np.zeros_like(rows.words))
        masks = np.zeros_like(rows.words) if self.packed else twin.masks
        self.sides.append(Side(twin, shown.copy() if self.converted else twin.observations, masks))

    def use_policies(self, functions: Array, parameters: Array, reads: Array) -> None:
        """Hand the policies of `core.batch.policy.stacked` to the loops."""
        for i, side in enumerate(self.sides):
            rows = side.rows._replace(functions=functions, parameters=parameters, reads=reads)
            self.sides[i] = side._replace(rows=rows)

    def convert(self, side: Side, first: int, last: int) -> None:
        """Fill the shown observations of the rows `first` to `last` - 1."""
        written, shown = side.rows.observations, side.observations
        if not self.widened:
            encoding.to_halves(written, written.view(np.int32), shown.view(np.uint16), first, last)
            return
        shown[first:last, : written.shape[1]] = written[first:last]
        finals = side.rows.finals
        self.finals[first:last, : finals.shape[1]] = finals[first:last]

    def copy_packed(self, side: Side) -> None:
        """Copy the packed masks into a separate buffer if there is one."""
        if self.packed and side.masks is not side.rows.words:
            side.masks[...] = side.rows.words

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        # Views of the states were copied as arrays of their own.
        for i, side in enumerate(self.sides):
            if isinstance(memory := side.rows.history, Memory):
                self.sides[i] = side._replace(rows=side.rows._replace(history=rebound(memory, side.rows.states)))

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        shown = [array for side in self.sides for array in (*side.rows, side.observations, side.masks)]
        arrays = [array for each in shown for array in (each if isinstance(each, tuple) else (each,))]
        return sum({id(array): array.nbytes for array in arrays}.values())


def row_parts(settings: Settings) -> list[tuple[int, int, Game]]:
    """Return the rows of each game of a batch: the first, the end, the game."""
    edges = np.linspace(0, settings.num_envs, len(settings.games) + 1).astype(int).tolist()
    return [(*rows, game) for rows, game in zip(pairwise(edges), settings.games, strict=True)]


def _numbers(settings: Settings, dtype: np.dtype[Any]) -> Array:
    """Return the component numbers of every row, (n, size): raw ones in bytes."""
    numbers = []
    for first, last, game in row_parts(settings):
        known = game.component_numbers()
        assert known is not None, "checked with the options"
        numbers.append(np.tile(known.raw if dtype == np.uint8 else known.vector.astype(dtype), (last - first, 1)))
    return np.concatenate(numbers)


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


# -- snapshots


def write_snapshot(arrays: Mapping[str, Array], chosen: Array, description: Mapping[str, Any]) -> bytes:
    """Return the bytes of a snapshot: the `chosen` rows (a mask) of arrays by name."""
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(description).encode(), dtype=np.uint8)
    contents: dict[str, Any] = {name: array[chosen] for name, array in arrays.items()}
    np.savez(file, description=text, **contents)
    return file.getvalue()


def read_snapshot(arrays: Mapping[str, Array], data: bytes, settings: Settings) -> None:
    """Fill the arrays of a batch, by name, from a snapshot.

    Raises:
        ValueError: damaged bytes, a snapshot of another batch, or values that the loops cannot run on; nothing has
            changed.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            description = json.loads(file["description"].tobytes())
            stored = {name: np.array(file[name]) for name in arrays if name in file}
    except Exception as error:  # numpy and zipfile raise a dozen kinds for damaged bytes
        raise ValueError(f"not the bytes of a snapshot, or damaged ones: {error}") from error
    for name, value in settings.description().items():
        written = description.get(name) if isinstance(description, dict) else None
        if written != value:
            raise ValueError(f"snapshot: {name} is {written!r}, here it is {value!r}")
    for name, array in arrays.items():
        if name not in stored:
            raise ValueError(f"not the bytes of a snapshot, or damaged ones: there is no {name}")
        check_buffer(f"snapshot {name}", stored[name], array.shape, array.dtype)
    _check_numbers(stored, settings)
    for first, last, game in row_parts(settings):
        _check_states(stored["states"][first:last], stored["bookkeeping"][first:last], game)
    for name, array in arrays.items():
        array[...] = stored[name]


def _check_numbers(stored: Mapping[str, Array], settings: Settings) -> None:
    """Raise ValueError for numbers out of range: compiled loops use them as indices."""
    players, policies = settings.game.num_players, len(settings.lineups.policies)
    bookkeeping = {name: stored["bookkeeping"][name] for name in BOOKKEEPING.names or ()}
    bookkeeping["players"] = bookkeeping["players"][:, :players]
    learners = (0, players - 1) if settings.has_learner else (OUTSIDE, OUTSIDE)
    opponents = (OUTSIDE - len(settings.lineups.agents), policies - 1)
    limits = {
        "seed": (0, SEED_LIMIT - 1), "games": (0, _COUNTER), "chance": (0, [MASK32, MASK32, _COUNTER]),
        "length": (0, _LENGTH), "last_length": (0, _LENGTH), "learner": learners, "last_learner": (-1, players - 1),
        "players": opponents, "fault": (0, policies), "illegal": (0, ABANDONED), "opening": (0, 1),
        "ended": (0, 1), "places": (0, players), "lineups": opponents, "sampling": (0, [MASK32, MASK32, _COUNTER]),
        "totals": (-_LENGTH, _LENGTH), "before": (-_LENGTH, _LENGTH), "rewards": (-np.inf, np.inf),
    }  # fmt: skip
    if settings.history:
        limits["heads"] = (settings.history, 2 * settings.history)
    numbers = {**stored, **bookkeeping, "ended": stored["ended"].view(np.uint8)}
    for name, (low, high) in limits.items():
        if not ((numbers[name] >= low) & (numbers[name] <= high)).all():
            raise ValueError(f"snapshot: {name} holds numbers that are not in {low}..{high}")


def _check_states(states: Array, bookkeeping: Array, game: Game) -> None:
    """Raise ValueError for a state that is no possible position.

    Earlier versions set the player to move to -1 after an illegal action: such a state gets a player back.
    """
    for row in range(len(states)):
        state, last = copied(states[row : row + 1]), int(states["current_player"][row])
        if bookkeeping["illegal"][row] == 1 and last == -1:
            bookkeeping["illegal"][row], last = ABANDONED, game.num_players - 1
            state["current_player"] = 0
        while True:
            try:
                game.check_record(state, exact=game.component_sets is not None)
                break
            except ValueError as error:
                if state["current_player"][0] >= last:
                    raise ValueError(f"snapshot: states: row {row}: {error}") from error
            state["current_player"] += 1
        states[row] = state[0]
