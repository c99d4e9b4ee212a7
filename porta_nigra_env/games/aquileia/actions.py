"""The action ids: one micro-decision each, in spans whose lengths follow from the component file."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout
from porta_nigra_env.games.aquileia.components.names import KINDS
from porta_nigra_env.games.aquileia.sizes import LARGEST, Sizes

#: What the first of a fight takes, and the first of a race keeps, by the order of their ids.
TAKE_POINTS, TAKE_SLAVE = range(2)


@lru_cache(maxsize=64)
def action_layout(sizes: Sizes) -> Layout:
    """The action ids with a component file of these sizes."""
    return Layout(
        [
            FieldSpec("place", (sizes.spaces,), "a follower on a space, in acting order"),
            FieldSpec("crest", (1,), "the crest on the next place of the advantage track"),
            FieldSpec("pass", (1,), "place, buy, bid, build or pay nothing (more)"),
            FieldSpec("done", (1,), "no more exchanges, no more cards"),
            FieldSpec(
                "exchange", (sizes.exchanges,), "give and get coins: exchange, in the order of the component file"
            ),
            FieldSpec("buy", (sizes.buys,), "buy so many cards, from 1"),
            FieldSpec("play", (sizes.slave_faces + sizes.equi_faces,), "play a card: face, slaves first"),
            FieldSpec("dice", (sizes.blue_dice + 1,), "roll so many blue dice, from 0"),
            FieldSpec("take", (2,), "first of the fight: points, slave card"),
            FieldSpec("keep", (2,), "first of the race: the open stadium card, the drawn one"),
            FieldSpec("bid", (len(KINDS),), "the standing bid and one coin more: kind"),
            FieldSpec("build", (sizes.buildings,), "put a house on a building, in the order of the component file"),
            FieldSpec("activate", (1,), "pay the stolen coin again, and activate"),
        ]
    )


#: 64-bit words of a legality bit set; enough for every component file.
NUM_WORDS: Final = -(-action_layout(LARGEST).size // 64)
