"""VI Portus: Latro and the coin spaces (A47-A49)."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.games.aquileia.components.names import PORTUS_PHASE
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, gain_coins, roll
from porta_nigra_env.games.aquileia.state import LATRO_ROLL


@jit
def act_latro(t: Any, s: Any, seat: int) -> bool:
    """The coin of each kind rolled that lies under a follower, her own included (A47)."""
    roll(t, s, LATRO_ROLL, int(t["latro_red_dice"]))
    for kind in range(NUM_KINDS):
        if s["dice"][LATRO_ROLL, kind] > 0 and (int(s["portus_coins"]) >> kind) & 1:
            gain_coins(s, seat, kind, 1)
            s["portus_coins"] &= ~(1 << kind)
    return False


@jit
def activate(t: Any, s: Any, seat: int) -> None:
    """All her workshops give their VP, all her money houses their coins (A49)."""
    left = np.uint64(int(s["buildings"][seat]) & int(t["active"]))
    while left != np.uint64(0):
        building = bits.lowest(left)
        left &= left - np.uint64(1)
        s["vp"][seat] += t["building_vp"][building]
        for kind in range(NUM_KINDS):
            gain_coins(s, seat, kind, int(t["building_pays"][building, kind]))


@jit
def act_portus(t: Any, s: Any, seat: int, space: int) -> bool:
    """A coin that lies there goes to the bank and activates; of the robbed, who can pay and gain is asked (A48)."""
    kind = int(t["space_coin"][space])
    if (int(s["portus_coins"]) >> kind) & 1:
        s["portus_coins"] &= ~(1 << kind)
        activate(t, s, seat)
        return False
    if s["coins"][seat, kind] == 0 or int(s["buildings"][seat]) & int(t["active"]) == 0:
        return False
    s["phase"] = PORTUS_PHASE
    s["current_player"] = seat
    return True


@jit
def step_portus(t: Any, s: Any, seat: int, action: int) -> bool:
    """She pays from stock, then activates; or she goes home (A48)."""
    if action == int(t["activate_id"]):
        gain_coins(s, seat, int(t["space_coin"][acting_space(s)]), -1)
        activate(t, s, seat)
    return False
