"""Honour cards (R24-R26)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.piles import take_open
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.porta_nigra.actions import ID
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS
from porta_nigra_env.games.porta_nigra.rules.building import crown_targets
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.market import gain

NUM_BUILDINGS = len(BUILDINGS)


@jit
def can_buy_honour(constants: Constants, state: State, player: int, kind: int) -> bool:
    """Return whether the player can pay the whole cost of a card in the display (R24, R25)."""
    if state["influence"][player] < constants["honour_cost"][kind]:
        return False
    if constants["honour_discard_buildings"][kind] != 0:
        for building in range(NUM_BUILDINGS):
            if state["buildings_owned"][player, building] == 0:
                return False
    discarded = int(constants["honour_discard_final"][kind])
    return discarded < 0 or bool(state["finals_owned"][player, discarded] > 0)


@jit
def legal_honours(constants: Constants, state: State, player: int, words: Words) -> None:
    """Add the honour cards the player can buy; one purchase a turn (R24)."""
    if state["influence"][player] > 0 and state["honour_bought"] == 0:
        for i in range(int(state["num_honour_display"])):
            kind = int(state["honour_cards"][i])
            if can_buy_honour(constants, state, player, kind):
                bits.add(words, ID.honour + kind)


@jit
def buy_honour(constants: Constants, state: State, player: int, kind: int) -> bool:
    """Pay for the card and carry out its effects as far as possible; return whether a crown has to be placed now."""
    state["influence"][player] -= constants["honour_cost"][kind]
    if constants["honour_discard_buildings"][kind] != 0:
        for building in range(NUM_BUILDINGS):
            state["buildings_owned"][player, building] -= 1
    discarded = int(constants["honour_discard_final"][kind])
    if discarded >= 0:
        state["finals_owned"][player, discarded] -= 1
    displayed = int(state["num_honour_display"])
    take_open(state["honour_cards"], displayed, kind)
    state["num_honour_display"] = displayed - 1
    state["honour_bought"] = 1

    gain(state, player, constants["honour_gains"][kind])
    if constants["honour_final"][kind] >= 0:
        state["finals_owned"][player, int(constants["honour_final"][kind])] += 1
    if constants["honour_substitute"][kind] >= 0:
        state["buildings_owned"][player, int(constants["honour_substitute"][kind])] += 1
    return bool(constants["honour_crown"][kind] != 0 and crown_targets(constants, state, player) != 0)
