"""Small pieces of the drawing: bricks, tokens of players, coins, gains."""

from __future__ import annotations

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Canvas, ellipse, rect, symbol, text, text_left
from porta_nigra_env.core.drawing.tabletop import indices
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.drawing.look import STYLES, SYMBOLS, WORDS

_INK, _TORCH, _COIN, _COIN_INK, _TOKEN_INK = indices(STYLES, "ink", "torch", "coin", "coin_ink", "token_ink")
_BRICK, _LETTER_INK, _OWNER = indices(STYLES, "brick_black", "letter_black", "owner_0")
_SEAT, _TORCH_SIGN, _INFLUENCE, _ROMAN, _POINTS = indices(SYMBOLS, "seat_0", "torch", "influence", "roman", "points")
_NUMBER, _LETTER, _S = indices(WORDS, "number", "letter_black", "coin")


def chip(canvas: Canvas, x: int, y: int, size: int, colour: int) -> None:
    """Draw a brick with the letter of its colour; the index after the last colour stands for any colour."""
    rect(canvas, (x, y, size, size), _BRICK + colour, NOTHING)
    text(canvas, (x, y + size // 8, size, size * 3 // 4), _LETTER_INK + colour, _LETTER + colour, NO_NUMBER)


def token(canvas: Canvas, x: int, y: int, size: int, seat: int) -> None:
    """Draw the sign and number of a player."""
    symbol(canvas, (x, y, size, size), _OWNER + seat, _SEAT + seat)
    # The triangle is wide below.
    text(canvas, (x, y + size * (6 if seat == 2 else 3) // 16, size, size * 5 // 8), _TOKEN_INK, _NUMBER, seat)


def coin(canvas: Canvas, x: int, y: int, size: int) -> None:
    """Draw a sestertius."""
    ellipse(canvas, (x, y, size, size), _COIN, NOTHING)
    text(canvas, (x, y + size // 6, size, size * 2 // 3), _COIN_INK, _S, NO_NUMBER)


def torch(canvas: Canvas, x: int, y: int, size: int) -> None:
    """Draw a torch."""
    symbol(canvas, (x, y, size, size), _TORCH, _TORCH_SIGN)


def gain_sign(canvas: Canvas, x: int, y: int, size: int, gain: int) -> None:
    """Draw the sign of a gain, an index into `names.GAINS`."""
    if gain >= names.GAIN_BRICKS:
        chip(canvas, x, y, size, gain - names.GAIN_BRICKS)
    elif gain == names.GAIN_SESTERCES:
        coin(canvas, x, y, size)
    elif gain == names.GAIN_TORCHES:
        torch(canvas, x, y, size)
    elif gain == names.GAIN_INFLUENCE:
        symbol(canvas, (x, y, size, size), _INK, _INFLUENCE)
    elif gain == names.GAIN_ROMANS:
        symbol(canvas, (x, y, size, size), _INK, _ROMAN)
    else:
        symbol(canvas, (x, y, size, size), _INK, _POINTS)


def amount(canvas: Canvas, x: int, y: int, size: int, gain: int, number: int) -> None:
    """Draw a sign and a number; the width is about twice the size."""
    gain_sign(canvas, x, y, size, gain)
    text_left(canvas, (x + size + 3, y + size // 10, size + 8, size * 5 // 6), _INK, _NUMBER, number)
