"""Checks and conversions of the arguments of a batch; errors name the argument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from porta_nigra_env.core.arrays.rng import MASK32, later_seed
from porta_nigra_env.core.batch import bookkeeping
from porta_nigra_env.core.game.game import Game, IllegalActionError, States, check_seed, new_seed
from porta_nigra_env.core.positions.given import read_position

Array = npt.NDArray[Any]
#: Seeds of rows: of the first one, or of each.
Seeds = int | Sequence[int | None] | None

#: The constant of the loops for each autoreset mode.
AUTORESET_RULES: Final = {
    AutoresetMode.NEXT_STEP: bookkeeping.NEXT_STEP,
    AutoresetMode.SAME_STEP: bookkeeping.SAME_STEP,
    AutoresetMode.DISABLED: bookkeeping.DISABLED,
}
_SEAT_RULES: Final = {
    "every": bookkeeping.EVERY_SEAT,
    "rotate": bookkeeping.ROTATE_SEAT,
    "random": bookkeeping.RANDOM_SEAT,
}


def row_mask(rows: object, count: int) -> Array:
    """Return `rows` (None for all, a bool mask, or indices) as a bool mask (count,)."""
    if rows is None:
        return np.ones(count, dtype=np.bool_)
    given = np.atleast_1d(np.asarray(rows))
    if given.dtype == np.bool_:
        if given.shape != (count,):
            raise ValueError(f"rows: a mask must have shape ({count},), not {given.shape}")
        return given.copy()
    if given.size and (given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= count):
        raise ValueError(f"rows: expected a bool mask or indices in 0..{count - 1}, not {rows!r}")
    mask = np.zeros(count, dtype=np.bool_)
    mask[given.astype(np.int64)] = True
    if mask.sum() != given.size:
        raise ValueError(f"rows: an index stands twice in {rows!r}")
    return mask


def check_first_reset(chosen: Array, started: bool) -> None:
    """Raise ValueError if the first reset would leave rows without a game."""
    if not started and not chosen.all():
        raise ValueError("rows: no games are running yet; the first reset begins those of all rows")


class RowSeeds(NamedTuple):
    """The seeds of the games that begin in the rows of a batch.

    seeds: int64 (n,), the seed of each row's first game.
    games: int64 (n,), games begun in each row since.
    fresh: bool (n,), True where the row has a new seed.
    """

    seeds: npt.NDArray[np.int64]
    games: npt.NDArray[np.int64]
    fresh: npt.NDArray[np.bool_]

    def game_seed(self, row: int) -> int:
        """Return the seed of the game that begins in a row."""
        return int(later_seed(int(self.seeds[row]), int(self.games[row])))

    def write(self, bookkeeping: Array, sampling: Array) -> None:
        """Store the seeds in the bookkeeping (n,), and keys of random actions in `sampling`, int64 (n, 3)."""
        bookkeeping["seed"], bookkeeping["games"] = self.seeds, self.games
        seeds = self.seeds[self.fresh]
        sampling[self.fresh] = np.stack([seeds & MASK32, seeds >> 32, np.zeros_like(seeds)], axis=1)


def seed_rows(bookkeeping: Array, seed: int | Sequence[int | None] | None, chosen: Array, started: bool) -> RowSeeds:
    """Return the seeds of games that begin in the rows `chosen` (a mask); `seed` as in `envs.batch.BatchEnv.reset`.

    Args:
        bookkeeping: (n,) of `core.batch.bookkeeping.BOOKKEEPING`; not changed.
        started: False before the first games, when all rows begin.
    """
    count = len(bookkeeping)
    seeds, games, fresh = bookkeeping["seed"].copy(), bookkeeping["games"].copy(), np.zeros(count, dtype=np.bool_)
    if not started:
        chosen = np.ones(count, dtype=np.bool_)
        # Half of the range leaves space for the seeds of all rows.
        seed = new_seed() // 2 if seed is None else seed
    if seed is not None:
        given, fresh = _seeds_of(seed, count), chosen.copy()
        if started and isinstance(seed, Sequence | np.ndarray):  # a running row with None keeps its seed
            fresh &= np.array([entry is not None for entry in seed], dtype=np.bool_)
        seeds[fresh] = given[fresh]
    games[fresh] = 0
    return RowSeeds(seeds, games, fresh)


def _seeds_of(seed: int | Sequence[int | None], count: int) -> npt.NDArray[np.int64]:
    """Return the seed of every row: ``seed + i``, or its entry; None stands for a seed of the operating system."""
    if not isinstance(seed, Sequence | np.ndarray):
        first = check_seed(seed)
        check_seed(first + count - 1)
        return np.arange(count, dtype=np.int64) + first
    entries = list(seed)
    if len(entries) != count:
        raise ValueError(f"seed: expected one integer, or {count} of them, not {len(entries)}")
    return np.array([new_seed() if entry is None else check_seed(entry) for entry in entries], dtype=np.int64)


def drawn_keys(rng: np.random.Generator, count: int) -> npt.NDArray[np.int64]:
    """Draw the keys of one random action for each row, int64 (count, 3); TypeError if `rng` is not a generator."""
    if not isinstance(rng, np.random.Generator):
        expected = "numpy.random.default_rng(seed), the same one for all calls"
        raise TypeError(f"rng must be {expected}, or None; not {rng!r}, with which all calls would draw alike")
    keys = np.zeros((count, 3), dtype=np.int64)
    keys[:, :2] = rng.integers(2**32, size=(count, 2))
    return keys


def read_positions(game: Game, positions: object, rows: Array, game_seed: Callable[[int], int]) -> States:
    """Return states (count,) from one position for all rows, a list of positions, or a state array.

    Args:
        game: the game.
        positions: as in `envs.batch.BatchEnv.load`.
        rows: integers (count,), the rows in which the games begin.
        game_seed: returns the seed of the game in a row, for a position without a random state.

    Raises:
        ValueError: positions that do not fit, or an impossible one, named by its index.
    """
    count = len(rows)
    if isinstance(positions, np.ndarray):
        if positions.dtype != game.dtype or positions.shape not in [(1,), (count,)]:
            raise ValueError(
                f"positions: expected {game.name}'s state dtype and shape (1,) or {(count,)}, "
                f"not {positions.dtype} {positions.shape}"
            )
        game.check_states(positions, "positions")
        return np.broadcast_to(positions, (count,))
    several = isinstance(positions, Sequence) and not isinstance(positions, str | bytes)
    given: list[object] = list(positions) if several else [positions] * count  # type: ignore[call-overload]
    if len(given) != count:
        raise ValueError(f"positions: {len(given)} for {count} rows")
    states = np.zeros(count, dtype=game.dtype)
    for i, position in enumerate(given):
        try:
            states[i] = read_position(game, position, game_seed(int(rows[i])))[0]
        except ValueError as error:
            raise ValueError(f"positions[{i}]: {error}" if several else str(error)) from error
    return states


def action_ids(actions: object, count: int) -> npt.NDArray[np.int64]:
    """Return actions as int64 (count,); IllegalActionError for another dtype kind or shape."""
    ids = np.asarray(actions)
    if ids.dtype != np.int64:
        if ids.dtype.kind not in "iu":
            raise IllegalActionError(f"actions must be integer ids, not {ids.dtype}")
        ids = np.where(ids > np.iinfo(np.int64).max, -1, ids).astype(np.int64)
    if ids.shape != (count,):
        raise IllegalActionError(f"actions must have shape ({count},), not {ids.shape}")
    return ids


def check_autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    """Return a mode, given itself or by its name in any case."""
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if isinstance(mode, str) and mode.lower() in (known.name.lower(), known.value.lower()):
            return known
    names = ", ".join(known.name for known in AutoresetMode)
    raise ValueError(f"autoreset_mode must be one of {names}, not {mode!r}")


def seat_rule(seat: int | str, players: int) -> int:
    """Return the learner's seat, or the constant of `core.batch.bookkeeping` for "every", "rotate" or "random"."""
    if isinstance(seat, str) and seat in _SEAT_RULES:
        return _SEAT_RULES[seat]
    if isinstance(seat, int | np.integer) and not isinstance(seat, bool) and 0 <= seat < players:
        return int(seat)
    raise ValueError(f"seat must be 'every', 'rotate', 'random' or a seat in 0..{players - 1}, not {seat!r}")
