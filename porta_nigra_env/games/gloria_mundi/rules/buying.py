"""Buying a building card (G22-G28)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.gloria_mundi.actions import ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.names import BUY, NUM_BASIC, NUM_PLACES, OVER, PAY, PLACE
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.goth import open_goth
from porta_nigra_env.games.gloria_mundi.rules.payment import amount_options, asked_kind, can_buy, pay_rest
from porta_nigra_env.games.gloria_mundi.rules.table import bare_bases, gain_steps


@jit
def buy_options(t: Any, s: Any, seat: int) -> int:
    """The places whose cards she can both lay down and pay (G22)."""
    bases = bare_bases(s, seat)
    places = 0
    for place in range(NUM_PLACES):
        card = int(s["forum"][place])
        if card >= 0 and int(t["lies_on"][card]) & bases != 0 and can_buy(t, s, seat, card, int(t["extra"][place])):
            places |= 1 << place
    return places


@jit
def place_options(t: Any, s: Any, seat: int) -> int:
    """The base types that the card being bought may lie on (G23)."""
    return int(t["lies_on"][int(s["forum"][s["place"]])]) & bare_bases(s, seat)


@jit
def open_buying(t: Any, s: Any) -> None:
    """The active player may buy, if she can."""
    seat = int(s["active_player"])
    options = buy_options(t, s, seat)
    if options == 0:
        open_goth(t, s)
        return
    s["phase"] = BUY
    s["current_player"] = seat
    s["options"] = options


@jit
def step_buy(t: Any, s: Any, seat: int, action: int) -> None:
    """A place of the forum, or nothing."""
    if action == ID.done:
        open_goth(t, s)
        return
    s["place"] = action - ID.buy
    s["phase"] = PLACE
    s["options"] = place_options(t, s, seat)


@jit
def step_place(t: Any, s: Any, seat: int, action: int) -> None:
    """The base type that the card will lie on."""
    s["base"] = action - ID.on
    s["phase"] = PAY
    s["options"] = amount_options(t, s, seat)


@jit
def step_pay(t: Any, s: Any, seat: int, action: int) -> None:
    """An amount of the payment; the last one completes the purchase (G23)."""
    kind = asked_kind(s)
    s["paid"][kind] = action - ID.pay - NUM_AMOUNTS * kind
    if kind + 1 < NUM_BASIC:
        s["options"] = amount_options(t, s, seat)
        return
    pay_rest(t, s, seat)
    place, base = int(s["place"]), int(s["base"])
    card = int(s["forum"][place])
    s["forum"][place] = -1
    s["bare"][seat, base] -= 1
    s["covered"][seat, base] = int(s["covered"][seat, base]) | 1 << card
    s["place"] = -1
    s["base"] = -1
    for basic in range(NUM_BASIC):
        s["paid"][basic] = -1
    gain_steps(t, s, seat, int(t["laurels"][card]))
    if s["phase"] != OVER:
        open_goth(t, s)
