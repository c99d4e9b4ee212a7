"""Positions and actions as text, format ``aquileia/1``."""

from porta_nigra_env.games.aquileia.actions import action_texts
from porta_nigra_env.games.aquileia.text.board import board
from porta_nigra_env.games.aquileia.text.reading import from_dict
from porta_nigra_env.games.aquileia.text.writing import FORMAT, to_dict

__all__ = ["FORMAT", "action_texts", "board", "from_dict", "to_dict"]
