"""The pieces of a component set of Porta Nigra as numbers, see `core.positions.pieces`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from porta_nigra_env.core.positions.pieces import ComponentNumbers, Pieces, attribute, entries, one_hot, pieces
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.load import Components

_COLOURS, _FIXED = len(names.COLOURS), names.FIXED_SPOTS


@lru_cache(maxsize=1024)
def pieces_of(components: Components) -> ComponentNumbers:
    """Return the numbers of all pieces that the rulebook shows as pictures only."""
    makers = (_cards, _honours, _spots, _towers, _supply, _quarters, _finals)
    constants: Any = components.constants[0]
    return ComponentNumbers([make(components, constants) for make in makers])


def _cards(components: Components, constants: Any) -> Pieces:
    seen = components.observations
    few = constants["card_players"] < names.MAX_PLAYERS
    return pieces(
        [
            attribute("card_torches", constants["card_torches"], "action markers of an action card", 3.0),
            attribute("card_icons", constants["card_icons"], "icons of an action card: card, icon", 2.0),
            attribute("card_for_few", few.astype(np.int64), "1 for the card that four players leave in the box"),
        ],
        [entries(seen["hand"]), entries(seen["card_in_play"]), entries(seen["played"], axis=1)],
        [entries(components.actions["card"])],
    )


def _honours(components: Components, constants: Any) -> Pieces:
    seen, kinds = components.observations, components.num_honours
    finals = np.append(constants["final_vp"], 0)  # index -1: no final scoring card

    def of(name: str) -> Any:
        return constants[f"honour_{name}"][:kinds]

    return pieces(
        [
            attribute("honour_copies", of("copies"), "cards of a kind of honour card", 3.0),
            attribute("honour_cost", of("cost"), "influence tokens that it costs", 3.0),
            attribute("honour_set_given", of("discard_buildings"), "1 if one card of each building is discarded"),
            attribute("honour_final_given", finals[of("discard_final")], "points of the final card given up", 50.0),
            attribute("honour_final_gained", finals[of("final")], "points of the final card gained", 50.0),
            attribute(
                "honour_substitute", one_hot(of("substitute"), len(names.BUILDINGS)), "one-hot: building it replaces"
            ),
            attribute("honour_crown", of("crown"), "1 if it adds a brick to an element of the Porta Nigra"),
            attribute("honour_gains", of("gains"), "gains: kind, resource", 5.0),
        ],
        [entries(seen["honour_display"]), entries(seen["honour_draw"])],
        [entries(components.actions["honour"])],
    )


def _spots(components: Components, constants: Any) -> Pieces:
    chosen, colours = components.actions, one_hot(constants["spot_colour"][:_FIXED], _COLOURS)
    return pieces(
        [
            attribute("spot_colour", colours, "one-hot: colour of a spot outside the Porta Nigra"),
            attribute("spot_bricks", constants["spot_bricks"][:_FIXED], "bricks of its element", 4.0),
            attribute("spot_points", constants["spot_vp"][:_FIXED], "points of its element", 20.0),
        ],
        [entries(components.observations["spot_owner"], count=_FIXED)],
        [entries(chosen["build"]), entries(chosen["influence_build"])],
    )


def _towers(components: Components, constants: Any) -> Pieces:
    seen, chosen = components.observations, components.actions
    colours = one_hot(constants["spot_colour"][_FIXED:], _COLOURS)
    ways = [entries(chosen[f"{how}build_porta_nigra"], axis=1) for how in ("", "influence_")]
    return pieces(
        [attribute("tower_colour", colours, "one-hot: colour of a spot of the Porta Nigra")],
        [entries(seen["spot_owner"], first=_FIXED), entries(seen["spot_height"])],
        [*ways, entries(chosen["crown"])],
    )


def _supply(components: Components, constants: Any) -> Pieces:
    shops = attribute("supply_shops", constants["supply_shops"], "bricks that a supply card brings: card, colour")
    return pieces([shops], [entries(components.observations["supply_draw"])])


def _quarters(components: Components, constants: Any) -> Pieces:
    return pieces(
        [
            attribute("way_to_shop", constants["way_to_shop"], "sesterces from a building's quarter to a shop", 3.0),
            attribute("way_to_building", constants["way_to_building"], "sesterces to a building's quarter", 3.0),
        ],
        [entries(components.observations["quarter"], axis=1)],
        [entries(components.actions["place"])],
    )


def _finals(components: Components, constants: Any) -> Pieces:
    points = attribute("final_points", constants["final_vp"], "points of a value of final scoring cards", 50.0)
    return pieces([points], [entries(components.observations["finals_owned"], axis=1)])
