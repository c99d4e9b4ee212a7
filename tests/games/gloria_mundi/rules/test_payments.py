"""The bounds by which a payment fits (G27), against a search over all assignments."""

from __future__ import annotations

import random
from itertools import chain, combinations
from typing import Final

import pytest

from porta_nigra_env.core.positions.position import PositionError
from porta_nigra_env.games import state_class
from tests.games.gloria_mundi.oracle.referee import Position
from tests.games.gloria_mundi.oracle.referee.cards import BASIC, STONES, Amounts
from tests.games.gloria_mundi.oracle.referee.payment import Builder, payments
from tests.games.gloria_mundi.rules.positions import REFEREES, Table
from tests.lockstep.judges import Ruled


def sets(kinds: tuple[str, ...]) -> list[set[str]]:
    """All sets of these kinds, the empty one too."""
    return [set(some) for some in chain.from_iterable(combinations(kinds, size) for size in range(len(kinds) + 1))]


def fits(paid: Amounts, price: Amounts, extra: int, builders: tuple[Builder, ...]) -> bool:
    """Return whether a payment fits, after G27 on the rules page."""
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
    # Glory covers printed glory, basic stones as a joker and the extra.
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
        payable = {
            (food, gold, peace, total - food - gold - peace)
            for food in range(total + 1)
            for gold in range(total + 1 - food)
            for peace in range(total + 1 - food - gold)
            if fits((food, gold, peace, total - food - gold - peace), price, extra, builders)
        }
        assert payable == set(payments(price, extra, builders)), (price, extra, builders)


# 2 food, 1 gold, 1 peace and 1 extra out of 3 food, 2 gold, 2 peace and 1 glory.
LAWFUL: Final[tuple[dict[str, int], ...]] = ({"food": 1}, {"food": 3, "gold": 1}, {"food": 2, "gold": 1}, {})
WRONG: Final[tuple[dict[str, int], ...]] = (
    {"food": 0},  # one glory for two food
    {"food": 4},  # more than the stock
    {"food": 3, "gold": 0},  # one way alone: not asked (G5)
    {"food": 5, "gold": 0},
    {"food": 6},  # more than is due
    {"food": 3, "gold": 2},  # nothing for the peace
    {"food": 3, "gold": 3},
    {"food": 1, "gold": 0},
    {"food": 2, "gold": 4},
    {"food": 15, "gold": 15},
)


@pytest.mark.parametrize("fixed", [*LAWFUL, *WRONG], ids=str)
def test_amounts_that_no_payment_completes_are_refused_G26(fixed: dict[str, int]) -> None:
    """G26, G27: in a purchase; fixed amounts can always be completed."""
    table = Table(goth=24).display(0, 1, 2).stock(0, 3, 2, 2, 1).forum(p1="taberna")
    position = Ruled(REFEREES).play(table.asked("buy", "farm"), "buy 1")
    _assert_refused(position, fixed, fixed in WRONG)


@pytest.mark.parametrize(
    ("fixed", "wrong"), [({}, False), ({"food": 1}, True), ({"food": 0, "gold": 2}, True), ({"food": 9}, True)], ids=str
)
def test_amounts_of_a_tribute_that_nothing_completes_are_refused_G30(fixed: dict[str, int], wrong: bool) -> None:
    """G26, G30: a city and peace."""
    table = Table(goth=22).stock(0, food=1, gold=2, peace=1, glory=2)
    position = Ruled(REFEREES).play(table.asked("goth", "farm"), "tribute")
    _assert_refused(position, fixed, wrong)


def _assert_refused(position: Position, fixed: dict[str, int], wrong: bool) -> None:
    """Check that the engine refuses a position with these amounts exactly if they are wrong."""
    position = position | {"payment": position["payment"] | fixed}
    if not wrong:
        assert state_class("gloria_mundi").from_dict(position).legal_actions()
        return
    with pytest.raises(PositionError, match=r"payment|phase"):
        state_class("gloria_mundi").from_dict(position)
