"""Component files of Porta Nigra: `load` takes "standard" or the path of a TOML file and returns `Components`.

An invalid file raises `ComponentError` with file, table, row, field, and the fix.  SOURCES.md explains the format;
``python -m porta_nigra_env.components my.toml`` checks a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.positions import components
from porta_nigra_env.core.positions.checks import joined
from porta_nigra_env.core.positions.components import ComponentSets
from porta_nigra_env.games.porta_nigra.actions import action_layout
from porta_nigra_env.games.porta_nigra.components.compile import fill_constants
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS
from porta_nigra_env.games.porta_nigra.components.schema import TABLES
from porta_nigra_env.games.porta_nigra.components.validate import final_values, validated
from porta_nigra_env.games.porta_nigra.observation import observation_layout, privileged_layout


@dataclass(frozen=True, eq=False, repr=False)
class Components(components.Components):
    """A component set of Porta Nigra.

    The digest is that of the canonical JSON of everything but `edition` and `provenance`.  Comments, the order of keys
    and written-out defaults (``discard_buildings = 0``, a gain of 0) do not change it.

    Attributes:
        constants: (1,) of `schema.TABLES`.
        honour_names: kinds of honour cards, in the order of the file.
        card_names: action cards, in the order of the file.
        final_values: the different values of final scoring cards, ascending.
    """

    honour_names: tuple[str, ...]
    card_names: tuple[str, ...]
    final_values: tuple[int, ...]

    @property
    def num_honours(self) -> int:
        """Number of kinds of honour cards."""
        return len(self.honour_names)

    @property
    def max_tens(self) -> int:
        """Largest number of tens of sesterces in an interim scoring."""
        return self.num_tens - 1

    @property
    def num_tens(self) -> int:
        """Number of choices of tens: 0 up to `max_tens`."""
        largest = int(self.constants["bricks_total"][0]) * int(self.constants["interim_multiplier"][0].max())
        return largest // 10 + 1

    @cached_property
    def actions(self) -> Layout:
        """Layout of the action ids."""
        return action_layout(self.num_honours, self.num_tens)

    @cached_property
    def observations(self) -> Layout:
        """Layout of an observation."""
        return observation_layout(self.num_honours)

    @cached_property
    def privileged(self) -> Layout:
        """Layout of the privileged vector."""
        return privileged_layout(self.num_honours)

    def summary(self) -> dict[str, str]:
        """Return a readable summary of the set."""
        data = self.data
        constants, cards = data["constants"], data["honour_cards"]
        prices = ", ".join(f"{colour} {price}" for colour, price in constants["brick_price"].items())
        return {
            "rounds": ", ".join(f"{players} players {rounds}" for players, rounds in constants["rounds"].items()),
            "bricks": f"{constants['bricks_total']}; prices: {prices}",
            "quarters": " > ".join(
                f"{shop} ({building})" for shop in data["board"]["shop_ring"]
                for building in BUILDINGS if data["board"]["quarter"][building] == shop
            ),
            "action cards": joined(self.card_names),
            "honour cards": joined(f"{card['copies']} {card['name']}" for card in cards),
            "final cards": joined(self.final_values) or "none",
            "action ids": f"{self.actions.size}; observation {self.observations.size} numbers",
        }  # fmt: skip


def _derived(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that only sets of this game have."""
    return {
        "honour_names": tuple(card["name"] for card in data["honour_cards"]),
        "card_names": tuple(card["name"] for card in data["action_cards"]),
        "final_values": final_values(data),
    }


#: All component sets of this process: "standard" and every other loaded set.
SETS: Final = ComponentSets(
    Components, Path(__file__).with_name("standard.toml"), validated, TABLES, fill_constants, _derived
)
load, from_data, find = SETS.load, SETS.from_data, SETS.find
