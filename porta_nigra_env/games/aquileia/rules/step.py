"""One decision: what each action does, by the phase it answers."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.aquileia.components.names import (
    ARENA_CARDS,
    ARENA_DICE,
    ARENA_PRIZE,
    AUCTION,
    EQUI_PHASE,
    FORUM_PHASE,
    PECUNIA_PHASE,
    PLACE,
    SERVI_PHASE,
    STADIUM_CARDS,
    STADIUM_PRIZE,
)
from porta_nigra_env.games.aquileia.rules.arena import step_arena_cards, step_arena_dice, step_arena_prize
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.forum import step_forum
from porta_nigra_env.games.aquileia.rules.mercatus import step_equi, step_pecunia, step_servi
from porta_nigra_env.games.aquileia.rules.placement import step_placement
from porta_nigra_env.games.aquileia.rules.portus import step_portus
from porta_nigra_env.games.aquileia.rules.rounds import proceed
from porta_nigra_env.games.aquileia.rules.stadium import step_stadium_cards, step_stadium_prize
from porta_nigra_env.games.aquileia.rules.table import acting_space, send_home
from porta_nigra_env.games.aquileia.rules.theatrum import step_auction


@jit
def step_follower(t: Any, s: Any, seat: int, phase: int, action: int) -> bool:
    """A decision about a single follower's action, who goes home when that is complete."""
    if phase == FORUM_PHASE:
        waits = step_forum(t, s, seat, action)
    elif phase == AUCTION:
        waits = step_auction(t, s, seat, action)
    elif phase == PECUNIA_PHASE:
        waits = step_pecunia(t, s, seat, action)
    elif phase == EQUI_PHASE:
        waits = step_equi(t, s, seat, action)
    elif phase == SERVI_PHASE:
        waits = step_servi(t, s, seat, action)
    else:
        waits = step_portus(t, s, seat, action)
    if not waits:
        send_home(s, 1 << acting_space(s))
    return waits


@jit
def step_contest(t: Any, s: Any, seat: int, phase: int, action: int) -> bool:
    """A decision in a fight or a race."""
    if phase == ARENA_CARDS:
        return step_arena_cards(t, s, seat, action)
    if phase == ARENA_DICE:
        return step_arena_dice(t, s, seat, action)
    if phase == ARENA_PRIZE:
        return step_arena_prize(t, s, seat, action)
    if phase == STADIUM_CARDS:
        return step_stadium_cards(t, s, seat, action)
    return step_stadium_prize(t, s, seat, action)


@jit
def step_record(t: Any, s: Any, action: int) -> None:
    """Carry out a legal action, and all that happens by itself up to the next decision."""
    phase, seat = int(s["phase"]), int(s["current_player"])
    if phase == PLACE:
        waits = step_placement(t, s, seat, action)
    elif ARENA_CARDS <= phase <= STADIUM_PRIZE:
        waits = step_contest(t, s, seat, phase, action)
    else:
        waits = step_follower(t, s, seat, phase, action)
    if not waits:
        proceed(t, s)
