"""The panels of players: points, coins, pieces, dice, hands, and cards for the end."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import NO_NUMBER, NOTHING, Box, Canvas, rect, symbol, text_left, text_right
from porta_nigra_env.core.drawing.tabletop import (
    ASKED,
    BOLD,
    FAINT,
    FLAG,
    GONE,
    INK,
    OWNER,
    PANEL,
    STAR,
    indices,
    token,
)
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import KINDS, MAX_SLAVES
from porta_nigra_env.games.aquileia.drawing import pieces
from porta_nigra_env.games.aquileia.drawing.final import stadium_card_of
from porta_nigra_env.games.aquileia.drawing.look import STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.aquileia.drawing.places import SLAVES, equi_place
from porta_nigra_env.games.aquileia.state import ARENA_ROLL, STADIUM_ROLL

_STAR_INK, _LAUREL_INK = indices(STYLES, "star", "laurel")
_FOLLOWER, _LAUREL, _HOUSE, _EYE = indices(SYMBOLS, "follower", "laurel", "house", "eye")
_WEAPON, _HORSE = indices(SYMBOLS, "weapon", "horse")
_PLAYER, _YOU, _PASSED, _NUMBER, _NO_CARDS = indices(WORDS, "player", "you", "passed", "number", "no_cards")

HEIGHT: Final = 98
_HAND_WIDTH: Final = 500
_CARD: Final = 54
_KINDS: Final = len(KINDS)


def panel(canvas: Canvas, constants: Constants, state: State, viewer: int, seat: int, box: Box) -> None:
    """Draw the panel of a seat; hands hidden from `viewer` show the number of cards."""
    x, y, w, _ = box
    asked = state["current_player"] == seat
    rect(canvas, box, ASKED if asked else PANEL, NOTHING)
    token(canvas, x + 8, y + 7, 36, seat)
    text_left(canvas, (x + 50, y + 10, 112, 24), BOLD, _YOU if viewer == seat else _PLAYER, seat)
    if state["starting_player"] == seat:
        symbol(canvas, (x + 166, y + 10, 24, 24), INK, FLAG)
    symbol(canvas, (x + 200, y + 9, 28, 28), _STAR_INK, STAR)
    text_left(canvas, (x + 233, y + 8, 52, 30), BOLD, _NUMBER, state["vp"][seat])
    for kind in range(_KINDS):
        pieces.coin(canvas, x + 290 + kind * 66, y + 9, 30, kind, NO_NUMBER)
        text_left(canvas, (x + 324 + kind * 66, y + 10, 32, 27), BOLD, _NUMBER, state["coins"][seat][kind])
    _pieces(canvas, state, seat, (x + 496, y + 9, 190, 30))
    _thrown(canvas, state, seat, (x + 690, y + 10, w - 698, 26))
    passed = state["passed"] >> seat & 1
    if passed:
        text_right(canvas, (x + _HAND_WIDTH - 70, y + 60, 80, 22), BOLD, _PASSED, NO_NUMBER)
    _hand(canvas, constants, state, seat, (x + 10, y + 50, _HAND_WIDTH - 86 * passed, 40))
    _kept(canvas, constants, state, seat, (x + _HAND_WIDTH + 22, y + 50, w - _HAND_WIDTH - 30, 40))


def _pieces(canvas: Canvas, state: State, seat: int, box: Box) -> None:
    """Draw the unplaced followers and crest, and the unbuilt houses."""
    x, y, _, h = box
    passed = state["passed"] >> seat & 1
    symbol(canvas, (x, y, h - 6, h), GONE if passed else OWNER + seat, _FOLLOWER)
    text_left(canvas, (x + 26, y + 2, 26, 26), INK, _NUMBER, state["followers_left"][seat])
    symbol(canvas, (x + 56, y + 1, h - 2, h - 2), GONE if state["crest"][seat] >= 0 else _LAUREL_INK, _LAUREL)
    symbol(canvas, (x + 94, y + 1, h - 2, h - 2), OWNER + seat, _HOUSE)
    text_left(canvas, (x + 126, y + 2, 32, 26), INK, _NUMBER, state["houses_left"][seat])


def _thrown(canvas: Canvas, state: State, seat: int, box: Box) -> None:
    """Draw the red dice of the last fight and of the last race."""
    x, y, w, h = box
    half = w // 2
    for race in range(2):
        faces = state["dice"][(STADIUM_ROLL if race else ARENA_ROLL) + seat]
        if faces[0] + faces[1] + faces[2]:
            symbol(canvas, (x + race * half, y + 3, 20, 20), FAINT, _HORSE if race else _WEAPON)
            pieces.dice(canvas, (x + race * half + 24, y, half - 32, h), faces)


def _hand(canvas: Canvas, constants: Constants, state: State, seat: int, box: Box) -> None:
    """Draw slave and equi cards: known ones with their numbers, and the backs of the others."""
    x, y, w, h = box
    slaves, equi = state["num_slaves"][seat], state["num_equi"][seat]
    if slaves + equi == 0:
        text_left(canvas, (x, y + 10, w, 20), FAINT, _NO_CARDS, NO_NUMBER)
        return
    step = min(_CARD + 6, w // _entries(constants, state, seat))
    asked = state["current_player"] == seat
    for face in range(MAX_SLAVES):
        cards = state["slaves"][seat][face]
        if cards:
            slaves -= cards
            pieces.slave_card(canvas, (x, y, step - 6, h), face + 1, SLAVES + face if asked else NOTHING)
            pieces.copies(canvas, (x, y, step - 6, h), cards)
            x += step
    if slaves > 0:
        pieces.slave_back(canvas, (x, y, step - 6, h), slaves)
        x += step
    for face in range(constants["num_equi_faces"]):
        cards = state["equi"][seat][face]
        if cards:
            equi -= cards
            pieces.equi_card(
                canvas, constants, (x, y, step - 6, h), face, equi_place(constants, face) if asked else NOTHING
            )
            pieces.copies(canvas, (x, y, step - 6, h), cards)
            if state["equi_known"][seat][face]:
                symbol(canvas, (x + 5, y + h - 13, 13, 13), FAINT, _EYE)
            x += step
    if equi > 0:
        pieces.equi_back(canvas, (x, y, step - 6, h), equi)


def _entries(constants: Constants, state: State, seat: int) -> int:
    """Return the number of different cards in a hand, backs included."""
    entries = 2
    for face in range(MAX_SLAVES):
        entries += state["slaves"][seat][face] > 0
    for face in range(constants["num_equi_faces"]):
        entries += state["equi"][seat][face] > 0
    return entries


def _kept(canvas: Canvas, constants: Constants, state: State, seat: int, box: Box) -> None:
    """Draw stadium cards (unknown ones as backs) and theatre cards."""
    x, y, w, h = box
    count = 0
    for past in range(constants["rounds"]):
        count += state["past_first"][past] == seat or state["past_second"][past] == seat
    for card in range(constants["num_theatre_cards"]):
        count += state["theatre_owner"][card] == seat
    step = min(70, (w + 6) // max(1, count))
    for past in range(constants["rounds"]):
        if state["past_first"][past] == seat or state["past_second"][past] == seat:
            pieces.stadium_card(canvas, constants, (x, y, step - 6, h), stadium_card_of(state, past, seat))
            x += step
    for card in range(constants["num_theatre_cards"]):
        if state["theatre_owner"][card] == seat:
            pieces.theatre_card(canvas, constants, (x, y, step - 6, h), card)
            x += step
