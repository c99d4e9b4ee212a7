"""A component file in the names that positions use."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

STONES: Final = ("food", "gold", "peace", "glory")
BASIC: Final = STONES[:3]
BASES: Final = ("farm", "city", "peace")
#: The product of each base card.
PRODUCT: Final = {"farm": "food", "city": "gold", "peace": "peace"}
SYMBOL: Final = {"F": "farm", "C": "city", "P": "peace"}

#: Amounts of the four stones, in the order of `STONES`.
Amounts = tuple[int, int, int, int]


class Card(NamedTuple):
    """A building card.

    Attributes:
        name: as in positions.
        type: `farm`, `city`, `peace`, `builder` or `wall`.
        price: the printed stones.
        steps: laurel steps.
        lies_on: the base types it may cover (G23).
        ability: as the file has it.
        gain: stones of a fixed right side.
        gain_steps: steps of it.
        repeat: True if X is printed (G14, G25).
    """

    name: str
    type: str
    price: Amounts
    steps: int
    lies_on: tuple[str, ...]
    ability: dict[str, Any]
    gain: Amounts
    gain_steps: int
    repeat: bool

    @property
    def coloured(self) -> bool:
        """True if the card is activated in phase 3."""
        return self.type in BASES

    @property
    def exclusive(self) -> bool:
        """True if the card excludes all else of its type (G19)."""
        return "each_other" in self.ability


class Board:
    """Everything that a component file fixes."""

    def __init__(self, components: dict[str, Any]) -> None:
        self.components = components
        self.cards: dict[str, Card] = {entry["name"]: _card(entry) for entry in components["building_cards"]}
        self.order = {name: place for place, name in enumerate(self.cards)}
        self.extras: list[int] = components["forum"]["extra"]
        self.places = [str(extra) for extra in self.extras]
        self.escape: int = components["tracks"]["escape_steps"]
        self.track: list[str] = components["tracks"]["goth"]
        self.rome = len(self.track) + 1
        self.demands = [_symbols(letters) for letters in self.track]
        self.start_cards: int = components["constants"].get("forum_start_cards", 0)

    def symbols(self, space: int) -> dict[str, int]:
        """Return the symbols of a space by base type; the start space and Rome have none."""
        return self.demands[space - 1] if 0 < space < self.rome else dict.fromkeys(BASES, 0)

    def hands(self, players: int) -> dict[str, int]:
        """Base cards dealt to each player, those of the start display included."""
        dealt: dict[str, int] = self.components["hands"][str(players)]
        return dealt


def amounts(stones: dict[str, Any]) -> Amounts:
    """Amounts of all stones, in full; missing ones are 0."""
    food, gold, peace, glory = (stones.get(stone, 0) for stone in STONES)
    return food, gold, peace, glory


def _symbols(letters: str) -> dict[str, int]:
    shown = dict.fromkeys(BASES, 0)
    for letter in letters:
        shown[SYMBOL[letter]] += 1
    return shown


def _card(entry: dict[str, Any]) -> Card:
    kind, ability = entry["type"], entry["ability"]
    lies_on = BASES if kind == "builder" else (entry["protects"] if kind == "wall" else kind,)
    gain = ability.get("gain", {})
    return Card(
        entry["name"], kind, amounts(entry["price"]), entry["steps"], lies_on, ability, amounts(gain),
        gain.get("steps", 0), ability.get("repeat", False),
    )  # fmt: skip
