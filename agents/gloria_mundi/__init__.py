"""What the programs have to know of Gloria Mundi's players, who stand in its room."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.gloria_mundi.players.heuristics import GREEDY, QUAESTOR, VALUATION

#: Agents that others are measured against, the strongest one last.
RIVALS: Final = (GREEDY.name, QUAESTOR.name)
#: What can be tuned by play: the players' valuation, and the column of its weights to begin from.
TUNABLE: Final = (VALUATION, 1)
