"""The names by which Gymnasium and PettingZoo find the environments.

Entry points are texts: nothing of the game is imported, let alone compiled, before an environment is made.
"""

from __future__ import annotations

from typing import Final

import gymnasium
import pettingzoo

GYMNASIUM_ID: Final = "PortaNigra-v0"
PETTINGZOO_ID: Final = "porta_nigra-v0"

_MODULE: Final = "porta_nigra_env.porta_nigra_v0"
_DEFAULTS: Final = {"num_players": 2, "components": "standard"}


def register() -> None:
    """Register both names; calling it again changes nothing."""
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID, f"{_MODULE}:seat_env", kwargs=_DEFAULTS, vector_entry_point=f"{_MODULE}:vector_env"
        )
    # PettingZoo has a registry since 1.27; before, its environments were found by module alone.
    if hasattr(pettingzoo, "register") and PETTINGZOO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", PETTINGZOO_ID, f"{_MODULE}:env", kwargs=_DEFAULTS)
