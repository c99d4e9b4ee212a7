"""Positions and action strings of the format ``gloria_mundi/1``."""

from porta_nigra_env.games.gloria_mundi.actions import action_texts
from porta_nigra_env.games.gloria_mundi.text.board import board
from porta_nigra_env.games.gloria_mundi.text.reading import from_dict
from porta_nigra_env.games.gloria_mundi.text.writing import FORMAT, to_dict

__all__ = ["FORMAT", "action_texts", "board", "from_dict", "to_dict"]
