"""Two sentences about every component, with the number of its ruling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from porta_nigra_env.core.narration.facts import Explanation
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import BASES, GAINS, STONES, TYPES

#: The beginning of each building card.
_CARD: Final = "A {type} for {price}, which moves you {steps} steps when you buy it. "
_ABILITIES: Final[Mapping[str, tuple[str, str]]] = {
    "produce gain": ("Activated, it gives {right}.", "G12"),
    "produce choose": ("Activated, it gives {count} of these stones in any mix: {right}.", "G16"),
    "pay gain": ("You can give {left} and get {right}.", "G13"),
    "pay choose": ("You can give {left} and get {count} of these stones in any mix: {right}.", "G16"),
    "pay_choose gain": ("You can give {given} of these stones in any mix, {left}, and get {right}.", "G16"),
    "pay_choose choose": (
        "You can give {given} of these stones in any mix, {left}, and get {count} of these: {right}.",
        "G16",
    ),
    "pay_card gain": ("You can give up another building card and get {right}.", "G17"),
    "pay_card choose": ("You can give up another building card and get {count} of these stones: {right}.", "G17"),
    "pay_card steps": ("You can give up another building card and get its laurel steps.", "G17"),
    "pay_card price": ("You can give up another building card and get the stones of its price.", "G17"),
    "per": ("Activated, it gives this for each base card of its type ({base}) in your display: {right}.", "G18"),
    "per building": ("Activated, it gives this for each building card in your display: {right}.", "G18"),
    "per_stone": ("Activated, it gives this for each {stone} in your stock: {right}.", "G18"),
    "each_other": (
        "Used, it gives this for each other {base} in your display, and nothing else of the type works: {right}.",
        "G19",
    ),
    "goth": ("If the Goth stands on a province with the symbol {base}, it gives {right}.", "G20"),
    "replace": ("When you buy, one of these stones, {left}, can stand for one of those: {right}.", "G25"),
    "wall": ("You can give it up instead of the base card below, a {base}.", "G35"),
}
_REPEATED: Final = "You can do so any number of times."

_OTHERS: Final[Mapping[str, tuple[str, str]]] = {
    "food": ("Farms produce food. It pays for cards and for the tribute of farm provinces.", "G30"),
    "gold": ("Cities produce gold. It pays for cards and for the tribute of city provinces.", "G30"),
    "peace": ("Peace cards produce peace. It pays for cards and for the tribute of peace provinces.", "G30"),
    "glory": ("Glory stands for any basic stone in prices and tribute. It is no joker in abilities.", "G15"),
    "farm": ("A farm gives 1 food when farms are activated. A building card on it works instead.", "G10"),
    "city": ("A city gives 1 gold when cities are activated. A building card on it works instead.", "G10"),
    "peace_card": (
        "A peace card gives 1 peace when peace cards are activated. A building card on it works instead.",
        "G10",
    ),
    "hand": (
        "You play one base card of your hand in each of your turns. The game ends when the player in turn has none.",
        "G8",
    ),
    "forum": (
        "A new card pushes the others on, and the last one goes to the fire. The number of a place is its extra price.",
        "G6",
    ),
    "fire": ("Cards that are pushed out or given up lie here. They never come back.", "G6"),
    "deck": ("A card is revealed at the start of every turn. Only the order of the deck is hidden.", "G44"),
    "escape_track": (
        "Your Roman flees from Rome to Africa, {steps} steps away. Who is farthest at the end wins, and Africa ends "
        "the game.",
        "G41",
    ),
    "stock": ("Your stones lie in your stock, and everyone can count them. They break ties at the end.", "G41"),
    "goth_track": (
        "The Goth walks through {provinces} provinces to Rome. When he gets there, the game ends.",
        "G38",
    ),
    "tribute": (
        "Who pays a stone for each symbol of the next empty province stops the Goth. The stones lie there until he "
        "comes.",
        "G30",
    ),
    "builder": ("A builder lets some stones stand for others when you buy. It lies on any base card.", "G25"),
    "raid": (
        "Each symbol of a province that the Goth enters demands a base card. The players lose them in turn, and then "
        "share the tribute.",
        "G33",
    ),
}  # fmt: skip


def explanations(components: Components) -> dict[str, Explanation]:
    """Return an explanation of every component by its name in positions."""
    return dict(_all(components))


def _all(components: Components) -> Iterator[tuple[str, Explanation]]:
    constants = components.constants[0]
    numbers = {"steps": int(constants["escape_steps"]), "provinces": int(constants["provinces"])}
    for name, (text, ruling) in _OTHERS.items():
        yield name, Explanation(text, ruling, {key: value for key, value in numbers.items() if f"{{{key}}}" in text})
    for card in components.data["building_cards"]:
        yield card["name"], _card(card)


def _card(card: Mapping[str, Any]) -> Explanation:
    ability = card["ability"]
    (text, ruling), values = _ABILITIES[_form(ability)], _values(card, ability)
    text = f"{_CARD}{text} {_REPEATED}" if ability.get("repeat") else f"{_CARD}{text}"
    return Explanation(text, ruling, {name: value for name, value in values.items() if f"{{{name}}}" in text})


def _form(ability: Mapping[str, Any]) -> str:
    """Return the key of an ability in `_ABILITIES`."""
    kind = ability["kind"]
    if kind in ("replace", "wall"):
        return str(kind)
    right = ability.get("gain_card") or ("choose" if "choose" in ability else "gain")
    if kind == "produce":
        return f"produce {right}"
    left = next(
        way for way in ("pay_card", "pay_choose", "pay", "per_stone", "per", "each_other", "goth") if way in ability
    )
    if kind == "give":
        return f"{left} {right}"
    return "per building" if ability.get(left) == "building" else left


def _values(card: Mapping[str, Any], ability: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all placeholders that the card has."""
    base = ability.get("per") or ability.get("each_other") or ability.get("goth") or card.get("protects")
    left = ability.get("pay_choose") or ability.get("use") or _repeated(ability.get("pay", {}))
    right = ability.get("choose") or ability.get("for") or _repeated(ability.get("gain", {}))
    return {
        "type": ("type", [TYPES.index(card["type"])]),
        "price": ("stone_name", [STONES.index(stone) for stone in _repeated(card["price"])]),
        "steps": int(card["steps"]),
        "left": ("stone_name", [STONES.index(stone) for stone in left]),
        "right": ("gain", [GAINS.index(gain) for gain in right]),
        "given": int(ability.get("pay_count", 0)),
        "count": int(ability.get("count", 0)),
        "base": ("base_name", [BASES.index(base)] if base in BASES else []),
        "stone": ("stone_name", [STONES.index(ability["per_stone"])] if "per_stone" in ability else []),
    }


def _repeated(counts: Mapping[str, int]) -> list[str]:
    """Return each name as often as it counts."""
    return [name for name, count in counts.items() for _ in range(count)]
