"""Building cards as words for people: type, price, laurel steps and ability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Card = Mapping[str, Any]


def amounts(found: Mapping[str, int]) -> str:
    """Stones and steps, those that are there.

    >>> amounts({"food": 1, "gold": 0, "steps": 2})
    '1 food, 2 steps'
    """
    words = [f"{number} {_called(name, number)}" for name, number in found.items() if number]
    return ", ".join(words) or "nothing"


def _called(name: str, number: int) -> str:
    return "step" if name == "steps" and number == 1 else name


def _mix(kinds: Sequence[str], count: int) -> str:
    """Stones of one's choice."""
    return f"{count} of {'/'.join(kinds)}"


def _left(ability: Card) -> str:
    if "pay_card" in ability:
        return "another building card"
    return amounts(ability["pay"]) if "pay" in ability else _mix(ability["pay_choose"], ability["pay_count"])


def _right(ability: Card) -> str:
    if "gain_card" in ability:
        return {"steps": "its laurel steps", "price": "its price"}[ability["gain_card"]]
    return amounts(ability["gain"]) if "gain" in ability else _mix(ability["choose"], ability["count"])


def ability_words(card: Card) -> list[str]:
    """What a card of the component file does, in a few phrases."""
    ability = card["ability"]
    kind, times = ability["kind"], ["any number of times"] if ability.get("repeat") else []
    if kind == "give":
        return [f"give {_left(ability)},", f"get {_right(ability)}" + "," * bool(times), *times]
    if kind == "have":
        counted = ability.get("per", ability.get("per_stone"))
        what = (
            "building card" if counted == "building" else f"stone of {counted}" if "per_stone" in ability else counted
        )
        return [_right(ability), f"for each {what}"]
    if kind == "fulfil" and "goth" in ability:
        return [_right(ability), f"if the Goth is on {ability['goth']}"]
    if kind == "fulfil":
        return [_right(ability), f"for each other {ability['each_other']}, exclusive"]
    if kind == "replace":
        number = "any number of" if times else "one of"
        return [f"buying: {number} {'/'.join(ability['use'])}", f"for {'/'.join(ability['for'])}"]
    return [f"wall of {card['protects']}"] if kind == "wall" else [f"get {_right(ability)}"]


def card_words(card: Card) -> list[str]:
    """A card as it lies in the forum: type, price, laurel steps and ability."""
    return [
        f"{card['type']};",
        f"{amounts(card['price'])};",
        f"{amounts({'steps': card['steps']})}:",
        *ability_words(card),
    ]
