"""Plausible component files: drawn reconstructed tables, and the facts of the rulebooks kept.

SOURCES.md lists these facts.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, GAINS

_BUYS: Final = tuple(f"buy_{colour}" for colour in COLOURS)
_COINS: Final = ("coins_3", "coins_4", "coins_5")
#: Changes of a drawn amount, and their probabilities.
_CHANGES: Final = ((-1, 0, 1), (0.25, 0.5, 0.25))
#: Spots of the rulebooks' texts and examples, by row: colour, bricks, and points where an example says so.
_PRINTED: Final[dict[tuple[str, str], dict[str, tuple[int, int | None]]]] = {
    ("basilica", "A"): {"blue": (2, None), "yellow": (2, 9), "white": (4, None)},
    ("basilica", "B"): {"red": (2, None)},
    ("amphitheatre", "A"): {"yellow": (3, None), "red": (3, None)},
}
#: Resources of honour cards: the usual amount for one influence token, and the largest change of it.
_RESOURCES: Final = {"sesterces": (6, 2), "torches": (2, 1), "romans": (1, 0), "vp": (4, 1)}


def varied(data: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the data of a plausible component file.

    Args:
        data: validated data of the standard file, which is changed.
        rng: source of the draws.
    """
    shops = data["board"]["shop_ring"]
    data["board"]["quarter"] = dict(zip(BUILDINGS, rng.permutation(shops).tolist(), strict=True))
    _vary_spots(data, rng)
    _vary_supply(data, rng)
    _vary_action_cards(data, rng)
    _vary_honour_cards(data, rng)
    return data


def _change(rng: np.random.Generator) -> int:
    return int(rng.choice(_CHANGES[0], p=_CHANGES[1]))


def _vary_spots(data: dict[str, Any], rng: np.random.Generator) -> None:
    """Draw bricks within one of the standard file, and points near bricks times price; shuffle each row."""
    prices = data["constants"]["brick_price"]
    for building, rows in data["spots"].items():
        for letter, spots in rows.items():
            if building != "porta_nigra":
                bonus = int(rng.integers(0, 3))
                printed = _PRINTED.get((building, letter), {})
                spots[:] = [_varied_spot(spot, printed, prices, bonus, rng) for spot in spots]
            spots[:] = [spots[i] for i in rng.permutation(len(spots))]


def _varied_spot(
    spot: list[Any],
    printed: dict[str, tuple[int, int | None]],
    prices: dict[str, int],
    bonus: int,
    rng: np.random.Generator,
) -> list[Any]:
    colour, bricks, _ = spot
    # One brick stays one: row C of the Amphitheatre gives no card and is meant to be cheap.
    drawn = min(4, max(1, bricks + _change(rng))) if bricks > 1 else 1
    bricks, points = printed.get(colour, (drawn, None))
    return [colour, bricks, max(1, bricks * prices[colour] + bonus + _change(rng)) if points is None else points]


def _vary_supply(data: dict[str, Any], rng: np.random.Generator) -> None:
    """Draw the shops of ten different cards; each colour is on 5 to 9 of them."""
    sizes = [len(card["shops"]) for card in data["supply_cards"][1:]]
    while True:
        cards = [frozenset(data["supply_cards"][0]["shops"])]  # printed in the rulebook
        cards += [frozenset(rng.choice(COLOURS, size, replace=False).tolist()) for size in sizes]
        counts = [sum(colour in card for card in cards) for colour in COLOURS]
        if len(set(cards)) == len(cards) and min(counts) >= 5 and max(counts) <= 9:
            break
    order = rng.permutation(len(cards))
    data["supply_cards"] = [{"shops": [colour for colour in COLOURS if colour in cards[i]]} for i in order]


def _vary_action_cards(data: dict[str, Any], rng: np.random.Generator) -> None:
    """Deal the icons of the standard cards in another way, some of them changed; two cards are those of the texts."""
    cards = {card["name"]: card for card in data["action_cards"]}
    kept = cards.pop("architect")  # shows two buy_any, coins_5 and build
    icons = [_varied_icon(icon, rng) for card in cards.values() for icon in card["icons"]]
    sizes = [len(card["icons"]) for card in cards.values()]
    while True:
        ends = np.cumsum(sizes)[:-1]
        hands = [sorted(hand.tolist()) for hand in np.split(rng.permutation(icons), ends)]
        if len({tuple(hand) for hand in hands}) == len(hands) and all(len(set(hand)) > 1 for hand in hands):
            break
    for card, hand in zip(cards.values(), hands, strict=True):
        card["icons"] = hand
        # The text knows a card of 2 torches and exactly 3 icons: the quarry.
        if card["name"] != "quarry":
            card["torches"] = 2 + int(rng.random() < 0.6)
    dealt = [kept, *cards.values()]
    data["action_cards"] = [dealt[i] for i in rng.permutation(len(dealt))]


def _varied_icon(icon: str, rng: np.random.Generator) -> str:
    if icon in _BUYS and rng.random() < 0.3:
        return str(rng.choice(_BUYS))
    return str(rng.choice(_COINS)) if icon in _COINS else icon


def _vary_honour_cards(data: dict[str, Any], rng: np.random.Generator) -> None:
    """Draw gains and copies of the cards that give something at once; final cards and substitutes stay."""
    giving = [card for card in data["honour_cards"] if card.pop("gains", None)]
    total = sum(card["copies"] for card in giving)
    copies = np.ones(len(giving), dtype=np.int64)
    while copies.sum() < total:
        copies[rng.integers(len(giving))] += 1
    drawn: list[dict[str, int]] = []
    for card, number in zip(giving, copies.tolist(), strict=True):
        card["copies"] = number
        while "gains" not in card or card["gains"] in drawn:
            card["cost"] = int(rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1]))
            card["gains"] = _varied_gains(card["cost"], rng)
        drawn.append(card["gains"])
        card["name"] = _name_of(card["gains"], len(drawn))


def _varied_gains(cost: int, rng: np.random.Generator) -> dict[str, int]:
    """Return gains worth the cost: one resource, or a brick and another thing for each token."""
    if rng.random() < 0.5:
        resource = str(rng.choice(list(_RESOURCES)))
        usual, most = _RESOURCES[resource]
        return {resource: max(1, usual * cost + (cost - 1) + int(rng.integers(-most, most + 1)))}
    gains: dict[str, int] = {}
    bricks = [f"{colour}_bricks" for colour in COLOURS]
    for _ in range(cost):
        for thing in (str(rng.choice(bricks)), str(rng.choice([*bricks[:2], "torches", "romans"]))):
            gains[thing] = gains.get(thing, 0) + 1
    return {gain: gains[gain] for gain in GAINS if gain in gains}


def _name_of(gains: dict[str, int], number: int) -> str:
    """Return a name that says what a card gives, or the number of a card that gives many things."""
    if len(gains) > 2:
        return f"bundle_{number}"
    return "_and_".join(f"{gain}_{amount}" for gain, amount in gains.items())
