"""The pieces of a component set of Aquileia as numbers, see `core.positions.pieces`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from porta_nigra_env.core.positions.pieces import ComponentNumbers, Pieces, attribute, entries, one_hot, pieces
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.load import Components

_K = len(names.KINDS)


@lru_cache(maxsize=1024)
def pieces_of(components: Components) -> ComponentNumbers:
    """Return the numbers of all pieces that the rulebook shows as pictures, in whole or in part."""
    constants: Any = components.constants[0]
    return ComponentNumbers(
        [
            _buildings(components, constants),
            _theatre(components, constants),
            _stadium(components, constants),
            _exchanges(components, constants),
            _equi(components, constants),
            _slaves(components, constants),
            _spaces(components, constants),
        ]
    )


def _buildings(components: Components, constants: Any) -> Pieces:
    kinds, colours = len(names.BUILDING_KINDS), len(components.colours)

    def of(name: str) -> Any:
        return constants[f"building_{name}"][: components.sizes.buildings]

    return pieces(
        [
            attribute("building_kind", one_hot(of("kind"), kinds), "one-hot: villa, workshop, money house"),
            attribute("building_colour", one_hot(of("colour"), colours), "one-hot: colour of a villa"),
            attribute("building_value", of("value"), "value of a building", 10.0),
            attribute("building_cost", of("cost"), "coins that it costs: building, kind", 2.0),
            attribute("building_slaves", of("slaves"), "slaves that it costs", 2.0),
            attribute("building_points", of("vp"), "points of a workshop for an activation", 5.0),
            attribute("building_pays", of("pays"), "coins of a money house for an activation: building, kind"),
        ],
        [entries(components.observations["building_owner"])],
        [entries(components.actions["build"])],
    )


def _theatre(components: Components, constants: Any) -> Pieces:
    seen, pairs = components.observations, constants["theatre_colours"][: components.sizes.theatre_cards]
    colours = sum(one_hot(pairs[:, place], len(components.colours)) for place in range(2))
    return pieces(
        [attribute("theatre_colours", np.asarray(colours), "the two colours of a theatre card: card, colour")],
        [entries(seen["theatre_owner"]), entries(seen["on_sale"])],
    )


def _stadium(components: Components, constants: Any) -> Pieces:
    seen, faces, colours = components.observations, components.sizes.stadium_faces, len(components.colours)
    # The colours are the first types, in their order.
    shown = one_hot(np.arange(faces), colours)
    return pieces(
        [
            attribute("stadium_colour", shown, "one-hot: colour of a type of stadium card, none for a laurel"),
            attribute("stadium_copies", constants["stadium_copies"][:faces], "cards of the type", 2.0),
            attribute("stadium_points", constants["laurel_vp"][:faces], "points of a laurel", 10.0),
        ],
        [entries(seen[name]) for name in ("stadium_open", "stadium_next", "stadium_gone")]
        + [entries(seen[name], axis=1) for name in ("stadium_owned", "stadium_either")],
    )


def _exchanges(components: Components, constants: Any) -> Pieces:
    def of(side: str) -> Any:
        some = slice(components.sizes.exchanges)
        return one_hot(constants[f"exchange_{side}"][some], _K) * constants[f"exchange_{side}_coins"][some, None]

    return pieces(
        [
            attribute("exchange_gives", of("give"), "coins given in an exchange: exchange, kind"),
            attribute("exchange_gets", of("get"), "coins received in it: exchange, kind"),
        ],
        [entries(components.observations["last_exchange"])],
        [entries(components.actions["exchange"])],
    )


def _equi(components: Components, constants: Any) -> Pieces:
    seen, chosen, faces = components.observations, components.actions, components.sizes.equi_faces
    groups = one_hot(constants["equi_group"][:faces], len(names.EQUI_GROUPS))
    return pieces(
        [
            attribute("equi_group", groups, "one-hot: golden horse, silver horse, weapon"),
            attribute("equi_strength", constants["equi_strength"][:faces], "strength of a type of equi card", 2.0),
            attribute("equi_copies", constants["equi_copies"][:faces], "cards of the type", 3.0),
        ],
        [entries(seen["equi"]), entries(seen["equi_discard"])]
        + [entries(seen[name], axis=1) for name in ("equi_known", "equi_row")]
        + [entries(seen["last_played"], first=names.MAX_SLAVES)],
        [entries(chosen["play"], first=components.sizes.slave_faces)],
    )


def _slaves(components: Components, constants: Any) -> Pieces:
    seen, faces = components.observations, components.sizes.slave_faces
    # A file may lack singles or doubles: observations have both, actions those of the file.
    first = int(np.argmax(constants["play_slave"] >= 0))
    return pieces(
        [
            attribute("slave_slaves", np.arange(first, first + faces) + 1, "slaves on a type of slave card", 2.0),
            attribute("slave_copies", constants["slave_copies"][first : first + faces], "cards of the type", 10.0),
        ],
        [entries(seen[name], first=first, count=faces) for name in ("slaves", "slave_discard", "last_played")],
        [entries(components.actions["play"], count=faces)],
    )


def _spaces(components: Components, constants: Any) -> Pieces:
    def of(name: str) -> Any:
        return constants[f"space_{name}"][: components.sizes.spaces]

    return pieces(
        [
            attribute("space_strength", of("strength"), "strength of a space in Arena and Stadium", 2.0),
            attribute("space_coin", one_hot(of("coin"), _K), "one-hot: kind of coins of a space in Servi and Portus"),
            attribute("space_most", of("most"), "most cards of a space in Servi, most buildings in the Forum", 3.0),
        ],
        [entries(components.observations["space_holder"])],
        [entries(components.actions["place"])],
    )
