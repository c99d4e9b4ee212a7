"""The drawing of Porta Nigra (`core.drawing.draw_list`)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from porta_nigra_env.core.drawing.draw_list import Canvas, Drawing
from porta_nigra_env.core.drawing.tabletop import plain
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import MAX_PLAYERS
from porta_nigra_env.games.porta_nigra.drawing import panels
from porta_nigra_env.games.porta_nigra.drawing.look import PALETTE, STYLES, SYMBOLS, WORDS
from porta_nigra_env.games.porta_nigra.drawing.middle import header, honours, supply
from porta_nigra_env.games.porta_nigra.drawing.places import action_places, places
from porta_nigra_env.games.porta_nigra.drawing.quarters import quarters

_WIDTH: Final = 960
#: Upper edges of the areas; the panels come last, two in a line.
_TOP, _MIDDLE, _BOTTOM, _HONOURS, _PANELS = 54, 292, 368, 554, 642
_SPACE: Final = 8


def draw(constants: Constants, state: State, viewer: int, canvas: Canvas) -> None:
    """Draw the whole table; the panel of `viewer` is marked."""
    header(canvas, constants, state)
    quarters(canvas, constants, state, _TOP, _BOTTOM)
    supply(canvas, constants, state, _MIDDLE)
    honours(canvas, constants, state, _HONOURS)
    for seat in range(state["num_players"]):
        x = _SPACE + seat % 2 * (panels.WIDTH + _SPACE)
        y = _PANELS + seat // 2 * (panels.HEIGHT + _SPACE)
        panels.panel(canvas, constants, state, viewer, seat, x, y)


@lru_cache(maxsize=16)
def drawing_of(components: Components) -> Drawing:
    """Return the drawing of a component set."""
    heights = {
        players: _PANELS + (players + 1) // 2 * (panels.HEIGHT + _SPACE) for players in range(2, MAX_PLAYERS + 1)
    }
    names = [plain(card) for card in components.card_names]
    return Drawing(
        name="porta_nigra",
        constants=components.constants,
        draw=draw,
        sizes={players: (_WIDTH, height) for players, height in heights.items()},
        palette=PALETTE,
        styles=STYLES,
        symbols=SYMBOLS,
        texts=(*WORDS.values(), *names, *(name[:4] for name in names)),
        places=places(components),
        action_places=action_places(components),
        max_rows=900,
    )
