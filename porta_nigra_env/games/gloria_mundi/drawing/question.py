"""The head of the table: the pending decision, its facts, and buttons for answers."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Box, Canvas, rect, text_left
from porta_nigra_env.core.drawing.tabletop import AREA, BOLD, BUTTON, FAINT, INK, button, indices, token
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components import names
from porta_nigra_env.games.gloria_mundi.components.names import BASES, NUM_BASIC, STONES
from porta_nigra_env.games.gloria_mundi.drawing import places
from porta_nigra_env.games.gloria_mundi.drawing.look import CARD_NAME, FIRST_LINE, SECOND_LINE, WORDS
from porta_nigra_env.games.gloria_mundi.drawing.pieces import base_tile, stone, stones

_TURN, _ASKS, _PLAYED, _DONE, _AGAIN = indices(WORDS, "turn", "asks_play", "played", "done", "again")
_LEFT, _TRIBUTE, _GOTH, _GIVE_LEFT, _TAKE_LEFT = indices(WORDS, "left", "tribute", "goth", "give_left", "take_left")
_DUE, _EXTRA, _FIXED, _HOW_MANY, _NUMBER = indices(WORDS, "due", "extra", "fixed", "how_many", "number")
_DEMANDED, _SHARED, _NEXT, _STONES, _NAME = indices(WORDS, "demanded", "shared", "next", "stones", "name_food")
_HINT_PLAY, _HINT_BUY, _HINT_PLACE, _HINT_DISCARD = indices(
    WORDS, "hint_play", "hint_buy", "hint_place", "hint_discard"
)
_END, _TIMES, _STEPS = indices(WORDS, "end_rome", "times", "steps")
_BASES: Final = len(BASES)
_KINDS: Final = len(STONES)

HEIGHT: Final = 96
_BUTTON: Final = 40


def header(canvas: Canvas, state: State, box: Box) -> None:
    """Draw the turn, the player asked and the decision, the type played, and a legend of the stones."""
    x, y, w, _ = box
    text_left(canvas, (x, y + 4, 112, 28), BOLD, _TURN, state["turn"])
    left = x + 116
    if state["current_player"] >= 0:
        token(canvas, left, y, 38, state["current_player"])
        left += 46
    text_left(canvas, (left, y + 4, 300, 28), BOLD, _ASKS + state["phase"], NO_NUMBER)
    if state["phase"] == names.OVER:
        text_left(canvas, (left + 176, y + 5, 300, 26), INK, _END + state["end"], NO_NUMBER)
    if state["played"] >= 0:
        text_left(canvas, (x + 466, y + 9, 72, 20), FAINT, _PLAYED, NO_NUMBER)
        base_tile(canvas, x + 540, y + 4, 30, state["played"])
    for kind in range(_KINDS):
        stone(canvas, x + w - 348 + kind * 90, y + 8, 24, kind, NO_NUMBER)
        text_left(canvas, (x + w - 321 + kind * 90, y + 10, 58, 19), FAINT, _NAME + kind, NO_NUMBER)


def question(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw the facts of the decision, and the answers that have no other place on the table."""
    x, y, w, _ = box
    phase = state["phase"]
    rect(canvas, box, AREA, NOTHING)
    facts, answers = (x + 12, y + 10, w - 24, 30), (x + 12, y + 48, w - 24, _BUTTON)
    if phase in (names.EXCLUSIVE, names.ACTIVATE, names.REPEAT, names.BUY):
        button(canvas, (x + w - 122, y + 48, 110, _BUTTON), _DONE, NO_NUMBER, places.DONE)
    if phase == names.PLAY:
        _line(canvas, facts, _HINT_PLAY)
    elif phase == names.BUY:
        _line(canvas, facts, _HINT_BUY)
    elif phase in (names.EXCLUSIVE, names.ACTIVATE):
        _line(canvas, facts, _LEFT)
    elif phase in (names.REPEAT, names.GIVE, names.DISCARD, names.TAKE):
        _activation(canvas, state, facts, answers)
    elif phase in (names.PLACE, names.PAY, names.PAY_TRIBUTE):
        _payment(canvas, constants, state, facts, answers)
    elif phase == names.GOTH:
        _tribute(canvas, constants, state, facts, answers)
    elif phase in (names.LOSE, names.RECLAIM):
        _raid(canvas, state, facts, answers)
    else:
        _ends(canvas, state, box)


def _line(canvas: Canvas, facts: Box, word: int) -> None:
    x, y, w, _ = facts
    text_left(canvas, (x, y + 2, w, 24), INK, word, NO_NUMBER)


def _chosen_stones(canvas: Canvas, state: State, answers: Box) -> None:
    """Draw a button for each kind of stones that may be given or taken."""
    x, y, _, h = answers
    for kind in range(_KINDS):
        if state["options"] >> kind & 1:
            rect(canvas, (x, y, 70, h), BUTTON, places.STONE + kind)
            stone(canvas, x + 20, y + 5, 30, kind, NO_NUMBER)
            x += 82


