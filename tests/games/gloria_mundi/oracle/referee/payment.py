"""Payments, by a search over all ways to cover the stones due (G24, G25, G30)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from tests.games.gloria_mundi.oracle.referee.cards import BASIC, STONES, Amounts, Card

#: While it is searched, a payment is one integer: four bits for each stone (15 is the most that a payment can have),
#: beyond them a bit for each builder without X that has been used.
UNIT: Final = {stone: 16**place for place, stone in enumerate(STONES)}
USED: Final = 16 ** len(STONES)
#: A builder: the stones it uses, the stones they stand for, and True for any number of times (X).
Builder = tuple[tuple[str, ...], tuple[str, ...], bool]
NOTHING: Final[Amounts] = (0, 0, 0, 0)
#: A payment of which no amount has been chosen yet (G26).
NOT_FIXED: Final[dict[str, int | None]] = dict.fromkeys(BASIC)


def builder(card: Card) -> Builder:
    """Return the help of a builder card."""
    return tuple(card.ability["use"]), tuple(card.ability["for"]), card.repeat


def _ways(stone: str, builders: tuple[Builder, ...]) -> tuple[list[int], list[tuple[int, int]]]:
    """The stones that can cover this printed one: without limit, and once each with the bit of the builder used up."""
    free = {stone} | ({"glory"} if stone in BASIC else set())
    once = []
    for number, (use, whichever, unlimited) in enumerate(builders):
        if stone in whichever and unlimited:
            free.update(use)
        elif stone in whichever:
            once += [(UNIT[other], USED << number) for other in use]
    return [UNIT[other] for other in free], once


@lru_cache(maxsize=1 << 14)
def coverings(price: Amounts, builders: tuple[Builder, ...]) -> frozenset[int]:
    """All that can cover the printed stones: one stone after the other, in every way."""
    found = {0}
    for stone, count in zip(STONES, price, strict=True):
        free, once = _ways(stone, builders)
        for _ in range(count):
            covered = {paid + unit for paid in found for unit in free}
            covered.update(paid + unit + bit for paid in found for unit, bit in once if not paid & bit)
            found = covered
    return frozenset(paid % USED for paid in found)


@lru_cache(maxsize=1 << 14)
def payments(price: Amounts, extra: int, builders: tuple[Builder, ...]) -> tuple[Amounts, ...]:
    """All amounts that pay printed stones and extra: any stone covers one of the extra."""
    found: set[int] = set(coverings(price, builders))
    for _ in range(extra):
        found = {paid + unit for paid in found for unit in UNIT.values()}
    return tuple((n % 16, n // 16 % 16, n // 256 % 16, n // 4096) for n in sorted(found))


class Due:
    """The stones due.

    Args:
        price: printed stones, or the symbols of a province.
        extra: of the forum place.
        builders: in the payer's display.
    """

    __slots__ = ("_ways", "total")

    def __init__(self, price: Amounts, extra: int = 0, builders: tuple[Builder, ...] = ()) -> None:
        self.total = sum(price) + extra
        self._ways = payments(price, extra, builders)

    def payable(self, stock: dict[str, int]) -> bool:
        """Return whether a payment is in this stock."""
        food, gold, peace, glory = stock["food"], stock["gold"], stock["peace"], stock["glory"]
        if food + gold + peace + glory < self.total:
            return False
        return any(f <= food and g <= gold and p <= peace and j <= glory for f, g, p, j in self._ways)

    def fitting(self, stock: dict[str, int], fixed: dict[str, int | None]) -> list[Amounts]:
        """Payments in this stock that have the amounts already fixed (null: not fixed)."""
        (a, b), (c, d), (e, f) = (
            (0, stock[stone]) if (amount := fixed[stone]) is None else (amount, min(amount, stock[stone]))
            for stone in BASIC
        )
        most = stock["glory"]
        return [w for w in self._ways if a <= w[0] <= b and c <= w[1] <= d and e <= w[2] <= f and w[3] <= most]


def next_stone(payment: dict[str, int | None]) -> str:
    """The stone whose amount is asked for (G26)."""
    return next(stone for stone in BASIC if payment[stone] is None)


def amounts_left(due: Due, stock: dict[str, int], payment: dict[str, int | None]) -> list[str]:
    """G26: the amounts with which the payment can still be completed."""
    stone = next_stone(payment)
    place = BASIC.index(stone)
    return [f"pay {stone} {n}" for n in sorted({way[place] for way in due.fitting(stock, payment)})]


def fixed(due: Due, stock: dict[str, int], payment: dict[str, int | None], action: str) -> Amounts | None:
    """Fix an amount; the whole payment once it is complete, taken out of the stock."""
    _, stone, amount = action.split()
    payment[stone] = int(amount)
    if None in payment.values():
        return None
    food, gold, peace = (payment[stone] or 0 for stone in BASIC)
    paid = (food, gold, peace, due.total - food - gold - peace)
    for kind, count in zip(STONES, paid, strict=True):
        stock[kind] -= count
    return paid
