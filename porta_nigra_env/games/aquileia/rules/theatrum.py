"""IV Theatrum: the auction (A37-A40)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.piles import draw_card
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.aquileia.components.names import AUCTION
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, following, gain_coins, holder_of


@jit
def act_theatrum(state: State, seat: int) -> bool:
    """Turn over the top card and ask the auctioneer first (A37)."""
    left = int(state["num_theatre_draw"])
    state["auction_card"] = draw_card(state["theatre_cards"], left)
    state["num_theatre_draw"] = left - 1
    return next_bidder(state, seat)


@jit
def bids(state: State, seat: int) -> int:
    """Return the kinds as bits whose next coin makes a bid within the stock (A37, A38)."""
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
    """Ask the next possible bidder clockwise from this seat; sell without one (A38)."""
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
    """Charge the standing bidder; the auctioneer's own bid goes to the bank, no bid costs nothing (A37, A40)."""
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
def legal_auction(constants: Constants, state: State, seat: int, words: Words) -> None:
    """Allow one more coin of each possible kind, and a pass (A19, A38)."""
    bits.add(words, int(constants["pass_id"]))
    bits.put(words, int(constants["bid_start"]), bids(state, seat), NUM_KINDS)


@jit
def step_auction(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Raise the bid by one coin, or leave the auction (A38)."""
    if action == int(constants["pass_id"]):
        state["out"] |= 1 << seat
    else:
        state["bid"][action - int(constants["bid_start"])] += 1
        state["bidder"] = seat
    return next_bidder(state, following(state, seat))