def _activation(canvas: Canvas, state: State, facts: Box, answers: Box) -> None:
    """Draw the card being carried out."""
    x, y, w, _ = facts
    card = state["card"]
    text_left(canvas, (x, y + 2, 210, 25), BOLD, CARD_NAME + card, NO_NUMBER)
    text_left(canvas, (x + 220, y + 3, 250, 23), INK, FIRST_LINE + card, NO_NUMBER)
    text_left(canvas, (x + 480, y + 3, 280, 23), INK, SECOND_LINE + card, NO_NUMBER)
    if state["give_left"]:
        text_left(canvas, (x + w - 140, y + 2, 140, 25), BOLD, _GIVE_LEFT, state["give_left"])
    if state["take_left"]:
        text_left(canvas, (x + w - 140, y + 2, 140, 25), BOLD, _TAKE_LEFT, state["take_left"])
    x, y, w, h = answers
    if state["phase"] == names.REPEAT:
        button(canvas, (x, y, 160, h), _AGAIN, NO_NUMBER, places.AGAIN)
    elif state["phase"] == names.DISCARD:
        text_left(canvas, (x, y + 8, w, 23), INK, _HINT_DISCARD, NO_NUMBER)
    else:
        _chosen_stones(canvas, state, answers)


def _payment(canvas: Canvas, constants: Constants, state: State, facts: Box, answers: Box) -> None:
    """Draw the price, the fixed amounts, and the possible amounts of the next kind."""
    x, y, w, _ = facts
    if state["phase"] == names.PAY_TRIBUTE:
        text_left(canvas, (x, y + 4, 210, 22), INK, _NEXT, NO_NUMBER)
        _symbols(canvas, constants, state["goth"] + state["num_tribute"] + 1, x + 220, y)
    else:
        card = state["forum"][state["place"]]
        text_left(canvas, (x, y + 2, 190, 25), BOLD, CARD_NAME + card, NO_NUMBER)
        text_left(canvas, (x + 200, y + 4, 44, 22), FAINT, _DUE, NO_NUMBER)
        end = stones(canvas, x + 250, y, 30, constants["price"][card])
        text_left(canvas, (end + 8, y + 4, 170, 22), INK, _EXTRA, constants["extra"][state["place"]])
    if state["phase"] == names.PLACE:
        x, y, _, _ = answers
        text_left(canvas, (x, y + 8, w, 23), INK, _HINT_PLACE, NO_NUMBER)
        return
    text_left(canvas, (x + w - 300, y + 4, 50, 22), FAINT, _FIXED, NO_NUMBER)
    asked = -1
    for kind in range(NUM_BASIC):
        paid = state["paid"][kind]
        if paid >= 0:
            stone(canvas, x + w - 244 + kind * 36, y, 30, kind, paid)
        elif asked < 0:
            asked = kind
    x, y, _, h = answers
    stone(canvas, x, y + 5, 30, asked, NO_NUMBER)
    text_left(canvas, (x + 38, y + 9, 104, 22), INK, _HOW_MANY, NO_NUMBER)
    left = x + 148
    for amount in range(NUM_AMOUNTS):
        if state["options"] >> amount & 1:
            button(canvas, (left, y, 44, h), _NUMBER, amount, places.AMOUNT + amount)
            left += 49


def _symbols(canvas: Canvas, constants: Constants, space: int, x: int, y: int) -> None:
    """Draw the symbols of a province."""
    for base in range(_BASES):
        for _ in range(constants["symbols"][space][base]):
            base_tile(canvas, x, y, 30, base)
            x += 34


def _tribute(canvas: Canvas, constants: Constants, state: State, facts: Box, answers: Box) -> None:
    """Draw the province whose tribute may be paid."""
    x, y, _, _ = facts
    text_left(canvas, (x, y + 3, 210, 23), INK, _NEXT, NO_NUMBER)
    _symbols(canvas, constants, state["goth"] + state["num_tribute"] + 1, x + 220, y)
    x, y, _, h = answers
    button(canvas, (x, y, 210, h), _TRIBUTE, NO_NUMBER, places.TRIBUTE)
    button(canvas, (x + 222, y, 210, h), _GOTH, NO_NUMBER, places.GOTH)


def _raid(canvas: Canvas, state: State, facts: Box, answers: Box) -> None:
    """Draw the base cards still demanded, and the tribute that is shared afterwards."""
    x, y, _, _ = facts
    text_left(canvas, (x, y + 3, 170, 23), INK, _DEMANDED, NO_NUMBER)
    for base in range(_BASES):
        base_tile(canvas, x + 180 + base * 76, y, 30, base)
        text_left(canvas, (x + 214 + base * 76, y + 2, 40, 26), BOLD, _TIMES, state["demanded"][base])
    text_left(canvas, (x + 450, y + 3, 220, 23), INK, _SHARED, NO_NUMBER)
    stones(canvas, x + 680, y, 30, state["raid_stones"])
    if state["phase"] == names.RECLAIM:
        _chosen_stones(canvas, state, answers)


def _ends(canvas: Canvas, state: State, box: Box) -> None:
    """Draw steps and stones of every seat by rank."""
    x, y, w, _ = box
    seats = state["num_players"]
    step = (w - 12) // seats
    place = 0
    for rank in range(seats):
        for seat in range(seats):
            if _seats_ahead(state, seat) == rank:
                left = x + 12 + place * step
                token(canvas, left, y + 14, 36, seat)
                text_left(canvas, (left + 44, y + 14, step - 50, 32), BOLD, _STEPS, state["steps"][seat])
                text_left(canvas, (left + 44, y + 58, step - 50, 22), FAINT, _STONES, stock(state, seat))
                place += 1


def _seats_ahead(state: State, seat: int) -> int:
    """Return the number of seats with more steps, or equal steps and more stones."""
    ahead = 0
    for other in range(state["num_players"]):
        more = state["steps"][other] - state["steps"][seat]
        ahead += more > 0 or (more == 0 and stock(state, other) > stock(state, seat))
    return ahead


def stock(state: State, seat: int) -> int:
    """Return the number of stones of a seat."""
    stones_of_seat = 0
    for kind in range(_KINDS):
        stones_of_seat += state["stones"][seat][kind]
    return stones_of_seat
