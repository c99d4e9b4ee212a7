"""The panel of a player: steps, stones, hand, and the display by base types with the building cards on it."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Box, Canvas, rect, symbol, text, text_left
from porta_nigra_env.core.drawing.tabletop import AREA, ASKED, BOLD, FAINT, FLAG, INK, PANEL, indices, token
from porta_nigra_env.core.drawing.tabletop import CARD as PAPER
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import BASES, NUM_CARDS, STONES
from porta_nigra_env.games.gloria_mundi.drawing.look import STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.gloria_mundi.drawing.pieces import base_tile, building, stone
from porta_nigra_env.games.gloria_mundi.drawing.places import BARE, CARD, HAND

_STEPS_INK, _LEFT, _CARRIED, _TILE = indices(STYLES, "steps", "left", "carried", "tile")
(_STEPS,) = indices(SYMBOLS, "steps")
_PLAYER, _YOU, _NUMBER, _HAND, _BARE, _BASE = indices(WORDS, "player", "you", "number", "hand", "bare", "base_farm")
_BASES: Final = len(BASES)
_KINDS: Final = len(STONES)

#: Lines of building cards in a display, by the number of players, from two on; cards get narrower to fit.
LINES: Final = (2, 2, 2, 2, 1)
_TOP: Final = 86
_CARD: Final = 66
_GAP: Final = 5
#: Smallest number of cards per line.
_ACROSS: Final = 6


def height_of(players: int) -> int:
    """Return the height of a panel."""
    return _TOP + LINES[players - 2] * (_CARD + _GAP) + 4


def panel(canvas: Canvas, constants: Constants, state: State, viewer: int, seat: int, box: Box) -> None:
    """Draw the panel of a seat; all of it is public."""
    x, y, w, _ = box
    rect(canvas, box, ASKED if state["current_player"] == seat else PANEL, NOTHING)
    token(canvas, x + 8, y + 6, 34, seat)
    text_left(canvas, (x + 50, y + 10, 122, 24), BOLD, _YOU if viewer == seat else _PLAYER, seat)
    if state["active_player"] == seat:
        symbol(canvas, (x + 176, y + 10, 24, 24), INK, FLAG)
    symbol(canvas, (x + 214, y + 11, 26, 24), _STEPS_INK, _STEPS)
    text_left(canvas, (x + 245, y + 8, 50, 29), BOLD, _NUMBER, state["steps"][seat])
    for kind in range(_KINDS):
        stone(canvas, x + 312 + kind * 84, y + 9, 28, kind, NO_NUMBER)
        text_left(canvas, (x + 345 + kind * 84, y + 9, 48, 27), BOLD, _NUMBER, state["stones"][seat][kind])
    _hand(canvas, state, seat, (x + w - 268, y + 7, 264, 32))
    wide = (w - 16) // _BASES
    for base in range(_BASES):
        _bases(canvas, state, seat, base, (x + 8 + base * wide, y + 46, wide - _GAP, 34))
    _display(canvas, constants, state, seat, (x + 8, y + _TOP, w - 16, LINES[state["num_players"] - 2]))


def _hand(canvas: Canvas, state: State, seat: int, box: Box) -> None:
    """Draw the base cards in hand, by type."""
    x, y, _, h = box
    text_left(canvas, (x, y + 6, 50, 20), FAINT, _HAND, NO_NUMBER)
    asked = state["current_player"] == seat
    for base in range(_BASES):
        left = x + 54 + base * 70
        rect(canvas, (left, y, 66, h), _TILE, HAND + base if asked else NOTHING)
        base_tile(canvas, left + 4, y + 4, 24, base)
        text(canvas, (left + 30, y + 4, 34, 25), BOLD, _NUMBER, state["hand"][seat][base])


def _bases(canvas: Canvas, state: State, seat: int, base: int, box: Box) -> None:
    """Draw the number of base cards of a type in the display, and the number of bare ones."""
    x, y, w, h = box
    cards = state["bare"][seat][base] + covered(state, seat, base)
    rect(canvas, box, AREA, BARE + base if state["current_player"] == seat else NOTHING)
    base_tile(canvas, x + 5, y + 5, h - 10, base)
    text_left(canvas, (x + 36, y + 5, 30, 25), BOLD, _NUMBER, cards)
    text_left(canvas, (x + 70, y + 7, 70, 21), INK, _BASE + base, NO_NUMBER)
    text_left(canvas, (x + w - 98, y + 7, 92, 21), INK, _BARE, state["bare"][seat][base])


def _display(canvas: Canvas, constants: Constants, state: State, seat: int, box: Box) -> None:
    """Draw the building cards by the base type below them; the last number of the box is the number of lines."""
    x, y, w, lines = box
    cards = 0
    for base in range(_BASES):
        cards += covered(state, seat, base)
    across = max(_ACROSS, (cards + lines - 1) // lines)
    step = (w + _GAP) // across
    number = 0
    for base in range(_BASES):
        for card in range(NUM_CARDS):
            if state["covered"][seat][base] >> card & 1:
                left, top = x + number % across * step, y + number // across * (_CARD + _GAP)
                rect(canvas, (left, top, step - _GAP, _CARD), _style(state, seat, card), CARD + card)
                building(canvas, constants, (left, top, step - _GAP, _CARD), card, base)
                number += 1


def covered(state: State, seat: int, base: int) -> int:
    """Return the number of base cards of a type with a building card on them."""
    cards = 0
    for card in range(NUM_CARDS):
        cards += state["covered"][seat][base] >> card & 1
    return int(cards)


def _style(state: State, seat: int, card: int) -> int:
    """Return the style of a card: being carried out, left in this activation, or neither."""
    if state["card"] == card:
        return _CARRIED
    if state["current_player"] == seat and state["left"] >> card & 1:
        return _LEFT
    return PAPER
