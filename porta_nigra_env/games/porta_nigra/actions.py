"""Action ids and action strings: one field of the layout for each kind of action.

An action is one micro-decision.  `_kinds` is the only table of actions: ids, strings and documentation follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, Protocol

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, offsets, ordinals
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    BUY_ICONS,
    COLOURS,
    FIXED_SPOTS,
    HIGHEST_HEIGHT,
    LOWEST_HEIGHT,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_HEIGHTS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    PORTA_NIGRA_SPOTS,
    TAKE_ICONS,
    spot_name,
)


class Components(Protocol):
    """The parts of a component set that action strings name."""

    @property
    def card_names(self) -> tuple[str, ...]: ...
    @property
    def honour_names(self) -> tuple[str, ...]: ...
    @property
    def num_tens(self) -> int: ...


#: Largest number of tens a component file may lead to (bricks_total x largest multiplier // 10 + 1).
MAX_TENS: Final = 37

_HEIGHTS: Final = (NUM_HEIGHTS, PORTA_NIGRA_SPOTS)
_SPOTS: Final = ["{} {}{}".format(*spot_name(spot)) for spot in range(NUM_SPOTS)]
_FIXED: Final = [f"build {spot}" for spot in _SPOTS[:FIXED_SPOTS]]
_TOWERS: Final = [
    f"build {spot} x{height}" for height in range(LOWEST_HEIGHT, HIGHEST_HEIGHT + 1) for spot in _SPOTS[FIXED_SPOTS:]
]

Kind = tuple[str, tuple[int, ...], str, list[str]]


def _by_influence(actions: list[str]) -> list[str]:
    return [f"{action} by influence" for action in actions]


def _kinds(cards: Sequence[str], honours: Sequence[str], num_tens: int) -> Iterator[Kind]:
    """Yield the kinds of actions in the order of their ids: field name, shape, documentation, action strings."""
    yield "place", (len(BUILDINGS),), "place the master builder: building", [f"place {name}" for name in BUILDINGS]
    yield "card", (len(cards),), "play an action card: card", [f"card {name}" for name in cards]
    buys = [f"buy {colour} via {icon}" for icon in BUY_ICONS for colour in COLOURS]
    yield "buy", (len(BUY_ICONS), len(COLOURS)), "buy a brick: icon used, colour bought", buys
    yield "take", (len(TAKE_ICONS),), "use another icon: icon", [f"take {icon}" for icon in TAKE_ICONS]
    yield "roman", (1,), "pay influence tokens for a Roman", ["roman"]
    yield "coin", (1,), "exchange a marker or torch token for sesterces", ["coin"]
    yield "end", (1,), "end the turn", ["end"]
    yield "build", (FIXED_SPOTS,), "build with the icon: spot", _FIXED
    yield "build_porta_nigra", _HEIGHTS, "build with the icon: height, spot", _TOWERS
    yield "influence_build", (FIXED_SPOTS,), "build by influence: spot", _by_influence(_FIXED)
    yield "influence_build_porta_nigra", _HEIGHTS, "build by influence: height, spot", _by_influence(_TOWERS)
    crowns = [f"crown {spot.split()[1]}" for spot in _SPOTS[FIXED_SPOTS:]]
    yield "crown", (PORTA_NIGRA_SPOTS,), "add a brick to an element of the Porta Nigra: spot", crowns
    yield "units", (10,), "interim scoring: single sesterces", [f"units {units}" for units in range(10)]
    seats = [f"appoint {seat}" for seat in range(MAX_PLAYERS)]
    yield "appoint", (MAX_PLAYERS,), "appoint the next starting player: seat", seats
    doc = "buy an honour card: kind, in the order of the component file"
    yield "honour", (len(honours),), doc, [f"honour {name}" for name in honours]
    yield "tens", (num_tens,), "interim scoring: tens of sesterces", [f"tens {tens}" for tens in range(num_tens)]


def _specs(num_honours: int, num_tens: int) -> list[FieldSpec]:
    kinds = _kinds([""] * NUM_ACTION_CARDS, [""] * num_honours, num_tens)
    return [FieldSpec(name, shape, doc) for name, shape, doc, _ in kinds]


@lru_cache(maxsize=64)
def action_layout(num_honours: int, num_tens: int) -> Layout:
    """Return the action ids of a component set with these numbers of honour card kinds and choices of tens."""
    return Layout(_specs(num_honours, num_tens))


@cache
def action_strings(components: Components) -> tuple[str, ...]:
    """Return the string of every action id, ids ascending; all different."""
    kinds = _kinds(components.card_names, components.honour_names, components.num_tens)
    return tuple(string for *_, strings in kinds for string in strings)


#: For compiled code: the first id of every field.  `tens` is missing, its first id depends on the component set.
ID: Final = offsets(Layout(_specs(0, 0)[:-1]))
#: For compiled code: the number of every kind.
KIND: Final = ordinals(Layout(_specs(0, 0)))

#: 64-bit words of a legality bit set; enough for every component set.
NUM_WORDS: Final = -(-action_layout(NUM_HONOUR_CARDS, MAX_TENS).size // 64)
