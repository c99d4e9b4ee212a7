"""Buying a building card (G22-G28)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.names import BUY, NUM_BASIC, NUM_PLACES, OVER, PAY, PLACE
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.goth import open_goth
from porta_nigra_env.games.gloria_mundi.rules.payment import amount_options, asked_kind, can_buy, pay_rest
from porta_nigra_env.games.gloria_mundi.rules.table import bare_bases, gain_steps


@jit
def buy_options(constants: Constants, state: State, seat: int) -> int:
    """The places whose cards she can both lay down and pay (G22)."""
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
    """The base types that the card being bought may lie on (G23)."""
    return int(constants["lies_on"][int(state["forum"][state["place"]])]) & bare_bases(state, seat)


@jit
def open_buying(constants: Constants, state: State) -> None:
    """The active player may buy, if she can."""
    seat = int(state["active_player"])
    options = buy_options(constants, state, seat)
    if options == 0:
        open_goth(constants, state)
        return
    state["phase"] = BUY
    state["current_player"] = seat
    state["options"] = options


@jit
def step_buy(constants: Constants, state: State, seat: int, action: int) -> None:
    """A place of the forum, or nothing."""
    if action == ID.done:
        open_goth(constants, state)
        return
    state["place"] = action - ID.buy
    state["phase"] = PLACE
    state["options"] = place_options(constants, state, seat)


@jit
def step_place(constants: Constants, state: State, seat: int, action: int) -> None:
    """The base type that the card will lie on."""
    state["base"] = action - ID.on
    state["phase"] = PAY
    state["options"] = amount_options(constants, state, seat)


@jit
def step_pay(constants: Constants, state: State, seat: int, action: int) -> None:
    """An amount of the payment; the last one completes the purchase (G23)."""
    kind = asked_kind(state)
    state["paid"][kind] = action - ID.pay - NUM_AMOUNTS * kind
    if kind + 1 < NUM_BASIC:
        state["options"] = amount_options(constants, state, seat)
        return
    pay_rest(constants, state, seat)
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
