"""The scripted players of Gloria Mundi that the programs use."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.gloria_mundi.players import GREEDY, QUAESTOR, VALUATION

#: Reference opponents, the strongest last.
RIVALS: Final = (GREEDY.name, QUAESTOR.name)
#: The agent that ``best`` stands for.
BEST: Final = "mirror:seconds=1"
#: For `training.tune`: the valuation, and the column of its weights to start from.
TUNABLE: Final = (VALUATION, 1)
