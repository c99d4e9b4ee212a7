"""Bricks, displays and gains: refill (R7-R9), purchases (R16, R17) and payments from the reserve (R4, R8)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.piles import draw_card, lay_out, open_card, shuffle_draw
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.porta_nigra.actions import ID
from porta_nigra_env.games.porta_nigra.components.names import (
    BUY_ANY,
    COLOURS,
    GAIN_BRICKS,
    GAIN_INFLUENCE,
    GAIN_ROMANS,
    GAIN_SESTERCES,
    GAIN_TORCHES,
    GAIN_VP,
    NUM_SUPPLY_CARDS,
    WHITE,
)
from porta_nigra_env.games.porta_nigra.rules.cards import use_icon
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.state import SUPPLY_STREAM

NUM_COLOURS = len(COLOURS)


@jit
def market_bricks(state: State) -> int:
    """Return the number of bricks in all shops."""
    market = state["market"]
    total = 0
    for colour in range(NUM_COLOURS):
        total += int(market[colour])
    return total


@jit
def draw_supply_card(state: State) -> int:
    """Move the next supply card to the discard pile and return it; an empty pile is reshuffled first (R7)."""
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
    """Draw supply cards until the shops hold enough bricks (R7); a short reserve serves dear shops first (R8)."""
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
    """Refill building cards, then honour cards (R7, R9)."""
    displayed, drawable = int(state["num_building_display"]), int(state["num_building_draw"])
    drawn = lay_out(state["building_cards"], displayed, drawable, int(constants["building_display"]))
    state["num_building_display"] = displayed + drawn
    state["num_building_draw"] = drawable - drawn
    displayed, drawable = int(state["num_honour_display"]), int(state["num_honour_draw"])
    drawn = lay_out(state["honour_cards"], displayed, drawable, int(constants["honour_display"]))
    state["num_honour_display"] = displayed + drawn
    state["num_honour_draw"] = drawable - drawn


@jit
def legal_buys(constants: Constants, state: State, player: int, words: Words) -> None:
    """Add purchases: an icon buys its colour, and any colour if it is grey or its shop is empty (R16, R17)."""
    quarter = int(state["quarter"][player])
    affordable = 0
    for colour in range(NUM_COLOURS):
        price = int(constants["brick_price"][colour]) + int(constants["way_to_shop"][quarter, colour])
        if state["market"][colour] > 0 and price <= state["sesterces"][player]:
            affordable |= 1 << colour
    for icon in range(BUY_ANY + 1):
        if state["icons_left"][icon] > 0:
            colours = affordable
            if icon != BUY_ANY and state["market"][icon] > 0:
                colours &= 1 << icon
            bits.put(words, ID.buy + NUM_COLOURS * icon, colours, NUM_COLOURS)


@jit
def buy(constants: Constants, state: State, player: int, icon: int, colour: int) -> None:
    """Move if needed, pay for way and brick, take the brick (R16, R17); white never moves the builder."""
    quarter = int(state["quarter"][player])
    state["sesterces"][player] -= constants["way_to_shop"][quarter, colour] + constants["brick_price"][colour]
    if colour != WHITE:
        state["quarter"][player] = constants["quarter_of_shop"][colour]
    state["market"][colour] -= 1
    state["bricks"][player, colour] += 1
    use_icon(state, player, icon)


@jit
def gain(state: State, player: int, gains: npt.NDArray[np.int32]) -> None:
    """Pay a player the gains of a reward or an honour card, as far as Romans and bricks last (R21, R24).

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
