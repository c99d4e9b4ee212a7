"""Buying a building card (G22-G28)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components.names import BUY, NUM_BASIC, NUM_PLACES, OVER, PAY, PLACE
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.goth import open_goth
from porta_nigra_env.games.gloria_mundi.rules.payment import amount_options, can_buy, fix_amount
from porta_nigra_env.games.gloria_mundi.rules.table import ask, bare_bases, gain_steps


@jit
def buy_options(constants: Constants, state: State, seat: int) -> int:
    """Return the places whose cards the seat can both lay down and pay (G22)."""
    bases = bare_bases(state, seat)
    places = 0
    for place in range(NUM_PLACES):
        card = int(state["forum"][place])
        if (
            card >= 0
            and int(constants["lies_on"][card]) & bases != 0
            and can_buy(constants, state, seat, card, int(constants["extra"][place]))
        ):
            places |= 1 << place
    return places


@jit
def place_options(constants: Constants, state: State, seat: int) -> int:
    """Return the base types that the card being bought may lie on (G23)."""
    return int(constants["lies_on"][int(state["forum"][state["place"]])]) & bare_bases(state, seat)


@jit
def open_buying(constants: Constants, state: State) -> None:
    """Ask the active player for a purchase if one is possible."""
    seat = int(state["active_player"])
    options = buy_options(constants, state, seat)
    if options == 0:
        open_goth(constants, state)
        return
    ask(state, BUY, seat, options)


@jit
def step_buy(constants: Constants, state: State, seat: int, action: int) -> None:
    """Choose a place of the forum, or buy nothing."""
    if action == ID.done:
        open_goth(constants, state)
        return
    state["place"] = action - ID.buy
    state["phase"] = PLACE
    state["options"] = place_options(constants, state, seat)


@jit
def step_place(constants: Constants, state: State, seat: int, action: int) -> None:
    """Choose the base type that the card will lie on."""
    state["base"] = action - ID.on
    state["phase"] = PAY
    state["options"] = amount_options(constants, state, seat)


@jit
def step_pay(constants: Constants, state: State, seat: int, action: int) -> None:
    """Fix an amount of the payment; the last amount completes the purchase (G23)."""
    if not fix_amount(constants, state, seat, action):
        return
    place, base = int(state["place"]), int(state["base"])
    card = int(state["forum"][place])
    state["forum"][place] = -1
    state["bare"][seat, base] -= 1
    state["covered"][seat, base] = int(state["covered"][seat, base]) | 1 << card
    state["place"] = -1
    state["base"] = -1
    for basic in range(NUM_BASIC):
        state["paid"][basic] = -1
    gain_steps(constants, state, seat, int(constants["laurels"][card]))
    if state["phase"] != OVER:
        open_goth(constants, state)
