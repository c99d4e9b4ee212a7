"""The places on the table that can be clicked, and the actions that each of them selects."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing.tabletop import plain
from porta_nigra_env.games.porta_nigra.actions import action_strings
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.load import Components

# Indices of the first place of each kind; those of the honour cards and of tens of sesterces come last.
QUARTER: Final = 0
SHOP: Final = QUARTER + len(names.BUILDINGS)
SPOT: Final = SHOP + len(names.COLOURS)
CARD: Final = SPOT + names.NUM_SPOTS
ICON: Final = CARD + names.NUM_ACTION_CARDS
TORCHES: Final = ICON + len(names.ICONS)
ROMANS: Final = TORCHES + 1
END_TURN: Final = ROMANS + 1
PLAYER: Final = END_TURN + 1
UNITS: Final = PLAYER + names.MAX_PLAYERS
HONOUR: Final = UNITS + 10


def places(components: Components) -> dict[str, str]:
    """Return the titles of all places by name, in the order of their indices."""
    spots = ["spot {} {}{}".format(*names.spot_name(spot)) for spot in range(names.NUM_SPOTS)]
    return {
        **{f"quarter {building}": f"quarter of the {plain(building)}" for building in names.BUILDINGS},
        **{f"shop {colour}": f"shop of {colour} bricks" for colour in names.COLOURS},
        **{spot: f"{plain(spot.removeprefix('spot '))}" for spot in spots},
        **{f"card {card}": f"action card {plain(card)}" for card in components.card_names},
        **{f"icon {icon}": f"icon {plain(icon)} of the card in play" for icon in names.ICONS},
        "torches": "torches of the player to move",
        "romans": "Romans of the player to move",
        "end turn": "end the turn",
        **{f"player {seat}": f"player {seat}" for seat in range(names.MAX_PLAYERS)},
        **{f"units {units}": f"{units} single sesterces" for units in range(10)},
        **{f"honour {card}": f"honour card {plain(card)}" for card in components.honour_names},
        **{f"tens {tens}": f"{tens} tens of sesterces" for tens in range(components.num_tens)},
    }


def action_places(components: Components) -> tuple[tuple[str, ...], ...]:
    """Return the names of places for every action id, the most specific first."""
    return tuple(_places_of(action) for action in action_strings(components))


def _places_of(action: str) -> tuple[str, ...]:
    match action.split():
        case ["place", building]:
            return (f"quarter {building}",)
        case ["buy", colour, "via", icon]:
            return (f"shop {colour}", f"icon {icon}")
        case ["take", icon]:
            return (f"icon {icon}",)
        case ["build", building, spot, *_]:
            return (f"spot {building} {spot}",)
        case ["crown", spot]:
            return (f"spot porta_nigra {spot}",)
        case ["appoint", seat]:
            return (f"player {seat}",)
    return ({"roman": "romans", "coin": "torches", "end": "end turn"}.get(action, action),)
