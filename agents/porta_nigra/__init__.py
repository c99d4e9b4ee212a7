"""Porta Nigra for agent programs: rivals and tunable weights; the players themselves are in the game package."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.porta_nigra.players import BUILDER, GREEDY, VALUATION

#: Reference agents, the strongest one last.
RIVALS: Final = (GREEDY.name, BUILDER.name)
#: The agent that ``best`` stands for.
BEST: Final = "mirror:seconds=1"
#: The valuation that can be tuned by play, and the column of its initial weights.
TUNABLE: Final = (VALUATION, 1)
