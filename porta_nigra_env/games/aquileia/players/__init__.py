"""Players that know Aquileia: compiled heuristics that read the redacted state."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.aquileia.players.heuristics import GREEDY, PATRICIAN, STYLES

#: By name.
POLICIES: Final = {one.name: one for one in (GREEDY, PATRICIAN, *STYLES)}
