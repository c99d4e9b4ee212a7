"""The four quarters of the town: spots, shops, builders, majorities and rewards.

They stand clockwise, like the way of the master builders, with the Porta Nigra at the upper left.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Canvas, rect, symbol, text, text_left, text_right
from porta_nigra_env.core.drawing.tabletop import indices
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.drawing.look import STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.porta_nigra.drawing.places import QUARTER, SHOP, SPOT
from porta_nigra_env.games.porta_nigra.drawing.signs import amount, chip, token

_PANEL, _AREA, _EMPTY, _BUILT = indices(STYLES, "panel", "area", "empty", "built_0")
_INK, _BOLD, _FAINT = indices(STYLES, "ink", "bold", "faint")
_BUILDING, _ARROW = indices(SYMBOLS, "basilica", "onward")
_NUMBER, _TIMES, _POINTS, _EACH, _PRICE = indices(WORDS, "number", "times", "points", "each", "price")
_FIRST, _SECOND, _EVERY, _ANY_HEIGHT, _NAME = indices(WORDS, "first", "second", "every", "any_height", "name_basilica")
(_OTHER,) = indices(WORDS, "other")

_NUM_BUILDINGS: Final = len(names.BUILDINGS)
_NUM_GAINS: Final = len(names.GAINS)

#: Spots in a line; the width of a quarter; the heights of its head, foot and of three lines of spots.
ACROSS: Final = 5
WIDTH: Final = 468
HEAD: Final = 34
FOOT: Final = 34
LINE: Final = 54
#: Left edge of the first spot, and the distance between spots.
_LEFT: Final = 104
_STEP: Final = 62


def clockwise_index(constants: Constants, building: int) -> int:
    """Return the number of quarters between the Porta Nigra and a building, clockwise."""
    own, place = constants["way_to_building"][names.PORTA_NIGRA][building], 0
    for other in range(_NUM_BUILDINGS):
        way = constants["way_to_building"][names.PORTA_NIGRA][other]
        if way < own or (way == own and other < building):
            place += 1
    return place


def quarters(canvas: Canvas, constants: Constants, state: State, top: int, bottom: int) -> None:
    """Draw all quarters: two at `top` with three lines of spots each, two at `bottom` with two."""
    for building in range(_NUM_BUILDINGS):
        place = clockwise_index(constants, building)
        x = 8 if place == 0 or place == 3 else 16 + WIDTH
        y, lines = (top, 3) if place < 2 else (bottom, 2)
        box = (x, y, WIDTH, HEAD + lines * LINE + FOOT)
        rect(canvas, box, _PANEL, NOTHING)
        head(canvas, state, x, y, building)
        symbol(canvas, (x + WIDTH - 30, y + 7, 20, 20), _FAINT, _ARROW + place)
        shop(canvas, constants, state, x + 6, y + HEAD, shop_colour(constants, building))
        area = HEAD + lines * LINE
        if building == names.PORTA_NIGRA:
            tower_lines(canvas, constants, state, x + _LEFT, y + HEAD, lines * LINE // 3)
        else:
            spot_lines(canvas, constants, state, x + _LEFT, y + HEAD, building, lines * LINE)
        foot(canvas, constants, state, x, y + area, building)


def shop_colour(constants: Constants, building: int) -> int:
    """Return the colour of the shop in a building's quarter."""
    for colour in range(len(constants["quarter_of_shop"])):
        if constants["quarter_of_shop"][colour] == building:
            return colour
    return 0


def head(canvas: Canvas, state: State, x: int, y: int, building: int) -> None:
    """Draw the building's name and the master builders next to it."""
    rect(canvas, (x + 4, y + 3, WIDTH - 8, HEAD - 6), _AREA, QUARTER + building)
    symbol(canvas, (x + 10, y + 6, 22, 22), _INK, _BUILDING + building)
    text_left(canvas, (x + 40, y + 6, 180, 22), _BOLD, _NAME + building, NO_NUMBER)
    at = x + 230
    for seat in range(state["num_players"]):
        if state["quarter"][seat] == building:
            token(canvas, at, y + 5, 24, seat)
            at += 32


def shop(canvas: Canvas, constants: Constants, state: State, x: int, y: int, colour: int) -> None:
    """Draw the bricks for sale."""
    rect(canvas, (x, y + 4, 92, 62), _AREA, SHOP + colour)
    chip(canvas, x + 6, y + 9, 32, colour)
    text_left(canvas, (x + 44, y + 10, 46, 29), _BOLD, _TIMES, state["market"][colour])
    text(canvas, (x + 2, y + 45, 88, 18), _FAINT, _PRICE, constants["brick_price"][colour])


