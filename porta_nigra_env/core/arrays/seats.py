"""Seats as somebody at the table sees them: an observation begins with whom it is for, and goes on in turn order."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES)


@jit
def seen_at(seat: Any, player: int, players: int) -> int:
    """How far a seat lies from the observer in turn order, 0 to players - 1 (a division would cost more)."""
    place = int(seat) - player
    return place + players if place < 0 else place
