"""The common area: the round, the white shop and the supply, building cards, honour cards."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Canvas, rect, symbol, text, text_left, text_right
from porta_nigra_env.core.drawing.tabletop import indices
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, GAINS, MAIN, NUM_SUPPLY_CARDS, WHITE
from porta_nigra_env.games.porta_nigra.drawing.look import STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.porta_nigra.drawing.places import END_TURN, HONOUR
from porta_nigra_env.games.porta_nigra.drawing.quarters import shop
from porta_nigra_env.games.porta_nigra.drawing.signs import chip, gain_sign, token

_PANEL, _CARD, _BUTTON, _BUTTON_INK = indices(STYLES, "panel", "card", "button", "button_ink")
_INK, _BOLD, _FAINT = indices(STYLES, "ink", "bold", "faint")
_BUILDING, _INFLUENCE, _CROWN, _CARDS, _BRICKS = indices(SYMBOLS, "basilica", "influence", "crown", "cards", "bricks")
_NUMBER, _TIMES, _LESS, _ROUND, _OF = indices(WORDS, "number", "times", "less", "round", "of")
_PLAYER, _END_TURN, _FINAL_TURNS, _ENDED_BY = indices(WORDS, "player", "end_turn", "final_turns", "ended_by")
_ASKS, _SUPPLY, _USED, _DECK, _RESERVE = indices(WORDS, "asks_place_builder", "supply", "used", "deck", "reserve")
_NUM_GAINS: Final = len(GAINS)
_NUM_COLOURS: Final = len(COLOURS)
_NUM_BUILDINGS: Final = len(BUILDINGS)


def header(canvas: Canvas, constants: Constants, state: State) -> None:
    """Draw the round, the player to act, the phase, and the final turns of an early end."""
    text_left(canvas, (12, 14, 102, 26), _BOLD, _ROUND, state["round"])
    text_left(canvas, (116, 16, 60, 24), _FAINT, _OF, constants["rounds"][state["num_players"]])
    player = state["current_player"]
    if player >= 0:
        token(canvas, 196, 12, 32, player)
    text_left(canvas, (238, 15, 270, 25), _BOLD, _ASKS + state["phase"], NO_NUMBER)
    if state["early_player"] >= 0:
        text_right(canvas, (500, 17, 92, 20), _FAINT, _ENDED_BY, NO_NUMBER)
        token(canvas, 598, 14, 26, state["early_player"])
        text_right(canvas, (632, 17, 96, 20), _FAINT, _FINAL_TURNS, NO_NUMBER)
        for i in range(state["num_final_turns"]):
            token(canvas, 734 + i * 28, 14, 24, state["final_turns"][i])
    if state["phase"] == MAIN:
        rect(canvas, (850, 8, 102, 38), _BUTTON, END_TURN)
        text(canvas, (852, 16, 98, 22), _BUTTON_INK, _END_TURN, NO_NUMBER)


def supply(canvas: Canvas, constants: Constants, state: State, y: int) -> None:
    """Draw the white shop, the reserve and the building cards, 70 high."""
    rect(canvas, (8, y, 944, 70), _PANEL, NOTHING)
    shop(canvas, constants, state, 14, y, WHITE)
    symbol(canvas, (120, y + 12, 28, 28), _INK, _BRICKS)
    text_left(canvas, (154, y + 12, 54, 28), _BOLD, _NUMBER, state["reserve"])
    text(canvas, (112, y + 44, 96, 18), _FAINT, _RESERVE, NO_NUMBER)
    text_left(canvas, (216, y + 15, 90, 19), _INK, _SUPPLY, state["num_supply_draw"])
    text_left(canvas, (216, y + 41, 90, 19), _FAINT, _USED, NUM_SUPPLY_CARDS - state["num_supply_draw"])
    deck(canvas, 880, y + 5, 60, state["num_building_draw"])
    step = min(80, 550 // constants["building_display"])
    for i in range(state["num_building_display"]):
        card = state["building_cards"][i]
        x = 316 + i * step
        rect(canvas, (x, y + 7, step - 6, 56), _CARD, NOTHING)
        side = min(30, (step - 15) // 2)
        symbol(canvas, (x + 4, y + 35 - side // 2, side, side), _INK, _BUILDING + card // _NUM_COLOURS)
        chip(canvas, x + step - 10 - side, y + 35 - side // 2, side, card % _NUM_COLOURS)


def deck(canvas: Canvas, x: int, y: int, height: int, count: int) -> None:
    """Draw a pile with the number of its cards."""
    symbol(canvas, (x + 16, y, height // 2, height // 2), _FAINT, _CARDS)
    text(canvas, (x, y + height // 2 + 4, 62, 22), _INK, _NUMBER, count)


def honours(canvas: Canvas, constants: Constants, state: State, y: int) -> None:
    """Draw the honour cards, 82 high."""
    rect(canvas, (8, y, 944, 82), _PANEL, NOTHING)
    deck(canvas, 886, y + 12, 60, state["num_honour_draw"])
    step = min(72, 874 // constants["honour_display"])
    for i in range(state["num_honour_display"]):
        kind, first = state["honour_cards"][i], True
        for before in range(i):
            if state["honour_cards"][before] == kind:
                first = False
        x = 13 + i * step
        rect(canvas, (x, y + 5, step - 5, 72), _CARD, HONOUR + kind if first else NOTHING)
        price(canvas, constants, x, y + 7, kind)
        effects(canvas, constants, x, y + 29, step - 5, kind)


def price(canvas: Canvas, constants: Constants, x: int, y: int, kind: int) -> None:
    """Draw the cost of an honour card."""
    symbol(canvas, (x + 5, y + 2, 16, 17), _FAINT, _INFLUENCE)
    text_left(canvas, (x + 25, y + 1, 20, 19), _INK, _NUMBER, constants["honour_cost"][kind])


def effects(canvas: Canvas, constants: Constants, x: int, y: int, width: int, kind: int) -> None:
    """Draw the effects and discards of an honour card, one below the other in 46 of height."""
    final, substitute = constants["honour_final"][kind], constants["honour_substitute"][kind]
    discards_final, discards_buildings = (
        constants["honour_discard_final"][kind] >= 0,
        constants["honour_discard_buildings"][kind] > 0,
    )
    crowns = constants["honour_crown"][kind] > 0
    count = (final >= 0) + (substitute >= 0) + discards_final + discards_buildings + crowns
    for gain in range(_NUM_GAINS):
        count += constants["honour_gains"][kind][gain] > 0
    step = 46 // max(count, 1)
    side = min(step - 1, 26, width // 2 - 4)
    left, y = x + width // 2 - side - 1, y + (step - side) // 2
    right = x + width // 2 + 3
    if final >= 0:
        rect(canvas, (x + 6, y, width - 12, side), _BUTTON, NOTHING)
        text(
            canvas,
            (x + 8, y + side // 8, width - 16, side * 7 // 8),
            _BUTTON_INK,
            _NUMBER,
            constants["final_vp"][final],
        )
        y += step
    if substitute >= 0:
        symbol(canvas, (left, y, side, side), _INK, _BUILDING + substitute)
        chip(canvas, right, y + side // 8, side * 3 // 4, _NUM_COLOURS)
        y += step
    if crowns:
        symbol(canvas, (x + (width - side) // 2, y, side, side), _INK, _CROWN)
        y += step
    for gain in range(_NUM_GAINS):
        number = constants["honour_gains"][kind][gain]
        if number > 0:
            gain_sign(canvas, left, y, side, gain)
            text_left(canvas, (right, y + side // 8, width // 2 - 5, side * 7 // 8), _BOLD, _NUMBER, number)
            y += step
    if discards_final:
        final = constants["honour_discard_final"][kind]
        text(canvas, (x + 4, y, width - 8, side * 7 // 8), _FAINT, _LESS, constants["final_vp"][final])
    elif discards_buildings:
        text_right(canvas, (x + 4, y, width // 2 - 6, side * 7 // 8), _FAINT, _LESS, _NUM_BUILDINGS)
        symbol(canvas, (right, y, side * 7 // 8, side * 7 // 8), _FAINT, _CARDS)
