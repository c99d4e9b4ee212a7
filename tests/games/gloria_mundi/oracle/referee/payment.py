"""Payments, by a search over all ways to cover what is due (G24, G25, G30)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from tests.games.gloria_mundi.oracle.referee.cards import BASIC, STONES, Amounts, Card

GLORY: Final = STONES.index("glory")
#: A builder: what it lets one use, for what, and whether any number of times (X).
Builder = tuple[tuple[str, ...], tuple[str, ...], bool]
NOTHING: Final[Amounts] = (0, 0, 0, 0)
#: A payment of which no amount has been chosen yet (G26).
NOT_FIXED: Final[dict[str, int | None]] = dict.fromkeys(BASIC)


def builder(card: Card) -> Builder:
    """What a builder card says."""
    return tuple(card.ability["use"]), tuple(card.ability["for"]), card.repeat


def _with(paid: Amounts, stone: str) -> Amounts:
    more = list(paid)
    more[STONES.index(stone)] += 1
    return more[0], more[1], more[2], more[3]


def _covers(stone: str, builders: tuple[Builder, ...], used: frozenset[int]) -> Iterator[tuple[str, frozenset[int]]]:
    """Every stone that can cover this printed one, with the builders without X that are used up then."""
    yield stone, used
    if stone in BASIC:
        yield "glory", used
    for number, (use, whichever, unlimited) in enumerate(builders):
        if stone in whichever and (unlimited or number not in used):
            for other in use:
                yield other, used if unlimited else used | {number}


@lru_cache(maxsize=4096)
def coverings(price: Amounts, builders: tuple[Builder, ...]) -> frozenset[Amounts]:
    """All amounts that can cover the printed stones: one stone after the other, in every way."""
    found = {(NOTHING, frozenset[int]())}
    for stone, count in zip(STONES, price, strict=True):
        for _ in range(count):
            found = {(_with(paid, other), now) for paid, used in found for other, now in _covers(stone, builders, used)}
    return frozenset(paid for paid, _ in found)


@lru_cache(maxsize=4096)
def payments(price: Amounts, extra: int, builders: tuple[Builder, ...]) -> tuple[Amounts, ...]:
    """All amounts that pay printed stones and extra: any stone covers one of the extra."""
    found = set(coverings(price, builders))
    for _ in range(extra):
        found = {_with(paid, stone) for paid in found for stone in STONES}
    return tuple(sorted(found))


class Due:
    """What is to be paid.

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
        """Whether some payment is in this stock."""
        food, gold, peace, glory = stock["food"], stock["gold"], stock["peace"], stock["glory"]
        if food + gold + peace + glory < self.total:
            return False
        return any(f <= food and g <= gold and p <= peace and j <= glory for f, g, p, j in self._ways)

    def fitting(self, stock: dict[str, int], fixed: dict[str, int | None]) -> list[Amounts]:
        """Payments in this stock that have the amounts already fixed (null: not fixed)."""
        bounds = [(fixed[stone] or 0, stock[stone] if fixed[stone] is None else fixed[stone]) for stone in BASIC]
        bounds.append((0, stock["glory"]))
        (a, b), (c, d), (e, f), (_, h) = bounds
        return [w for w in self._ways if a <= w[0] <= b and c <= w[1] <= d and e <= w[2] <= f and w[3] <= h]  # type: ignore[operator]


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
