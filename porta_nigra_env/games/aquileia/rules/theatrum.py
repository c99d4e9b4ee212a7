"""IV Theatrum: the auction (A37-A40)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import draw_card
from porta_nigra_env.games.aquileia.components.names import AUCTION
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, following, gain_coins, holder_of


@jit
def act_theatrum(s: Any, seat: int) -> bool:
    """The auctioneer turns over the top card and is asked first (A37)."""
    left = int(s["num_theatre_draw"])
    s["auction_card"] = draw_card(s["theatre_cards"], left)
    s["num_theatre_draw"] = left - 1
    return next_bidder(s, seat)


@jit
def bids(s: Any, seat: int) -> int:
    """Bits of the kinds of which one more coin makes a bid within the seat's stock (A37, A38)."""
    kinds = 0
    for kind in range(NUM_KINDS):
        spare = int(s["coins"][seat, kind]) - int(s["bid"][kind])
        if spare < 0:
            return 0
        if spare > 0:
            kinds |= 1 << kind
    return kinds


@jit
def next_bidder(s: Any, seat: int) -> bool:
    """Ask the first from this seat on, clockwise, who is not out and can bid; without one the auction is over (A38)."""
    for _ in range(int(s["num_players"])):
        if seat == s["bidder"]:
            break
        if (int(s["out"]) >> seat) & 1 == 0:
            if bids(s, seat) != 0:
                s["phase"] = AUCTION
                s["current_player"] = seat
                return True
            s["out"] |= 1 << seat
        seat = following(s, seat)
    sell(s)
    return False


@jit
def sell(s: Any) -> None:
    """The standing bidder pays the auctioneer, or the bank if she is that; no bid, no price (A37, A40)."""
    auctioneer, buyer = holder_of(s, acting_space(s)), int(s["bidder"])
    if buyer < 0:
        buyer = auctioneer
    for kind in range(NUM_KINDS):
        coins = int(s["bid"][kind])
        gain_coins(s, buyer, kind, -coins)
        if buyer != auctioneer:
            gain_coins(s, auctioneer, kind, coins)
        s["bid"][kind] = 0
    s["theatre_owner"][int(s["auction_card"])] = buyer
    s["auction_card"] = -1
    s["bidder"] = -1
    s["out"] = 0


@jit
def step_auction(t: Any, s: Any, seat: int, action: int) -> bool:
    """One coin more, or out for good (A38)."""
    if action == int(t["pass_id"]):
        s["out"] |= 1 << seat
    else:
        s["bid"][action - int(t["bid_start"])] += 1
        s["bidder"] = seat
    return next_bidder(s, following(s, seat))
