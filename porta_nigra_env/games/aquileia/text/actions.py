"""Action ids and their texts, one to one."""

from __future__ import annotations

from functools import cache

from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import KINDS


@cache
def action_texts(components: Components) -> tuple[str, ...]:
    """The text of every action id, ids ascending; all different."""
    sizes = components.sizes
    by_field = {
        "place": [f"place {space}" for space in components.spaces],
        "crest": ["place crest"],
        "pass": ["pass"],
        "done": ["done"],
        "exchange": [f"exchange {kinds}" for kinds in components.exchanges],
        "buy": [f"buy {cards}" for cards in range(1, sizes.buys + 1)],
        "play": [f"play {face}" for face in (*components.slave_faces, *components.equi_faces)],
        "dice": [f"dice {dice}" for dice in range(sizes.blue_dice + 1)],
        "take": ["take points", "take slave"],
        "keep": ["keep open", "keep drawn"],
        "bid": [f"bid {kind}" for kind in KINDS],
        "build": [f"build {building}" for building in components.buildings],
        "activate": ["activate"],
    }
    return tuple(text for field in components.actions for text in by_field[field.name])
