"""Component files drawn at random from all that a file may say, as data: other abilities, prices, tracks, hands."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

from tests.games.gloria_mundi.oracle.referee.cards import BASES, STONES

Data = dict[str, Any]
T = TypeVar("T")

SEATS: Final = range(2, 7)
CARDS: Final = 57
PARTS: Final = ("constants", "forum", "supply", "base_cards", "hands", "tracks", "building_cards")
#: The longest payment.
LONGEST: Final = 15
#: A card of each type is drawn so often, on average, of the sum of all.
TYPES: Final = {"farm": 10, "city": 10, "peace": 10, "builder": 6, "wall": 4}


def random_components(seed: int) -> Data:
    """The component file number `seed`; its name holds the number."""
    rng = random.Random(f"components {seed}")
    shown = {base: rng.choice((0, 1, 1, 1, 2)) for base in BASES}
    hands = {str(players): {base: shown[base] + _dealt(rng, players) for base in BASES} for players in SEATS}
    # No fewer different extras than places, and prices that allow the largest.
    extras = sorted(rng.sample(range(rng.choice((6, 6, 8, 10))), 6), reverse=True)
    return {
        "name": f"drawn_{seed}",
        "edition": "drawn",
        "provenance": dict.fromkeys(PARTS, "reconstruction"),
        "constants": {
            "players": [SEATS[0], SEATS[-1]],
            "start_stones": {stone: rng.choice((0, 1, 2, rng.randrange(10))) for stone in STONES},
            "start_display": shown,
            "forum_start_cards": rng.choice((0, 0, 1, 3, 6, 6)),
        },
        "forum": {"extra": extras},
        "supply": dict.fromkeys(STONES, 60),
        "base_cards": {base: max(players * hands[str(players)][base] for players in SEATS) for base in BASES},
        "hands": hands,
        "tracks": {
            "escape_steps": rng.choice((rng.randrange(20, 60), rng.randrange(1, 100), 99)),
            "goth": [_province(rng) for _ in range(rng.choice((36, rng.randrange(1, 61), rng.randrange(20, 61))))],
        },
        "building_cards": [_card(rng, f"card_{number}", extras[0]) for number in range(CARDS)],
    }


def _dealt(rng: random.Random, players: int) -> int:
    """Base cards of a type to begin with in a hand: mostly about as many as in the box, sometimes few or none."""
    return rng.choice((rng.randrange(24 // players + 1), 1 + 18 // players, 2 + 24 // players))


def _province(rng: random.Random) -> str:
    return "".join(rng.choices("FCP", k=rng.choice((1, 1, 1, 2, 2, 3))))


def _card(rng: random.Random, name: str, largest_extra: int) -> Data:
    kind = rng.choices(list(TYPES), list(TYPES.values()))[0]
    card: Data = {"name": name, "type": kind, "price": _price(rng, LONGEST - largest_extra), "steps": _few(rng, 0)}
    if kind == "builder":
        sides = {"use": _some(rng, STONES, 1), "for": _some(rng, STONES, 1)}
        return card | {"ability": {"kind": "replace", **sides, **_repeat(rng)}}
    if kind == "wall":
        return card | {"protects": rng.choice(BASES), "ability": {"kind": "wall"}}
    return card | {"ability": _ability(rng, kind)}


def _price(rng: random.Random, most: int) -> dict[str, int]:
    """1 stone at least; often few, so that cards are bought."""
    total = rng.randint(1, min(most, rng.choice((2, 5, 9, most))))
    kinds = rng.choices((STONES[:3], STONES), (3, 1))[0]
    price = dict.fromkeys(STONES, 0)
    for _ in range(total):
        price[rng.choice(kinds)] += 1
    return {stone: min(9, count) for stone, count in price.items() if count}


def _ability(rng: random.Random, base: str) -> Data:
    kind = rng.choices(("produce", "give", "have", "fulfil"), (2, 5, 2, 2))[0]
    if kind == "produce":
        return {"kind": kind, **_right(rng, STONES)}
    if kind == "have":
        left = rng.choice(({"per": rng.choice((*BASES, "building"))}, {"per_stone": rng.choice(STONES)}))
        return {"kind": kind, **left, "gain": _gain(rng, STONES)}
    if kind == "fulfil":
        left = rng.choice(({"each_other": base}, {"goth": rng.choice(BASES)}))
        return {"kind": kind, **left, "gain": _gain(rng, STONES)}
    return {"kind": kind, **_give(rng)}


def _give(rng: random.Random) -> Data:
    repeat = _repeat(rng)
    form = rng.choice(("pay", "pay_choose", "pay_card", "pay_card"))
    if form == "pay_card":
        right = rng.choice(({"gain_card": "steps"}, {"gain_card": "price"}, _right(rng, STONES)))
        return {"pay_card": "building", **right, **repeat}
    if form == "pay":
        left: Data = {"pay": {stone: _few(rng) for stone in _some(rng, STONES, 1)}}
    else:
        left = {"pay_choose": _some(rng, STONES, 2), "pay_count": _few(rng)}
    given = {*left.get("pay", ()), *left.get("pay_choose", ())}
    # With X nothing may be both given and received.
    free = [stone for stone in STONES if not (repeat and stone in given)]
    return {**left, **_right(rng, free), **repeat}


def _right(rng: random.Random, stones: Sequence[str]) -> Data:
    if len(stones) >= 2 and rng.randrange(2) == 0:
        return {"choose": _some(rng, stones, 2), "count": _few(rng)}
    return {"gain": _gain(rng, stones)}


def _gain(rng: random.Random, stones: Iterable[str]) -> dict[str, int]:
    return {name: _few(rng) for name in _some(rng, [*stones, "steps"], 1)}


def _some(rng: random.Random, names: Sequence[T], fewest: int) -> list[T]:
    """Some of these in any order; mostly few of them."""
    most = rng.choice((fewest, fewest, min(fewest + 1, len(names)), len(names)))
    return rng.sample(names, rng.randint(fewest, most))


def _few(rng: random.Random, fewest: int = 1) -> int:
    """1 to 9, mostly small."""
    return rng.choice((fewest, 1, 1, 2, 2, 3, rng.randint(fewest, 9)))


def _repeat(rng: random.Random) -> Data:
    return rng.choice(({}, {"repeat": True}))
