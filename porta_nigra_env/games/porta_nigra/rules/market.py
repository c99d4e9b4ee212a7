"""Bricks, displays and what players gain: the refill phase (R7-R9) and payments out of the reserve (R4, R8)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import draw_card, lay_out, open_card, shuffle_draw
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
def market_bricks(s: Any) -> int:
    """Bricks in all shops."""
    market = s["market"]
    total = 0
    for colour in range(NUM_COLOURS):
        total += int(market[colour])
    return total


@jit
def draw_supply_card(s: Any) -> int:
    """The next supply card, which thereby lies in the discard pile; an empty pile is shuffled anew first (R7)."""
    cards = s["supply_cards"]
    left = int(s["num_supply_draw"])
    if left == 0:
        left = NUM_SUPPLY_CARDS
        shuffle_draw(s["key"], s["counters"], SUPPLY_STREAM, cards, left)
    card = draw_card(cards, left)
    open_card(cards, NUM_SUPPLY_CARDS - left, card)
    s["num_supply_draw"] = left - 1
    return card


@jit
def refill_market(t: Any, s: Any) -> None:
    """Supply cards until enough bricks stand in the shops (R7); a short reserve serves the dearest shops first (R8)."""
    stocked = market_bricks(s)
    if stocked >= int(t["market_refill_below"]):
        return
    market = s["market"]
    while stocked < int(t["market_refill_to"]) and int(s["reserve"]) > 0:
        card = draw_supply_card(s)
        for colour in range(NUM_COLOURS - 1, -1, -1):
            bricks = min(int(t["supply_shops"][card, colour]), int(s["reserve"]))
            market[colour] = int(market[colour]) + bricks
            s["reserve"] = int(s["reserve"]) - bricks
            stocked += bricks


@jit
def refill_displays(t: Any, s: Any) -> None:
    """Building cards, then honour cards (R7, R9)."""
    displayed, drawable = int(s["num_building_display"]), int(s["num_building_draw"])
    drawn = lay_out(s["building_cards"], displayed, drawable, int(t["building_display"]))
    s["num_building_display"] = displayed + drawn
    s["num_building_draw"] = drawable - drawn
    displayed, drawable = int(s["num_honour_display"]), int(s["num_honour_draw"])
    drawn = lay_out(s["honour_cards"], displayed, drawable, int(t["honour_display"]))
    s["num_honour_display"] = displayed + drawn
    s["num_honour_draw"] = drawable - drawn


@jit
def gain(s: Any, player: int, gains: Any) -> None:
    """Give a player what a reward or an honour card shows, as far as Romans and bricks are left (R21, R24).

    gains: amounts in the order of names.GAINS.  A short reserve gives the dearest bricks first (R8).
    """
    s["sesterces"][player] += gains[GAIN_SESTERCES]
    s["torches"][player] += gains[GAIN_TORCHES]
    s["influence"][player] += gains[GAIN_INFLUENCE]
    s["vp"][player] += gains[GAIN_VP]
    romans = min(int(gains[GAIN_ROMANS]), int(s["romans_reserve"][player]))
    s["romans"][player] += romans
    s["romans_reserve"][player] -= romans
    for colour in range(NUM_COLOURS - 1, -1, -1):
        bricks = min(int(gains[GAIN_BRICKS + colour]), int(s["reserve"]))
        s["bricks"][player, colour] += bricks
        s["reserve"] = int(s["reserve"]) - bricks
