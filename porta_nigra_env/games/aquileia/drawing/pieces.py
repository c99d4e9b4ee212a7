"""Small pieces: coins, dice, cards."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Box, Canvas, ellipse, rect, symbol, text
from porta_nigra_env.core.drawing.tabletop import BACK, BOLD, CARD, INK, ON_BACK, indices, word
from porta_nigra_env.core.game.contract import Constants
from porta_nigra_env.games.aquileia.components.names import GOLD, GOLD_HORSE, KINDS, SILVER, WEAPON
from porta_nigra_env.games.aquileia.drawing.look import CARD_NAME, STYLES, SYMBOLS, WORDS

_COIN, _COIN_INK, _COLOUR, _COLOUR_INK = indices(STYLES, "coin_bronze", "ink_bronze", "colour_0", "colour_ink_0")
_LAUREL_INK, _BADGE, _BADGE_INK = indices(STYLES, "laurel", "badge", "badge_ink")
_COIN_SIGN, _HORSE, _WEAPON, _SLAVE, _LAUREL = indices(
    SYMBOLS, "coin_bronze", "horse", "weapon", "slave", "laurel"
)  # fmt: skip
_LETTER, _NUMBER, _TIMES, _UNKNOWN = indices(WORDS, "letter_bronze", "number", "times", "unknown")
_KINDS: Final = len(KINDS)


def coin(canvas: Canvas, x: int, y: int, size: int, kind: int, number: int) -> None:
    """Draw coins of a kind with their number, or with NO_NUMBER the letter of the kind, as on a die."""
    symbol(canvas, (x, y, size, size), _COIN + kind, _COIN_SIGN + kind)
    inside = (x + 2, y + size * 3 // 16, size - 4, size * 5 // 8)
    text(canvas, inside, _COIN_INK + kind, _LETTER + kind if number == NO_NUMBER else _NUMBER, number)


def coins(canvas: Canvas, x: int, y: int, size: int, amounts: npt.NDArray[np.integer[Any]]) -> int:
    """Draw coins of all kinds side by side, and return the next free x."""
    for kind in range(_KINDS):
        if amounts[kind] != 0:
            coin(canvas, x, y, size, kind, amounts[kind])
            x += size + 2
    return x


def dice(canvas: Canvas, box: Box, faces: npt.NDArray[np.integer[Any]]) -> None:
    """Draw dice by kind as letters on coins; many dice overlap."""
    x, y, w, h = box
    thrown = 0
    for kind in range(_KINDS):
        thrown += faces[kind]
    step = min(h + 3, (w - h) // max(1, thrown - 1))
    for kind in range(_KINDS):
        for _ in range(faces[kind]):
            coin(canvas, x, y, h, kind, NO_NUMBER)
            x += step


def colour_card(canvas: Canvas, box: Box, colour: int) -> None:
    """Draw a card of a villa colour with its name."""
    x, y, w, h = box
    rect(canvas, box, _COLOUR + colour, NOTHING)
    size = min(20, h - 6)
    word(canvas, (x + 3, y + (h - size) // 2, w - 6, size), _COLOUR_INK + colour, CARD_NAME + colour)


def stadium_card(canvas: Canvas, constants: Constants, box: Box, face: int) -> None:
    """Draw a stadium card: a colour, a laurel with its points, or for -1 the back."""
    x, y, w, h = box
    size = min(22, h - 6)
    if face < 0:
        rect(canvas, box, BACK, NOTHING)
        word(canvas, (x, y + (h - size) // 2, w, size), ON_BACK, _UNKNOWN)
    elif face < constants["num_colours"]:
        colour_card(canvas, box, face)
    else:
        rect(canvas, box, CARD, NOTHING)
        symbol(canvas, (x + w // 2 - size - 1, y + (h - size) // 2, size, size), _LAUREL_INK, _LAUREL)
        text(canvas, (x + w // 2, y + (h - size) // 2, w // 2 - 2, size), INK, _NUMBER, constants["laurel_vp"][face])


def theatre_card(canvas: Canvas, constants: Constants, box: Box, card: int) -> None:
    """Draw a theatre card: two colours, or for -1 the back."""
    x, y, w, h = box
    if card < 0:
        rect(canvas, box, BACK, NOTHING)
        return
    colour_card(canvas, (x, y, w, h // 2), constants["theatre_colours"][card][0])
    colour_card(canvas, (x, y + h // 2, w, h - h // 2), constants["theatre_colours"][card][1])


def slave_card(canvas: Canvas, box: Box, slaves: int, place: int) -> None:
    """Draw a slave card."""
    _piece_card(canvas, box, INK, _SLAVE, slaves, place)


def equi_card(canvas: Canvas, constants: Constants, box: Box, face: int, place: int) -> None:
    """Draw a horse on the coin of its side, or a weapon, with its strength."""
    x, y, w, _ = box
    group = constants["equi_group"][face]
    if group == WEAPON:
        _piece_card(canvas, box, INK, _WEAPON, constants["equi_strength"][face], place)
        return
    side = GOLD if group == GOLD_HORSE else SILVER
    _piece_card(canvas, box, -1, _HORSE, constants["equi_strength"][face], place)
    size = w * 3 // 5
    symbol(canvas, (x + 2, y + 2, size, size), _COIN + side, _COIN_SIGN + side)
    inside = (x + 2 + size // 5, y + 2 + size // 5, size * 3 // 5, size * 3 // 5)
    symbol(canvas, inside, _COIN_INK + side, _HORSE)


def _piece_card(canvas: Canvas, box: Box, style: int, sign: int, number: int, place: int) -> None:
    """Draw a card with a sign (none with style -1) and a number."""
    x, y, w, h = box
    size = w // 2
    rect(canvas, box, CARD, place)
    if style >= 0:
        symbol(canvas, (x + 4, y + 4, size, size), style, sign)
    text(canvas, (x + w // 2, y + h - 26, w // 2 - 2, 25), BOLD, _NUMBER, number)


def back(canvas: Canvas, box: Box, cards: int) -> None:
    """Draw the backs of hidden cards with their number."""
    x, y, w, h = box
    rect(canvas, box, BACK, NOTHING)
    text(canvas, (x + 2, y + (h - 24) // 2, w - 4, 24), ON_BACK, _NUMBER, cards)


def copies(canvas: Canvas, box: Box, cards: int) -> None:
    """Draw the number of equal cards as a badge, if there are several."""
    x, y, w, _ = box
    if cards > 1:
        ellipse(canvas, (x + w - 15, y - 8, 23, 23), _BADGE, NOTHING)
        text(canvas, (x + w - 15, y - 5, 23, 17), _BADGE_INK, _TIMES, cards)


def slave_back(canvas: Canvas, box: Box, cards: int) -> None:
    """Draw the backs of hidden slave cards."""
    _signed_back(canvas, box, _SLAVE, cards)


def equi_back(canvas: Canvas, box: Box, cards: int) -> None:
    """Draw the backs of hidden equi cards."""
    _signed_back(canvas, box, _HORSE, cards)


def _signed_back(canvas: Canvas, box: Box, sign: int, cards: int) -> None:
    x, y, w, h = box
    size = w * 9 // 20
    rect(canvas, box, BACK, NOTHING)
    symbol(canvas, (x + 4, y + (h - size) // 2, size, size), ON_BACK, sign)
    text(canvas, (x + w * 11 // 20, y + (h - 24) // 2, w * 2 // 5, 24), ON_BACK, _TIMES, cards)
