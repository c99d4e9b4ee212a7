"""Piles and discards, and the stadium cards of past rounds."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Box, Canvas, rect, text, text_left
from porta_nigra_env.core.drawing.tabletop import AREA, BOLD, FAINT, indices, token, word
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import MAX_SLAVES
from porta_nigra_env.games.aquileia.drawing import pieces
from porta_nigra_env.games.aquileia.drawing.look import WORDS
from porta_nigra_env.games.aquileia.drawing.town import CONTEST_HEIGHT, HEAD, heading
from porta_nigra_env.games.aquileia.state import KEPT_OPEN

_SLAVE_CARDS, _EQUI_CARDS, _DISCARD, _OPEN = indices(WORDS, "slave_cards", "equi_cards", "discard", "stadium_card")
_RACE, _UNKNOWN, _NONE = indices(WORDS, "race", "unknown", "none")

#: Heights of the two lines.
PILES_HEIGHT: Final = 56
RACES_HEIGHT: Final = 74
_CARD: Final = 46


def piles(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw slave and equi cards: the pile's back with its number, and the discard by card type."""
    x, y, w, h = box
    rect(canvas, box, AREA, NOTHING)
    split = x + w * 3 // 8
    left = _pile(canvas, (x + 8, y + 8, split - x - 8, h), _SLAVE_CARDS, state["num_slave_draw"])
    for face in range(MAX_SLAVES):
        if state["slave_discard"][face]:
            pieces.slave_card(canvas, (left, y + 9, _CARD, 38), face + 1, NOTHING)
            pieces.copies(canvas, (left, y + 9, _CARD, 38), state["slave_discard"][face])
            left += _CARD + 10
    _equi_piles(canvas, constants, state, (split, y + 8, x + w - split, h))


def _equi_piles(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    x, y, w, _ = box
    left = _pile(canvas, box, _EQUI_CARDS, state["num_equi_draw"])
    step = min(_CARD + 10, (x + w - left - 6) // constants["num_equi_faces"])
    for face in range(constants["num_equi_faces"]):
        card = (left, y + 1, step - 8, 38)
        if state["equi_discard"][face]:
            pieces.equi_card(canvas, constants, card, face, NOTHING)
            pieces.copies(canvas, card, state["equi_discard"][face])
            left += step


def _pile(canvas: Canvas, box: Box, name: int, cards: int) -> int:
    """Draw a pile with its name, and return the x of its discard."""
    x, y, _, _ = box
    text_left(canvas, (x, y + 1, 132, 18), BOLD, name, NO_NUMBER)
    text_left(canvas, (x, y + 21, 132, 17), FAINT, _DISCARD, NO_NUMBER)
    pieces.back(canvas, (x + 140, y + 1, 36, 38), cards)
    return int(x + 190)


def races(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw the stadium cards of past rounds with their known owners."""
    x, y, w, h = box
    rect(canvas, box, AREA, NOTHING)
    step = (w - 8) // constants["rounds"]
    for past in range(constants["rounds"]):
        left, half = x + 8 + past * step, (step - 14) // 2
        text_left(canvas, (left, y + 4, step - 8, 17), FAINT, _RACE, past + 1)
        if state["past_open"][past] >= 0:
            pieces.stadium_card(canvas, constants, (left, y + 24, half, 24), state["past_open"][past])
            pieces.stadium_card(canvas, constants, (left + half + 3, y + 24, half, 24), state["past_drawn"][past])
            _owners(canvas, state, past, (left, y + 51, half, h - 52))


def _owners(canvas: Canvas, state: State, past: int, box: Box) -> None:
    """Draw the owners of a past round's cards; unknown choices have a question mark between first and second."""
    x, y, w, h = box
    first, second, kept = state["past_first"][past], state["past_second"][past], state["past_kept"][past]
    right = x + w + 3
    if first >= 0 and kept < 0:
        token(canvas, x + w // 2 - 10, y, h, first)
        word(canvas, (x + w - 9, y + 1, 22, h), BOLD, _UNKNOWN)
        if second >= 0:
            token(canvas, right + w // 2 - 8, y, h, second)
        return
    _owner(canvas, (x, y, w, h), first if kept == KEPT_OPEN else second)
    _owner(canvas, (right, y, w, h), second if kept == KEPT_OPEN else first)


def _owner(canvas: Canvas, box: Box, seat: int) -> None:
    x, y, w, h = box
    if seat >= 0:
        token(canvas, x + (w - h) // 2, y, h, seat)
    else:
        text(canvas, (x, y + 1, w, h - 2), FAINT, _NONE, NO_NUMBER)


def stadium_pile(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw the open stadium card and the pile."""
    x, y, w, _ = box
    heading(canvas, x, y, w, _OPEN)
    rect(canvas, (x, y + HEAD, w, CONTEST_HEIGHT), AREA, NOTHING)
    if state["stadium_open"] >= 0:
        pieces.stadium_card(canvas, constants, (x + 8, y + HEAD + 8, w - 16, 32), state["stadium_open"])
    pieces.back(canvas, (x + w // 2 - 20, y + HEAD + 48, 40, 36), state["num_stadium_draw"])
