"""What callers hand to a batch, as what its loops need; whatever does not fit is refused with its name."""

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

#: What the loops call what follows the end of a game.
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


def chosen_rows(rows: object, count: int) -> Array:
    """`rows` (None for all, a bool mask, or indices) as a bool mask (count,)."""
    if rows is None:
        return np.ones(count, dtype=np.bool_)
    given = np.atleast_1d(np.asarray(rows))
    if given.dtype == np.bool_:
        if given.shape != (count,):
            raise ValueError(f"rows: a mask must have shape ({count},), not {given.shape}")
        return given.copy()
    if given.size and (given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= count):
        raise ValueError(f"rows: expected a bool mask or indices in 0..{count - 1}, not {rows!r}")
    chosen = np.zeros(count, dtype=np.bool_)
    chosen[given.astype(np.int64)] = True
    if chosen.sum() != given.size:
        raise ValueError(f"rows: an index stands twice in {rows!r}")
    return chosen


def check_first(chosen: Array, started: bool) -> None:
    """ValueError where some rows would be left without a game."""
    if not started and not chosen.all():
        raise ValueError("rows: no games are running yet; the first reset begins those of all rows")


def row_seeds(seed: int | Sequence[int | None], count: int) -> npt.NDArray[np.int64]:
    """The seed of every row: ``seed + i``, or its own; None in a sequence is one of the operating system's, see
    `seeded`."""
    if not isinstance(seed, Sequence | np.ndarray):
        first = check_seed(seed)
        check_seed(first + count - 1)
        return np.arange(count, dtype=np.int64) + first
    given = list(seed)
    if len(given) != count:
        raise ValueError(f"seed: expected one integer, or {count} of them, not {len(given)}")
    return np.array([new_seed() if one is None else check_seed(one) for one in given], dtype=np.int64)


def seeded(seed: int | Sequence[int | None], chosen: Array, started: bool) -> Array:
    """Those of the rows `chosen` (a mask) that a seed begins anew: one whose own is None goes on, once it has begun."""
    if not started or not isinstance(seed, Sequence | np.ndarray):
        return chosen
    return chosen & np.array([one is not None for one in seed], dtype=np.bool_)


class Beginnings(NamedTuple):
    """What the games that begin in the rows of a batch follow from.

    seeds: int64 (n,), of each row's first game.
    games: int64 (n,), begun in each row since.
    anew: bool (n,), where a seed was given, or none had been before.
    """

    seeds: npt.NDArray[np.int64]
    games: npt.NDArray[np.int64]
    anew: npt.NDArray[np.bool_]

    def future(self, row: int) -> int:
        """The seed of the game that begins in a row."""
        return int(later_seed(int(self.seeds[row]), int(self.games[row])))

    def write(self, bookkeeping: Array, sampling: Array) -> None:
        """Tell a batch: what it keeps of its rows (n,), and what random actions are drawn from, int64 (n, 3)."""
        bookkeeping["seed"], bookkeeping["games"] = self.seeds, self.games
        sampling[self.anew] = sampling_keys(self.seeds[self.anew])


def beginnings(kept: Array, seed: int | Sequence[int | None] | None, chosen: Array, started: bool) -> Beginnings:
    """What games in the rows `chosen` (a mask) follow from, with `seed` as of `envs.batch.BatchEnv.reset`.

    Args:
        kept: (n,) of `core.batch.bookkeeping.BOOKKEEPING`, as it is; not changed.
        started: whether games have begun before; if not, all rows begin.
    """
    count = len(kept)
    seeds, games, anew = kept["seed"].copy(), kept["games"].copy(), np.zeros(count, dtype=np.bool_)
    if not started:
        # Far enough below the greatest seed for all rows.
        seeds[:], anew[:] = row_seeds(new_seed() // 2, count), True
    if seed is not None:
        given, told = row_seeds(seed, count), seeded(seed, chosen, started)
        seeds[told] = given[told]
        anew |= told
    games[anew] = 0
    return Beginnings(seeds, games, anew)


def sampling_keys(seeds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """What random actions are drawn from (`core.arrays.rng.policy_below`), int64 (k, 3); seeds: int64 (k,) of the rows."""
    return np.stack([seeds & MASK32, seeds >> 32, np.zeros_like(seeds)], axis=1)


def drawn_keys(rng: np.random.Generator, count: int) -> npt.NDArray[np.int64]:
    """Such keys for one draw, int64 (count, 3), of a generator; TypeError for whatever is none."""
    if not isinstance(rng, np.random.Generator):
        told = "numpy.random.default_rng(seed), the same one for all calls"
        raise TypeError(f"rng must be {told}, or None; not {rng!r}, with which all calls would draw alike")
    keys = np.zeros((count, 3), dtype=np.int64)
    keys[:, :2] = rng.integers(2**32, size=(count, 2))
    return keys


def read_positions(game: Game, positions: object, rows: Array, future: Callable[[int], int]) -> States:
    """States (count,) of one position for all, of a list of them, or of a state array.

    Args:
        game: the game.
        positions: as of `envs.batch.BatchEnv.load`.
        rows: integers (count,), where the games are to begin.
        future: the seed of the game in a row, for a position without a random state.

    Raises:
        ValueError: positions that do not fit, or an impossible one; the message tells which.
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
            states[i] = read_position(game, position, future(int(rows[i])))[0]
        except ValueError as error:
            raise ValueError(f"positions[{i}]: {error}" if several else str(error)) from error
    return states


def action_ids(actions: object, count: int) -> npt.NDArray[np.int64]:
    """Actions as int64 (count,); IllegalActionError for whatever are no integers, or not so many."""
    chosen = np.asarray(actions)
    if chosen.dtype != np.int64:
        if chosen.dtype.kind not in "iu":
            raise IllegalActionError(f"actions must be integer ids, not {chosen.dtype}")
        chosen = np.where(chosen > np.iinfo(np.int64).max, -1, chosen).astype(np.int64)
    if chosen.shape != (count,):
        raise IllegalActionError(f"actions must have shape ({count},), not {chosen.shape}")
    return chosen


def autoreset_of(mode: AutoresetMode | str) -> AutoresetMode:
    """A mode or its name, in any case."""
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if isinstance(mode, str) and mode.lower() in (known.name.lower(), known.value.lower()):
            return known
    names = ", ".join(known.name for known in AutoresetMode)
    raise ValueError(f"autoreset_mode must be one of {names}, not {mode!r}")


def seat_rule(seat: int | str, players: int) -> int:
    """The learner's seat, or the constant of `core.batch.bookkeeping` that says how it changes."""
    if isinstance(seat, str) and seat in _SEAT_RULES:
        return _SEAT_RULES[seat]
    if isinstance(seat, int | np.integer) and not isinstance(seat, bool) and 0 <= seat < players:
        return int(seat)
    raise ValueError(f"seat must be 'every', 'rotate', 'random' or a seat in 0..{players - 1}, not {seat!r}")
