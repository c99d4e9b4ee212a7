"""VI Portus: Latro and the coin spaces (A47-A49)."""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.aquileia.components.names import PORTUS_PHASE
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, gain_coins, roll
from porta_nigra_env.games.aquileia.state import LATRO_ROLL


@jit
def act_latro(constants: Constants, state: State, seat: int) -> bool:
    """Roll, and take one coin of each rolled kind that lies under a follower (A47)."""
    roll(constants, state, LATRO_ROLL, int(constants["latro_red_dice"]))
    for kind in range(NUM_KINDS):
        if state["dice"][LATRO_ROLL, kind] > 0 and (int(state["portus_coins"]) >> kind) & 1:
            gain_coins(state, seat, kind, 1)
            state["portus_coins"] &= ~(1 << kind)
    return False


@jit
def activate(constants: Constants, state: State, seat: int) -> None:
    """Score all workshops and pay all money houses of a seat (A49)."""
    left = np.uint64(int(state["buildings"][seat]) & int(constants["active"]))
    while left != np.uint64(0):
        building = bits.lowest(left)
        left &= left - np.uint64(1)
        state["vp"][seat] += constants["building_vp"][building]
        for kind in range(NUM_KINDS):
            gain_coins(state, seat, kind, int(constants["building_pays"][building, kind]))


@jit
def act_portus(constants: Constants, state: State, seat: int, space: int) -> bool:
    """Return a lying coin to the bank and activate; ask a robbed player who can pay and gain (A48)."""
    kind = int(constants["space_coin"][space])
    if (int(state["portus_coins"]) >> kind) & 1:
        state["portus_coins"] &= ~(1 << kind)
        activate(constants, state, seat)
        return False
    if state["coins"][seat, kind] == 0 or int(state["buildings"][seat]) & int(constants["active"]) == 0:
        return False
    state["phase"] = PORTUS_PHASE
    state["current_player"] = seat
    return True


@jit
def legal_portus(constants: Constants, words: Words) -> None:
    """Allow another payment, and a pass (A19, A48)."""
    bits.add(words, int(constants["pass_id"]))
    bits.add(words, int(constants["activate_id"]))


@jit
def step_portus(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Pay from the stock and activate, or decline (A48)."""
    if action == int(constants["activate_id"]):
        gain_coins(state, seat, int(constants["space_coin"][acting_space(state)]), -1)
        activate(constants, state, seat)
    return False
