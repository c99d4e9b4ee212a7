"""The draw list of the table of Aquileia (`core.drawing.draw_list`)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from porta_nigra_env.core.drawing.draw_list import Canvas, Drawing
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import SEATS
from porta_nigra_env.games.aquileia.drawing import decks, panels, question, sites, town
from porta_nigra_env.games.aquileia.drawing.look import STYLES, SYMBOLS, palette_of, texts_of
from porta_nigra_env.games.aquileia.drawing.places import action_places, places

_WIDTH, _EDGE, _GAP = 960, 12, 10
_INSIDE: Final = _WIDTH - 2 * _EDGE
#: The middle line of the town: spaces of fight and race, then cards and dice of the race, then the advantage track.
_CONTESTS, _TRACK = 606, 208
# Where the parts begin, from the top.
_QUESTION: Final = 58
_MERCATUS: Final = _QUESTION + question.HEIGHT + _GAP
_CONTEST: Final = _MERCATUS + town.HEAD + town.MERCATUS_HEIGHT + _GAP
_TOWN: Final = _CONTEST + town.HEAD + town.CONTEST_HEIGHT + _GAP
_PILES: Final = _TOWN + town.HEAD + town.TOWN_HEIGHT + _GAP
_RACES: Final = _PILES + decks.PILES_HEIGHT + _GAP
_SITES: Final = _RACES + decks.RACES_HEIGHT + _GAP


def draw(constants: Constants, state: State, viewer: int, canvas: Canvas) -> None:
    """Draw the whole table for `viewer` (-1: no player); the record holds the known cards of other hands."""
    question.header(canvas, constants, state, (_EDGE, 10, _INSIDE, 40))
    question.question(canvas, constants, state, (_EDGE, _QUESTION, _INSIDE, question.HEIGHT))
    town.mercatus(canvas, constants, state, (_EDGE, _MERCATUS, _INSIDE, 0))
    town.contests(canvas, constants, state, (_EDGE, _CONTEST, _CONTESTS, 0))
    decks.stadium_pile(canvas, constants, state, (_EDGE + _CONTESTS + _GAP, _CONTEST, 102, 0))
    town.track(canvas, state, (_WIDTH - _EDGE - _TRACK, _CONTEST, _TRACK, 0))
    town.town(canvas, constants, state, (_EDGE, _TOWN, _INSIDE, 0))
    decks.piles(canvas, constants, state, (_EDGE, _PILES, _INSIDE, decks.PILES_HEIGHT))
    decks.races(canvas, constants, state, (_EDGE, _RACES, _INSIDE, decks.RACES_HEIGHT))
    sites.sites(canvas, constants, state, (_EDGE, _SITES, _INSIDE, 0))
    top = _SITES + sites.lines_of(constants["num_buildings"]) * sites.LINE + _GAP
    for seat in range(state["num_players"]):
        panels.panel(canvas, constants, state, viewer, seat, (_EDGE, top, _INSIDE, panels.HEIGHT))
        top += panels.HEIGHT + _GAP


@lru_cache(maxsize=16)
def drawing_of(components: Components) -> Drawing:
    """Return the drawing of a component set."""
    top = _SITES + sites.lines_of(len(components.buildings)) * sites.LINE + _GAP
    return Drawing(
        name="aquileia",
        constants=components.constants,
        draw=draw,
        sizes={players: (_WIDTH, top + players * (panels.HEIGHT + _GAP)) for players in SEATS},
        palette=palette_of(components),
        styles=STYLES,
        symbols=SYMBOLS,
        texts=texts_of(components),
        places=places(components),
        action_places=action_places(components),
        max_rows=1600,
    )
