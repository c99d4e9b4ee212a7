"""Component files of Porta Nigra: `load` takes "standard" or the path of a TOML file and returns `Components`.

An invalid file raises `ComponentError` with file, table, row, field, and the fix.  SOURCES.md explains the format;
``python -m porta_nigra_env.components my.toml`` checks a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.positions import components
from porta_nigra_env.core.positions.checks import joined
from porta_nigra_env.core.positions.components import ComponentSets
from porta_nigra_env.games.porta_nigra.actions import ID, action_layout
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, GAINS, ICONS, ROWS
from porta_nigra_env.games.porta_nigra.components.schema import TABLES
from porta_nigra_env.games.porta_nigra.components.validate import PLAY_AREA, final_values, validated
from porta_nigra_env.games.porta_nigra.components.vary import varied
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
    def num_tens(self) -> int:
        """Number of choices of tens of sesterces in an interim scoring, 0 among them."""
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


# ------------------------------------------------------------------------------------------------ constants


def fill_constants(record: np.void, data: Mapping[str, Any]) -> None:
    """Fill a record of `schema.TABLES`, zero before, from the validated data of a file."""
    _fill_constants(record, data["constants"])
    _fill_board(record, data)
    _fill_spots(record, data)
    _fill_cards(record, data)
    record["tens_start"] = ID.honour + len(data["honour_cards"])


def _fill_constants(record: np.void, constants: Mapping[str, Any]) -> None:
    for field in set(constants) & set(TABLES.names or ()):
        if isinstance(constants[field], int):
            record[field] = constants[field]
    record["brick_price"] = [constants["brick_price"][colour] for colour in COLOURS]
    record["set_vp"] = constants["set_vp"]
    for field in ("rounds", "interim_multiplier"):
        for players, value in constants[field].items():
            record[field][int(players)] = value
    play_area = constants["play_area_vp"]
    for name in PLAY_AREA:
        record[f"vp_per_{name}"] = play_area[name]
    record["sesterces_per_vp"] = play_area["sesterces_per_vp"]


def _fill_board(record: np.void, data: Mapping[str, Any]) -> None:
    ring, quarter = data["board"]["shop_ring"], data["board"]["quarter"]
    position = [ring.index(quarter[building]) for building in BUILDINGS]
    cost = data["constants"]["border_cost"]
    record["quarter_of_shop"] = -1  # white stays so
    for building in range(len(BUILDINGS)):
        for shop, colour in enumerate(ring):
            record["way_to_shop"][building, COLOURS.index(colour)] = (shop - position[building]) % len(ring) * cost
        record["way_to_building"][building] = [(goal - position[building]) % len(ring) * cost for goal in position]
        record["quarter_of_shop"][COLOURS.index(ring[position[building]])] = building
    for building, gains in enumerate(data["rewards"][name] for name in BUILDINGS):
        record["rewards"][building] = [gains.get(gain, 0) for gain in GAINS]


def _fill_spots(record: np.void, data: Mapping[str, Any]) -> None:
    constants, majorities = data["constants"], data["majorities"]
    heights = range(constants["porta_nigra_min_height"], constants["porta_nigra_max_height"] + 1)
    spot = 0
    for row, (building, letter, _) in enumerate(ROWS):
        owner = BUILDINGS.index(building)
        record["row_gives_card"][row] = letter not in data["building_cards"]["no_card_rows"].get(building, ())
        if owner != names.PORTA_NIGRA:
            record["row_majority"][row] = majorities[building][letter]
        for entry in data["spots"][building][letter]:
            name, bricks, points = (entry, 0, 0) if owner == names.PORTA_NIGRA else entry
            colour = COLOURS.index(name)
            record["spot_colour"][spot], record["spot_bricks"][spot], record["spot_vp"][spot] = colour, bricks, points
            record["spot_building"][spot], record["spot_row"][spot] = owner, row
            if owner == names.PORTA_NIGRA:
                for height in heights:
                    bit = (height - names.LOWEST_HEIGHT) * names.PORTA_NIGRA_SPOTS + spot - names.FIXED_SPOTS
                    record["porta_nigra_within"][colour, height:] |= 1 << bit
            else:
                record["fixed_spots_within"][colour, bricks:] |= 1 << spot
                record["fixed_spots_of"][owner] |= 1 << spot
            spot += 1
    for height in heights:
        record["height_majority"][height - names.LOWEST_HEIGHT] = majorities[BUILDINGS[names.PORTA_NIGRA]][str(height)]


def _fill_cards(record: np.void, data: Mapping[str, Any]) -> None:
    finals = final_values(data)
    for card, supply in enumerate(data["supply_cards"]):
        record["supply_shops"][card] = [colour in supply["shops"] for colour in COLOURS]
    for card, action in enumerate(data["action_cards"]):
        record["card_torches"][card] = action["torches"]
        record["card_icons"][card] = [action["icons"].count(icon) for icon in ICONS]
        record["card_players"][card] = action.get("max_players", names.MAX_PLAYERS)
    for field in ("honour_discard_final", "honour_final", "honour_substitute"):
        record[field] = -1
    for kind, honour in enumerate(data["honour_cards"]):
        record["honour_copies"][kind] = honour["copies"]
        record["honour_cost"][kind] = honour["cost"]
        record["honour_discard_buildings"][kind] = "discard_buildings" in honour
        record["honour_crown"][kind] = "porta_nigra_brick" in honour
        record["honour_gains"][kind] = [honour.get("gains", {}).get(gain, 0) for gain in GAINS]
        if "discard_final" in honour:
            record["honour_discard_final"][kind] = finals.index(honour["discard_final"])
        if "final_vp" in honour:
            record["honour_final"][kind] = finals.index(honour["final_vp"])
        if "substitute" in honour:
            record["honour_substitute"][kind] = BUILDINGS.index(honour["substitute"])
    record["num_honours"] = len(data["honour_cards"])
    record["num_finals"] = len(finals)
    record["final_vp"][: len(finals)] = finals


# ------------------------------------------------------------------------------------------------ sets


def _derived(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that only sets of this game have."""
    return {
        "honour_names": tuple(card["name"] for card in data["honour_cards"]),
        "card_names": tuple(card["name"] for card in data["action_cards"]),
        "final_values": final_values(data),
    }


#: All component sets of this process: "standard" and every other loaded set.
SETS: Final = ComponentSets(
    Components, Path(__file__).with_name("standard.toml"), validated, TABLES, fill_constants, _derived, vary=varied
)
load, from_data, find = SETS.load, SETS.from_data, SETS.find
