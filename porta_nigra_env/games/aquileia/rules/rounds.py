"""The order of play: which space acts next, the clean-up, the end (A18, A20, A36, A50, A53)."""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import draw_card
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.rules.arena import begin_fight
from porta_nigra_env.games.aquileia.rules.cards import draw_equi
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.forum import act_forum
from porta_nigra_env.games.aquileia.rules.mercatus import act_dolus, act_equi, act_pecunia, act_potentia, act_servi
from porta_nigra_env.games.aquileia.rules.placement import begin_placement
from porta_nigra_env.games.aquileia.rules.portus import act_latro, act_portus
from porta_nigra_env.games.aquileia.rules.stadium import begin_race, close_stadium
from porta_nigra_env.games.aquileia.rules.table import acting_space, holder_of, occupied, send_home
from porta_nigra_env.games.aquileia.rules.theatrum import act_theatrum


@jit
def act(constants: Constants, state: State, space: int) -> bool:
    """Let a space act until a player has to be asked."""
    area, seat = int(constants["space_area"][space]), holder_of(state, space)
    if area == names.FORUM:
        return act_forum(constants, state, seat, space)
    if area == names.PORTUS:
        return act_portus(constants, state, seat, space)
    if area == names.EQUI:
        return act_equi(constants, state, seat, space)
    if area == names.SERVI:
        return act_servi(constants, state, seat, space)
    if area == names.ARENA:
        return begin_fight(constants, state)
    if area in (names.STADIUM_GOLD, names.STADIUM_SILVER):
        return begin_race(constants, state)
    if area == names.THEATRUM:
        return act_theatrum(state, seat)
    if area == names.PECUNIA:
        return act_pecunia(constants, state, seat)
    if area == names.DOLUS:
        return act_dolus(constants, state, seat)
    if area == names.POTENTIA:
        return act_potentia(constants, state, seat)
    return act_latro(constants, state, seat)


@jit
def stadium_is_due(constants: Constants, state: State) -> bool:
    """Return True if area III ends without a racer: Mercatus, Arena and Stadium are empty (A36)."""
    behind = int(constants["area_start"][names.STADIUM_SILVER + 1])
    return bool(state["stadium_open"] >= 0 and occupied(state) & ((1 << behind) - 1) == 0)


@jit
def proceed(constants: Constants, state: State) -> None:
    """Let spaces act until a player is asked or the game is over."""
    while True:
        if stadium_is_due(constants, state):
            close_stadium(state)
        if occupied(state) == 0:
            if int(state["round"]) == int(constants["rounds"]):
                state["phase"] = names.OVER
                state["current_player"] = -1
            else:
                clean_up(constants, state)
            return
        space = acting_space(state)
        if act(constants, state, space):
            return
        send_home(state, 1 << space)


@jit
def clean_up(constants: Constants, state: State) -> None:
    """Name the next starting player, return the crests, lay out cards, and begin the next round (A50)."""
    for seat in range(names.MAX_PLAYERS):
        if state["crest"][seat] == 0:
            state["starting_player"] = seat
        state["crest"][seat] = -1
    lay_out_cards(constants, state)
    state["round"] += 1
    begin_placement(state)


@jit
def lay_out_cards(constants: Constants, state: State) -> None:
    """Fill gaps in the row from left to right, and open the next stadium card (A4, A50, A51)."""
    for place in range(int(constants["area_start"][names.EQUI + 1]) - int(constants["area_start"][names.EQUI])):
        if state["equi_row"][place] < 0:
            state["equi_row"][place] = draw_equi(state)
    left = int(state["num_stadium_draw"])
    state["stadium_open"] = draw_card(state["stadium_cards"], left)
    state["num_stadium_draw"] = left - 1
