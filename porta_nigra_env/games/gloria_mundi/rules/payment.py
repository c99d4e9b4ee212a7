"""Payments by bounds: how many stones of each set of basic kinds may be in one (G24-G27, G30).

The bounds of a payment are packed into one integer, the one of a set of basic kinds in the BOUND_BITS bits from
BOUND_BITS * set on; that of the empty set is 0.  They are the ranks of a polymatroid: the amounts of the basic kinds
fit together exactly if no set exceeds its bound, the largest sum of such amounts within a stock is the least of the
sums of a bound and the stock beside it (Edmonds 1970), and glory fills what is left.
"""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import FOOD, GLORY, GOLD, NUM_BASIC, PAY, PEACE_STONE
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_KINDS, buildings_of

#: A bound is no more than what is due, MAX_DUE at most.
BOUND_BITS = 4
BOUND_MASK = (1 << BOUND_BITS) - 1
BASIC_SETS = 1 << NUM_BASIC
ALL_KINDS = (1 << NUM_KINDS) - 1


@jit
def bound_of(bounds: int, kinds: int) -> int:
    """The bound of a set of basic kinds."""
    return (bounds >> (BOUND_BITS * kinds)) & BOUND_MASK


@jit
def printed_covered(constants: Constants, builders: int, card: int, kinds: int) -> int:
    """How many printed stones of a card basic stones of these kinds can cover, with these builders (G25, G27)."""
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
    """How many of these builders cover a kind outside this set."""
    count = 0
    left = np.uint64(builders)
    while left != np.uint64(0):
        if int(constants["covers"][bits.lowest(left)]) & ~within != 0:
            count += 1
        left &= left - np.uint64(1)
    return count


@jit
def price_bounds(constants: Constants, builders: int, card: int, extra: int) -> int:
    """The bounds of a purchase with these builders."""
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
    """The bounds of the tribute for a province: its symbols, each by its own kind."""
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
    """The bounds of the other kinds once this many of a kind are in the payment; -1 if that is more than its bound."""
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
    """The largest sum of basic stones out of such a stock that fits."""
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
    """Whether some payment of so many stones fits from her stock."""
    stones = state["stones"][seat]
    basic = most_basic(bounds, int(stones[FOOD]), int(stones[GOLD]), int(stones[PEACE_STONE]))
    return bool(basic + int(stones[GLORY]) >= due)


@jit
def can_buy(constants: Constants, state: State, seat: int, card: int, extra: int) -> bool:
    """Whether she can pay a card on a place with this extra."""
    builders = buildings_of(state, seat) & int(constants["builders"])
    return can_pay(
        state, seat, price_bounds(constants, builders, card, extra), int(constants["printed"][card, ALL_KINDS]) + extra
    )


@jit
def due_stones(constants: Constants, state: State) -> int:
    """How many stones the payment in question has."""
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
    """The bounds of the payment in question."""
    if state["phase"] == PAY:
        builders = buildings_of(state, seat) & int(constants["builders"])
        return price_bounds(
            constants, builders, int(state["forum"][state["place"]]), int(constants["extra"][state["place"]])
        )
    return tribute_bounds(constants, int(state["goth"]) + int(state["num_tribute"]) + 1)


@jit
def asked_kind(state: State) -> int:
    """The basic kind whose amount is asked for: the first that is not fixed; NUM_BASIC when all are."""
    kind = 0
    while kind < NUM_BASIC and state["paid"][kind] >= 0:
        kind += 1
    return kind


@jit
def amount_options(constants: Constants, state: State, seat: int) -> int:
    """The amounts of the kind asked for with which the payment can still be completed: a run of bits (G26)."""
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
    # Kinds that are fixed have no room left in the bounds: their stock does not count any more.
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
def pay_rest(constants: Constants, state: State, seat: int) -> None:
    """All amounts are fixed: the stones leave her stock, glory for the rest (G26)."""
    rest = due_stones(constants, state)
    for kind in range(NUM_BASIC):
        amount = int(state["paid"][kind])
        state["stones"][seat, kind] -= amount
        rest -= amount
    state["stones"][seat, GLORY] -= rest
