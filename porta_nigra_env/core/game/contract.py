"""The kernel API: one function per kernel function of a game, with its signature and promise.

A game's compiled functions keep this contract (`core.game.kernel.Kernel`).  Loops, batches and searches import these
functions and are templates over them (`core.compile.template`): a specialized copy calls the game's own functions.

Every kernel function takes the constants of the game, a batch of states and the `row` of one game in it.  Every state
dtype has the int fields `num_players`, `current_player` (-1 when the game is over) and `key`, the random key that
`determinize` replaces and `redact` clears.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

#: One record of a game's constants, compiled from its component file.
Constants: TypeAlias = np.void
#: One record of a game's state.
State: TypeAlias = np.void
#: The constants as kernel functions take them: an array (1,).
ConstantsArray: TypeAlias = npt.NDArray[np.void]
#: A batch of states, (n,) of the game's dtype.
States: TypeAlias = npt.NDArray[np.void]
#: A set of legal actions: bit ``i & 63`` of word ``i >> 6`` stands for action i; uint64 (num_words,).
Words: TypeAlias = npt.NDArray[np.uint64]
#: Totals or points by seat, int32 (players,).
Totals: TypeAlias = npt.NDArray[np.int32]
#: Final ranks by seat, int8 (players,), 1 for the first.
Places: TypeAlias = npt.NDArray[np.int8]
#: An observation or privileged vector, float32 (size,).
Vector: TypeAlias = npt.NDArray[np.float32]
#: An observation as a batch shows it: float32, or raw quantities up to 255 in uint8 (size,).
Shown: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.uint8]
#: Parameters of a policy, float64 (k,).
Parameters: TypeAlias = npt.NDArray[np.float64]
#: A policy's random stream, int64 (3,) (`core.arrays.rng.policy_below`).
PolicyRng: TypeAlias = npt.NDArray[np.int64]

_REPLACED = "a placeholder: core.compile.template.Template.specialize replaces it by a game's or a policy's function"


def reset(constants: ConstantsArray, states: States, row: int, seed: int, num_players: int) -> None:
    """Start a new game; overwrites the whole state.  0 <= `seed` < 2**63."""
    raise NotImplementedError(_REPLACED)


def step(constants: ConstantsArray, states: States, row: int, action: int) -> None:
    """Apply one action, which must be legal: the mask is the guard."""
    raise NotImplementedError(_REPLACED)


def legal(constants: ConstantsArray, states: States, row: int, words: Words) -> None:
    """Write the set of legal actions, empty when the game is over."""
    raise NotImplementedError(_REPLACED)


def observe(constants: ConstantsArray, states: States, row: int, player: int, out: Vector) -> None:
    """Write the observation: everything that `player` may know."""
    raise NotImplementedError(_REPLACED)


def show(constants: ConstantsArray, states: States, row: int, player: int, out: Shown) -> None:
    """Write an observation in the number format of a batch: `observe`, or the same in raw quantities.

    No game defines it: `core.compile.raw.in_raw_units` makes the second from `observe`.
    """
    raise NotImplementedError(_REPLACED)


def determinize(constants: ConstantsArray, states: States, row: int, player: int, seed: int) -> None:
    """Redraw everything that `player` cannot know, and reseed the game."""
    raise NotImplementedError(_REPLACED)


def redraw(constants: ConstantsArray, states: States, row: int, seed: int) -> None:
    """Redraw future chance alone: the order of all draw piles and the random key.

    Nothing that a player holds or has seen changes: `redact` gives the same for every player.
    The default is `core.arrays.rng.reseed`.
    """
    raise NotImplementedError(_REPLACED)


def score(constants: ConstantsArray, states: States, row: int, totals: Totals) -> None:
    """Write every seat's total as if the game ended now."""
    raise NotImplementedError(_REPLACED)


def redact(constants: ConstantsArray, states: States, row: int, player: int) -> None:
    """Remove everything that `player` cannot know.

    `determinize`, `observe` and, for the player to move, `legal` give the same on a redacted state as on the true one.
    """
    raise NotImplementedError(_REPLACED)


def privileged(constants: ConstantsArray, states: States, row: int, out: Vector) -> None:
    """Write the privileged vector, which holds everything hidden."""
    raise NotImplementedError(_REPLACED)


def rank(constants: ConstantsArray, states: States, row: int, totals: Totals, places: Places) -> None:
    """Write every seat's rank as if the game ended now; `totals` are those of `score` at the same position.

    The default is `core.game.results.rank_by_totals`.
    """
    raise NotImplementedError(_REPLACED)


def points(constants: ConstantsArray, states: States, row: int, points: Totals) -> None:
    """Write the public points of every seat so far; none before the end by default."""
    raise NotImplementedError(_REPLACED)


def rounds(constants: ConstantsArray, states: States, row: int) -> int:
    """Return the number of rounds begun; 0 by default, for a game without rounds."""
    raise NotImplementedError(_REPLACED)


def choose(
    constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return a legal action for `player`: the function of one policy (`core.batch.policy.Policy.choose`)."""
    raise NotImplementedError(_REPLACED)


def choose_by(
    policy: int, constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return the action of policy number `policy` in a chain (`core.batch.policy.chain`)."""
    raise NotImplementedError(_REPLACED)


def track(
    constants: ConstantsArray, states: States, row: int, memory: Any, slot: int, moment: int, seat: int
) -> None:  # fmt: skip
    """Observe the loops of a batch at a `moment` of `core.batch.bookkeeping` (`core.narration.history`).

    memory: the arrays of the tracker; slot: of its scratch; seat: whose outputs are written, or -1.
    """
    raise NotImplementedError(_REPLACED)
