"""Players that know Gloria Mundi: compiled heuristics that read the redacted state."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.gloria_mundi.players.heuristics import GREEDY, QUAESTOR, STYLES

#: By name.
POLICIES: Final = {one.name: one for one in (GREEDY, QUAESTOR, *STYLES)}
