"""The lengths of a component file's lists; action ids and observations follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from porta_nigra_env.games.aquileia.components import names


class Sizes(NamedTuple):
    """Lengths of a component file's lists.

    Attributes:
        spaces: spaces for followers.
        equi_spaces: spaces of Equi among them.
        exchanges: exchanges at Pecunia.
        buys: most cards of one purchase.
        slave_faces, equi_faces, stadium_faces: types of cards.
        theatre_cards: cards to be auctioned.
        blue_dice: dice of Potentia.
        buildings: sites of the Forum.
    """

    spaces: int
    equi_spaces: int
    exchanges: int
    buys: int
    slave_faces: int
    equi_faces: int
    stadium_faces: int
    theatre_cards: int
    blue_dice: int
    buildings: int


#: The longest lists that a file may have.
LARGEST: Final = Sizes(
    spaces=names.MAX_SPACES,
    equi_spaces=names.MAX_EQUI_SPACES,
    exchanges=names.MAX_EXCHANGES,
    buys=names.MAX_BUYS,
    slave_faces=names.MAX_SLAVES,
    equi_faces=names.MAX_EQUI_FACES,
    stadium_faces=names.MAX_STADIUM_CARDS,
    theatre_cards=names.MAX_THEATRE_CARDS,
    blue_dice=names.MAX_DICE,
    buildings=names.MAX_BUILDINGS,
)


def sizes_of(data: Mapping[str, Any]) -> Sizes:
    """Return the sizes of a validated component file."""
    return Sizes(
        spaces=sum(len(spaces) for spaces in names.space_names(data).values()),
        equi_spaces=len(data["mercatus"]["equi"]),
        exchanges=len(data["mercatus"]["exchanges"]),
        buys=names.most_cards(data),
        slave_faces=len(names.slave_faces(data)),
        equi_faces=len(names.equi_faces(data)),
        stadium_faces=len(names.stadium_faces(data)),
        theatre_cards=len(data["theatre_cards"]["pairs"]),
        blue_dice=data["constants"]["blue_dice"],
        buildings=len(data["forum"]["buildings"]),
    )
