"""Plausible component files: drawn reconstructed tables, and the facts of the rulebook kept.

SOURCES.md lists these facts.  Cards exchange stones of their prices, laurel steps and amounts of their abilities, so
the totals of a drawn file stay near those of the standard file.
"""

from __future__ import annotations

import copy
from typing import Any, Final, NamedTuple

import numpy as np

from porta_nigra_env.games.gloria_mundi.components.names import BASES, BASIC, LETTERS, STONES

Card = dict[str, Any]

#: Steps to Africa; provinces, one less than the steps to Rome: both tracks have just under 40 steps.
_ESCAPE_STEPS: Final = (38, 39)
_PROVINCES: Final = range(35, 38)
#: The largest change of the number of provinces with one symbol, and of those with two.
_PROVINCES_CHANGED: Final = 1
#: Probability that a province shows other symbols.
_OTHER_SYMBOLS: Final = 0.15
#: Provinces of the rulebook's text.
_PRINTED: Final = ("C", "CP")

#: Probability that a stone gained by an ability without a source is of another kind.
_OTHER_KIND: Final = 0.4
#: Largest changed amounts on both sides of an ability; stones of a kind in a price; laurel steps.
_MOST_PAID, _MOST_GAINED, _MOST_OF_KIND, _MOST_STEPS = 4, 3, 3, 5
#: Largest number of stones added to, or taken from, the prices of all coloured cards.
_DRIFT: Final = 4


class _Group(NamedTuple):
    """Cards that exchange stones of their prices and laurel steps.

    least, most: stones of a price that gives or takes one.
    trades, moves: attempts to trade stones of two kinds, and to move stones; half of the moves take a step along.
    """

    cards: list[Card]
    least: int
    most: int
    trades: int
    moves: int


class _Amount(NamedTuple):
    """An amount of an ability that may change: where it stands, its range, and 1 if more is better, -1 if less is."""

    table: dict[str, Any]
    key: str
    least: int
    most: int
    sign: int


