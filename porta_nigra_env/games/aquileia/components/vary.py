"""Plausible component files: drawn reconstructed tables, and the facts of the rulebook kept.

SOURCES.md lists these facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

import numpy as np

from porta_nigra_env.games.aquileia.components.names import KINDS

T = TypeVar("T")

#: Changes of a drawn amount, and their probabilities.
_CHANGES: Final = ((-1, 0, 1), (0.25, 0.5, 0.25))
#: Changes of a cost besides that of the yield.
_SMALL_CHANGES: Final = ((-1, 0, 1), (0.15, 0.7, 0.15))
#: Copies of equi cards that the worked examples need, by group and strength; one of each other card.
_PLAYED: Final = {("silver_horse", "1"): 2, ("weapon", "2"): 2}
#: Values of villas in the examples, by colour.
_PRINTED_VALUES: Final = {("blue", 10), ("blue", 6)}
#: The example with a villa's whole cost.
_PRINTED_COST: Final = ("blue", 10)
#: Points of workshops in the examples.
_PRINTED_POINTS: Final = (4, 5)
#: Coins of a money house in the examples.
_PRINTED_PAYS: Final = {"silver": 1, "gold": 1}
#: Fewest and most points of a workshop, most slaves of a building.
_FEWEST_POINTS, _MOST_POINTS, _MOST_SLAVES = 2, 7, 3
#: A building with more coins than this may cost three of one kind, any other two.
_FEW_COINS: Final = 4


def varied(data: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the data of a plausible component file.

    Args:
        data: validated data of the standard file, which is changed.
        rng: source of the draws.
    """
    mercatus, cards, pairs = data["mercatus"], data["stadium_cards"], data["theatre_cards"]["pairs"]
    mercatus["exchanges"] = _shuffled(mercatus["exchanges"], rng)
    data["stadium"]["silver"][1] = int(rng.integers(1, 3))  # the race example uses 1 and 2
    _vary_decks(data, rng)
    cards["colours"] = _varied_colours(cards["colours"], rng)
    cards["laurels"] = _shuffled(cards["laurels"], rng)
    data["theatre_cards"]["pairs"] = _shuffled(pairs, rng)
    sites = data["forum"]["buildings"]
    villas = [site for site in sites if site["kind"] == "villa"]
    for colour in cards["colours"]:
        _vary_villas([villa for villa in villas if villa["colour"] == colour], rng)
    _vary_workshops([site for site in sites if site["kind"] == "workshop"], rng)
    _vary_money_houses([site for site in sites if site["kind"] == "money_house"], rng)
    data["forum"]["buildings"] = _shuffled(sites, rng)
    return data


def _change(rng: np.random.Generator, changes: tuple[tuple[int, ...], tuple[float, ...]] = _CHANGES) -> int:
    return int(rng.choice(changes[0], p=changes[1]))


def _shuffled(items: Sequence[T], rng: np.random.Generator) -> list[T]:
    return [items[i] for i in rng.permutation(len(items))]


# ------------------------------------------------------------------------------------------------ cards


def _vary_decks(data: dict[str, Any], rng: np.random.Generator) -> None:
    """Draw the copies of slave and equi cards; each deck keeps its number of cards."""
    moved = int(rng.integers(-3, 4))
    slaves, equi = data["slave_cards"], data["equi_cards"]
    slaves["1"], slaves["2"] = slaves["1"] + moved, slaves["2"] - moved
    faces = [(group, strength) for group, copies in equi.items() for strength in copies]
    standard = [equi[group][strength] for group, strength in faces]
    while True:
        drawn = [copies + _change(rng) for copies in standard]
        enough = all(copies >= _PLAYED.get(face, 1) for face, copies in zip(faces, drawn, strict=True))
        if enough and sum(drawn) == sum(standard):
            break
    for (group, strength), copies in zip(faces, drawn, strict=True):
        equi[group][strength] = copies


