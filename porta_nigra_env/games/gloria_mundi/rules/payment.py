"""Payments by bounds: how many stones of each set of basic kinds may be in one (G24-G27, G30).

The bounds of a payment are packed into one integer, the one of a set of basic kinds in the BOUND_BITS bits from
BOUND_BITS * set on; that of the empty set is 0.  They are the ranks of a polymatroid: the amounts of the basic kinds
fit together exactly if no set exceeds its bound, the largest sum of such amounts within a stock is the least of the
sums of a bound and the stock beside it (Edmonds 1970), and glory fills what is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
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
def printed_covered(t: Any, builders: int, card: int, kinds: int) -> int:
    """How many printed stones of a card basic stones of these kinds can cover, with these builders (G25, G27)."""
    reach = kinds
    single = 0
    left = np.uint64(builders)
    while left != np.uint64(0):
        builder = bits.lowest(left)
        left &= left - np.uint64(1)
        if int(t["use"][builder]) & kinds != 0:
            if t["repeat"][builder] != 0:
                reach |= int(t["covers"][builder])
            else:
                single |= 1 << builder
    least = int(t["printed"][card, reach])
    if single == 0:
        return least
    least += count_helping(t, single, reach)
    for within in range(reach + 1, ALL_KINDS + 1):
        if within & reach == reach:
            least = min(least, int(t["printed"][card, within]) + count_helping(t, single, within))
    return least


@jit
def count_helping(t: Any, builders: int, within: int) -> int:
    """How many of these builders cover a kind outside this set."""
    count = 0
    left = np.uint64(builders)
    while left != np.uint64(0):
        if int(t["covers"][bits.lowest(left)]) & ~within != 0:
            count += 1
        left &= left - np.uint64(1)
    return count


@jit
def price_bounds(t: Any, builders: int, card: int, extra: int) -> int:
    """The bounds of a purchase with these builders."""
    bounds = 0
    for kinds in range(1, BASIC_SETS):
        covered = int(t["printed"][card, kinds]) if builders == 0 else printed_covered(t, builders, card, kinds)
        bounds |= (extra + covered) << (BOUND_BITS * kinds)
    return bounds


@jit
def tribute_bounds(t: Any, space: int) -> int:
    """The bounds of the tribute for a province: its symbols, each by its own kind."""
    bounds = 0
    for kinds in range(1, BASIC_SETS):
        bound = 0
        for kind in range(NUM_BASIC):
            if (kinds >> kind) & 1:
                bound += int(t["symbols"][space, kind])
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
def can_pay(s: Any, seat: int, bounds: int, due: int) -> bool:
    """Whether some payment of so many stones fits from her stock."""
    stones = s["stones"][seat]
    basic = most_basic(bounds, int(stones[FOOD]), int(stones[GOLD]), int(stones[PEACE_STONE]))
    return bool(basic + int(stones[GLORY]) >= due)


@jit
def can_buy(t: Any, s: Any, seat: int, card: int, extra: int) -> bool:
    """Whether she can pay a card on a place with this extra."""
    builders = buildings_of(s, seat) & int(t["builders"])
    return can_pay(s, seat, price_bounds(t, builders, card, extra), int(t["printed"][card, ALL_KINDS]) + extra)


@jit
def due_stones(t: Any, s: Any) -> int:
    """How many stones the payment in question has."""
    if s["phase"] == PAY:
        return int(t["printed"][int(s["forum"][s["place"]]), ALL_KINDS]) + int(t["extra"][s["place"]])
    space = int(s["goth"]) + int(s["num_tribute"]) + 1
    due = 0
    for base in range(NUM_BASIC):
        due += int(t["symbols"][space, base])
    return due


@jit
def due_bounds(t: Any, s: Any, seat: int) -> int:
    """The bounds of the payment in question."""
    if s["phase"] == PAY:
        builders = buildings_of(s, seat) & int(t["builders"])
        return price_bounds(t, builders, int(s["forum"][s["place"]]), int(t["extra"][s["place"]]))
    return tribute_bounds(t, int(s["goth"]) + int(s["num_tribute"]) + 1)


@jit
def asked_kind(s: Any) -> int:
    """The basic kind whose amount is asked for: the first that is not fixed; NUM_BASIC when all are."""
    kind = 0
    while kind < NUM_BASIC and s["paid"][kind] >= 0:
        kind += 1
    return kind


@jit
def amount_options(t: Any, s: Any, seat: int) -> int:
    """The amounts of the kind asked for with which the payment can still be completed: a run of bits (G26)."""
    stones = s["stones"][seat]
    bounds = due_bounds(t, s, seat)
    missing = due_stones(t, s) - int(stones[GLORY])
    asked = asked_kind(s)
    for kind in range(asked):
        amount = int(s["paid"][kind])
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
def pay_rest(t: Any, s: Any, seat: int) -> None:
    """All amounts are fixed: the stones leave her stock, glory for the rest (G26)."""
    rest = due_stones(t, s)
    for kind in range(NUM_BASIC):
        amount = int(s["paid"][kind])
        s["stones"][seat, kind] -= amount
        rest -= amount
    s["stones"][seat, GLORY] -= rest
