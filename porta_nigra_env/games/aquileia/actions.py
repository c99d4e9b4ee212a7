"""The actions in id order: layout, action strings and documentation of every kind.

A kind of action is one row of `KINDS_OF_ACTIONS`. The first id of each kind is a field of the constants
(`components.schema`), but for `place`, which begins at 0, and `play`, which has two decks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple, Protocol

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, ordinals
from porta_nigra_env.games.aquileia.components.names import KINDS
from porta_nigra_env.games.aquileia.sizes import LARGEST, Sizes


class Components(Protocol):
    """The parts of a component set that action strings name."""

    @property
    def buildings(self) -> tuple[str, ...]: ...
    @property
    def equi_faces(self) -> tuple[str, ...]: ...
    @property
    def exchanges(self) -> tuple[str, ...]: ...
    @property
    def slave_faces(self) -> tuple[str, ...]: ...
    @property
    def spaces(self) -> tuple[str, ...]: ...
    @property
    def sizes(self) -> Sizes: ...


#: Prizes of a fight, and stadium cards of a race, in the order of their ids.
TAKE_POINTS, TAKE_SLAVE = range(2)


class ActionKind(NamedTuple):
    """A kind of action.

    Attributes:
        name: the field of the layout.
        size: the number of its ids.
        doc: one phrase for the generated documentation.
        strings: the action strings of its ids.
    """

    name: str
    size: Callable[[Sizes], int]
    doc: str
    strings: Callable[[Components], Sequence[str]]

    @property
    def first_id(self) -> str:
        """The field of the constants with its first id."""
        return f"{self.name}_id" if self.size(LARGEST) == 1 else f"{self.name}_start"


def _single(name: str, doc: str, string: str | None = None) -> ActionKind:
    """Return a kind with one action."""
    return ActionKind(name, lambda sizes: 1, doc, lambda components: [string or name])


KINDS_OF_ACTIONS: Final = (
    ActionKind(
        "place",
        lambda sizes: sizes.spaces,
        "place a follower on a space, in acting order",
        lambda components: [f"place {space}" for space in components.spaces],
    ),
    _single("crest", "place the crest on the next rank of the advantage track", "place crest"),
    _single("pass", "decline to place, buy, bid, build or pay (again)"),
    _single("done", "make no more exchanges, play no more cards"),
    ActionKind(
        "exchange",
        lambda sizes: sizes.exchanges,
        "exchange coins: the exchanges in the order of the component file",
        lambda components: [f"exchange {kinds}" for kinds in components.exchanges],
    ),
    ActionKind(
        "buy",
        lambda sizes: sizes.buys,
        "buy a number of cards, from 1",
        lambda components: [f"buy {cards}" for cards in range(1, components.sizes.buys + 1)],
    ),
    ActionKind(
        "play",
        lambda sizes: sizes.slave_faces + sizes.equi_faces,
        "play a card, by type, slaves first",
        lambda components: [f"play {face}" for face in (*components.slave_faces, *components.equi_faces)],
    ),
    ActionKind(
        "dice",
        lambda sizes: sizes.blue_dice + 1,
        "roll a number of blue dice, from 0",
        lambda components: [f"dice {dice}" for dice in range(components.sizes.blue_dice + 1)],
    ),
    ActionKind(
        "take",
        lambda sizes: 2,
        "take a prize as the first of the fight: points, slave card",
        lambda components: ["take points", "take slave"],
    ),
    ActionKind(
        "keep",
        lambda sizes: 2,
        "keep a card as the first of the race: the open stadium card, the drawn one",
        lambda components: ["keep open", "keep drawn"],
    ),
    ActionKind(
        "bid",
        lambda sizes: len(KINDS),
        "raise the bid by one coin, by kind",
        lambda components: [f"bid {kind}" for kind in KINDS],
    ),
    ActionKind(
        "build",
        lambda sizes: sizes.buildings,
        "put a house on a building, in the order of the component file",
        lambda components: [f"build {building}" for building in components.buildings],
    ),
    _single("activate", "pay the stolen coin again, and activate"),
)


@lru_cache(maxsize=64)
def action_layout(sizes: Sizes) -> Layout:
    """Return the action ids with a component file of these sizes."""
    return Layout([FieldSpec(kind.name, (kind.size(sizes),), kind.doc) for kind in KINDS_OF_ACTIONS])


@cache
def action_texts(components: Components) -> tuple[str, ...]:
    """Return the action string of every id, ids ascending; all strings differ."""
    return tuple(string for kind in KINDS_OF_ACTIONS for string in kind.strings(components))


#: For compiled code: the number of every kind.
KIND: Final = ordinals(action_layout(LARGEST))
#: 64-bit words of a set of legal actions; enough for every component file.
NUM_WORDS: Final = -(-action_layout(LARGEST).size // 64)
