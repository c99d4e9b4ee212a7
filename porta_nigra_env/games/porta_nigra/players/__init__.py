"""Players of Porta Nigra: compiled heuristics that read the redacted state, and published networks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.games.porta_nigra.components.names import MAX_PLAYERS
from porta_nigra_env.games.porta_nigra.players.heuristics import BUILDER, GREEDY, STYLES

#: By name.
POLICIES: Final = {policy.name: policy for policy in (GREEDY, BUILDER, *STYLES)}

#: Files by the number of players.
NETWORKS: Final = dict.fromkeys(
    range(2, MAX_PLAYERS + 1), Path(__file__).with_name("models") / "all_players.safetensors"
)
