"""What can be clicked on the table of Porta Nigra, and which actions are chosen there."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    BUY_ICONS,
    COLOURS,
    FIXED_SPOTS,
    ICONS,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_HEIGHTS,
    NUM_SPOTS,
    TAKE_ICONS,
    spot_name,
)

#: Names of places by action.
Named = list[tuple[str, ...]]

# Indices of the first place of each kind; those of the honour cards and of tens of sesterces come last.
QUARTER: Final = 0
SHOP: Final = QUARTER + len(BUILDINGS)
SPOT: Final = SHOP + len(COLOURS)
CARD: Final = SPOT + NUM_SPOTS
ICON: Final = CARD + NUM_ACTION_CARDS
TORCHES: Final = ICON + len(ICONS)
ROMANS: Final = TORCHES + 1
END_TURN: Final = ROMANS + 1
PLAYER: Final = END_TURN + 1
UNITS: Final = PLAYER + MAX_PLAYERS
HONOUR: Final = UNITS + 10


def _spot(spot: int) -> str:
    building, row, number = spot_name(spot)
    return f"spot {building} {row}{number}"


def places(components: Components) -> dict[str, str]:
    """Names of the places with titles, in the order of their indices."""
    spots = [_spot(spot) for spot in range(NUM_SPOTS)]
    return {
        **{f"quarter {building}": f"quarter of the {_plain(building)}" for building in BUILDINGS},
        **{f"shop {colour}": f"shop of {colour} bricks" for colour in COLOURS},
        **{spot: f"{_plain(spot.removeprefix('spot '))}" for spot in spots},
        **{f"card {card}": f"action card {_plain(card)}" for card in components.card_names},
        **{f"icon {icon}": f"icon {_plain(icon)} of the card in play" for icon in ICONS},
        "torches": "torches of the player to move",
        "romans": "Romans of the player to move",
        "end turn": "end the turn",
        **{f"player {seat}": f"player {seat}" for seat in range(MAX_PLAYERS)},
        **{f"units {units}": f"{units} single sesterces" for units in range(10)},
        **{f"honour {card}": f"honour card {_plain(card)}" for card in components.honour_names},
        **{f"tens {tens}": f"{tens} tens of sesterces" for tens in range(components.num_tens)},
    }


def action_places(components: Components) -> tuple[tuple[str, ...], ...]:
    """Names of places for every action id, the most specific first."""
    fixed: Named = [(_spot(spot),) for spot in range(FIXED_SPOTS)]
    towers: Named = [(_spot(spot),) for spot in range(FIXED_SPOTS, NUM_SPOTS)]
    by_field: dict[str, Named] = {
        "place": [(f"quarter {building}",) for building in BUILDINGS],
        "card": [(f"card {card}",) for card in components.card_names],
        "buy": [(f"shop {colour}", f"icon {icon}") for icon in BUY_ICONS for colour in COLOURS],
        "take": [(f"icon {icon}",) for icon in TAKE_ICONS],
        "roman": [("romans",)],
        "coin": [("torches",)],
        "end": [("end turn",)],
        "build": fixed,
        "build_porta_nigra": towers * NUM_HEIGHTS,
        "influence_build": fixed,
        "influence_build_porta_nigra": towers * NUM_HEIGHTS,
        "crown": towers,
        "units": [(f"units {units}",) for units in range(10)],
        "appoint": [(f"player {seat}",) for seat in range(MAX_PLAYERS)],
        "honour": [(f"honour {card}",) for card in components.honour_names],
        "tens": [(f"tens {tens}",) for tens in range(components.num_tens)],
    }
    return tuple(names for field in components.actions for names in by_field[field.name])


def _plain(name: str) -> str:
    return name.replace("_", " ")
