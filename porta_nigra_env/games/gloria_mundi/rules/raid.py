"""The consequences of a march: base cards are lost, then the tribute is shared (G32-G38)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components.names import LOSE, RECLAIM, ROME
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.forum import begin_turn
from porta_nigra_env.games.gloria_mundi.rules.table import (
    NUM_BASES,
    NUM_KINDS,
    ask,
    discard_building,
    end_game,
    following,
    gain_stones,
)


@jit
def lose_options(state: State, seat: int) -> int:
    """Return the bare base cards of a demanded type, and from bit NUM_BASES on the building cards on one (G34)."""
    bare = 0
    cards = 0
    for base in range(NUM_BASES):
        if state["demanded"][base] > 0:
            cards |= int(state["covered"][seat, base])
            if state["bare"][seat, base] > 0:
                bare |= 1 << base
    return bare | cards << NUM_BASES


@jit
def wall_options(constants: Constants, state: State) -> int:
    """Return the walls among the options of a loss, as a set of cards (G35)."""
    return (int(state["options"]) >> NUM_BASES) & int(constants["walls"])


@jit
def open_loss(constants: Constants, state: State, seat: int) -> None:
    """Ask the next seat with a card of a demanded type, from this seat on; other seats are skipped (G33)."""
    for _ in range(int(state["num_players"])):
        options = lose_options(state, seat)
        if options != 0:
            ask(state, LOSE, seat, options)
            return
        seat = following(state, seat)
    for base in range(NUM_BASES):
        state["demanded"][base] = 0
    open_reclaim(constants, state, int(state["active_player"]))


@jit
def step_loss(constants: Constants, state: State, seat: int, action: int) -> None:
    """Lose a bare base card, a building card with the base card below it, or a wall instead (G34-G36)."""
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
    """Return the kinds of stones still to be shared."""
    kinds = 0
    for kind in range(NUM_KINDS):
        if state["raid_stones"][kind] > 0:
            kinds |= 1 << kind
    return kinds


@jit
def open_reclaim(constants: Constants, state: State, seat: int) -> None:
    """Ask a seat to take a stone; the turn ends if none is left (G37)."""
    options = reclaim_options(state)
    if options == 0:
        end_turn(constants, state)
        return
    ask(state, RECLAIM, seat, options)


@jit
def step_reclaim(constants: Constants, state: State, seat: int, action: int) -> None:
    """Take one stone of the tribute."""
    kind = action - ID.take
    state["raid_stones"][kind] -= 1
    gain_stones(state, seat, kind, 1)
    open_reclaim(constants, state, following(state, seat))


@jit
def end_turn(constants: Constants, state: State) -> None:
    """Begin the next turn, or end the game if the Goth is in Rome (G38)."""
    if state["goth"] > constants["provinces"]:
        end_game(state, ROME)
        return
    state["turn"] += 1
    begin_turn(state, following(state, int(state["active_player"])))
