"""The kernel's face: every verb takes ``(tables, states, row, ...)``, the table array (1,) and a batch of states (n,).

A bare record costs microseconds to hand over from Python, an array and a row number a fraction of one.
"""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.kernel import Kernel
from porta_nigra_env.games.gloria_mundi.kernel.compiler import jit
from porta_nigra_env.games.gloria_mundi.kernel.determinize import determinize_record, redact_record
from porta_nigra_env.games.gloria_mundi.kernel.observe import observe_record, privileged_record
from porta_nigra_env.games.gloria_mundi.kernel.options import found_options, legal_record
from porta_nigra_env.games.gloria_mundi.kernel.reset import reset_record
from porta_nigra_env.games.gloria_mundi.kernel.result import rank_record
from porta_nigra_env.games.gloria_mundi.kernel.step import step_record


@jit
def reset(tables: Any, states: Any, row: int, seed: int, num_players: int) -> None:
    """A new game for `num_players` from a seed in ``[0, 2**63)``."""
    reset_record(tables[0], states[row], seed, num_players)


@jit
def step(tables: Any, states: Any, row: int, action: int) -> None:
    """Carry out one legal action, and the forced ones that follow (G5)."""
    step_record(tables[0], states[row], action)


@jit
def legal(tables: Any, states: Any, row: int, words: Any) -> None:
    """The legal action ids as bits of uint64 `words` (NUM_WORDS,)."""
    legal_record(tables[0], states[row], words)


@jit
def find_options(tables: Any, states: Any, row: int) -> None:
    """Fill in the field `options` of a position whose other fields are given."""
    states[row]["options"] = found_options(tables[0], states[row])


@jit
def observe(tables: Any, states: Any, row: int, player: int, out: Any) -> None:
    """What `player` may know, float32 (observation_size,)."""
    observe_record(tables[0], states[row], player, out)


@jit
def determinize(tables: Any, states: Any, row: int, player: int, seed: int) -> None:
    """Redraw the order of the deck, which nobody knows, and the future."""
    determinize_record(states[row], seed)


@jit
def score(tables: Any, states: Any, row: int, totals: Any) -> None:
    """Steps from Rome by seat, int32 (players,): the first of the two things that count at the end."""
    for seat in range(totals.shape[0]):
        totals[seat] = states[row]["steps"][seat]


@jit
def redact(tables: Any, states: Any, row: int, player: int) -> None:
    """Remove the order of the deck."""
    redact_record(states[row])


@jit
def privileged(tables: Any, states: Any, row: int, out: Any) -> None:
    """The privileged vector, float32 (privileged_size,)."""
    privileged_record(tables[0], states[row], out)


@jit
def rank(tables: Any, states: Any, row: int, totals: Any, places: Any) -> None:
    """By steps, then by stones; the rest share a place (G41, G42); int8 (players,)."""
    rank_record(states[row], places)


@jit
def rounds(tables: Any, states: Any, row: int) -> int:
    """Rounds that have begun: in each of them every seat has a turn."""
    players = int(states[row]["num_players"])
    return (int(states[row]["turn"]) + players - 1) // players


# Steps are never lost again and everybody sees them: they are what a seat has gained so far.
KERNEL = Kernel(
    reset, step, legal, observe, determinize, score, redact, privileged, rank=rank, points=score, rounds=rounds
)
