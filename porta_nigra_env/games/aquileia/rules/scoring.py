"""The final scoring (A54), valid at any time as if the game ended now: before the end it reads secret cards."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import MAX_COLOURS
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.state import KEPT_OPEN

#: Columns of a score sheet: sources of points, the villas of each colour one by one.
VP_COLUMN, LAURELS_COLUMN, VILLAS_COLUMN = range(3)
NUM_COLUMNS = VILLAS_COLUMN + MAX_COLOURS


@jit
def add_points(sheet: npt.NDArray[np.int32], seat: int, column: int, points: int) -> None:
    """Enter points on a sheet; a sheet of one column keeps the total only."""
    sheet[seat, column if sheet.shape[1] > 1 else 0] += points


@jit
def villas_value(constants: Constants, state: State, seat: int, colour: int) -> int:
    """The sum of the values of a seat's villas of a colour."""
    left = np.uint64(int(state["buildings"][seat]) & int(constants["villas"][colour]))
    value = 0
    while left != np.uint64(0):
        value += int(constants["building_value"][bits.lowest(left)])
        left &= left - np.uint64(1)
    return value


@jit
def owner_of_open(state: State, past: int) -> int:
    """Return the owner of the open stadium card of a past round; -1 if it has left the game."""
    return int(state["past_first"][past]) if state["past_kept"][past] == KEPT_OPEN else int(state["past_second"][past])


@jit
def owner_of_drawn(state: State, past: int) -> int:
    """Return the owner of the drawn stadium card of a past round; -1 if it has left the game."""
    return int(state["past_second"][past]) if state["past_kept"][past] == KEPT_OPEN else int(state["past_first"][past])


@jit
def score_stadium_card(constants: Constants, state: State, sheet: npt.NDArray[np.int32], seat: int, face: int) -> None:
    """Score a laurel, or the villas of a colour again; nothing for a card without a known owner."""
    if seat < 0 or face < 0:
        return
    if face < int(constants["num_colours"]):
        add_points(sheet, seat, VILLAS_COLUMN + face, villas_value(constants, state, seat, face))
    else:
        add_points(sheet, seat, LAURELS_COLUMN, int(constants["laurel_vp"][face]))


@jit
def colour_counted(constants: Constants, state: State, seat: int, card: int) -> int:
    """Return the colour with the higher sum of villas; the first one in a tie."""
    first, second = int(constants["theatre_colours"][card, 0]), int(constants["theatre_colours"][card, 1])
    return (
        second if villas_value(constants, state, seat, second) > villas_value(constants, state, seat, first) else first
    )


@jit
def fill_sheet(constants: Constants, state: State, sheet: npt.NDArray[np.int32]) -> None:
    """All points of all players by source.  sheet: int32 (players, NUM_COLUMNS), or (players, 1) for totals only."""
    for seat in range(sheet.shape[0]):
        for column in range(sheet.shape[1]):
            sheet[seat, column] = 0
        add_points(sheet, seat, VP_COLUMN, int(state["vp"][seat]))
    for past in range(state["past_open"].shape[0]):
        score_stadium_card(constants, state, sheet, owner_of_open(state, past), int(state["past_open"][past]))
        score_stadium_card(constants, state, sheet, owner_of_drawn(state, past), int(state["past_drawn"][past]))
    for card in range(int(constants["num_theatre_cards"])):
        seat = int(state["theatre_owner"][card])
        if seat >= 0:
            colour = colour_counted(constants, state, seat, card)
            add_points(sheet, seat, VILLAS_COLUMN + colour, villas_value(constants, state, seat, colour))
