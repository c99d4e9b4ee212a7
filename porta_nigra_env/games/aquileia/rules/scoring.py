"""The final scoring (A54), valid at any time as if the game ended now: before the end it reads secret cards."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.games.aquileia.components.names import MAX_COLOURS
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.state import KEPT_OPEN

#: Columns of a score sheet: sources of points, the villas of each colour one by one.
VP_COLUMN, LAURELS_COLUMN, VILLAS_COLUMN = range(3)
NUM_COLUMNS = VILLAS_COLUMN + MAX_COLOURS


@jit
def add_points(sheet: Any, seat: int, column: int, points: int) -> None:
    """Enter points on a sheet; a sheet of one column keeps the total only."""
    sheet[seat, column if sheet.shape[1] > 1 else 0] += points


@jit
def villas_value(t: Any, s: Any, seat: int, colour: int) -> int:
    """The sum of the values of a seat's villas of a colour."""
    left = np.uint64(int(s["buildings"][seat]) & int(t["villas"][colour]))
    value = 0
    while left != np.uint64(0):
        value += int(t["building_value"][bits.lowest(left)])
        left &= left - np.uint64(1)
    return value


@jit
def owner_of_open(s: Any, past: int) -> int:
    """Who has the open stadium card of a round that is past; -1 if it has left the game."""
    return int(s["past_first"][past]) if s["past_kept"][past] == KEPT_OPEN else int(s["past_second"][past])


@jit
def owner_of_drawn(s: Any, past: int) -> int:
    """Who has the drawn one; -1 if it has left the game."""
    return int(s["past_second"][past]) if s["past_kept"][past] == KEPT_OPEN else int(s["past_first"][past])


@jit
def score_stadium_card(t: Any, s: Any, sheet: Any, seat: int, face: int) -> None:
    """A laurel's points, or the villas of a colour once more; nothing for a card that nobody has or knows."""
    if seat < 0 or face < 0:
        return
    if face < int(t["num_colours"]):
        add_points(sheet, seat, VILLAS_COLUMN + face, villas_value(t, s, seat, face))
    else:
        add_points(sheet, seat, LAURELS_COLUMN, int(t["laurel_vp"][face]))


@jit
def colour_counted(t: Any, s: Any, seat: int, card: int) -> int:
    """The colour that a theatre card counts for: the higher sum of villas, in a tie the one named first."""
    first, second = int(t["theatre_colours"][card, 0]), int(t["theatre_colours"][card, 1])
    return second if villas_value(t, s, seat, second) > villas_value(t, s, seat, first) else first


@jit
def fill_sheet(t: Any, s: Any, sheet: Any) -> None:
    """All points of all players by source.  sheet: int32 (players, NUM_COLUMNS), or (players, 1) for totals only."""
    for seat in range(sheet.shape[0]):
        for column in range(sheet.shape[1]):
            sheet[seat, column] = 0
        add_points(sheet, seat, VP_COLUMN, int(s["vp"][seat]))
    for past in range(s["past_open"].shape[0]):
        score_stadium_card(t, s, sheet, owner_of_open(s, past), int(s["past_open"][past]))
        score_stadium_card(t, s, sheet, owner_of_drawn(s, past), int(s["past_drawn"][past]))
    for card in range(int(t["num_theatre_cards"])):
        seat = int(s["theatre_owner"][card])
        if seat >= 0:
            colour = colour_counted(t, s, seat, card)
            add_points(sheet, seat, VILLAS_COLUMN + colour, villas_value(t, s, seat, colour))
