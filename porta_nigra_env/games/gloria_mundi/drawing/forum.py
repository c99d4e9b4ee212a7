"""The forum with its prices, the deck, and the fire."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Box, Canvas, rect, symbol, text, text_left
from porta_nigra_env.core.drawing.tabletop import AREA, BACK, BOLD, EMPTY, FAINT, INK, ON_BACK, indices
from porta_nigra_env.core.drawing.tabletop import CARD as PAPER
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import NUM_CARDS, NUM_PLACES, PAY, PLACE
from porta_nigra_env.games.gloria_mundi.drawing.look import CARD_NAME, STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.gloria_mundi.drawing.pieces import building, stones
from porta_nigra_env.games.gloria_mundi.drawing.places import FORUM

_STEPS_INK, _LEFT, _GOTH_INK, _TYPE = indices(STYLES, "steps", "left", "goth", "type_farm")
_STEPS, _FIRE = indices(SYMBOLS, "steps", "fire")
_NUMBER, _EXTRA, _DECK, _FIRE_NAME, _HEADING = indices(WORDS, "number", "forum_extra", "deck", "fire", "forum")

HEAD: Final = 26
HEIGHT: Final = 124
FIRE_HEIGHT: Final = 78
#: Height of the extra above a card.
_PRICE: Final = 26
_GAP: Final = 6
#: Names of cards in the fire: lines, and the smallest number per line.
_FIRE_LINES: Final = 4
_FIRE_ACROSS: Final = 8


def forum(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw the places, that of new cards first."""
    x, y, w, _ = box
    text_left(canvas, (x + 2, y + 1, w - 4, 20), BOLD, _HEADING, NO_NUMBER)
    step = (w + _GAP) // NUM_PLACES
    for place in range(NUM_PLACES):
        left, wide, card = x + place * step, step - _GAP, state["forum"][place]
        text(canvas, (left, y + HEAD, wide, 22), BOLD, _EXTRA, constants["extra"][place])
        whole = (left, y + HEAD + _PRICE, wide, HEIGHT - _PRICE)
        bought = state["place"] == place and state["phase"] in (PLACE, PAY)
        rect(canvas, whole, EMPTY if card < 0 else _LEFT if bought else PAPER, FORUM + place)
        if card >= 0:
            stones(canvas, left + 4, y + HEAD + _PRICE + 5, 22, constants["price"][card])
            symbol(canvas, (left + wide - 44, y + HEAD + _PRICE + 7, 20, 18), _STEPS_INK, _STEPS)
            text_left(
                canvas, (left + wide - 22, y + HEAD + _PRICE + 5, 20, 22), BOLD, _NUMBER, constants["laurels"][card]
            )
            building(canvas, constants, (left, y + HEAD + _PRICE + 30, wide, HEIGHT - _PRICE - 30), card, -1)


def fire(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw the deck with its number of cards, and the names of the cards in the fire."""
    x, y, w, _ = box
    rect(canvas, (x, y, w, FIRE_HEIGHT), AREA, NOTHING)
    text(canvas, (x + 6, y + 5, 52, 18), FAINT, _DECK, NO_NUMBER)
    rect(canvas, (x + 10, y + 26, 44, 46), BACK, NOTHING)
    text(canvas, (x + 12, y + 36, 40, 26), ON_BACK, _NUMBER, state["num_deck"])
    text(canvas, (x + 64, y + 5, 44, 18), FAINT, _FIRE_NAME, NO_NUMBER)
    symbol(canvas, (x + 70, y + 30, 32, 36), _GOTH_INK, _FIRE)
    burnt = 0
    for card in range(NUM_CARDS):
        burnt += state["fire"] >> card & 1
    across = max(_FIRE_ACROSS, (burnt + _FIRE_LINES - 1) // _FIRE_LINES)
    step = (w - 122) // across
    number = 0
    for card in range(NUM_CARDS):
        if state["fire"] >> card & 1:
            left, top = x + 116 + number % across * step, y + 4 + number // across * 18
            rect(canvas, (left, top + 1, 6, 15), _TYPE + constants["card_type"][card], NOTHING)
            text_left(canvas, (left + 9, top, step - 13, 17), INK, CARD_NAME + card, NO_NUMBER)
            number += 1
