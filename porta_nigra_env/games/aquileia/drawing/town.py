"""The areas of the town with their spaces in acting order, and the followers on them."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.draw_list import (
    NO_NUMBER,
    NOTHING,
    Box,
    Canvas,
    ellipse,
    rect,
    symbol,
    text,
    text_left,
)
from porta_nigra_env.core.drawing.tabletop import BACK, BOLD, FAINT, INK, STAR, indices, token, word
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.drawing import pieces
from porta_nigra_env.games.aquileia.drawing.look import SPACE_NAME, STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.aquileia.drawing.places import CREST, SPACES
from porta_nigra_env.games.aquileia.state import ARENA_BLUE_ROLL, DOLUS_ROLL, LATRO_ROLL, STADIUM_BLUE_ROLL

_SPACE, _SLOT, _ACTING = indices(STYLES, "space", "slot", "acting")
_RED, _BLUE, _STAR_INK = indices(STYLES, "red_die", "blue_die", "star")
_DIE, _SWAP, _SLAVE, _HOUSE = indices(SYMBOLS, "die", "swap", "slave", "house")
_NUMBER, _TIMES, _PLUS, _UP_TO = indices(WORDS, "number", "times", "plus", "at_most")
_GAINS, _EACH, _LETTER = indices(WORDS, "gains", "each", "letter_bronze")
_MERCATUS, _TRACK, _PILE, _AREA = indices(WORDS, "mercatus", "track", "pile", "area_dolus")

#: Heights: a line of a heading, and the boxes of the three rows of areas.
HEAD: Final = 24
MERCATUS_HEIGHT: Final = 112
CONTEST_HEIGHT: Final = 92
TOWN_HEIGHT: Final = 92
_GAP: Final = 6


def holder(state: State, space: int) -> int:
    """Return the seat whose follower stands on a space; -1 for none."""
    for seat in range(state["num_players"]):
        if state["standing"][seat] >> space & 1:
            return int(seat)
    return -1


def acting_space(constants: Constants, state: State) -> int:
    """Return the acting space; -1 during a placement and when the game is over."""
    if state["phase"] == names.PLACE or state["phase"] == names.OVER:
        return -1
    for space in range(constants["num_spaces"]):
        if holder(state, space) >= 0:
            return int(space)
    return -1


def acts(constants: Constants, state: State, space: int) -> bool:
    """Return True if a follower on this space is acting: in contests all of them are."""
    first = acting_space(constants, state)
    if first < 0 or holder(state, space) < 0:
        return False
    area, now = constants["space_area"][space], constants["space_area"][first]
    contest = now in (names.ARENA, names.STADIUM_GOLD, names.STADIUM_SILVER)
    if area == names.STADIUM_SILVER and now == names.STADIUM_GOLD:
        return True
    return bool(space == first or (contest and area == now))


def heading(canvas: Canvas, x: int, y: int, w: int, which: int) -> None:
    """Draw the name of a section above it."""
    text_left(canvas, (x + 2, y + 1, w - 2, 20), BOLD, which, NO_NUMBER)


def slot(canvas: Canvas, state: State, x: int, y: int, size: int, space: int) -> None:
    """Draw a follower, or its empty place."""
    seat = holder(state, space)
    if seat < 0:
        ellipse(canvas, (x, y, size, size), _SLOT, NOTHING)
    else:
        token(canvas, x, y, size, seat)


def frame(canvas: Canvas, constants: Constants, state: State, space: int, box: Box) -> None:
    """Draw the box of a space with its name."""
    x, y, w, _ = box
    rect(canvas, box, _ACTING if acts(constants, state, space) else _SPACE, SPACES + space)
    word(canvas, (x + 4, y + 4, w - 8, 18), FAINT, SPACE_NAME + space)


def mercatus(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw area I: dice for coins, exchange, equi cards, slaves, blue dice."""
    x, y, w, _ = box
    heading(canvas, x, y, w, _MERCATUS)
    count = constants["area_start"][names.ARENA]
    step = (w + _GAP) // count
    for space in range(count):
        left, wide = x + space * step, step - _GAP
        frame(canvas, constants, state, space, (left, y + HEAD, wide, MERCATUS_HEIGHT))
        size = min(42, wide // 2 - 6)
        slot(canvas, state, left + wide // 4 - size // 2 + 1, y + HEAD + 52 - size // 2, size, space)
        market(canvas, constants, state, space, (left + wide // 2, y + HEAD + 28, wide // 2 - 4, 48))
        terms(canvas, constants, state, space, (left + 6, y + HEAD + 82, wide - 12, 24))


def market(canvas: Canvas, constants: Constants, state: State, space: int, box: Box) -> None:
    """Draw the goods of a space of Mercatus."""
    x, y, w, h = box
    area = constants["space_area"][space]
    size = min(32, w - 4)
    middle = x + (w - size) // 2
    if area in (names.DOLUS, names.POTENTIA):
        amount = constants["dolus_red_dice"] if area == names.DOLUS else constants["blue_dice"]
        symbol(canvas, (middle, y, size, size), _RED if area == names.DOLUS else _BLUE, _DIE)
        text(canvas, (x, y + 34, w, 20), INK, _TIMES, amount)
    elif area == names.PECUNIA:
        symbol(canvas, (middle, y + 6, size, size), INK, _SWAP)
    elif area == names.EQUI:
        first = constants["area_start"][names.EQUI]
        face = state["equi_row"][space - first]
        if space == first:
            rect(canvas, (x + 6, y - 3, w - 6, h - 4), BACK, NOTHING)
        card = (x, y + 3, w - 6, h - 4) if space == first else (x, y, w - 2, h - 2)
        if face >= 0:
            pieces.equi_card(canvas, constants, card, face, NOTHING)
        else:
            rect(canvas, card, _SPACE, NOTHING)
    elif area == names.SERVI:
        symbol(canvas, (middle, y, size, size), INK, _SLAVE)
        text(canvas, (x, y + 34, w, 20), INK, _UP_TO, constants["space_most"][space])


def terms(canvas: Canvas, constants: Constants, state: State, space: int, box: Box) -> None:
    """Draw the price or other data of a space of Mercatus."""
    x, y, w, h = box
    area = constants["space_area"][space]
    if area == names.DOLUS:
        pieces.dice(canvas, box, state["dice"][DOLUS_ROLL])
    elif area == names.PECUNIA:
        text(canvas, (x, y + 2, w, 20), INK, _GAINS, constants["pecunia_vp"])
    elif area == names.EQUI:
        pieces.coins(canvas, x, y, h, constants["equi_price"])
    elif area == names.SERVI:
        pieces.coin(canvas, x, y, h, constants["space_coin"][space], 1)
        text_left(canvas, (x + h + 4, y + 2, w - h - 4, 20), INK, _EACH, NO_NUMBER)
    elif state["blue_owner"] >= 0:
        token(canvas, x, y, h, state["blue_owner"])
        text_left(canvas, (x + h + 4, y + 2, w - h - 4, 20), INK, _TIMES, state["blue_left"])


def contests(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw areas II and III: spaces with their strengths, and blue dice."""
    x, y, w, _ = box
    first, end = constants["area_start"][names.ARENA], constants["area_start"][names.THEATRUM]
    step = (w + _GAP) // (end - first)
    for area in range(names.ARENA, names.THEATRUM):
        start, count = constants["area_start"][area], constants["area_start"][area + 1] - constants["area_start"][area]
        left = x + (start - first) * step
        heading(canvas, left, y, count * step - _GAP, _AREA + area)
    for roll in range(ARENA_BLUE_ROLL, STADIUM_BLUE_ROLL + 1):
        right = constants["area_start"][names.STADIUM_GOLD if roll == ARENA_BLUE_ROLL else names.THEATRUM] - first
        dice_of(canvas, state, (x + right * step - _GAP - 86, y, 84, 21), roll)
    for space in range(first, end):
        left, wide = x + (space - first) * step, step - _GAP
        frame(canvas, constants, state, space, (left, y + HEAD, wide, CONTEST_HEIGHT))
        size = min(42, wide - 6)
        slot(canvas, state, left + (wide - size) // 2, y + HEAD + 45 - size // 2, size, space)
        text(canvas, (left, y + HEAD + 67, wide, 22), INK, _PLUS, constants["space_strength"][space])


def dice_of(canvas: Canvas, state: State, box: Box, roll: int) -> None:
    """Draw the blue dice of a fight or race, if there are any."""
    x, y, _, _ = box
    faces = state["dice"][roll]
    if faces[0] + faces[1] + faces[2]:
        symbol(canvas, (x - 20, y + 2, 17, 17), _BLUE, _DIE)
        pieces.dice(canvas, box, faces)


def track(canvas: Canvas, state: State, box: Box) -> None:
    """Draw the advantage track: crests by rank."""
    x, y, w, _ = box
    heading(canvas, x, y, w, _TRACK)
    rect(canvas, (x, y + HEAD, w, CONTEST_HEIGHT), _SPACE, CREST)
    seats = state["num_players"]
    step = w // seats
    size = min(42, step - 6)
    for place in range(seats):
        left, top = x + place * step + (step - size) // 2, y + HEAD + 45 - size // 2
        ellipse(canvas, (left, top, size, size), _SLOT, NOTHING)
        text(canvas, (x + place * step, y + HEAD + 67, step, 20), FAINT, _NUMBER, place + 1)
        for seat in range(seats):
            if state["crest"][seat] == place:
                token(canvas, left, top, size, seat)


def town(canvas: Canvas, constants: Constants, state: State, box: Box) -> None:
    """Draw areas IV to VI: theatre, building, thief and harbour."""
    x, y, w, _ = box
    first = constants["area_start"][names.THEATRUM]
    step = (w + _GAP) // (constants["num_spaces"] - first)
    for area in range(names.THEATRUM, names.PORTUS + 1):
        start, count = constants["area_start"][area], constants["area_start"][area + 1] - constants["area_start"][area]
        if area != names.LATRO:
            heading(canvas, x + (start - first) * step, y, count * step - _GAP, _AREA + area)
    for space in range(first, constants["num_spaces"]):
        left, wide = x + (space - first) * step, step - _GAP
        frame(canvas, constants, state, space, (left, y + HEAD, wide, TOWN_HEIGHT))
        size = min(42, wide - 6)
        slot(canvas, state, left + (wide - size) // 2, y + HEAD + 45 - size // 2, size, space)
        benefit(canvas, constants, state, space, (left + 4, y + HEAD + 67, wide - 8, 22))


def benefit(canvas: Canvas, constants: Constants, state: State, space: int, box: Box) -> None:
    """Draw the benefit of a space of areas IV to VI."""
    x, y, w, h = box
    area = constants["space_area"][space]
    if area == names.THEATRUM:
        if state["phase"] != names.AUCTION:
            text(canvas, box, INK, _PILE, state["num_theatre_draw"])
    elif area == names.FORUM:
        builds, value = constants["space_most"][space], constants["space_value"][space]
        step = min(h + 2, w // (builds + value))
        left = x + (w - step * (builds + value)) // 2
        for build in range(builds):
            symbol(canvas, (left + build * step, y, h, h), INK, _HOUSE)
        if value:
            symbol(canvas, (left + builds * step, y, h, h), _STAR_INK, STAR)
    elif area == names.LATRO:
        pieces.dice(canvas, (x + max(0, (w - 2 * h) // 2), y, w, h), state["dice"][LATRO_ROLL])
    else:
        kind = constants["space_coin"][space]
        if state["portus_coins"] >> kind & 1:
            pieces.coin(canvas, x + (w - h) // 2, y, h, kind, NO_NUMBER)
        else:
            word(canvas, box, FAINT, _LETTER + kind)
