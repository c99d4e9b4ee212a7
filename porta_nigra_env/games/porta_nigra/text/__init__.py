"""Positions and actions as text for people, tests and other tools, format ``porta_nigra/1``."""

from porta_nigra_env.games.porta_nigra.actions import action_strings as action_texts
from porta_nigra_env.games.porta_nigra.text.board import board
from porta_nigra_env.games.porta_nigra.text.reading import from_dict
from porta_nigra_env.games.porta_nigra.text.writing import FORMAT, to_dict

__all__ = ["FORMAT", "action_texts", "board", "from_dict", "to_dict"]
