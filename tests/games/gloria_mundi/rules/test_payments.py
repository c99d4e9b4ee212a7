"""The bounds by which a payment fits (G27), against a search over all assignments."""

from __future__ import annotations

import random
from itertools import chain, combinations

from tests.games.gloria_mundi.oracle.referee.cards import BASIC, STONES, Amounts
from tests.games.gloria_mundi.oracle.referee.payment import Builder, payments


def sets(kinds: tuple[str, ...]) -> list[set[str]]:
    """All sets of these kinds, the empty one too."""
    return [set(some) for some in chain.from_iterable(combinations(kinds, size) for size in range(len(kinds) + 1))]


def fits(paid: Amounts, price: Amounts, extra: int, builders: tuple[Builder, ...]) -> bool:
    """G27, as it stands on the rules page."""
    if sum(paid) != sum(price) + extra:
        return False
    amount, printed = dict(zip(STONES, paid, strict=True)), dict(zip(STONES, price, strict=True))
    for some in sets(BASIC)[1:]:
        reached = set(some)
        for use, whichever, unlimited in builders:
            if unlimited and some & set(use):
                reached |= set(whichever)
        bounds = []
        for covered in sets(STONES):
            if reached <= covered:
                single = sum(
                    not unlimited and bool(some & set(use)) and not set(whichever) <= covered
                    for use, whichever, unlimited in builders
                )
                bounds.append(sum(printed[stone] for stone in covered) + single)
        if sum(amount[stone] for stone in some) > extra + min(bounds):
            return False
    # Glory covers printed glory, basic stones as a joker, and the extra: whatever is left.
    return True


def test_the_bounds_say_what_a_search_says_G27() -> None:
    """G24, G25, G27: every payment of the right length, for random prices, extras and builders."""
    rng = random.Random(27)
    for _ in range(60):
        price = (rng.randrange(4), rng.randrange(3), rng.randrange(3), rng.randrange(3))
        extra = rng.randrange(4)
        builders: tuple[Builder, ...] = tuple(
            (
                tuple(rng.sample(STONES, rng.randint(1, 3))),
                tuple(rng.sample(STONES, rng.randint(1, 3))),
                rng.random() < 0.4,
            )
            for _ in range(rng.randrange(4))
        )
        total = sum(price) + extra
        found = {
            (food, gold, peace, total - food - gold - peace)
            for food in range(total + 1)
            for gold in range(total + 1 - food)
            for peace in range(total + 1 - food - gold)
            if fits((food, gold, peace, total - food - gold - peace), price, extra, builders)
        }
        assert found == set(payments(price, extra, builders)), (price, extra, builders)
