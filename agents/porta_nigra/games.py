"""Porta Nigra for programs that otherwise know a game only through the protocol."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game import Game, States
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.games.porta_nigra.kernel import scoring
from porta_nigra_env.games.porta_nigra.kernel.verbs import score_sheet

#: Sources of points: those of the score sheet, with the majorities of all rows as one and of all heights as one.
SOURCES: Final = ("marker", "sets", "final cards", "play area", "rows", "heights")


def game_of(players: int, components: str = "standard") -> Game:
    """The game; ValueError for a number of players or a component file that does not fit."""
    return PortaNigra(players, components)


def points_by_source(game: Game, states: States) -> npt.NDArray[np.int32]:
    """Points as if the games ended now, int32 (len(states), players, len(SOURCES))."""
    shape = (len(states), game.num_players, scoring.NUM_COLUMNS)
    sheets = np.zeros(shape, dtype=np.int32)
    for row in range(len(states)):
        score_sheet(game.tables, states, row, sheets[row])
    firsts = [*range(scoring.ROWS_COLUMN + 1), scoring.HEIGHTS_COLUMN]
    return np.add.reduceat(sheets, firsts, axis=2, dtype=np.int32)
