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
    return ", ".join(_counted(name, number) for name, number in found.items() if number) or "nothing"


def _counted(name: str, number: int) -> str:
    return f"{number} {'step' if name == 'steps' and number == 1 else name}"


def _mix(kinds: Sequence[str], count: int) -> str:
    """Stones of one's choice."""
    return f"{count} of {'/'.join(kinds)}"


def _left(ability: Card) -> str:
    if "pay_card" in ability:
        return "another building card"
    return amounts(ability["pay"]) if "pay" in ability else _mix(ability["pay_choose"], ability["pay_count"])


def _right(ability: Card) -> str:
    if "gain_card" in ability:
        return "its laurel steps" if ability["gain_card"] == "steps" else "its price"
    return amounts(ability["gain"]) if "gain" in ability else _mix(ability["choose"], ability["count"])


def ability_text(card: Card) -> str:
    """What a card of the component file does."""
    ability = card["ability"]
    kind, repeated = ability["kind"], bool(ability.get("repeat"))
    if kind == "give":
        return f"give {_left(ability)}, get {_right(ability)}" + ", any number of times" * repeated
    if kind == "have":
        per = "building card" if ability.get("per") == "building" else ability.get("per")
        return f"{_right(ability)} for each {per or 'stone of ' + ability['per_stone']}"
    if kind == "fulfil" and "goth" in ability:
        return f"{_right(ability)} if the Goth is on {ability['goth']}"
    if kind == "fulfil":
        return f"{_right(ability)} for each other {ability['each_other']}, exclusive"
    if kind == "replace":
        use, covered = "/".join(ability["use"]), "/".join(ability["for"])
        return f"buying: {use} for {covered}, {'any number' if repeated else 'once'}"
    return f"wall of {card['protects']}" if kind == "wall" else f"get {_right(ability)}"


def card_words(card: Card) -> list[str]:
    """A card as it lies in the forum: type, price, laurel steps, ability."""
    return [card["type"], f"price {amounts(card['price'])}", _counted("steps", card["steps"]), ability_text(card)]
