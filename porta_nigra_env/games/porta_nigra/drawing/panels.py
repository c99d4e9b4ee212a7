"""One panel for each player: possessions, cards and choices."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import (
    NO_NUMBER,
    NOTHING,
    Canvas,
    ellipse,
    rect,
    symbol,
    text,
    text_left,
    text_right,
)
from porta_nigra_env.core.drawing.tabletop import indices
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILD_ICON,
    BUILDINGS,
    BUY_ANY,
    COINS_3,
    COLOURS,
    GAIN_INFLUENCE,
    GAIN_ROMANS,
    GAIN_SESTERCES,
    GAIN_TORCHES,
    ICONS,
    INFLUENCE_ICON,
    NUM_ACTION_CARDS,
    SPLIT_TENS,
    SPLIT_UNITS,
    TORCH_ICON,
)
from porta_nigra_env.games.porta_nigra.drawing.look import STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.porta_nigra.drawing.places import CARD, HONOUR, ICON, PLAYER, ROMANS, TORCHES, UNITS
from porta_nigra_env.games.porta_nigra.drawing.signs import chip, gain_sign, token, torch

_PANEL, _ASKED, _AREA, _CARD, _PLAYED, _BACK = indices(STYLES, "panel", "asked", "area", "card", "played", "back")
_INK, _BOLD, _FAINT, _GONE, _ON_BACK = indices(STYLES, "ink", "bold", "faint", "gone", "on_back")
_BUTTON, _BUTTON_INK, _BUTTON_FAINT = indices(STYLES, "button", "button_ink", "button_faint")
_COIN, _COIN_INK = indices(STYLES, "coin", "coin_ink")
_BUILDING, _HAMMER, _FLAG, _CARDS, _GATE = indices(SYMBOLS, "basilica", "hammer", "flag", "cards", "porta_nigra")
_INFLUENCE, _STRIKE, _POINTS_SIGN = indices(SYMBOLS, "influence", "strike", "points")
_NUMBER, _TIMES, _MORE, _PLAYER, _YOU = indices(WORDS, "number", "times", "more", "player", "you")
_YOUTH, _DECK, _TO_SPLIT, _TAKEN, _POINTS = indices(WORDS, "youth", "deck", "to_split", "taken", "points")
#: Names of the action cards, and the beginnings of their names, follow the words.
_CARD_NAME: Final = len(WORDS)
_CARD_SHORT: Final = _CARD_NAME + NUM_ACTION_CARDS
_NUM_COLOURS: Final = len(COLOURS)
_NUM_BUILDINGS: Final = len(BUILDINGS)
_NUM_ICONS: Final = len(ICONS)

WIDTH: Final = 468
HEIGHT: Final = 212
_CARDS_WIDTH: Final = 352


def panel(canvas: Canvas, constants: Constants, state: State, viewer: int, seat: int, x: int, y: int) -> None:
    """Draw the panel of one player."""
    asked = state["current_player"] == seat
    rect(canvas, (x, y, WIDTH, HEIGHT), _PANEL, NOTHING)
    head(canvas, state, viewer, seat, x, y + 6)
    money(canvas, state, seat, x + 8, y + 42)
    goods(canvas, state, seat, x + 8, y + 76)
    finals(canvas, constants, state, seat, x + 12 + _CARDS_WIDTH, y + 110)
    if asked and (state["phase"] == SPLIT_TENS or state["phase"] == SPLIT_UNITS):
        split(canvas, constants, state, seat, x + 8, y + 110)
    else:
        cards(canvas, constants, state, seat, x + 8, y + 110)
    strip(canvas, constants, state, seat, x + 8, y + 181)


def head(canvas: Canvas, state: State, viewer: int, seat: int, x: int, y: int) -> None:
    """Draw seat, starting player, rank by age and victory points; inverted for the player to act."""
    asked = state["current_player"] == seat
    bold, faint = (_BUTTON_INK, _BUTTON_FAINT) if asked else (_BOLD, _FAINT)
    rect(canvas, (x + 4, y, WIDTH - 8, 32), _BUTTON if asked else _AREA, PLAYER + seat)
    token(canvas, x + 8, y + 2, 28, seat)
    text_left(canvas, (x + 44, y + 5, 150, 22), bold, _YOU if viewer == seat else _PLAYER, seat)
    if state["starting_player"] == seat:
        symbol(canvas, (x + 204, y + 5, 22, 22), bold, _FLAG)
    for place in range(state["num_players"]):
        if state["youngest_first"][place] == seat:
            text_left(canvas, (x + 236, y + 7, 116, 19), faint, _YOUTH, place + 1)
    symbol(canvas, (x + 366, y + 4, 24, 24), bold, _POINTS_SIGN)
    text_left(canvas, (x + 396, y + 2, 66, 28), bold, _NUMBER, state["vp"][seat])


def money(canvas: Canvas, state: State, seat: int, x: int, y: int) -> None:
    """Draw sesterces, torches, influence, Romans in the play area and in reserve."""
    asked = state["current_player"] == seat
    rect(canvas, (x + 112, y, 96, 30), _AREA, TORCHES if asked else NOTHING)
    rect(canvas, (x + 312, y, 140, 30), _AREA, ROMANS if asked else NOTHING)
    stock(canvas, x, y + 2, GAIN_SESTERCES, state["sesterces"][seat])
    stock(canvas, x + 116, y + 2, GAIN_TORCHES, state["torches"][seat])
    stock(canvas, x + 216, y + 2, GAIN_INFLUENCE, state["influence"][seat])
    stock(canvas, x + 316, y + 2, GAIN_ROMANS, state["romans"][seat])
    text_left(canvas, (x + 396, y + 5, 54, 20), _FAINT, _MORE, state["romans_reserve"][seat])


def stock(canvas: Canvas, x: int, y: int, gain: int, count: int) -> None:
    """Draw the amount of a gain."""
    gain_sign(canvas, x, y, 26, gain)
    text_left(canvas, (x + 32, y + 1, 58, 24), _BOLD, _NUMBER, count)


def goods(canvas: Canvas, state: State, seat: int, x: int, y: int) -> None:
    """Draw bricks, and building cards by building."""
    for colour in range(_NUM_COLOURS):
        chip(canvas, x + colour * 50, y + 2, 24, colour)
        count = state["bricks"][seat][colour]
        text_left(canvas, (x + colour * 50 + 27, y + 4, 22, 21), _BOLD if count else _FAINT, _NUMBER, count)
    for building in range(_NUM_BUILDINGS):
        count = state["buildings_owned"][seat][building]
        symbol(canvas, (x + 258 + building * 50, y + 2, 24, 24), _INK if count else _GONE, _BUILDING + building)
        text_left(canvas, (x + 285 + building * 50, y + 4, 22, 21), _INK if count else _FAINT, _NUMBER, count)


def finals(canvas: Canvas, constants: Constants, state: State, seat: int, x: int, y: int) -> None:
    """Draw the final scoring cards owned, by their points."""
    shown = 0
    for final in range(constants["num_finals"]):
        count = state["finals_owned"][seat][final]
        if count:
            top = y + shown * 17
            rect(canvas, (x, top, 52, 16), _BUTTON, NOTHING)
            text(canvas, (x + 2, top, 48, 16), _BUTTON_INK, _NUMBER, constants["final_vp"][final])
            text_left(canvas, (x + 58, top, 36, 16), _INK, _TIMES, count)
            shown += 1


def cards(canvas: Canvas, constants: Constants, state: State, seat: int, x: int, y: int) -> None:
    """Draw the card in play and the hand: known cards face up, others as backs."""
    size = constants["hand_size"]
    step, slot = _CARDS_WIDTH // size, 0
    asked = state["current_player"] == seat
    if asked and state["card_in_play"] >= 0:
        in_play(canvas, constants, state, x, y, step - 6)
        slot += 1
    if state["hand"][seat] == 0:
        for _ in range(state["num_hand"][seat]):
            rect(canvas, (x + slot * step, y, step - 6, 66), _BACK, NOTHING)
            symbol(canvas, (x + slot * step + step // 2 - 23, y + 13, 40, 40), _ON_BACK, _GATE)
            slot += 1
    for card in range(NUM_ACTION_CARDS):
        if (state["hand"][seat] >> card) & 1:
            rect(canvas, (x + slot * step, y, step - 6, 66), _CARD, CARD + card if asked else NOTHING)
            card_head(canvas, constants, x + slot * step, y, step - 6, card, constants["card_torches"][card])
            icons(canvas, constants, state, x + slot * step, y + 30, step - 6, card, False)
            slot += 1


def card_head(canvas: Canvas, constants: Constants, x: int, y: int, width: int, card: int, torches: int) -> None:
    """Draw a card's name and torches."""
    text_left(canvas, (x + 5, y + 5, width - 50, 19), _BOLD, _CARD_NAME + card, NO_NUMBER)
    torch(canvas, x + width - 38, y + 4, 20)
    text_left(canvas, (x + width - 18, y + 5, 14, 19), _INK, _NUMBER, torches)


