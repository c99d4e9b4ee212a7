"""Positions and actions as text, format ``aquileia/1``."""

from typing import Final

from porta_nigra_env.core.positions.reading import Reader, reader
from porta_nigra_env.games.aquileia.actions import action_texts
from porta_nigra_env.games.aquileia.text.board import board
from porta_nigra_env.games.aquileia.text.consistency import CHECKS
from porta_nigra_env.games.aquileia.text.reading import Reading
from porta_nigra_env.games.aquileia.text.writing import FORMAT, to_dict

#: Reads a position into a state array, see `core.positions.reading.Reader`.
from_dict: Final[Reader] = reader(Reading, CHECKS)

__all__ = ["FORMAT", "action_texts", "board", "from_dict", "to_dict"]