def varied(data: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the data of a plausible component file.

    Args:
        data: validated data of the standard file, which is changed.
        rng: source of the draws.
    """
    data["tracks"]["escape_steps"] = int(rng.choice(_ESCAPE_STEPS))
    data["tracks"]["goth"] = _varied_provinces(data["tracks"]["goth"], rng)
    while True:
        cards = _varied_cards(copy.deepcopy(data["building_cards"]), rng)
        faces = [_face(card) for card in cards]
        if all(face not in faces[:number] for number, face in enumerate(faces)):
            break
    data["building_cards"] = [cards[i] for i in rng.permutation(len(cards))]
    return data


def _face(card: Card) -> Card:
    return {field: value for field, value in card.items() if field not in ("name", "source")}


# ------------------------------------------------------------------------------------------------ tracks


def _varied_provinces(standard: list[str], rng: np.random.Generator) -> list[str]:
    """Change the symbols of some provinces and their number, and shuffle them; more symbols come rather later."""
    while True:
        one, two = (_varied_part([p for p in standard if len(p) == size], rng) for size in (1, 2))
        if len(one) + len(two) in _PROVINCES and all(printed in one + two for printed in _PRINTED):
            break
    spaces = len(one) + len(two)
    weights = np.arange(1, spaces + 1) / np.arange(1, spaces + 1).sum()
    late = set(rng.choice(spaces, len(two), replace=False, p=weights).tolist())
    return [(two if space in late else one).pop() for space in range(spaces)]


def _varied_part(provinces: list[str], rng: np.random.Generator) -> list[str]:
    """Return provinces with an equal number of symbols, shuffled."""
    size = len(provinces[0])
    number = len(provinces) + int(rng.integers(-_PROVINCES_CHANGED, _PROVINCES_CHANGED + 1))
    drawn = rng.permutation([*provinces, _symbols(size, rng)])[:number].tolist()
    return [_symbols(size, rng) if rng.random() < _OTHER_SYMBOLS else province for province in drawn]


def _symbols(size: int, rng: np.random.Generator) -> str:
    return "".join(LETTERS[i] for i in sorted(rng.choice(len(LETTERS), size, replace=False)))


# ------------------------------------------------------------------------------------------------ cards


def _varied_cards(cards: list[Card], rng: np.random.Generator) -> list[Card]:
    """Return the cards with other prices and laurel steps, and other abilities where no source names them."""
    for card in cards:
        card["price"] = dict.fromkeys(STONES, 0) | card["price"]
    coloured = _Group([card for card in cards if card["type"] in BASES], 3, 9, 150, 24)
    red = _Group([card for card in cards if card["type"] not in BASES], 1, 3, 20, 6)
    unsourced = [card for card in coloured.cards if "source" not in card]
    for card in unsourced:
        if rng.random() < _OTHER_KIND:
            _change_kind(card, rng)
    _vary_amounts(unsourced, coloured, rng)
    _vary_builders([card for card in red.cards if card["type"] == "builder"], rng)
    for group in (coloured, red):
        _vary_prices(group, rng)
    _add_drift(coloured, rng)
    for card in cards:
        card["price"] = {stone: number for stone, number in card["price"].items() if number}
    return cards


def _change_kind(card: Card, rng: np.random.Generator) -> None:
    """Let the ability gain a basic stone of another kind, neither given nor gained yet; a base's product stays."""
    ability = card["ability"]
    product = BASIC[BASES.index(card["type"])]
    gain = ability.get("gain", {})
    old = [stone for stone in BASIC if stone in gain and (ability["kind"], stone) != ("produce", product)]
    taken = {*gain, *ability.get("pay", ()), *ability.get("pay_choose", ())}
    new = [stone for stone in BASIC if stone not in taken]
    if old and new:
        gain[str(rng.choice(new))] = gain.pop(str(rng.choice(old)))


def _vary_amounts(cards: list[Card], group: _Group, rng: np.random.Generator) -> None:
    """Improve an amount on one card of a pair and worsen one on the other; a stone of the prices follows."""
    order = rng.permutation(len(cards)).tolist()
    for i, j in zip(order[::2], order[1::2], strict=False):
        better, worse = _changeable(cards[i]["ability"], 1), _changeable(cards[j]["ability"], -1)
        if better and worse and _move_stone(cards[j], cards[i], group, rng):
            _change(better[rng.integers(len(better))], 1)
            _change(worse[rng.integers(len(worse))], -1)


def _change(amount: _Amount, gain: int) -> None:
    amount.table[amount.key] += gain * amount.sign


def _changeable(ability: dict[str, Any], gain: int) -> list[_Amount]:
    """Return the amounts that can change by 1 for the better (gain 1) or the worse (-1)."""
    return [one for one in _amounts(ability) if one.least <= one.table[one.key] + gain * one.sign <= one.most]


def _amounts(ability: dict[str, Any]) -> list[_Amount]:
    """Return the amounts of an ability that may change: basic stones, counts, and steps for the Goth's province."""
    if "repeat" in ability or ability["kind"] == "have":
        return []
    # A base card produces one stone without any ability.
    least = 2 if ability["kind"] == "produce" else 1
    gained = [(ability["gain"], key) for key in ability.get("gain", ()) if key in BASIC or "goth" in ability]
    gained += [(ability, key) for key in ("count",) if key in ability]
    paid = [(ability["pay"], key) for key in ability.get("pay", ()) if key in BASIC]
    paid += [(ability, key) for key in ("pay_count",) if key in ability]
    return [_Amount(table, key, least, _MOST_GAINED, 1) for table, key in gained] + [
        _Amount(table, key, 1, _MOST_PAID, -1) for table, key in paid
    ]


def _vary_builders(cards: list[Card], rng: np.random.Generator) -> None:
    """Rename the basic stones of all builders alike."""
    renamed = dict(zip(BASIC, rng.permutation(BASIC).tolist(), strict=True))
    for card in cards:
        for side in ("use", "for"):
            stones = {renamed.get(stone, stone) for stone in card["ability"][side]}
            card["ability"][side] = [stone for stone in STONES if stone in stones]


def _vary_prices(group: _Group, rng: np.random.Generator) -> None:
    """Trade and move stones of prices, and laurel steps."""
    for _ in range(group.trades):
        one, other = _pair(group.cards, rng)
        given, taken = rng.choice(STONES, 2, replace=False).tolist()
        if _can_move(one, other, given) and _can_move(other, one, taken):
            for source, target, stone in ((one, other, given), (other, one, taken)):
                source["price"][stone] -= 1
                target["price"][stone] += 1
    for number in range(group.moves):
        one, other = _pair(group.cards, rng)
        steps = number % 2
        if one["steps"] >= steps and other["steps"] + steps <= _MOST_STEPS and _move_stone(one, other, group, rng):
            one["steps"] -= steps
            other["steps"] += steps


def _pair(cards: list[Card], rng: np.random.Generator) -> tuple[Card, Card]:
    one, other = rng.choice(len(cards), 2, replace=False)
    return cards[one], cards[other]


def _can_move(one: Card, other: Card, stone: str) -> bool:
    return bool(one["price"][stone] > 0 and other["price"][stone] < _MOST_OF_KIND)


def _move_stone(one: Card, other: Card, group: _Group, rng: np.random.Generator) -> bool:
    """Move a basic stone of a price to another price; return False if the limits forbid it."""
    stones = [stone for stone in BASIC if _can_move(one, other, stone)]
    if not stones or sum(one["price"].values()) <= group.least or sum(other["price"].values()) >= group.most:
        return False
    stone = str(rng.choice(stones))
    one["price"][stone] -= 1
    other["price"][stone] += 1
    return True


def _add_drift(group: _Group, rng: np.random.Generator) -> None:
    """Add a stone to the prices of a few cards, or take one from them."""
    drift = int(rng.integers(-_DRIFT, _DRIFT + 1))
    for number in rng.choice(len(group.cards), abs(drift), replace=False):
        price, stone = group.cards[number]["price"], str(rng.choice(BASIC))
        changed = price[stone] + (1 if drift > 0 else -1)
        total = sum(price.values()) - price[stone] + changed
        if 0 <= changed <= _MOST_OF_KIND and group.least <= total <= group.most:
            price[stone] = changed
