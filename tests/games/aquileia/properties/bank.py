"""The bank's ledger, compiled: the payments of a step and its consequences, by the rules alone.

It compares two positions and the action between them: the spaces that acted, the questions reached, the rolls.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import (
    ARENA,
    ARENA_PRIZE,
    AUCTION,
    DOLUS,
    EQUI_PHASE,
    FORUM_PHASE,
    LATRO,
    MAX_PLAYERS,
    PECUNIA_PHASE,
    PLACE,
    PORTUS_PHASE,
    SERVI_PHASE,
    STADIUM_GOLD,
    STADIUM_PRIZE,
    STADIUM_SILVER,
    THEATRUM,
)
from porta_nigra_env.games.aquileia.state import LATRO_ROLL

_PACKAGE = Path(__file__).parents[4] / "porta_nigra_env"
jit = compiler(Path(__file__), _PACKAGE)


@jit
def stocks(state: State) -> int:
    """Coins outside the bank: in stocks and under followers."""
    coins = int(state["coins"].sum())
    for kind in range(3):
        coins += (int(state["portus_coins"]) >> kind) & 1
    return coins


@jit
def holder(state: State, spaces: int) -> int:
    """Return the seat on one of these spaces; -1 for none."""
    for seat in range(MAX_PLAYERS):
        if int(state["standing"][seat]) & spaces:
            return seat
    return -1


@jit
def pays_of(constants: Constants, state: State, seat: int) -> int:
    """Coins of a seat's money houses in one activation."""
    coins = 0
    for building in range(int(constants["num_buildings"])):
        if (int(state["buildings"][seat]) >> building) & 1:
            coins += int(constants["building_pays"][building].sum())
    return coins


@jit
def prizes_paid(constants: Constants, before: Any, after: Any) -> int:
    """Coins of a fight or race that has come to its prize question."""
    if after["phase"] == before["phase"] or (after["phase"] != ARENA_PRIZE and after["phase"] != STADIUM_PRIZE):
        return 0
    fight = after["phase"] == ARENA_PRIZE
    spaces = int(constants["area_spaces"][ARENA])
    if not fight:
        spaces = int(constants["area_spaces"][STADIUM_GOLD]) | int(constants["area_spaces"][STADIUM_SILVER])
    coins = place = 0
    for seat in range(MAX_PLAYERS):
        if int(after["standing"][seat]) & spaces:
            if place < 3:
                coins += int(constants["arena_prizes"][place]) if fight else int(constants["stadium_prizes"][place])
            place += 1
    return coins


@jit
def action_paid(constants: Constants, before: Any, after: Any, action: int) -> int:
    """Coins that the bank has paid, or less than 0 received, for the action itself."""
    phase, seat = int(before["phase"]), int(before["current_player"])
    if phase == PECUNIA_PHASE and action != int(constants["done_id"]):
        number = action - int(constants["exchange_start"])
        return int(constants["exchange_get_coins"][number]) - int(constants["exchange_give_coins"][number])
    if phase == EQUI_PHASE and action != int(constants["pass_id"]):
        return -int(constants["equi_price"].sum())
    if phase == SERVI_PHASE and action != int(constants["pass_id"]):
        return int(constants["buy_start"]) - 1 - action
    if phase == FORUM_PHASE and action != int(constants["pass_id"]):
        return -int(constants["building_cost"][action - int(constants["build_start"])].sum())
    if phase == PORTUS_PHASE and action != int(constants["pass_id"]):
        return pays_of(constants, before, seat) - 1
    if phase == AUCTION:
        auctioneer = holder(before, int(constants["area_spaces"][THEATRUM]))
        if after["theatre_owner"][int(before["auction_card"])] == auctioneer:
            return -int(before["bid"].sum()) - (1 if action != int(constants["pass_id"]) else 0)
    return 0


@jit
def portus_paid(constants: Constants, before: Any, after: Any, placed: int, seat: int) -> int:
    """Coins for the activations that have happened by themselves, less the coins that lay under the followers."""
    lying, coins = int(before["portus_coins"]), 0
    standing = 0
    for other in range(MAX_PLAYERS):
        standing |= int(after["standing"][other])
    stolen = 0
    latro = int(constants["area_spaces"][LATRO])
    if (holder(before, latro) >= 0 or placed & latro) and standing & latro == 0:
        for kind in range(3):
            if after["dice"][LATRO_ROLL, kind] > 0:
                stolen |= 1 << kind
    for kind in range(3):
        space = int(constants["coin_space"][kind])
        owner = seat if placed & space else holder(before, space)
        lies = placed & space or (lying >> kind) & 1
        if space and owner >= 0 and standing & space == 0 and lies and not (stolen >> kind) & 1:
            coins += pays_of(constants, after, owner) - 1
    return coins


@jit
def bank_paid(constants: Constants, before: Any, after: Any, action: int) -> int:
    """All coins that the bank has paid between two positions, the ones it has received taken off."""
    seat = int(before["current_player"])
    placed = 1 << action if before["phase"] == PLACE and action < int(constants["num_spaces"]) else 0
    coins = action_paid(constants, before, after, action) + prizes_paid(constants, before, after)
    dolus = int(constants["area_spaces"][DOLUS])
    if (holder(before, dolus) >= 0 or placed & dolus) and holder(after, dolus) < 0:
        coins += int(constants["dolus_red_dice"])
    return coins + portus_paid(constants, before, after, placed, seat)
