"""Aquileia's players for the programs in `agents`."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.aquileia.players import GREEDY, PATRICIAN, VALUATION

#: Agents that others are measured against, the strongest one last.
RIVALS: Final = (GREEDY.name, PATRICIAN.name)
#: The agent that ``best`` stands for.
BEST: Final = "mirror:seconds=1"
#: The valuation to tune by play, and the initial column of its weights.
TUNABLE: Final = (VALUATION, 1)
