"""The kernel's face: every verb takes ``(tables, states, row, ...)``, the table array (1,) and a batch of states (n,).

A bare record costs microseconds to hand over from Python, an array and a row number a fraction of one.
"""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.kernel import Kernel
from porta_nigra_env.core.results import rank_by_totals
from porta_nigra_env.games.aquileia.kernel.compiler import jit
from porta_nigra_env.games.aquileia.kernel.determinize import determinize_record, redact_record
from porta_nigra_env.games.aquileia.kernel.legal import legal_record
from porta_nigra_env.games.aquileia.kernel.observe import observe_record
from porta_nigra_env.games.aquileia.kernel.privileged import privileged_record
from porta_nigra_env.games.aquileia.kernel.reset import reset_record
from porta_nigra_env.games.aquileia.kernel.scoring import colour_counted, fill_sheet
from porta_nigra_env.games.aquileia.kernel.step import step_record


@jit
def reset(tables: Any, states: Any, row: int, seed: int, num_players: int) -> None:
    """A new game for `num_players` from a seed in ``[0, 2**63)``."""
    reset_record(tables[0], states[row], seed, num_players)


@jit
def step(tables: Any, states: Any, row: int, action: int) -> None:
    """Carry out one legal action."""
    step_record(tables[0], states[row], action)


@jit
def legal(tables: Any, states: Any, row: int, words: Any) -> None:
    """The legal action ids as bits of uint64 `words` (NUM_WORDS,)."""
    legal_record(tables[0], states[row], words)


@jit
def observe(tables: Any, states: Any, row: int, player: int, out: Any) -> None:
    """What `player` may know, float32 (observation_size,)."""
    observe_record(tables[0], states[row], player, out)


@jit
def determinize(tables: Any, states: Any, row: int, player: int, seed: int) -> None:
    """Redraw everything `player` cannot know, and the future."""
    determinize_record(tables[0], states[row], player, seed)


@jit
def score(tables: Any, states: Any, row: int, totals: Any) -> None:
    """Total points by seat as if the game ended now, int32 (players,)."""
    fill_sheet(tables[0], states[row], totals.reshape((totals.shape[0], 1)))


@jit
def score_sheet(tables: Any, states: Any, row: int, sheet: Any) -> None:
    """The same by source, int32 (players, scoring.NUM_COLUMNS)."""
    fill_sheet(tables[0], states[row], sheet)


@jit
def theatre_colour(tables: Any, states: Any, row: int, seat: int, card: int) -> int:
    """The colour that a theatre card would count for in the hands of a seat (A54)."""
    return colour_counted(tables[0], states[row], seat, card)


@jit
def redact(tables: Any, states: Any, row: int, player: int) -> None:
    """Remove everything `player` cannot know."""
    redact_record(states[row], player)


@jit
def privileged(tables: Any, states: Any, row: int, out: Any) -> None:
    """The privileged vector, float32 (privileged_size,)."""
    privileged_record(tables[0], states[row], out)


@jit
def points(tables: Any, states: Any, row: int, out: Any) -> None:
    """Victory points on the markers, int32 (players,): all that everybody knows before the end."""
    for seat in range(out.shape[0]):
        out[seat] = states[row]["vp"][seat]


@jit
def rounds(tables: Any, states: Any, row: int) -> int:
    """The number of the round, from 1."""
    return int(states[row]["round"])


KERNEL = Kernel(
    reset, step, legal, observe, determinize, score, redact, privileged, rank_by_totals, points, rounds
)  # fmt: skip
