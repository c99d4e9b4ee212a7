"""Payments (G24-G27, G30), by upper bounds on the number of stones of each set of basic kinds.

The bounds of a payment are packed into one integer: the bound of a set of basic kinds stands in the BOUND_BITS bits
from BOUND_BITS * set on; the bound of the empty set is 0.  The bounds are the ranks of a polymatroid.  Amounts of the
basic kinds fit together exactly if no set exceeds its bound.  The largest sum of such amounts within a stock is the
minimum, over all sets, of the set's bound plus the stock of the other kinds (Edmonds 1970).  Glory fills the rest.
"""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.names import FOOD, GLORY, GOLD, NUM_BASIC, PAY, PEACE_STONE
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_KINDS, buildings_of

#: A bound is at most the number of stones due, MAX_DUE.
BOUND_BITS = 4
BOUND_MASK = (1 << BOUND_BITS) - 1
BASIC_SETS = 1 << NUM_BASIC
ALL_KINDS = (1 << NUM_KINDS) - 1


@jit
def bound_of(bounds: int, kinds: int) -> int:
    """Return the bound of a set of basic kinds."""
    return (bounds >> (BOUND_BITS * kinds)) & BOUND_MASK


@jit
def printed_covered(constants: Constants, builders: int, card: int, kinds: int) -> int:
    """Return how many printed stones of a card these basic kinds can cover with the help of builders (G25, G27)."""
    reach = kinds
    single = 0
    left = np.uint64(builders)
    while left != np.uint64(0):
        builder = bits.lowest(left)
        left &= left - np.uint64(1)
        if int(constants["use"][builder]) & kinds != 0:
            if constants["repeat"][builder] != 0:
                reach |= int(constants["covers"][builder])
            else:
                single |= 1 << builder
    least = int(constants["printed"][card, reach])
    if single == 0:
        return least
    least += count_helping(constants, single, reach)
    for within in range(reach + 1, ALL_KINDS + 1):
        if within & reach == reach:
            least = min(least, int(constants["printed"][card, within]) + count_helping(constants, single, within))
    return least


@jit
def count_helping(constants: Constants, builders: int, within: int) -> int:
    """Return the number of builders that cover a kind outside a set."""
    count = 0
    left = np.uint64(builders)
    while left != np.uint64(0):
        if int(constants["covers"][bits.lowest(left)]) & ~within != 0:
            count += 1
        left &= left - np.uint64(1)
    return count


@jit
def price_bounds(constants: Constants, builders: int, card: int, extra: int) -> int:
    """Return the bounds of a purchase with these builders."""
    bounds = 0
    for kinds in range(1, BASIC_SETS):
        covered = (
            int(constants["printed"][card, kinds])
            if builders == 0
            else printed_covered(constants, builders, card, kinds)
        )
        bounds |= (extra + covered) << (BOUND_BITS * kinds)
    return bounds


@jit
def tribute_bounds(constants: Constants, space: int) -> int:
    """Return the bounds of the tribute for a province: one stone of its kind for each symbol."""
    bounds = 0
    for kinds in range(1, BASIC_SETS):
        bound = 0
        for kind in range(NUM_BASIC):
            if (kinds >> kind) & 1:
                bound += int(constants["symbols"][space, kind])
        bounds |= bound << (BOUND_BITS * kinds)
    return bounds


@jit
def fixed(bounds: int, kind: int, amount: int) -> int:
    """Return the bounds of the other kinds once an amount is fixed; -1 if the amount exceeds its bound."""
    own = 1 << kind
    if amount > bound_of(bounds, own):
        return -1
    left = 0
    for kinds in range(1, BASIC_SETS):
        others = kinds & ~own
        bound = min(bound_of(bounds, others), bound_of(bounds, others | own) - amount)
        left |= bound << (BOUND_BITS * kinds)
    return left


