"""The action ids: one micro-decision each, in spans."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    BUY_ICONS,
    COLOURS,
    FIXED_SPOTS,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_HEIGHTS,
    NUM_HONOUR_CARDS,
    PORTA_NIGRA_SPOTS,
    TAKE_ICONS,
)

#: Largest number of tens a component file may lead to (bricks_total x largest multiplier // 10 + 1).
MAX_TENS: Final = 37


def _action_parts(num_honours: int, num_tens: int) -> list[FieldSpec]:
    return [
        FieldSpec("place", (len(BUILDINGS),), "place the master builder: building"),
        FieldSpec("card", (NUM_ACTION_CARDS,), "play an action card: card"),
        FieldSpec("buy", (len(BUY_ICONS), len(COLOURS)), "buy a brick: icon used, colour bought"),
        FieldSpec("take", (len(TAKE_ICONS),), "use another icon: icon"),
        FieldSpec("roman", (1,), "influence tokens for a Roman"),
        FieldSpec("coin", (1,), "a marker or torch token for sesterces"),
        FieldSpec("end", (1,), "end the turn"),
        FieldSpec("build", (FIXED_SPOTS,), "build with the icon: spot"),
        FieldSpec("build_porta_nigra", (NUM_HEIGHTS, PORTA_NIGRA_SPOTS), "build with the icon: height, spot"),
        FieldSpec("influence_build", (FIXED_SPOTS,), "build by influence: spot"),
        FieldSpec("influence_build_porta_nigra", (NUM_HEIGHTS, PORTA_NIGRA_SPOTS), "build by influence: height, spot"),
        FieldSpec("crown", (PORTA_NIGRA_SPOTS,), "the Porta Nigra element that gets the brick: spot"),
        FieldSpec("units", (10,), "interim scoring: single sesterces"),
        FieldSpec("appoint", (MAX_PLAYERS,), "the next starting player: seat"),
        FieldSpec("honour", (num_honours,), "buy an honour card: kind, in the order of the component file"),
        FieldSpec("tens", (num_tens,), "interim scoring: tens of sesterces"),
    ]


@lru_cache(maxsize=64)
def action_layout(num_honours: int, num_tens: int) -> Layout:
    """The action ids of a component set with so many kinds of honour cards and so many choices of tens."""
    return Layout(_action_parts(num_honours, num_tens))


# First ids of the spans whose place no component set can move, for the kernel.
_FIXED = action_layout(0, 0)
PLACE: Final[int] = _FIXED["place"].start
CARD: Final[int] = _FIXED["card"].start
BUY: Final[int] = _FIXED["buy"].start
TAKE: Final[int] = _FIXED["take"].start
ROMAN: Final[int] = _FIXED["roman"].start
COIN: Final[int] = _FIXED["coin"].start
END: Final[int] = _FIXED["end"].start
BUILD: Final[int] = _FIXED["build"].start
BUILD_PORTA_NIGRA: Final[int] = _FIXED["build_porta_nigra"].start
INFLUENCE_BUILD: Final[int] = _FIXED["influence_build"].start
INFLUENCE_BUILD_PORTA_NIGRA: Final[int] = _FIXED["influence_build_porta_nigra"].start
CROWN: Final[int] = _FIXED["crown"].start
UNITS: Final[int] = _FIXED["units"].start
APPOINT: Final[int] = _FIXED["appoint"].start
HONOUR: Final[int] = _FIXED["honour"].start

#: 64-bit words of a legality bit set; enough for every component set.
NUM_WORDS: Final = -(-action_layout(NUM_HONOUR_CARDS, MAX_TENS).size // 64)
