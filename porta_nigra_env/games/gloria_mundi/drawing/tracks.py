"""The escape track of the Romans, and the track of the Goth with the tribute ahead."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import (
    NO_NUMBER,
    NOTHING,
    Box,
    Canvas,
    rect,
    symbol,
    text,
    text_left,
    text_right,
)
from porta_nigra_env.core.drawing.tabletop import BOLD, FAINT, indices, token, word
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import BASES, MAX_SYMBOLS, NUM_BASIC
from porta_nigra_env.games.gloria_mundi.drawing.look import STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.gloria_mundi.drawing.pieces import base_tile, stone
from porta_nigra_env.games.gloria_mundi.state import TRIBUTE_BITS

_TILE, _BEHIND, _HERE, _GOTH_INK, _LANE = indices(STYLES, "tile", "behind", "here", "goth", "lane")
(_GOTH,) = indices(SYMBOLS, "goth")
_NUMBER, _START, _ROME, _AFRICA, _ESCAPE, _GOTH_TRACK = indices(
    WORDS, "number", "start", "rome", "africa", "escape", "goth_track"
)
_BASES: Final = len(BASES)

#: Heights of a heading, of a Roman's lane, and of a line of provinces; provinces per line.
HEAD: Final = 26
LANE: Final = 32
LINE: Final = 66
ACROSS: Final = 13
_GAP: Final = 5


def lines_of(provinces: int) -> int:
    """Return the number of lines of the Goth's track: start, provinces, Rome."""
    return (provinces + 2 + ACROSS - 1) // ACROSS


def escape(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw a lane for every Roman, with the steps made."""
    x, y, w, _ = box
    text_left(canvas, (x + 2, y + 1, 400, 20), BOLD, _ESCAPE, NO_NUMBER)
    text_right(canvas, (x + w - 200, y + 3, 198, 18), FAINT, _AFRICA, constants["escape_steps"])
    long = w - LANE - 60
    for seat in range(state["num_players"]):
        top = y + HEAD + seat * LANE
        at = x + long * state["steps"][seat] // constants["escape_steps"]
        rect(canvas, (x, top + 13, w, 6), _LANE, NOTHING)
        token(canvas, at, top + 1, LANE - 2, seat)
        rect(canvas, (at + LANE + 1, top + 3, 42, LANE - 6), _BEHIND, NOTHING)
        text(canvas, (at + LANE + 3, top + 4, 38, 24), BOLD, _NUMBER, state["steps"][seat])


def goth_track(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw start, provinces with their symbols, and Rome; spaces behind the Goth are sunken."""
    x, y, w, _ = box
    text_left(canvas, (x + 2, y + 1, 400, 20), BOLD, _GOTH_TRACK, NO_NUMBER)
    step = (w + _GAP) // ACROSS
    for space in range(constants["provinces"] + 2):
        left, top = x + space % ACROSS * step, y + HEAD + space // ACROSS * LINE
        _space(canvas, constants, state, space, (left, top, step - _GAP, LINE - _GAP))


def _space(canvas: Canvas, constants: Constants, state: State, space: int, box: Box) -> None:
    x, y, w, h = box
    here = state["goth"] == space
    rect(canvas, box, _HERE if here else _BEHIND if space < state["goth"] else _TILE, NOTHING)
    if space == 0 or space > constants["provinces"]:
        word(canvas, (x + 3, y + 6, w - 6, 20), FAINT, _START if space == 0 else _ROME)
    left = x + 4
    for base in range(_BASES):
        for _ in range(constants["symbols"][space][base]):
            base_tile(canvas, left, y + 5, 20, base)
            left += 21
    if here:
        symbol(canvas, (x + (w - 28) // 2, y + 29, 28, 28), _GOTH_INK, _GOTH)
    elif state["goth"] < space <= state["goth"] + state["num_tribute"]:
        _tribute(canvas, constants, state, space, (x + 4, y + 34, w, 20))
    elif 0 < space <= constants["provinces"]:
        text(canvas, (x + 4, y + h - 23, w - 8, 18), FAINT, _NUMBER, space)


def _tribute(canvas: Canvas, constants: Constants, state: State, space: int, box: Box) -> None:
    """Draw the stones on a province, one by one."""
    x, y, _, h = box
    glory = 0
    for base in range(_BASES):
        glory += constants["symbols"][space][base]
    for kind in range(NUM_BASIC):
        paid = state["tribute"][space] >> (TRIBUTE_BITS * kind) & ((1 << TRIBUTE_BITS) - 1)
        glory -= paid
        for _ in range(paid):
            stone(canvas, x, y, h, kind, NO_NUMBER)
            x += h + 1
    for _ in range(glory):
        stone(canvas, x, y, h, NUM_BASIC, NO_NUMBER)
        x += h + 1


assert MAX_SYMBOLS * 21 <= 72, "the symbols of a province stand beside each other"
