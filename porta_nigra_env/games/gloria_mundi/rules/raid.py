"""What a march of the Goth costs: base cards are lost, the tribute is shared (G32-G38)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components.names import LOSE, RECLAIM, ROME
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.forum import begin_turn
from porta_nigra_env.games.gloria_mundi.rules.table import (
    NUM_BASES,
    NUM_KINDS,
    discard_building,
    end_game,
    following,
    gain_stones,
)


@jit
def lose_options(state: State, seat: int) -> int:
    """Bare base cards, and from bit NUM_BASES on building cards, of a demanded type (G34)."""
    bare = 0
    cards = 0
    for base in range(NUM_BASES):
        if state["demanded"][base] > 0:
            cards |= int(state["covered"][seat, base])
            if state["bare"][seat, base] > 0:
                bare |= 1 << base
    return bare | cards << NUM_BASES


@jit
def open_loss(constants: Constants, state: State, seat: int) -> None:
    """From this seat on, the next one who has something of a demanded type; the others are skipped (G33)."""
    for _ in range(int(state["num_players"])):
        options = lose_options(state, seat)
        if options != 0:
            state["phase"] = LOSE
            state["current_player"] = seat
            state["options"] = options
            return
        seat = following(state, seat)
    for base in range(NUM_BASES):
        state["demanded"][base] = 0
    open_reclaim(constants, state, int(state["active_player"]))


@jit
def step_loss(constants: Constants, state: State, seat: int, action: int) -> None:
    """A bare base card, a building card with the one below, or a wall in its place (G34-G36)."""
    if action < ID.lose:
        base = action - ID.lose_bare
        state["bare"][seat, base] -= 1
    elif action < ID.wall:
        base = discard_building(state, seat, action - ID.lose)
    else:
        base = discard_building(state, seat, action - ID.wall)
        state["bare"][seat, base] += 1
    state["demanded"][base] -= 1
    open_loss(constants, state, following(state, seat))


@jit
def reclaim_options(state: State) -> int:
    """The kinds of stones that are still to be shared."""
    kinds = 0
    for kind in range(NUM_KINDS):
        if state["raid_stones"][kind] > 0:
            kinds |= 1 << kind
    return kinds


@jit
def open_reclaim(constants: Constants, state: State, seat: int) -> None:
    """This seat takes a stone, if there is one (G37)."""
    options = reclaim_options(state)
    if options == 0:
        end_turn(constants, state)
        return
    state["phase"] = RECLAIM
    state["current_player"] = seat
    state["options"] = options


@jit
def step_reclaim(constants: Constants, state: State, seat: int, action: int) -> None:
    """One stone of the tribute."""
    kind = action - ID.take
    state["raid_stones"][kind] -= 1
    gain_stones(state, seat, kind, 1)
    open_reclaim(constants, state, following(state, seat))


@jit
def end_turn(constants: Constants, state: State) -> None:
    """The next turn, or the end if the Goth is in Rome (G38)."""
    if state["goth"] > constants["provinces"]:
        end_game(state, ROME)
        return
    state["turn"] += 1
    begin_turn(state, following(state, int(state["active_player"])))
