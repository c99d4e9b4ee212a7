"""Action ids and their texts, one to one."""

from __future__ import annotations

from functools import cache

from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    BUY_ICONS,
    COLOURS,
    FIXED_SPOTS,
    HIGHEST_HEIGHT,
    LOWEST_HEIGHT,
    MAX_PLAYERS,
    NUM_SPOTS,
    TAKE_ICONS,
    spot_name,
)


def _spot(spot: int) -> str:
    building, row, number = spot_name(spot)
    return f"{building} {row}{number}"


@cache
def action_texts(components: Components) -> tuple[str, ...]:
    """The text of every action id, ids ascending; all different."""
    fixed = [f"build {_spot(spot)}" for spot in range(FIXED_SPOTS)]
    towers = [
        f"build {_spot(spot)} x{height}"
        for height in range(LOWEST_HEIGHT, HIGHEST_HEIGHT + 1)
        for spot in range(FIXED_SPOTS, NUM_SPOTS)
    ]
    by_field = {
        "place": [f"place {building}" for building in BUILDINGS],
        "card": [f"card {name}" for name in components.card_names],
        "buy": [f"buy {colour} via {icon}" for icon in BUY_ICONS for colour in COLOURS],
        "take": [f"take {icon}" for icon in TAKE_ICONS],
        "roman": ["roman"],
        "coin": ["coin"],
        "end": ["end"],
        "build": fixed,
        "build_porta_nigra": towers,
        "influence_build": [f"{text} by influence" for text in fixed],
        "influence_build_porta_nigra": [f"{text} by influence" for text in towers],
        "crown": [f"crown {row}{number}" for _, row, number in map(spot_name, range(FIXED_SPOTS, NUM_SPOTS))],
        "units": [f"units {units}" for units in range(10)],
        "appoint": [f"appoint {seat}" for seat in range(MAX_PLAYERS)],
        "honour": [f"honour {name}" for name in components.honour_names],
        "tens": [f"tens {tens}" for tens in range(components.num_tens)],
    }
    return tuple(text for field in components.actions for text in by_field[field.name])
