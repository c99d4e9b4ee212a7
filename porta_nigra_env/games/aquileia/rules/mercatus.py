"""I Mercatus: Dolus, Pecunia, Equi, Servi, Potentia (A21-A27)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.aquileia.components.names import EQUI, EQUI_PHASE, MAX_EXCHANGES, PECUNIA_PHASE, SERVI_PHASE
from porta_nigra_env.games.aquileia.rules.cards import draw_equi, gain_equi, gain_slave
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, gain_coins, roll
from porta_nigra_env.games.aquileia.state import DOLUS_ROLL


@jit
def act_dolus(constants: Constants, state: State, seat: int) -> bool:
    """Roll, and pay a coin of the kind on each die (A21)."""
    roll(constants, state, DOLUS_ROLL, int(constants["dolus_red_dice"]))
    for kind in range(NUM_KINDS):
        gain_coins(state, seat, kind, int(state["dice"][DOLUS_ROLL, kind]))
    return False


@jit
def exchanges(constants: Constants, state: State, seat: int) -> int:
    """Return the possible exchanges as bits: not before the last one, not paid with received coins (A24)."""
    possible = 0
    for number in range(max(0, int(state["last"])), int(constants["num_exchanges"])):
        kind = int(constants["exchange_give"][number])
        if int(state["coins"][seat, kind]) - int(state["received"][kind]) >= int(
            constants["exchange_give_coins"][number]
        ):
            possible |= 1 << number
    return possible


@jit
def act_pecunia(constants: Constants, state: State, seat: int) -> bool:
    """Ask while an exchange is possible (A20, A24)."""
    if exchanges(constants, state, seat) != 0:
        state["phase"] = PECUNIA_PHASE
        state["current_player"] = seat
        return True
    for kind in range(NUM_KINDS):
        state["received"][kind] = 0
    state["last"] = -1
    return False


@jit
def legal_pecunia(constants: Constants, state: State, seat: int, words: Words) -> None:
    """Allow the possible exchanges, and to stop (A19, A24)."""
    bits.add(words, int(constants["done_id"]))
    bits.put(words, int(constants["exchange_start"]), exchanges(constants, state, seat), MAX_EXCHANGES)


@jit
def step_pecunia(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Exchange coins; only the first exchange scores points (A22, A23)."""
    if action == int(constants["done_id"]):
        state["last"] = constants["num_exchanges"]  # none may follow
        return act_pecunia(constants, state, seat)
    number = action - int(constants["exchange_start"])
    if state["last"] < 0:
        state["vp"][seat] += constants["pecunia_vp"]
    state["last"] = number
    kind = int(constants["exchange_get"][number])
    coins = int(constants["exchange_get_coins"][number])
    gain_coins(state, seat, int(constants["exchange_give"][number]), -int(constants["exchange_give_coins"][number]))
    gain_coins(state, seat, kind, coins)
    state["received"][kind] += coins
    return act_pecunia(constants, state, seat)


@jit
def act_equi(constants: Constants, state: State, seat: int, space: int) -> bool:
    """Ask if the space has a card and the player has its price (A25)."""
    if state["equi_row"][space - int(constants["area_start"][EQUI])] < 0:
        return False
    for kind in range(NUM_KINDS):
        if int(state["coins"][seat, kind]) < int(constants["equi_price"][kind]):
            return False
    state["phase"] = EQUI_PHASE
    state["current_player"] = seat
    return True


@jit
def legal_equi(constants: Constants, words: Words) -> None:
    """Allow the purchase, and a pass (A19, A25)."""
    bits.add(words, int(constants["pass_id"]))
    bits.add(words, int(constants["buy_start"]))


@jit
def step_equi(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Buy the open card; the first space adds the unseen top card of the pile (A25)."""
    if action == int(constants["pass_id"]):
        return False
    for kind in range(NUM_KINDS):
        gain_coins(state, seat, kind, -int(constants["equi_price"][kind]))
    place = acting_space(state) - int(constants["area_start"][EQUI])
    gain_equi(state, seat, int(state["equi_row"][place]), 1)
    state["equi_row"][place] = -1
    if place == 0:
        face = draw_equi(state)
        if face >= 0:
            gain_equi(state, seat, face, 0)
    return False


@jit
def most_slaves(constants: Constants, state: State, seat: int, space: int) -> int:
    """Return the most cards for sale: limited by space, coins, and pile with discard (A26)."""
    cards = int(state["num_slave_draw"])
    for face in range(state["slave_discard"].shape[0]):
        cards += int(state["slave_discard"][face])
    return min(
        int(constants["space_most"][space]), int(state["coins"][seat, int(constants["space_coin"][space])]), cards
    )


@jit
def act_servi(constants: Constants, state: State, seat: int, space: int) -> bool:
    """Ask if the player can buy at least one card (A26)."""
    if most_slaves(constants, state, seat, space) == 0:
        return False
    state["phase"] = SERVI_PHASE
    state["current_player"] = seat
    return True


@jit
def legal_servi(constants: Constants, state: State, seat: int, words: Words) -> None:
    """Allow to buy 1 up to the most cards, and a pass (A19, A26)."""
    bits.add(words, int(constants["pass_id"]))
    choices = most_slaves(constants, state, seat, acting_space(state))
    bits.put(words, int(constants["buy_start"]), (1 << choices) - 1, choices)


@jit
def step_servi(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Buy slave cards for one coin each (A26)."""
    if action == int(constants["pass_id"]):
        return False
    cards = action - int(constants["buy_start"]) + 1
    gain_coins(state, seat, int(constants["space_coin"][acting_space(state)]), -cards)
    for _ in range(cards):
        gain_slave(state, seat)
    return False


@jit
def act_potentia(constants: Constants, state: State, seat: int) -> bool:
    """Take the blue dice (A27)."""
    state["blue_owner"] = seat
    state["blue_left"] = constants["blue_dice"]
    return False