def in_play(canvas: Canvas, constants: Constants, state: State, x: int, y: int, width: int) -> None:
    """Draw the card in play with its remaining markers and icons."""
    card = state["card_in_play"]
    rect(canvas, (x, y, width, 66), _ASKED, NOTHING)
    card_head(canvas, constants, x, y, width, card, state["markers_left"])
    icons(canvas, constants, state, x, y + 30, width, card, True)
    if state["honour_bought"]:
        symbol(canvas, (x + width - 58, y + 6, 16, 16), _INK, _INFLUENCE)


def icons(
    canvas: Canvas, constants: Constants, state: State, x: int, y: int, width: int, card: int, playing: bool
) -> None:
    """Draw a card's icons; used icons of the card in play are struck out."""
    total = 0
    for icon in range(_NUM_ICONS):
        total += constants["card_icons"][card][icon]
    step, at = min(33, (width - 8) // max(total, 1)), x + 5
    side = min(30, step - 3)
    for icon in range(_NUM_ICONS):
        left = state["icons_left"][icon] if playing else constants["card_icons"][card][icon]
        for i in range(constants["card_icons"][card][icon]):
            place = ICON + icon if playing and i == 0 and left > 0 else NOTHING
            rect(canvas, (at - 1, y - 1, side + 2, side + 2), _AREA, place)
            icon_sign(canvas, at + 2, y + 2, side - 4, icon)
            if i >= left:
                symbol(canvas, (at, y, side, side), _FAINT, _STRIKE)
            at += step


def icon_sign(canvas: Canvas, x: int, y: int, size: int, icon: int) -> None:
    """Draw one icon of an action card."""
    if icon <= BUY_ANY:
        chip(canvas, x, y, size, icon)
    elif icon == BUILD_ICON:
        symbol(canvas, (x, y, size, size), _INK, _HAMMER)
    elif icon == INFLUENCE_ICON:
        gain_sign(canvas, x, y, size, GAIN_INFLUENCE)
    elif icon == TORCH_ICON:
        torch(canvas, x, y, size)
    else:
        ellipse(canvas, (x, y, size, size), _COIN, NOTHING)
        text(canvas, (x, y + size // 8, size, size * 3 // 4), _COIN_INK, _NUMBER, 3 + icon - COINS_3)


def split(canvas: Canvas, constants: Constants, state: State, seat: int, x: int, y: int) -> None:
    """Draw the points of an interim scoring and the choices of sesterces: tens, then units."""
    total = 0
    for building in range(_NUM_BUILDINGS):
        total += state["built"][seat][building]
    total *= constants["interim_multiplier"][state["num_players"]]
    text_left(canvas, (x, y + 2, 110, 19), _INK, _TO_SPLIT, total)
    if state["phase"] == SPLIT_TENS:
        choices, first = total // 10 + 1, HONOUR + constants["num_honours"]
    else:
        choices, first = min(9, total - 10 * state["split_tens"]) + 1, UNITS
        text_left(canvas, (x + 120, y + 2, 80, 19), _BOLD, _TAKEN, state["split_tens"])
    across = min(10, choices) if choices <= 20 else 20
    lines = (choices + across - 1) // across
    height, step = 42 // lines, _CARDS_WIDTH // max(across, 10)
    for choice in range(choices):
        left, top = x + choice % across * step, y + 24 + choice // across * height
        rect(canvas, (left, top, step - 4, height - 2), _BUTTON, first + choice)
        size = min(height - 4, 20)
        text(canvas, (left, top + (height - 2 - size) // 2, step - 4, size), _BUTTON_INK, _NUMBER, choice)


def strip(canvas: Canvas, constants: Constants, state: State, seat: int, x: int, y: int) -> None:
    """Draw the names of all cards of a player, played ones struck out, and the size of the draw pile."""
    at = x
    for card in range(NUM_ACTION_CARDS):
        if constants["card_players"][card] >= state["num_players"]:
            played = False
            for place in range(state["num_action_discard"][seat]):
                played = played or state["action_cards"][seat][place] == card
            in_play = state["current_player"] == seat and state["card_in_play"] == card
            rect(canvas, (at, y, 44, 24), _AREA if played else _CARD, NOTHING)
            style = _FAINT if played else (_BOLD if in_play else _INK)
            text(canvas, (at + 2, y + 3, 40, 18), style, _CARD_SHORT + card, NO_NUMBER)
            if played:
                rect(canvas, (at + 3, y + 12, 38, 1), _FAINT, NOTHING)
            at += 46
    text_right(canvas, (x + 372, y + 2, 80, 20), _FAINT, _DECK, state["num_action_draw"][seat])