def spot_lines(canvas: Canvas, constants: Constants, state: State, x: int, y: int, building: int, height: int) -> None:
    """Draw the rows of a building and the points of their majorities."""
    lines = 0
    for row in range(names.PORTA_NIGRA_ROW):
        if constants["spot_building"][names.ROW_STARTS[row]] == building:
            lines += (names.ROW_STARTS[row + 1] - names.ROW_STARTS[row] + ACROSS - 1) // ACROSS
    step, line = height // lines, 0
    for row in range(names.PORTA_NIGRA_ROW):
        start, stop = names.ROW_STARTS[row], names.ROW_STARTS[row + 1]
        if constants["spot_building"][start] == building:
            majority(canvas, x + ACROSS * _STEP, y + line * step, constants["row_majority"][row])
            for spot in range(start, stop):
                left, top = x + (spot - start) % ACROSS * _STEP, y + (line + (spot - start) // ACROSS) * step
                cell(canvas, constants, state, left, top, step, spot)
            line += (stop - start + ACROSS - 1) // ACROSS


def majority(canvas: Canvas, x: int, y: int, points: npt.NDArray[np.int32]) -> None:
    """Draw the points of the first and the second rank in a row."""
    text_left(canvas, (x + 5, y + 6, 46, 19), _INK, _FIRST, points[0])
    text_left(canvas, (x + 5, y + 28, 46, 19), _FAINT, _SECOND, points[1])


def tower_lines(canvas: Canvas, constants: Constants, state: State, x: int, y: int, step: int) -> None:
    """Draw the Porta Nigra's spots and the points of the majorities of its heights."""
    start = names.ROW_STARTS[names.PORTA_NIGRA_ROW]
    for spot in range(start, names.ROW_STARTS[names.PORTA_NIGRA_ROW + 1]):
        place = spot - start
        cell(canvas, constants, state, x + place % ACROSS * _STEP, y + place // ACROSS * step, step, spot)
    for height in range(constants["porta_nigra_min_height"], constants["porta_nigra_max_height"] + 1):
        left = x + (height - names.LOWEST_HEIGHT) * 358 // names.NUM_HEIGHTS
        points = constants["height_majority"][height - names.LOWEST_HEIGHT]
        text_right(canvas, (left, y + 2 * step + 4, 25, 19), _BOLD, _TIMES, height)
        text_right(canvas, (left, y + 2 * step + 28, 25, 19), _INK, _NUMBER, points[0])
        text_left(canvas, (left + 26, y + 2 * step + 28, 32, 19), _FAINT, _OTHER, points[1])


def cell(canvas: Canvas, constants: Constants, state: State, x: int, y: int, step: int, spot: int) -> None:
    """Draw a spot: colour and bricks, below them the points of a build or the owner."""
    owner, colour, bricks = state["spot_owner"][spot], constants["spot_colour"][spot], constants["spot_bricks"][spot]
    half = (step - 6) // 2
    rect(canvas, (x + 2, y + 2, _STEP - 4, step - 4), _EMPTY if owner < 0 else _BUILT + owner, SPOT + spot)
    chip(canvas, x + 6, y + 5, half - 3, colour)
    beside, below = (x + half + 7, y + 5, _STEP - half - 11, half - 3), (x + 4, y + half + 4, _STEP - 8, half - 5)
    if owner >= 0:
        text_left(canvas, beside, _BOLD, _TIMES, state["spot_height"][spot])
        token(canvas, x + _STEP // 2 - half // 2, y + half + 2, half, owner)
    elif spot < names.FIXED_SPOTS:
        text_left(canvas, beside, _INK, _TIMES, bricks)
        text(canvas, below, _INK, _POINTS, constants["spot_vp"][spot])
    else:
        text_left(canvas, beside, _INK, _ANY_HEIGHT, constants["porta_nigra_min_height"])
        text(canvas, below, _INK, _EACH, constants["brick_price"][colour])


def foot(canvas: Canvas, constants: Constants, state: State, x: int, y: int, building: int) -> None:
    """Draw the reward of a building and the bricks of each player in it."""
    text_left(canvas, (x + 10, y + 8, 72, 18), _FAINT, _EVERY, constants["reward_every_bricks"])
    at = x + 86
    for gain in range(_NUM_GAINS):
        number = constants["rewards"][building][gain]
        if number > 0:
            amount(canvas, at, y + 6, 22, gain, number)
            at += 48
    at = x + WIDTH - state["num_players"] * 58 - 4
    for seat in range(state["num_players"]):
        token(canvas, at, y + 6, 22, seat)
        text_left(canvas, (at + 26, y + 7, 28, 20), _INK, _NUMBER, state["built"][seat][building])
        at += 58
