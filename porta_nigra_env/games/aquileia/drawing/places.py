"""Clickable places of the table of Aquileia, and the actions chosen there."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.tabletop import plain
from porta_nigra_env.core.game.contract import Constants
from porta_nigra_env.games.aquileia.actions import action_texts
from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import KINDS, MAX_BUYS, MAX_DICE, MAX_SLAVES

#: The noun of a place for the first word of an action string.
_NOUNS: Final = {"place": "space", "play": "card", "build": "site"}

# Indices of the first place of each kind. Spaces, sites, equi cards and exchanges come last because the component
# file sets their numbers.
CREST: Final = 0
PASS: Final = CREST + 1
DONE: Final = PASS + 1
ACTIVATE: Final = DONE + 1
TAKE: Final = ACTIVATE + 1
KEEP: Final = TAKE + 2
BID: Final = KEEP + 2
BUY: Final = BID + len(KINDS)
DICE: Final = BUY + MAX_BUYS
SLAVES: Final = DICE + MAX_DICE + 1
SPACES: Final = SLAVES + MAX_SLAVES


def site_place(constants: Constants, site: int) -> int:
    """Return the place of a site of the Forum."""
    return int(SPACES + constants["num_spaces"] + site)


def equi_place(constants: Constants, face: int) -> int:
    """Return the place of an equi card in the hand of the player to move."""
    return int(SPACES + constants["num_spaces"] + constants["num_buildings"] + face)


def exchange_place(constants: Constants, exchange: int) -> int:
    """Return the place of an exchange of coins."""
    return int(SPACES + constants["num_spaces"] + constants["num_buildings"] + constants["num_equi_faces"] + exchange)


def places(components: Components) -> dict[str, str]:
    """Return the names of the places with titles, in the order of their indices."""
    faces = [f"slave_{slaves}" for slaves in range(1, MAX_SLAVES + 1)]
    return {
        "advantage track": "next place of the advantage track",
        "pass": "pass",
        "done": "done",
        "activate": "pay again and activate",
        "take points": "take the points",
        "take slave": "take a slave card",
        "keep open": "keep the open stadium card",
        "keep drawn": "keep the drawn stadium card",
        **{f"bid {kind}": f"the standing bid and one {kind} more" for kind in KINDS},
        **{f"buy {cards}": f"buy {cards}" for cards in range(1, MAX_BUYS + 1)},
        **{f"dice {dice}": f"{dice} blue dice" for dice in range(MAX_DICE + 1)},
        **{f"card {face}": f"{plain(face)} in hand" for face in faces},
        **{f"space {space}": plain(space) for space in components.spaces},
        **{f"site {site}": plain(site) for site in components.buildings},
        **{f"card {face}": f"{plain(face)} in hand" for face in components.equi_faces},
        **{f"exchange {kinds}": f"exchange {kinds.replace(' ', ' for ')}" for kinds in components.exchanges},
    }


def action_places(components: Components) -> tuple[tuple[str, ...], ...]:
    """Return the name of the clickable place of every action id."""
    return tuple((_place_of(string),) for string in action_texts(components))


def _place_of(action: str) -> str:
    """Return the place of an action string: mostly the string itself."""
    if action == "place crest":
        return "advantage track"
    kind, _, rest = action.partition(" ")
    return f"{_NOUNS.get(kind, kind)} {rest}" if rest else kind
