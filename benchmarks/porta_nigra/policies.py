"""The compiled policies whose whole games ``python -m benchmarks kernel`` times."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.porta_nigra.players import BUILDER, GREEDY, STYLES

POLICIES: Final = (GREEDY, BUILDER, *STYLES)
