"""V Forum: building (A41-A46)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.rules.cards import count_slaves, pay_slaves
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, gain_coins


@jit
def act_forum(constants: Constants, state: State, seat: int, space: int) -> bool:
    """Always ask the holder (A43)."""
    state["builds_left"] = constants["space_most"][space]
    state["phase"] = names.FORUM_PHASE
    state["current_player"] = seat
    return True


@jit
def sites(constants: Constants, state: State, seat: int) -> int:
    """Return the free and affordable buildings of a seat as bits (A41, A43)."""
    if state["houses_left"][seat] == 0:
        return 0
    coins = state["coins"][seat]
    affordable = int(constants["within_slaves"][min(count_slaves(state, seat), names.MAX_COST)])
    affordable &= int(constants["within"][names.BRONZE, min(int(coins[names.BRONZE]), names.MAX_COST)])
    affordable &= int(constants["within"][names.SILVER, min(int(coins[names.SILVER]), names.MAX_COST)])
    affordable &= int(constants["within"][names.GOLD, min(int(coins[names.GOLD]), names.MAX_COST)])
    for other in range(names.MAX_PLAYERS):
        affordable &= ~int(state["buildings"][other])
    return affordable


@jit
def build(constants: Constants, state: State, seat: int, building: int) -> None:
    """Pay coins and slave cards, place a house, and score the value if the space says so (A46)."""
    for kind in range(NUM_KINDS):
        gain_coins(state, seat, kind, -int(constants["building_cost"][building, kind]))
    pay_slaves(state, seat, int(constants["building_slaves"][building]))
    state["buildings"][seat] |= 1 << building
    state["houses_left"][seat] -= 1
    if constants["space_value"][acting_space(state)] > 0:
        state["vp"][seat] += constants["building_value"][building]


@jit
def legal_forum(constants: Constants, state: State, seat: int, words: Words) -> None:
    """Allow the affordable buildings, and a pass (A19, A43)."""
    bits.add(words, int(constants["pass_id"]))
    bits.put(words, int(constants["build_start"]), sites(constants, state, seat), names.MAX_BUILDINGS)


@jit
def step_forum(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Put up a building, or give up the remaining ones; ask again while some remain (A43, A46)."""
    if action == int(constants["pass_id"]):
        state["builds_left"] = 0
    else:
        build(constants, state, seat, action - int(constants["build_start"]))
        state["builds_left"] -= 1
    return bool(state["builds_left"] > 0)
