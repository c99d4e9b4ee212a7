"""Players of Aquileia: compiled heuristics on the redacted state, and published networks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.games.aquileia.players.heuristics import GREEDY, PATRICIAN, STYLES

#: By name.
POLICIES: Final = {policy.name: policy for policy in (GREEDY, PATRICIAN, *STYLES)}

#: Files by the number of players.
_MODELS: Final = Path(__file__).with_name("models")
NETWORKS: Final = {3: _MODELS / "three_players.safetensors"} | dict.fromkeys(
    (4, 5), _MODELS / "three_to_five_players.safetensors"
)
