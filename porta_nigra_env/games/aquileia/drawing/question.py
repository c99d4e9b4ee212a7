"""The head of the table: the pending question with its data, and buttons for the answers."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Box, Canvas, rect, symbol, text, text_left
from porta_nigra_env.core.drawing.tabletop import (
    AREA,
    ARROW,
    BOLD,
    BUTTON,
    BUTTON_INK,
    FAINT,
    INK,
    button,
    indices,
    token,
)
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.drawing import pieces, places
from porta_nigra_env.games.aquileia.drawing.final import laurel_points, villa_points
from porta_nigra_env.games.aquileia.drawing.look import WORDS
from porta_nigra_env.games.aquileia.drawing.town import acting_space

_ROUND, _OF, _ASKS, _PASS, _DONE = indices(WORDS, "round", "of", "asks_place", "pass", "done")
_HINT, _RECEIVED, _BUY, _STRENGTH, _LAST = indices(WORDS, "place_hint", "received", "buy", "strength", "last")
_CHOOSE, _TAKE_POINTS, _TAKE_SLAVE, _KEEP_OPEN = indices(WORDS, "choose_dice", "take_points", "take_slave", "keep_open")
_KEEP_DRAWN, _NO_BID, _BID_OF, _OUT, _RAISE = indices(WORDS, "keep_drawn", "no_bid", "bid_of", "out", "raise")
_AUCTIONEER, _BUILDS, _SCORED, _ROBBED = indices(WORDS, "auctioneer", "builds", "scored", "portus_hint")
_ACTIVATE, _NUMBER, _POINTS = indices(WORDS, "activate", "number", "points")
_LAURELS, _VILLAS, _NAME = indices(WORDS, "plus_laurels", "plus_villas", "name_bronze")
_KINDS: Final = len(names.KINDS)

HEIGHT: Final = 96
_BUTTON: Final = 40


def header(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw the round, the asked player and the legend of coins."""
    x, y, w, _ = box
    text_left(canvas, (x, y + 4, 112, 28), BOLD, _ROUND, state["round"])
    text_left(canvas, (x + 116, y + 9, 50, 20), FAINT, _OF, constants["rounds"])
    left = x + 178
    if state["current_player"] >= 0:
        token(canvas, left, y, 38, state["current_player"])
        left += 46
    text_left(canvas, (left, y + 4, 420, 28), BOLD, _ASKS + state["phase"], NO_NUMBER)
    for kind in range(_KINDS):
        pieces.coin(canvas, x + w - 270 + kind * 92, y + 7, 26, kind, NO_NUMBER)
        text_left(canvas, (x + w - 240 + kind * 92, y + 10, 60, 19), FAINT, _NAME + kind, NO_NUMBER)


