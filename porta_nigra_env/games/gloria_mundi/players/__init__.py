"""Scripted players of Gloria Mundi, compiled heuristics that read the redacted state, and published networks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.games.gloria_mundi.players.heuristics import GREEDY, QUAESTOR, STYLES

#: By name.
POLICIES: Final = {policy.name: policy for policy in (GREEDY, QUAESTOR, *STYLES)}

#: Files by the number of players.
_MODELS: Final = Path(__file__).with_name("models")
NETWORKS: Final = dict.fromkeys((2, 3), _MODELS / "two_to_six_players.safetensors") | dict.fromkeys(
    (4, 5, 6), _MODELS / "four_to_six_players.safetensors"
)
