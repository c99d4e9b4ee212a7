"""Players that know Gloria Mundi: compiled heuristics that read the redacted state, and a published network."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.games.gloria_mundi.players.heuristics import GREEDY, QUAESTOR, STYLES

#: By name.
POLICIES: Final = {one.name: one for one in (GREEDY, QUAESTOR, *STYLES)}

#: Files by the number of players.
NETWORKS: Final = dict.fromkeys(range(2, 7), Path(__file__).with_name("models") / "two_to_six_players.safetensors")
