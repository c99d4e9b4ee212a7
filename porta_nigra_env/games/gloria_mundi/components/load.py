"""Component files of Gloria Mundi: `load` takes "standard" or the path of a TOML file and returns `Components`.

A mistake in a file raises `ComponentError` with the file, table, row and field, the value, and the fix.  SOURCES.md
describes the format; ``python -m porta_nigra_env.components my.toml --game gloria_mundi`` checks a file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.positions import components
from porta_nigra_env.core.positions.checks import joined
from porta_nigra_env.core.positions.components import ComponentSets
from porta_nigra_env.games.gloria_mundi.components.compile import fill_constants
from porta_nigra_env.games.gloria_mundi.components.names import BASES, TYPES
from porta_nigra_env.games.gloria_mundi.components.schema import CONSTANTS
from porta_nigra_env.games.gloria_mundi.components.texts import ability_text, amounts
from porta_nigra_env.games.gloria_mundi.components.validate import validated


@dataclass(frozen=True, eq=False, repr=False)
class Components(components.Components):
    """A component set of Gloria Mundi.

    The digest is that of the canonical JSON of all values the game depends on: `edition`, `provenance`, `supply` and
    each card's `source` are left out.  Comments, the order of keys and explicit amounts of 0 do not change it.

    Attributes:
        constants: (1,) of `schema.CONSTANTS`.
        cards: names of the building cards, in the order of the file.
        extras: the extra of each place of the forum, in sliding order; it names the place.
        provinces: the symbols of each province as letters.
    """

    cards: tuple[str, ...]
    extras: tuple[int, ...]
    provinces: tuple[str, ...]

    def summary(self) -> dict[str, str]:
        """Return the contents of the set in words."""
        data = self.data
        types = Counter(card["type"] for card in data["building_cards"])
        by_type = {
            f"{called} cards": f"{types[called]}: {joined(_names(data, called))}" for called in TYPES if types[called]
        }
        start = [f"{number} {stone}" for stone, number in data["constants"]["start_stones"].items()]
        return {
            "start": joined(start),
            "start display": joined(f"{number} {base}" for base, number in data["constants"]["start_display"].items()),
            "forum": f"{joined(f'+{extra}' for extra in self.extras)}; "
            f"{data['constants']['forum_start_cards']} cards before the first turn",
            "hands": joined(
                f"{players} players {'/'.join(str(hand[base]) for base in BASES)}"
                for players, hand in data["hands"].items()
            ),
            "escape track": f"{data['tracks']['escape_steps']} steps",
            "provinces": f"{len(self.provinces)}: {joined(self.provinces)}",
            **by_type,
        }

    def listings(self) -> dict[str, list[list[str]]]:
        """Return tables of the building cards, with their abilities in words."""
        rows = [
            [card["name"], card["type"], amounts(card["price"]), str(card["steps"]), ability_text(card)]
            for card in self.data["building_cards"]
        ]
        return {"cards": [["card", "type", "price", "steps", "ability"], *rows]}


def _names(data: dict[str, Any], called: str) -> list[str]:
    """Return the names of the cards of a type."""
    return [card["name"] for card in data["building_cards"] if card["type"] == called]


def _derived(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that only sets of this game have."""
    return {
        "cards": tuple(card["name"] for card in data["building_cards"]),
        "extras": tuple(data["forum"]["extra"]),
        "provinces": tuple(data["tracks"]["goth"]),
    }


def _material(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of the digest: that of the file without the fields that have no effect."""
    cards = [{key: value for key, value in card.items() if key != "source"} for card in data["building_cards"]]
    return {**{key: value for key, value in data.items() if key != "supply"}, "building_cards": cards}


#: All component sets of this process: "standard" and the loaded ones.
SETS: Final = ComponentSets(
    Components, Path(__file__).with_name("standard.toml"), validated, CONSTANTS, fill_constants, _derived, _material
)
load, from_data, find = SETS.load, SETS.from_data, SETS.find
