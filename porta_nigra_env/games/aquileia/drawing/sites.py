"""The sites of the Forum: kind, value, yield, cost and house."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, Box, Canvas, rect, symbol, text_left
from porta_nigra_env.core.drawing.tabletop import BOLD, BUILT, FAINT, HAMMER, INK, STAR, indices, token
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import MONEY_HOUSE, VILLA
from porta_nigra_env.games.aquileia.drawing import pieces
from porta_nigra_env.games.aquileia.drawing.look import SITE_NAME, STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.aquileia.drawing.places import site_place

_SPACE, _STAR_INK = indices(STYLES, "space", "star")
_VILLA, _MONEY_HOUSE, _SLAVE = indices(SYMBOLS, "villa", "money_house", "slave")
_NUMBER, _POINTS = indices(WORDS, "number", "points")

#: Sites in a line, and the height of a line.
ACROSS: Final = 8
LINE: Final = 88
_GAP: Final = 6


def lines_of(count: int) -> int:
    """Return the number of lines for `count` sites."""
    return (count + ACROSS - 1) // ACROSS


def owner(state: State, site: int) -> int:
    """Return the seat with a house on a site; -1 for none."""
    for seat in range(state["num_players"]):
        if state["buildings"][seat] >> site & 1:
            return int(seat)
    return -1


def sites(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw all sites in the order of the component file."""
    x, y, w, _ = box
    step = (w + _GAP) // ACROSS
    for number in range(constants["num_buildings"]):
        left, top = x + number % ACROSS * step, y + number // ACROSS * LINE
        site(canvas, constants, state, number, (left, top, step - _GAP, LINE - _GAP))


def site(canvas: Canvas, constants: Constants, state: State, number: int, box: Box) -> None:
    """Draw one site."""
    x, y, w, _ = box
    seat = owner(state, number)
    rect(canvas, box, _SPACE if seat < 0 else BUILT + seat, site_place(constants, number))
    symbol(canvas, (x + w - 52, y + 5, 20, 20), _STAR_INK, STAR)
    text_left(canvas, (x + w - 30, y + 4, 28, 24), BOLD, _NUMBER, constants["building_value"][number])
    kind = constants["building_kind"][number]
    if kind == VILLA:
        symbol(canvas, (x + 6, y + 5, 22, 22), INK, _VILLA)
        pieces.colour_card(canvas, (x + 6, y + 30, w - 50, 22), constants["building_colour"][number])
    else:
        symbol(canvas, (x + 6, y + 5, 22, 22), INK, _MONEY_HOUSE if kind == MONEY_HOUSE else HAMMER)
        _returns(canvas, constants, number, (x + 6, y + 30, w - 12, 22))
    if seat >= 0:
        token(canvas, x + w - 40, y + 42, 34, seat)
        if kind != VILLA:
            text_left(canvas, (x + 6, y + 58, w - 50, 17), FAINT, SITE_NAME + number, NO_NUMBER)
    else:
        _cost(canvas, constants, number, (x + 5, y + 57, w - 10, 22))


def _returns(canvas: Canvas, constants: Constants, number: int, box: Box) -> None:
    """Draw the yield of an activation."""
    x, y, w, h = box
    if constants["building_kind"][number] == MONEY_HOUSE:
        pieces.coins(canvas, x, y, h, constants["building_pays"][number])
    else:
        text_left(canvas, (x, y + 1, w, 20), INK, _POINTS, constants["building_vp"][number])


def _cost(canvas: Canvas, constants: Constants, number: int, box: Box) -> None:
    """Draw the coins and slaves of the price."""
    x, y, w, h = box
    left = pieces.coins(canvas, x, y, h, constants["building_cost"][number])
    if constants["building_slaves"][number]:
        symbol(canvas, (left, y + 2, 17, h - 4), INK, _SLAVE)
        text_left(
            canvas, (left + 18, y + 1, x + w - left - 18, h - 2), INK, _NUMBER, constants["building_slaves"][number]
        )
