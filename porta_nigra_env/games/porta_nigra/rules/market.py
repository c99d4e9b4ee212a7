"""Bricks, displays and what players gain: the refill phase (R7-R9) and payments out of the reserve (R4, R8)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import draw_card, lay_out, open_card, shuffle_draw
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.names import (
    COLOURS,
    GAIN_BRICKS,
    GAIN_INFLUENCE,
    GAIN_ROMANS,
    GAIN_SESTERCES,
    GAIN_TORCHES,
    GAIN_VP,
    NUM_SUPPLY_CARDS,
)
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.state import SUPPLY_STREAM

NUM_COLOURS = len(COLOURS)


@jit
def market_bricks(state: State) -> int:
    """Bricks in all shops."""
    market = state["market"]
    total = 0
    for colour in range(NUM_COLOURS):
        total += int(market[colour])
    return total


@jit
def draw_supply_card(state: State) -> int:
    """The next supply card, which thereby lies in the discard pile; an empty pile is shuffled anew first (R7)."""
    cards = state["supply_cards"]
    left = int(state["num_supply_draw"])
    if left == 0:
        left = NUM_SUPPLY_CARDS
        shuffle_draw(state["key"], state["counters"], SUPPLY_STREAM, cards, left)
    card = draw_card(cards, left)
    open_card(cards, NUM_SUPPLY_CARDS - left, card)
    state["num_supply_draw"] = left - 1
    return card


@jit
def refill_market(constants: Constants, state: State) -> None:
    """Supply cards until enough bricks stand in the shops (R7); a short reserve serves the dearest shops first (R8)."""
    stocked = market_bricks(state)
    if stocked >= int(constants["market_refill_below"]):
        return
    market = state["market"]
    while stocked < int(constants["market_refill_to"]) and int(state["reserve"]) > 0:
        card = draw_supply_card(state)
        for colour in range(NUM_COLOURS - 1, -1, -1):
            bricks = min(int(constants["supply_shops"][card, colour]), int(state["reserve"]))
            market[colour] = int(market[colour]) + bricks
            state["reserve"] = int(state["reserve"]) - bricks
            stocked += bricks


@jit
def refill_displays(constants: Constants, state: State) -> None:
    """Building cards, then honour cards (R7, R9)."""
    displayed, drawable = int(state["num_building_display"]), int(state["num_building_draw"])
    drawn = lay_out(state["building_cards"], displayed, drawable, int(constants["building_display"]))
    state["num_building_display"] = displayed + drawn
    state["num_building_draw"] = drawable - drawn
    displayed, drawable = int(state["num_honour_display"]), int(state["num_honour_draw"])
    drawn = lay_out(state["honour_cards"], displayed, drawable, int(constants["honour_display"]))
    state["num_honour_display"] = displayed + drawn
    state["num_honour_draw"] = drawable - drawn


@jit
def gain(state: State, player: int, gains: Any) -> None:
    """Give a player what a reward or an honour card shows, as far as Romans and bricks are left (R21, R24).

    gains: amounts in the order of names.GAINS.  A short reserve gives the dearest bricks first (R8).
    """
    state["sesterces"][player] += gains[GAIN_SESTERCES]
    state["torches"][player] += gains[GAIN_TORCHES]
    state["influence"][player] += gains[GAIN_INFLUENCE]
    state["vp"][player] += gains[GAIN_VP]
    romans = min(int(gains[GAIN_ROMANS]), int(state["romans_reserve"][player]))
    state["romans"][player] += romans
    state["romans_reserve"][player] -= romans
    for colour in range(NUM_COLOURS - 1, -1, -1):
        bricks = min(int(gains[GAIN_BRICKS + colour]), int(state["reserve"]))
        state["bricks"][player, colour] += bricks
        state["reserve"] = int(state["reserve"]) - bricks
