"""One decision: what each action does, by the phase it answers."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
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
def step_follower(constants: Constants, state: State, seat: int, phase: int, action: int) -> bool:
    """A decision about a single follower's action, who goes home when that is complete."""
    if phase == FORUM_PHASE:
        waits = step_forum(constants, state, seat, action)
    elif phase == AUCTION:
        waits = step_auction(constants, state, seat, action)
    elif phase == PECUNIA_PHASE:
        waits = step_pecunia(constants, state, seat, action)
    elif phase == EQUI_PHASE:
        waits = step_equi(constants, state, seat, action)
    elif phase == SERVI_PHASE:
        waits = step_servi(constants, state, seat, action)
    else:
        waits = step_portus(constants, state, seat, action)
    if not waits:
        send_home(state, 1 << acting_space(state))
    return waits


@jit
def step_contest(constants: Constants, state: State, seat: int, phase: int, action: int) -> bool:
    """A decision in a fight or a race."""
    if phase == ARENA_CARDS:
        return step_arena_cards(constants, state, seat, action)
    if phase == ARENA_DICE:
        return step_arena_dice(constants, state, seat, action)
    if phase == ARENA_PRIZE:
        return step_arena_prize(constants, state, seat, action)
    if phase == STADIUM_CARDS:
        return step_stadium_cards(constants, state, seat, action)
    return step_stadium_prize(constants, state, seat, action)


@jit
def step_record(constants: Constants, state: State, action: int) -> None:
    """Carry out a legal action, and all that happens by itself up to the next decision."""
    phase, seat = int(state["phase"]), int(state["current_player"])
    if phase == PLACE:
        waits = step_placement(constants, state, seat, action)
    elif ARENA_CARDS <= phase <= STADIUM_PRIZE:
        waits = step_contest(constants, state, seat, phase, action)
    else:
        waits = step_follower(constants, state, seat, phase, action)
    if not waits:
        proceed(constants, state)
