"""The kernel API of Gloria Mundi, and the ranking of the players (G41, G42)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.core.game.record_kernel import Records, compile_kernel
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.dispatch import legal_record, pending_options, step_record
from porta_nigra_env.games.gloria_mundi.rules.observe import observe_record, privileged_record
from porta_nigra_env.games.gloria_mundi.rules.setup import (
    determinize_record,
    redact_record,
    redraw_record,
    reset_record,
)
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_KINDS

#: Columns of a score sheet: steps.
NUM_COLUMNS: Final = 1

States = npt.NDArray[np.void]


@jit
def stones_of(state: State, seat: int) -> int:
    """Return the number of stones in a stock."""
    stones = 0
    for kind in range(NUM_KINDS):
        stones += int(state["stones"][seat, kind])
    return stones


@jit
def fill_sheet(constants: Constants, state: State, sheet: npt.NDArray[np.int32]) -> None:
    """Write the steps from Rome to `sheet`, int32 (players, NUM_COLUMNS)."""
    for seat in range(sheet.shape[0]):
        sheet[seat, 0] = state["steps"][seat]


@jit
def rank(
    constants: States, states: States, row: int, totals: npt.NDArray[np.int32], places: npt.NDArray[np.int8]
) -> None:
    """Write the ranks by steps, then by stones, to `places`, int8 (players,); equal players share a rank."""
    state = states[row]
    for seat in range(places.shape[0]):
        place, steps, stones = 1, int(state["steps"][seat]), stones_of(state, seat)
        for other in range(places.shape[0]):
            further = int(state["steps"][other])
            if further > steps or (further == steps and stones_of(state, other) > stones):
                place += 1
        places[seat] = place


# Steps never fall and are public.  All players act in every turn, so turns are the rounds that rollouts count.
KERNEL, score_sheet = compile_kernel(
    "gloria_mundi",
    Records(
        reset=reset_record,
        step=step_record,
        legal=legal_record,
        observe=observe_record,
        determinize=determinize_record,
        redact=redact_record,
        redraw=redraw_record,
        privileged=privileged_record,
        sheet=fill_sheet,
        points="steps",
        rounds="turn",
    ),
    jit,
    rank,
)


@jit
def find_options(constants: States, states: States, row: int) -> None:
    """Fill in the field `options` of a position whose other fields are given."""
    states[row]["options"] = pending_options(constants[0], states[row])
