"""I Mercatus: Dolus, Pecunia, Equi, Servi, Potentia (A21-A27)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.aquileia.components.names import EQUI, EQUI_PHASE, PECUNIA_PHASE, SERVI_PHASE
from porta_nigra_env.games.aquileia.rules.cards import draw_equi, gain_equi, gain_slave
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, gain_coins, roll
from porta_nigra_env.games.aquileia.state import DOLUS_ROLL


@jit
def act_dolus(t: Any, s: Any, seat: int) -> bool:
    """A coin of the kind on each die (A21)."""
    roll(t, s, DOLUS_ROLL, int(t["dolus_red_dice"]))
    for kind in range(NUM_KINDS):
        gain_coins(s, seat, kind, int(s["dice"][DOLUS_ROLL, kind]))
    return False


@jit
def exchanges(t: Any, s: Any, seat: int) -> int:
    """Bits of the exchanges that may follow the last one and can be paid with coins not received here (A24)."""
    found = 0
    for number in range(max(0, int(s["last"])), int(t["num_exchanges"])):
        kind = int(t["exchange_give"][number])
        if int(s["coins"][seat, kind]) - int(s["received"][kind]) >= int(t["exchange_give_coins"][number]):
            found |= 1 << number
    return found


@jit
def act_pecunia(t: Any, s: Any, seat: int) -> bool:
    """Asked while an exchange is possible (A20, A24)."""
    if exchanges(t, s, seat) != 0:
        s["phase"] = PECUNIA_PHASE
        s["current_player"] = seat
        return True
    for kind in range(NUM_KINDS):
        s["received"][kind] = 0
    s["last"] = -1
    return False


@jit
def step_pecunia(t: Any, s: Any, seat: int, action: int) -> bool:
    """An exchange; VP once, with the first (A22, A23)."""
    if action == int(t["done_id"]):
        s["last"] = t["num_exchanges"]  # none may follow
        return act_pecunia(t, s, seat)
    number = action - int(t["exchange_start"])
    if s["last"] < 0:
        s["vp"][seat] += t["pecunia_vp"]
    s["last"] = number
    kind = int(t["exchange_get"][number])
    coins = int(t["exchange_get_coins"][number])
    gain_coins(s, seat, int(t["exchange_give"][number]), -int(t["exchange_give_coins"][number]))
    gain_coins(s, seat, kind, coins)
    s["received"][kind] += coins
    return act_pecunia(t, s, seat)


@jit
def act_equi(t: Any, s: Any, seat: int, space: int) -> bool:
    """Asked if a card lies there and she has its price (A25)."""
    if s["equi_row"][space - int(t["area_start"][EQUI])] < 0:
        return False
    for kind in range(NUM_KINDS):
        if int(s["coins"][seat, kind]) < int(t["equi_price"][kind]):
            return False
    s["phase"] = EQUI_PHASE
    s["current_player"] = seat
    return True


@jit
def step_equi(t: Any, s: Any, seat: int, action: int) -> bool:
    """The open card, and on the first space the top card of the pile, unseen by others, for the same price (A25)."""
    if action == int(t["pass_id"]):
        return False
    for kind in range(NUM_KINDS):
        gain_coins(s, seat, kind, -int(t["equi_price"][kind]))
    place = acting_space(s) - int(t["area_start"][EQUI])
    gain_equi(s, seat, int(s["equi_row"][place]), 1)
    s["equi_row"][place] = -1
    if place == 0:
        face = draw_equi(s)
        if face >= 0:
            gain_equi(s, seat, face, 0)
    return False


@jit
def most_slaves(t: Any, s: Any, seat: int, space: int) -> int:
    """The most cards that can be bought on a Servi space: its own limit, her coins, pile and discard (A26)."""
    cards = int(s["num_slave_draw"])
    for face in range(s["slave_discard"].shape[0]):
        cards += int(s["slave_discard"][face])
    return min(int(t["space_most"][space]), int(s["coins"][seat, int(t["space_coin"][space])]), cards)


@jit
def act_servi(t: Any, s: Any, seat: int, space: int) -> bool:
    """Asked if she can buy at least one card (A26)."""
    if most_slaves(t, s, seat, space) == 0:
        return False
    s["phase"] = SERVI_PHASE
    s["current_player"] = seat
    return True


@jit
def step_servi(t: Any, s: Any, seat: int, action: int) -> bool:
    """Slave cards for a coin each (A26)."""
    if action == int(t["pass_id"]):
        return False
    cards = action - int(t["buy_start"]) + 1
    gain_coins(s, seat, int(t["space_coin"][acting_space(s)]), -cards)
    for _ in range(cards):
        gain_slave(s, seat)
    return False


@jit
def act_potentia(t: Any, s: Any, seat: int) -> bool:
    """The blue dice (A27)."""
    s["blue_owner"] = seat
    s["blue_left"] = t["blue_dice"]
    return False