@jit
def most_basic(bounds: int, food: int, gold: int, peace: int) -> int:
    """Return the largest sum of basic stones from a stock that fits the bounds."""
    least = food + gold + peace
    for kinds in range(1, BASIC_SETS):
        beside = 0
        if kinds & (1 << FOOD) == 0:
            beside += food
        if kinds & (1 << GOLD) == 0:
            beside += gold
        if kinds & (1 << PEACE_STONE) == 0:
            beside += peace
        least = min(least, bound_of(bounds, kinds) + beside)
    return least


@jit
def can_pay(state: State, seat: int, bounds: int, due: int) -> bool:
    """Return whether the stock allows a payment of `due` stones."""
    stones = state["stones"][seat]
    basic = most_basic(bounds, int(stones[FOOD]), int(stones[GOLD]), int(stones[PEACE_STONE]))
    return bool(basic + int(stones[GLORY]) >= due)


@jit
def can_buy(constants: Constants, state: State, seat: int, card: int, extra: int) -> bool:
    """Return whether the seat can pay a card on a place with this extra."""
    builders = buildings_of(state, seat) & int(constants["builders"])
    return can_pay(
        state, seat, price_bounds(constants, builders, card, extra), int(constants["printed"][card, ALL_KINDS]) + extra
    )


@jit
def due_stones(constants: Constants, state: State) -> int:
    """Return the number of stones of the pending payment."""
    if state["phase"] == PAY:
        return int(constants["printed"][int(state["forum"][state["place"]]), ALL_KINDS]) + int(
            constants["extra"][state["place"]]
        )
    space = int(state["goth"]) + int(state["num_tribute"]) + 1
    due = 0
    for base in range(NUM_BASIC):
        due += int(constants["symbols"][space, base])
    return due


@jit
def due_bounds(constants: Constants, state: State, seat: int) -> int:
    """Return the bounds of the pending payment."""
    if state["phase"] == PAY:
        builders = buildings_of(state, seat) & int(constants["builders"])
        return price_bounds(
            constants, builders, int(state["forum"][state["place"]]), int(constants["extra"][state["place"]])
        )
    return tribute_bounds(constants, int(state["goth"]) + int(state["num_tribute"]) + 1)


@jit
def asked_kind(state: State) -> int:
    """Return the basic kind whose amount is asked for, the first that is not fixed; NUM_BASIC when all are fixed."""
    kind = 0
    while kind < NUM_BASIC and state["paid"][kind] >= 0:
        kind += 1
    return kind


@jit
def amount_options(constants: Constants, state: State, seat: int) -> int:
    """Return the amounts of the kind asked for that can be completed to a payment: a run of bits (G26)."""
    stones = state["stones"][seat]
    bounds = due_bounds(constants, state, seat)
    missing = due_stones(constants, state) - int(stones[GLORY])
    asked = asked_kind(state)
    for kind in range(asked):
        amount = int(state["paid"][kind])
        bounds = -1 if amount > int(stones[kind]) else fixed(bounds, kind, amount)
        if bounds < 0:
            return 0
        missing -= amount
    # The bounds of fixed kinds are 0, so their stock does not count.
    food, gold, peace = int(stones[FOOD]), int(stones[GOLD]), int(stones[PEACE_STONE])
    if most_basic(bounds, food, gold, peace) < missing:
        return 0
    highest = min(int(stones[asked]), bound_of(bounds, 1 << asked))
    without = most_basic(
        bounds, 0 if asked == FOOD else food, 0 if asked == GOLD else gold, 0 if asked == PEACE_STONE else peace
    )
    lowest = max(0, missing - without)
    return (2 << highest) - (1 << lowest)


@jit
def fix_amount(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Fix an amount; after the last one pay, with glory for the rest, and return True (G26)."""
    asked = asked_kind(state)
    state["paid"][asked] = action - ID.pay - NUM_AMOUNTS * asked
    if asked + 1 < NUM_BASIC:
        state["options"] = amount_options(constants, state, seat)
        return False
    rest = due_stones(constants, state)
    for kind in range(NUM_BASIC):
        amount = int(state["paid"][kind])
        state["stones"][seat, kind] -= amount
        rest -= amount
    state["stones"][seat, GLORY] -= rest
    return True
