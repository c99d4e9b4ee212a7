"""Seats relative to an observer: observations list the observer first, then the other players in turn order."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES)


@jit
def seen_at(seat: Any, player: int, players: int) -> int:
    """Return the offset of a seat from the observer in turn order, 0 to players - 1 (cheaper than a division)."""
    offset = int(seat) - player
    return offset + players if offset < 0 else offset