def _varied_colours(colours: dict[str, int], rng: np.random.Generator) -> dict[str, int]:
    """Return the colours in another order; in half of the draws one colour has a card of another one."""
    order = _shuffled(list(colours), rng)
    drawn = {colour: colours[colour] for colour in order}
    if rng.random() < 0.5:
        fewer, more = rng.choice(order, 2, replace=False).tolist()
        drawn[fewer] -= 1
        drawn[more] += 1
    return drawn


# ------------------------------------------------------------------------------------------------ buildings


def _vary_villas(villas: list[dict[str, Any]], rng: np.random.Generator) -> None:
    """Draw values within one of the standard file, all different in a colour, and costs to match."""
    while True:
        changes = [0 if (villa["colour"], villa["value"]) in _PRINTED_VALUES else _change(rng) for villa in villas]
        if len({villa["value"] + change for villa, change in zip(villas, changes, strict=True)}) == len(villas):
            break
    for villa, change in zip(villas, changes, strict=True):
        if (villa["colour"], villa["value"]) != _PRINTED_COST:
            villa["value"] += change
            villa["cost"] = _varied_cost(villa["cost"], change, rng)
            villa["name"] = f"villa_{villa['colour']}_{villa['value']}"


def _vary_workshops(workshops: list[dict[str, Any]], rng: np.random.Generator) -> None:
    """Draw points within one of the standard file, and costs to match; the value is the printed number (A42)."""
    standard = [workshop["vp"] for workshop in workshops]
    kept = {standard.index(points) for points in _PRINTED_POINTS}
    for number, workshop in enumerate(workshops):
        points = workshop["vp"] + (0 if number in kept else _change(rng))
        points = min(_MOST_POINTS, max(_FEWEST_POINTS, points))
        workshop["cost"] = _varied_cost(workshop["cost"], points - workshop["vp"], rng)
        workshop["vp"] = workshop["value"] = points


def _vary_money_houses(houses: list[dict[str, Any]], rng: np.random.Generator) -> None:
    """Draw two or three coins that each pays, all different, and values and costs to match."""
    paid = [_PRINTED_PAYS]
    for house in houses:
        usual = sum(house["pays"].values())
        if house["pays"] != _PRINTED_PAYS:
            house["pays"] = _other_pays(usual, paid, rng)
            paid.append(house["pays"])
        coins = sum(house["pays"].values())
        house["cost"] = _varied_cost(house["cost"], coins - usual, rng)
        house["value"] = max(1, coins + _change(rng))
        house["name"] = _name_of(house["pays"])


def _other_pays(usual: int, paid: list[dict[str, int]], rng: np.random.Generator) -> dict[str, int]:
    """Return two or three coins, mostly the usual number, which no other house pays."""
    while True:
        coins = usual if rng.random() < 0.75 else {2: 3, 3: 2}[usual]
        pays = _drawn_coins(coins, 2, rng)
        if pays not in paid:
            return pays


def _varied_cost(cost: dict[str, int], change: int, rng: np.random.Generator) -> dict[str, int]:
    """Return coins and slaves whose sum is within one of the given cost, near the sum changed by `change`."""
    usual = cost.get("slaves", 0)
    coins = sum(cost.values()) - usual
    slaves = min(_MOST_SLAVES, max(min(1, usual), usual + _change(rng, _SMALL_CHANGES)))
    total = min(1, max(-1, change + _change(rng, _SMALL_CHANGES)))
    coins = max(1, coins + min(1, max(-1, total + usual - slaves)))
    drawn = _drawn_coins(coins, 3 if coins > _FEW_COINS else 2, rng)
    return drawn | ({"slaves": slaves} if slaves else {})


def _drawn_coins(number: int, most: int, rng: np.random.Generator) -> dict[str, int]:
    """Return this number of coins, at most `most` of a kind, without zeros."""
    drawn = rng.choice(KINDS * most, number, replace=False).tolist()
    return {kind: drawn.count(kind) for kind in KINDS if kind in drawn}


def _name_of(pays: dict[str, int]) -> str:
    """Return the name of a money house, which says what it pays."""
    return "_".join(["money_house", *(kind if coins == 1 else f"{kind}_{coins}" for kind, coins in pays.items())])
