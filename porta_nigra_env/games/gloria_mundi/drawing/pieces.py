"""Pieces that several areas of the table share: stones, base types, building cards."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Box, Canvas, rect, symbol, text, text_left
from porta_nigra_env.core.drawing.tabletop import BOLD, HAMMER, INK, indices, word
from porta_nigra_env.core.game.contract import Constants
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BUILDER, STONES, WALL
from porta_nigra_env.games.gloria_mundi.drawing.look import CARD_NAME, FIRST_LINE, SECOND_LINE, STYLES, SYMBOLS, WORDS

_STONE, _STONE_INK, _TYPE, _TYPE_INK = indices(STYLES, "stone_food", "stone_ink_food", "type_farm", "type_ink_farm")
_STONE_SIGN, _WALL_SIGN = indices(SYMBOLS, "food", "wall")
_NUMBER, _LETTER = indices(WORDS, "number", "letter_farm")
_KINDS: Final = len(STONES)
_BASES: Final = len(BASES)


def stone(canvas: Canvas, x: int, y: int, size: int, kind: int, number: int) -> None:
    """Draw a stone of a kind with a number on it, or without one (NO_NUMBER)."""
    symbol(canvas, (x, y, size, size), _STONE + kind, _STONE_SIGN + kind)
    if number != NO_NUMBER:
        text(canvas, (x + 2, y + size * 3 // 16, size - 4, size * 5 // 8), _STONE_INK + kind, _NUMBER, number)


def stones(canvas: Canvas, x: int, y: int, size: int, amounts: npt.NDArray[np.int8]) -> int:
    """Draw the kinds with a positive amount in a row; return the left edge of the next piece."""
    for kind in range(_KINDS):
        if amounts[kind] != 0:
            stone(canvas, x, y, size, kind, amounts[kind])
            x += size + 3
    return x


def base_tile(canvas: Canvas, x: int, y: int, size: int, base: int) -> None:
    """Draw a base type: its letter on its colour."""
    type_tile(canvas, (x, y, size, size), base)


def type_tile(canvas: Canvas, box: Box, called: int) -> None:
    """Draw a type of cards: the letter of a base type, a hammer or a wall."""
    x, y, w, h = box
    rect(canvas, box, _TYPE + called, NOTHING)
    size = min(w, h) * 3 // 4
    middle = (x + (w - size) // 2, y + (h - size) // 2, size, size)
    if called < _BASES:
        word(canvas, middle, _TYPE_INK + called, _LETTER + called)
    else:
        symbol(canvas, middle, _TYPE_INK + called, HAMMER if called == BUILDER else _WALL_SIGN)


def building(canvas: Canvas, constants: Constants, box: Box, card: int, base: int) -> None:
    """Draw the type, name and ability of a building card on its rectangle.

    A red card also shows the base type it lies on.  `base` is -1 in the forum, where a wall shows the type it protects.
    """
    x, y, w, h = box
    called = constants["card_type"][card]
    band = min(26, w // 5)
    shown = base
    if base < 0 and called == WALL:
        shown = 0
        while constants["lies_on"][card] >> shown & 1 == 0:
            shown += 1
    if called < _BASES or shown < 0:
        type_tile(canvas, (x + 3, y + 3, band, h - 6), called)
    else:
        type_tile(canvas, (x + 3, y + 3, band, (h - 8) // 2), called)
        type_tile(canvas, (x + 3, y + 5 + (h - 8) // 2, band, (h - 8) // 2), shown)
    left, wide, line = x + band + 7, w - band - 11, (h - 6) // 3
    text_left(canvas, (left, y + 3, wide, line - 1), BOLD, CARD_NAME + card, NO_NUMBER)
    text_left(canvas, (left, y + 3 + line, wide, line - 1), INK, FIRST_LINE + card, NO_NUMBER)
    text_left(canvas, (left, y + 3 + 2 * line, wide, line - 1), INK, SECOND_LINE + card, NO_NUMBER)
