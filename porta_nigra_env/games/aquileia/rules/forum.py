"""V Forum: building (A41-A46)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.aquileia.components.names import BRONZE, FORUM_PHASE, GOLD, MAX_COST, MAX_PLAYERS, SILVER
from porta_nigra_env.games.aquileia.rules.cards import count_slaves, pay_slaves
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, gain_coins


@jit
def act_forum(t: Any, s: Any, seat: int, space: int) -> bool:
    """The holder is always asked (A43)."""
    s["builds_left"] = t["space_most"][space]
    s["phase"] = FORUM_PHASE
    s["current_player"] = seat
    return True


@jit
def sites(t: Any, s: Any, seat: int) -> int:
    """Bits of the free buildings that a seat has a house, coins and slaves for (A41, A43)."""
    if s["houses_left"][seat] == 0:
        return 0
    coins = s["coins"][seat]
    found = int(t["within_slaves"][min(count_slaves(s, seat), MAX_COST)])
    found &= int(t["within"][BRONZE, min(int(coins[BRONZE]), MAX_COST)])
    found &= int(t["within"][SILVER, min(int(coins[SILVER]), MAX_COST)])
    found &= int(t["within"][GOLD, min(int(coins[GOLD]), MAX_COST)])
    for other in range(MAX_PLAYERS):
        found &= ~int(s["buildings"][other])
    return found


@jit
def build(t: Any, s: Any, seat: int, building: int) -> None:
    """Coins, slave cards, house, and the value where the space says so (A46)."""
    for kind in range(NUM_KINDS):
        gain_coins(s, seat, kind, -int(t["building_cost"][building, kind]))
    pay_slaves(s, seat, int(t["building_slaves"][building]))
    s["buildings"][seat] |= 1 << building
    s["houses_left"][seat] -= 1
    if t["space_value"][acting_space(s)] > 0:
        s["vp"][seat] += t["building_value"][building]


@jit
def step_forum(t: Any, s: Any, seat: int, action: int) -> bool:
    """A building, or none any more; asked again as often as the space builds (A43, A46)."""
    if action == int(t["pass_id"]):
        s["builds_left"] = 0
    else:
        build(t, s, seat, action - int(t["build_start"]))
        s["builds_left"] -= 1
    return bool(s["builds_left"] > 0)
