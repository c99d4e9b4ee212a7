"""Loading of component files: `load` takes "standard" or the path of a TOML file and returns `Components`.

A mistake in a file raises a `ComponentError` with file, table, row, field and the fix. SOURCES.md explains how to write
a file; ``python -m porta_nigra_env.components my.toml --game aquileia`` checks one.
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
from porta_nigra_env.games.aquileia.actions import action_layout
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.compile import fill_constants
from porta_nigra_env.games.aquileia.components.schema import CONSTANTS
from porta_nigra_env.games.aquileia.components.validate import validated
from porta_nigra_env.games.aquileia.observation import observation_layout, privileged_layout
from porta_nigra_env.games.aquileia.sizes import Sizes, sizes_of


@dataclass(frozen=True, eq=False, repr=False)
class Components(components.Components):
    """One component set of Aquileia.

    The digest is that of the canonical JSON without `edition` and `provenance`. Comments, the order of keys (except for
    colours) and explicit amounts of 0 do not change it.

    Attributes:
        constants: (1,) of `schema.CONSTANTS`.
        sizes: lengths of the file's lists.
        spaces: names of the spaces, in acting order.
        exchanges: as ``give get``, in the order of the file, like all following fields.
        slave_faces, equi_faces, stadium_faces: types of cards; stadium cards: colours, then laurels.
        colours: the colours of stadium cards and villas.
        theatre_cards, buildings: their names.
    """

    sizes: Sizes
    spaces: tuple[str, ...]
    exchanges: tuple[str, ...]
    slave_faces: tuple[str, ...]
    equi_faces: tuple[str, ...]
    stadium_faces: tuple[str, ...]
    colours: tuple[str, ...]
    theatre_cards: tuple[str, ...]
    buildings: tuple[str, ...]

    @cached_property
    def actions(self) -> Layout:
        """Return the layout of the action ids."""
        return action_layout(self.sizes)

    @cached_property
    def observations(self) -> Layout:
        """Return the layout of an observation."""
        return observation_layout(self.sizes)

    @cached_property
    def privileged(self) -> Layout:
        """Return the layout of the privileged vector."""
        return privileged_layout(self.sizes)

    def summary(self) -> dict[str, str]:
        """Return a description of the set for people."""
        data = self.data
        colours, laurels = data["stadium_cards"]["colours"], self.stadium_faces[len(self.colours) :]
        equi = [
            f"{copies} {group}_{strength}" for group, cards in data["equi_cards"].items()
            for strength, copies in cards.items()
        ]  # fmt: skip
        return {
            "rounds": str(data["constants"]["rounds"]),
            "spaces": f"{len(self.spaces)}: {joined(self.spaces)}",
            "exchanges": joined(text.replace(" ", " for ") for text in self.exchanges),
            "slave cards": joined(f"{copies} slave_{slaves}" for slaves, copies in data["slave_cards"].items()),
            "equi cards": joined(equi),
            "stadium cards": joined([*(f"{copies} {colour}" for colour, copies in colours.items()), *laurels]),
            "theatre cards": joined(self.theatre_cards),
            "buildings": f"{len(self.buildings)}: {joined(self.buildings)}",
            "action ids": f"{self.actions.size}; observation {self.observations.size} numbers",
        }


def _derived(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that only sets of this game have."""
    return {
        "sizes": sizes_of(data),
        "spaces": tuple(space for spaces in names.space_names(data).values() for space in spaces),
        "exchanges": names.exchange_names(data),
        "slave_faces": names.slave_faces(data),
        "equi_faces": names.equi_faces(data),
        "stadium_faces": names.stadium_faces(data),
        "colours": tuple(data["stadium_cards"]["colours"]),
        "theatre_cards": names.theatre_faces(data),
        "buildings": tuple(building["name"] for building in data["forum"]["buildings"]),
    }


def _material(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of the digest, which ignores the order of keys: the order of the colours counts."""
    return {**data, "colours": list(data["stadium_cards"]["colours"])}


#: All component sets of this process: "standard" and the loaded ones.
SETS: Final = ComponentSets(
    Components, Path(__file__).with_name("standard.toml"), validated, CONSTANTS, fill_constants, _derived, _material
)
load, from_data, find = SETS.load, SETS.from_data, SETS.find
