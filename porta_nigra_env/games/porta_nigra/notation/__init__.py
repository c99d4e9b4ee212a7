"""Positions and actions as text, format ``porta_nigra/1``: what people, tests and other tools read and write."""

from porta_nigra_env.games.porta_nigra.notation.actions import action_texts, why_no_action
from porta_nigra_env.games.porta_nigra.notation.board import board
from porta_nigra_env.games.porta_nigra.notation.reading import (
    PositionError,
    components_of_digest,
    from_dict,
    position_components,
)
from porta_nigra_env.games.porta_nigra.notation.writing import FORMAT, to_dict

__all__ = [
    "FORMAT",
    "PositionError",
    "action_texts",
    "board",
    "components_of_digest",
    "from_dict",
    "position_components",
    "to_dict",
    "why_no_action",
]
