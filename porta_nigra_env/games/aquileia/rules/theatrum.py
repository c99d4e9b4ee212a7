"""IV Theatrum: the auction (A37-A40)."""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import draw_card
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import AUCTION
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, following, gain_coins, holder_of


@jit
def act_theatrum(state: State, seat: int) -> bool:
    """The auctioneer turns over the top card and is asked first (A37)."""
    left = int(state["num_theatre_draw"])
    state["auction_card"] = draw_card(state["theatre_cards"], left)
    state["num_theatre_draw"] = left - 1
    return next_bidder(state, seat)


@jit
def bids(state: State, seat: int) -> int:
    """Bits of the kinds of which one more coin makes a bid within the seat's stock (A37, A38)."""
    kinds = 0
    for kind in range(NUM_KINDS):
        spare = int(state["coins"][seat, kind]) - int(state["bid"][kind])
        if spare < 0:
            return 0
        if spare > 0:
            kinds |= 1 << kind
    return kinds


@jit
def next_bidder(state: State, seat: int) -> bool:
    """Ask the first from this seat on, clockwise, who is not out and can bid; without one the auction is over (A38)."""
    for _ in range(int(state["num_players"])):
        if seat == state["bidder"]:
            break
        if (int(state["out"]) >> seat) & 1 == 0:
            if bids(state, seat) != 0:
                state["phase"] = AUCTION
                state["current_player"] = seat
                return True
            state["out"] |= 1 << seat
        seat = following(state, seat)
    sell(state)
    return False


@jit
def sell(state: State) -> None:
    """The standing bidder pays the auctioneer, or the bank if she is that; no bid, no price (A37, A40)."""
    auctioneer, buyer = holder_of(state, acting_space(state)), int(state["bidder"])
    if buyer < 0:
        buyer = auctioneer
    for kind in range(NUM_KINDS):
        coins = int(state["bid"][kind])
        gain_coins(state, buyer, kind, -coins)
        if buyer != auctioneer:
            gain_coins(state, auctioneer, kind, coins)
        state["bid"][kind] = 0
    state["theatre_owner"][int(state["auction_card"])] = buyer
    state["auction_card"] = -1
    state["bidder"] = -1
    state["out"] = 0


@jit
def step_auction(constants: Constants, state: State, seat: int, action: int) -> bool:
    """One coin more, or out for good (A38)."""
    if action == int(constants["pass_id"]):
        state["out"] |= 1 << seat
    else:
        state["bid"][action - int(constants["bid_start"])] += 1
        state["bidder"] = seat
    return next_bidder(state, following(state, seat))
