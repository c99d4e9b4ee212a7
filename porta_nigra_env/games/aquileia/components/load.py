"""Loading of component files: `load` takes "standard" or the path of a TOML file and returns `Components`.

A mistake in a file raises a `ComponentError` with file, table, row, field and the fix. SOURCES.md explains how to write
a file; ``python -m porta_nigra_env.components my.toml --game aquileia`` checks one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.positions import components
from porta_nigra_env.core.positions.checks import joined
from porta_nigra_env.core.positions.components import ComponentSets
from porta_nigra_env.games.aquileia.actions import KINDS_OF_ACTIONS, action_layout
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.names import AREAS, BUILDING_KINDS, EQUI_GROUPS, KINDS, SIDES
from porta_nigra_env.games.aquileia.components.schema import CONSTANTS
from porta_nigra_env.games.aquileia.components.validate import validated
from porta_nigra_env.games.aquileia.components.vary import varied
from porta_nigra_env.games.aquileia.observation import observation_layout, privileged_layout, starts
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


# ------------------------------------------------------------------------------------------------ constants


def fill_constants(record: np.void, data: Mapping[str, Any]) -> None:
    """Fill a record of `schema.CONSTANTS`, zero before, from the validated data of a file."""
    for field, value in data["constants"].items():
        if field != "players":
            record[field] = value
    record["start"], record["die"] = _by_kind(data["start"]), _by_kind(data["die"])
    _fill_spaces(record, data)
    _fill_contests(record, data)
    _fill_cards(record, data)
    _fill_buildings(record, data)
    _fill_ids(record, data)
    record["at"] = starts(sizes_of(data))


def _by_kind(coins: Mapping[str, int]) -> list[int]:
    """Return amounts in the order of the kinds; a missing kind has 0."""
    return [coins.get(kind, 0) for kind in KINDS]


def _set(members: Iterable[int]) -> int:
    """Return a set of small integers as a bit mask."""
    return sum(1 << member for member in members)


def _single(coins: Mapping[str, int]) -> tuple[int, int]:
    """Return the kind and the number of coins of one kind."""
    ((kind, amount),) = coins.items()
    return KINDS.index(kind), amount


def _fill_spaces(record: np.void, data: Mapping[str, Any]) -> None:
    mercatus, stadium = data["mercatus"], data["stadium"]
    strengths = {"arena": data["arena"]["spaces"], "gold": stadium["gold"], "silver": stadium["silver"]}
    coins = {"servi": [space["coin"] for space in mercatus["servi"]], "portus": data["portus"]["spaces"]}
    most = {"servi": [space["max"] for space in mercatus["servi"]],
            "forum": [space["builds"] for space in data["forum"]["spaces"]]}  # fmt: skip
    record["space_area"], record["space_coin"] = -1, -1
    space = 0
    for area, called in enumerate(names.space_names(data).values()):
        first = record["area_start"][area] = space
        record["area_spaces"][area] = _set(range(first, first + len(called)))
        for place in range(len(called)):
            record["space_area"][space] = area
            record["space_strength"][space] = strengths.get(AREAS[area], [0] * len(called))[place]
            if AREAS[area] in coins:
                record["space_coin"][space] = KINDS.index(coins[AREAS[area]][place])
            record["space_most"][space] = most.get(AREAS[area], [0] * len(called))[place]
            if area == names.FORUM:
                record["space_value"][space] = data["forum"]["spaces"][place]["value"]
            if area == names.PORTUS:
                record["coin_space"][record["space_coin"][space]] = 1 << space
            space += 1
    record["area_start"][len(AREAS)] = record["num_spaces"] = space
    alike = [group for area, listed in strengths.items() for group in _alike(listed, record, AREAS.index(area))]
    record["num_alike"] = len(alike)
    record["alike"][: len(alike)] = alike


def _alike(strengths: Sequence[int], record: np.void, area: int) -> list[int]:
    """Return the groups of at least two spaces of an area with equal strength, as bit masks (A13)."""
    first = int(record["area_start"][area])
    groups = (
        [first + place for place, other in enumerate(strengths) if other == strength]
        for strength in sorted(set(strengths))
    )
    return [_set(group) for group in groups if len(group) > 1]


def _fill_contests(record: np.void, data: Mapping[str, Any]) -> None:
    mercatus, arena = data["mercatus"], data["arena"]
    record["pecunia_vp"] = mercatus["pecunia_vp"]
    record["equi_price"] = _by_kind(mercatus["equi_price"])
    record["num_exchanges"] = len(mercatus["exchanges"])
    for number, swap in enumerate(mercatus["exchanges"]):
        record["exchange_give"][number], record["exchange_give_coins"][number] = _single(swap["give"])
        record["exchange_get"][number], record["exchange_get_coins"][number] = _single(swap["get"])
    record["arena_coin"] = KINDS.index(arena["coin"])
    record["arena_prizes"] = arena["prizes"]
    record["vp_per_strength"] = arena["vp_per_strength"]
    record["stadium_prizes"] = data["stadium"]["prizes"]


def _fill_cards(record: np.void, data: Mapping[str, Any]) -> None:
    for slaves, copies in data["slave_cards"].items():
        record["slave_copies"][int(slaves) - 1] = copies
    record["num_slave_cards"] = record["slave_copies"].sum()
    record["equi_group"] = -1
    faces = [(group, strength) for group in EQUI_GROUPS for strength in sorted(map(int, data["equi_cards"][group]))]
    for face, (group, strength) in enumerate(faces):
        record["equi_copies"][face] = data["equi_cards"][group][str(strength)]
        record["equi_group"][face] = EQUI_GROUPS.index(group)
        record["equi_strength"][face] = strength
    record["num_equi_faces"], record["num_equi_cards"] = len(faces), record["equi_copies"].sum()
    colours, laurels = data["stadium_cards"]["colours"], data["stadium_cards"]["laurels"]
    record["num_colours"], record["num_stadium_faces"] = len(colours), len(colours) + len(laurels)
    record["stadium_copies"][: len(colours)] = list(colours.values())
    for place, points in enumerate(laurels, len(colours)):
        record["stadium_copies"][place], record["laurel_vp"][place] = 1, points
    order = list(colours)
    record["theatre_colours"] = -1
    for card, pair in enumerate(data["theatre_cards"]["pairs"]):
        record["theatre_colours"][card] = [order.index(colour) for colour in pair]
        record["theatre_copies"][card] = 1
    record["num_theatre_cards"] = len(data["theatre_cards"]["pairs"])


def _fill_buildings(record: np.void, data: Mapping[str, Any]) -> None:
    colours, buildings = list(data["stadium_cards"]["colours"]), data["forum"]["buildings"]
    record["building_kind"], record["building_colour"] = -1, -1
    record["num_buildings"] = len(buildings)
    for place, building in enumerate(buildings):
        kind = BUILDING_KINDS.index(building["kind"])
        record["building_kind"][place] = kind
        record["building_value"][place] = building["value"]
        record["building_cost"][place] = _by_kind(building["cost"])
        record["building_slaves"][place] = building["cost"].get("slaves", 0)
        record["building_vp"][place] = building.get("vp", 0)
        record["building_pays"][place] = _by_kind(building.get("pays", {}))
        if kind == names.VILLA:
            colour = record["building_colour"][place] = colours.index(building["colour"])
            record["villas"][colour] |= 1 << place
        else:
            record["active"] |= 1 << place
    for amount in range(names.MAX_COST + 1):
        for kind, coin in enumerate(KINDS):
            record["within"][kind, amount] = _affordable(buildings, coin, amount)
        record["within_slaves"][amount] = _affordable(buildings, "slaves", amount)


def _affordable(buildings: Sequence[Mapping[str, Any]], what: str, amount: int) -> int:
    """Return the buildings that cost at most `amount` of one item, as a bit mask."""
    return _set(place for place, building in enumerate(buildings) if building["cost"].get(what, 0) <= amount)


def _fill_ids(record: np.void, data: Mapping[str, Any]) -> None:
    layout = action_layout(sizes_of(data))
    for kind in KINDS_OF_ACTIONS:
        if kind.name not in ("place", "play"):
            record[kind.first_id] = layout[kind.name].start
    faces = names.slave_faces(data)
    for slaves in range(1, names.MAX_SLAVES + 1):
        face = f"slave_{slaves}"
        record["play_slave"][slaves - 1] = layout["play"].start + faces.index(face) if face in faces else -1
    record["play_equi_start"] = layout["play"].start + len(faces)
    record["num_buys"] = sizes_of(data).buys


# The sides of the Stadium are areas, in the order of the sides.
assert AREAS[names.STADIUM_GOLD : names.STADIUM_SILVER + 1] == SIDES


# ------------------------------------------------------------------------------------------------ sets


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
    Components, Path(__file__).with_name("standard.toml"), validated, CONSTANTS, fill_constants, _derived, _material,
    vary=varied,
)  # fmt: skip
load, from_data, find = SETS.load, SETS.from_data, SETS.find
