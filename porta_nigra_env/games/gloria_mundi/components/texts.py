"""Building cards in words: type, price, laurel steps and ability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Card = Mapping[str, Any]


def amounts(counts: Mapping[str, int]) -> str:
    """Return the stones and steps with a positive amount.

    >>> amounts({"food": 1, "gold": 0, "steps": 2})
    '1 food, 2 steps'
    """
    return ", ".join(_counted(name, number) for name, number in counts.items() if number) or "nothing"


def _counted(name: str, number: int) -> str:
    return f"{number} {'step' if name == 'steps' and number == 1 else name}"


def left_side(
    ability: Card, kinds: Callable[[Sequence[str]], str] = "/".join, another: str = "another building card"
) -> str:
    """Return the left side of an ability; `kinds` names a choice of stones."""
    if "pay_card" in ability:
        return another
    return amounts(ability["pay"]) if "pay" in ability else f"{ability['pay_count']} of {kinds(ability['pay_choose'])}"


def right_side(ability: Card, kinds: Callable[[Sequence[str]], str] = "/".join) -> str:
    """Return the right side of an ability."""
    if "gain_card" in ability:
        return "its laurel steps" if ability["gain_card"] == "steps" else "its price"
    return amounts(ability["gain"]) if "gain" in ability else f"{ability['count']} of {kinds(ability['choose'])}"


def ability_text(card: Card) -> str:
    """Return the ability of a card of the component file."""
    ability = card["ability"]
    kind, repeated = ability["kind"], bool(ability.get("repeat"))
    if kind == "give":
        return f"give {left_side(ability)}, get {right_side(ability)}" + ", any number of times" * repeated
    if kind == "have":
        per = "building card" if ability.get("per") == "building" else ability.get("per")
        return f"{right_side(ability)} for each {per or 'stone of ' + ability['per_stone']}"
    if kind == "fulfil" and "goth" in ability:
        return f"{right_side(ability)} if the Goth is on {ability['goth']}"
    if kind == "fulfil":
        return f"{right_side(ability)} for each other {ability['each_other']}, exclusive"
    if kind == "replace":
        use, covered = "/".join(ability["use"]), "/".join(ability["for"])
        return f"buying: {use} for {covered}, {'any number' if repeated else 'once'}"
    return f"wall of {card['protects']}" if kind == "wall" else f"get {right_side(ability)}"


def card_words(card: Card) -> list[str]:
    """Return type, price, laurel steps and ability of a card."""
    return [card["type"], f"price {amounts(card['price'])}", _counted("steps", card["steps"]), ability_text(card)]
