"""The drawing of the table of Gloria Mundi (`core.drawing.draw_list`)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from porta_nigra_env.core.drawing.draw_list import Canvas, Drawing
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import action_targets
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import SEATS
from porta_nigra_env.games.gloria_mundi.drawing import forum, panels, question, tracks
from porta_nigra_env.games.gloria_mundi.drawing.look import PALETTE, STYLES, SYMBOLS, texts_of
from porta_nigra_env.games.gloria_mundi.drawing.places import places

_WIDTH, _EDGE, _GAP = 960, 12, 10
_INSIDE: Final = _WIDTH - 2 * _EDGE
# Upper edges; those below the lanes depend on the number of players.
_QUESTION: Final = 58
_ESCAPE: Final = _QUESTION + question.HEIGHT + _GAP


def draw(constants: Constants, state: State, viewer: int, canvas: Canvas) -> None:
    """Draw the whole table; it is the same for every viewer."""
    question.header(canvas, state, (_EDGE, 10, _INSIDE, 40))
    question.question(canvas, constants, state, (_EDGE, _QUESTION, _INSIDE, question.HEIGHT))
    tracks.escape(canvas, constants, state, (_EDGE, _ESCAPE, _INSIDE, 0))
    top = below_lanes(state["num_players"])
    tracks.goth_track(canvas, constants, state, (_EDGE, top, _INSIDE, 0))
    top += goth_height(constants["provinces"])
    forum.forum(canvas, constants, state, (_EDGE, top, _INSIDE, 0))
    top += forum.HEAD + forum.HEIGHT + _GAP
    forum.fire(canvas, constants, state, (_EDGE, top, _INSIDE, 0))
    top += forum.FIRE_HEIGHT + _GAP
    for seat in range(state["num_players"]):
        panels.panel(
            canvas, constants, state, viewer, seat, (_EDGE, top, _INSIDE, panels.height_of(state["num_players"]))
        )
        top += panels.height_of(state["num_players"]) + _GAP


def below_lanes(players: int) -> int:
    """Return the upper edge of the Goth's track."""
    return _ESCAPE + tracks.HEAD + players * tracks.LANE + _GAP


def goth_height(provinces: int) -> int:
    """Return the height of the Goth's track, with the gap below it."""
    return tracks.HEAD + tracks.lines_of(provinces) * tracks.LINE + _GAP


@lru_cache(maxsize=16)
def drawing_of(components: Components) -> Drawing:
    """Return the drawing of a component set."""
    middle = goth_height(len(components.provinces)) + forum.HEAD + forum.HEIGHT + forum.FIRE_HEIGHT + 2 * _GAP
    heights = {
        players: below_lanes(players) + middle + players * (panels.height_of(players) + _GAP) for players in SEATS
    }
    return Drawing(
        name="gloria_mundi",
        constants=components.constants,
        draw=draw,
        sizes={players: (_WIDTH, height) for players, height in heights.items()},
        palette=PALETTE,
        styles=STYLES,
        symbols=SYMBOLS,
        texts=texts_of(components),
        places=places(components),
        action_places=tuple((name,) for name in action_targets(components)),
        max_rows=1600,
    )