def question(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw the data of the question, and the answers that have no other place on the table."""
    x, y, w, _ = box
    phase = state["phase"]
    rect(canvas, box, AREA, NOTHING)
    data, answers = (x + 12, y + 8, w - 24, 36), (x + 12, y + 50, w - 24, _BUTTON)
    if phase == names.OVER:
        _ends(canvas, constants, state, box)
        return
    refusal = phase in (names.PECUNIA_PHASE, names.ARENA_CARDS, names.STADIUM_CARDS)
    chooses = phase in (names.ARENA_DICE, names.ARENA_PRIZE, names.STADIUM_PRIZE)
    if refusal:
        button(canvas, (x + w - 122, y + 50, 110, _BUTTON), _DONE, NO_NUMBER, places.DONE)
    elif not chooses:
        button(canvas, (x + w - 122, y + 50, 110, _BUTTON), _PASS, NO_NUMBER, places.PASS)
    if phase == names.PLACE:
        text_left(canvas, (x + 12, y + 12, w - 24, 24), INK, _HINT, NO_NUMBER)
    elif phase == names.PECUNIA_PHASE:
        _exchanges(canvas, constants, state, data, answers)
    elif phase in (names.EQUI_PHASE, names.SERVI_PHASE):
        _purchases(canvas, constants, state, answers)
    elif phase == names.AUCTION:
        _auction(canvas, constants, state, data, answers)
    elif phase == names.FORUM_PHASE:
        text_left(canvas, (x + 12, y + 12, 400, 24), INK, _BUILDS, state["builds_left"])
        if constants["space_value"][acting_space(constants, state)]:
            text_left(canvas, (x + 420, y + 12, 300, 24), INK, _SCORED, NO_NUMBER)
    elif phase == names.PORTUS_PHASE:
        text_left(canvas, (x + 12, y + 12, 400, 24), INK, _ROBBED, NO_NUMBER)
        pieces.coin(canvas, x + 12, y + 55, 30, constants["space_coin"][acting_space(constants, state)], 1)
        button(canvas, (x + 50, y + 50, 320, _BUTTON), _ACTIVATE, NO_NUMBER, places.ACTIVATE)
    else:
        _strengths(canvas, constants, state, data)
        _contest_answers(canvas, constants, state, answers)


def _exchanges(canvas: Canvas, constants: Constants, state: State, data: Box, answers: Box) -> None:
    x, y, w, _ = data
    text_left(canvas, (x, y + 6, 180, 24), INK, _RECEIVED, NO_NUMBER)
    pieces.coins(canvas, x + 190, y + 3, 30, state["received"])
    x, y, w, h = answers
    step = min(128, (w - 120) // constants["num_exchanges"])
    for swap in range(constants["num_exchanges"]):
        left = x + swap * step
        rect(canvas, (left, y, step - 8, h), BUTTON, places.exchange_place(constants, swap))
        pieces.coin(
            canvas, left + 8, y + 5, 30, constants["exchange_give"][swap], constants["exchange_give_coins"][swap]
        )
        symbol(canvas, (left + (step - 8) // 2 - 10, y + 10, 20, 20), BUTTON_INK, ARROW)
        pieces.coin(
            canvas, left + step - 46, y + 5, 30, constants["exchange_get"][swap], constants["exchange_get_coins"][swap]
        )


def _purchases(canvas: Canvas, constants: Constants, state: State, answers: Box) -> None:
    x, y, _, h = answers
    most = constants["space_most"][acting_space(constants, state)] if state["phase"] == names.SERVI_PHASE else 1
    for cards in range(1, most + 1):
        button(canvas, (x + (cards - 1) * 88, y, 80, h), _BUY, cards, places.BUY + cards - 1)


def _auction(canvas: Canvas, constants: Constants, state: State, data: Box, answers: Box) -> None:
    """Draw the card on sale, the standing bid, the players who are out, and a raise of each kind."""
    x, y, _, h = data
    pieces.theatre_card(canvas, constants, (x, y - 2, 84, 40), state["auction_card"])
    text_left(canvas, (x + 96, y + 6, 104, 22), FAINT, _AUCTIONEER, NO_NUMBER)
    for seat in range(state["num_players"]):
        if state["standing"][seat] >> acting_space(constants, state) & 1:
            token(canvas, x + 204, y + 1, 32, seat)
    if state["bidder"] < 0:
        text_left(canvas, (x + 262, y + 5, 240, 24), INK, _NO_BID, NO_NUMBER)
    else:
        text_left(canvas, (x + 262, y + 5, 72, 24), INK, _BID_OF, NO_NUMBER)
        token(canvas, x + 338, y + 1, 32, state["bidder"])
        pieces.coins(canvas, x + 382, y + 2, 32, state["bid"])
    if state["out"]:
        text_left(canvas, (x + 640, y + 5, 50, 24), FAINT, _OUT, NO_NUMBER)
    left = x + 690
    for seat in range(state["num_players"]):
        if state["out"] >> seat & 1:
            token(canvas, left, y + 1, 32, seat)
            left += 38
    x, y, _, h = answers
    for kind in range(_KINDS):
        left = x + kind * 142
        rect(canvas, (left, y, 134, h), BUTTON, places.BID + kind)
        text(canvas, (left + 6, y + 8, 86, 25), BUTTON_INK, _RAISE, NO_NUMBER)
        pieces.coin(canvas, left + 96, y + 5, 30, kind, NO_NUMBER)


def _strengths(canvas: Canvas, constants: Constants, state: State, data: Box) -> None:
    """Draw the strength of each contestant, and the last card."""
    x, y, w, h = data
    text_left(canvas, (x, y + 5, 90, 24), INK, _STRENGTH, NO_NUMBER)
    left = x + 100
    for seat in range(state["num_players"]):
        if state["strength"][seat]:
            token(canvas, left, y + 1, 32, seat)
            text_left(canvas, (left + 38, y + 2, 44, 30), BOLD, _NUMBER, state["strength"][seat])
            left += 90
    last = state["last"]
    if last >= 0:
        text_left(canvas, (x + w - 190, y + 6, 100, 22), FAINT, _LAST, NO_NUMBER)
        card = (x + w - 80, y - 2, 54, h + 4)
        if last < names.MAX_SLAVES:
            pieces.slave_card(canvas, card, last + 1, NOTHING)
        else:
            pieces.equi_card(canvas, constants, card, last - names.MAX_SLAVES, NOTHING)


def _contest_answers(canvas: Canvas, constants: Constants, state: State, answers: Box) -> None:
    x, y, _, h = answers
    phase, seat = state["phase"], state["current_player"]
    if phase == names.ARENA_DICE:
        text_left(canvas, (x, y + 8, 140, 24), INK, _CHOOSE, NO_NUMBER)
        for number in range(state["blue_left"] + 1):
            button(canvas, (x + 150 + number * 58, y, 50, h), _NUMBER, number, places.DICE + number)
    elif phase == names.ARENA_PRIZE:
        button(
            canvas, (x, y, 220, h), _TAKE_POINTS, state["strength"][seat] * constants["vp_per_strength"], places.TAKE
        )
        button(canvas, (x + 232, y, 260, h), _TAKE_SLAVE, NO_NUMBER, places.TAKE + 1)
    elif phase == names.STADIUM_PRIZE:
        drawn = state["stadium_cards"][names.MAX_STADIUM_CARDS - state["num_stadium_draw"]]
        pieces.stadium_card(canvas, constants, (x, y + 2, 84, 36), state["stadium_open"])
        button(canvas, (x + 92, y, 260, h), _KEEP_OPEN, NO_NUMBER, places.KEEP)
        pieces.stadium_card(canvas, constants, (x + 400, y + 2, 84, 36), drawn)
        button(canvas, (x + 492, y, 260, h), _KEEP_DRAWN, NO_NUMBER, places.KEEP + 1)


def _ends(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw the final scoring of every seat."""
    x, y, w, _ = box
    seats = state["num_players"]
    step = (w - 12) // seats
    for seat in range(seats):
        left = x + 12 + seat * step
        laurels, villas = laurel_points(constants, state, seat), villa_points(constants, state, seat)
        token(canvas, left, y + 8, 36, seat)
        text_left(canvas, (left + 44, y + 8, step - 52, 32), BOLD, _POINTS, state["vp"][seat] + laurels + villas)
        text_left(canvas, (left, y + 48, step - 10, 19), FAINT, _LAURELS, laurels)
        text_left(canvas, (left, y + 68, step - 10, 19), FAINT, _VILLAS, villas)
