"""How a game is won: by steps, then by stones (G41, G42)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_KINDS

#: What totals are made of: steps.
NUM_COLUMNS = 1


@jit
def stones_of(state: State, seat: int) -> int:
    """All stones in a stock."""
    stones = 0
    for kind in range(NUM_KINDS):
        stones += int(state["stones"][seat, kind])
    return stones


@jit
def fill_sheet(constants: Constants, state: State, sheet: Any) -> None:
    """Steps from Rome, the first of the two things that count; int32 (players, NUM_COLUMNS)."""
    for seat in range(sheet.shape[0]):
        sheet[seat, 0] = state["steps"][seat]


@jit
def rank_record(state: State, places: Any) -> None:
    """The places of all seats: one more than the number of those who are better; int8 (players,)."""
    for seat in range(places.shape[0]):
        place, steps, stones = 1, int(state["steps"][seat]), stones_of(state, seat)
        for other in range(places.shape[0]):
            further = int(state["steps"][other])
            if further > steps or (further == steps and stones_of(state, other) > stones):
                place += 1
        places[seat] = place
