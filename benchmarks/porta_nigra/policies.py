"""The compiled policies whose whole games ``python -m benchmarks.kernel`` times."""

from __future__ import annotations

from typing import Final

from agents.porta_nigra.heuristics import BUILDER, GREEDY, STYLES

POLICIES: Final = (GREEDY, BUILDER, *(style for style, _ in STYLES.values()))
