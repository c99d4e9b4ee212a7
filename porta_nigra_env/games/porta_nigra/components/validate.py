"""Validate a component file: every table and field, then `consistency`; return its data in canonical form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from porta_nigra_env.core.positions.checks import (
    Check,
    Place,
    boolean,
    entries,
    integer,
    keys,
    list_of,
    name,
    one_of,
    table,
    text,
)
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.consistency import CHECKS, CHECKS_WITH_MAJORITIES, observed
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, GAINS, ICONS, ROWS

_SHOPS: Final = tuple(colour for colour in COLOURS if colour != COLOURS[names.WHITE])
_PLAYERS: Final = tuple(str(players) for players in range(2, names.MAX_PLAYERS + 1))
_LETTERS: Final = {building: tuple(row for owner, row, _ in ROWS if owner == building) for building in BUILDINGS}
_PORTA_NIGRA: Final = BUILDINGS[names.PORTA_NIGRA]
#: Pieces of the play area that score one by one at the end of the game.
PLAY_AREA: Final = ("roman", "influence", "torch", "brick")

_AMOUNT: Final = integer(0, 99)
_POINTS: Final = integer(0, 999)
_HEIGHT: Final = integer(names.LOWEST_HEIGHT, names.HIGHEST_HEIGHT)
_COLOUR: Final = one_of(COLOURS)
_GAINS: Final = {gain: integer(0, 9) if place >= names.GAIN_BRICKS else _AMOUNT for place, gain in enumerate(GAINS)}

_CONSTANTS: Final[Mapping[str, Check]] = {
    "brick_price": table({colour: integer(1, 99) for colour in COLOURS}),
    "bricks_total": integer(1, observed("reserve")),
    "romans_per_player": integer(1, observed("romans")),
    "start_romans": integer(0, observed("romans")),
    "start_sesterces": integer(0, 500),
    "start_torches": _AMOUNT,
    "hand_size": integer(1, names.NUM_ACTION_CARDS - 1),  # a game of the most players leaves one card in the box
    "border_cost": _AMOUNT,
    "market_refill_below": integer(1, observed("reserve")),
    "market_refill_to": integer(1, observed("reserve")),
    "building_display": integer(1, names.NUM_BUILDING_CARDS),
    "honour_display": integer(1, names.NUM_HONOUR_CARDS),
    "honour_purchases_per_turn": integer(1, 1),  # positions record one purchase, as a yes or no
    "influence_cost_roman": integer(1, 9),  # a free action could be repeated without end
    "influence_cost_build": integer(1, 9),
    "torch_to_sesterces": integer(0, 9),
    "reward_every_bricks": integer(1, 99),
    "porta_nigra_min_height": _HEIGHT,
    "porta_nigra_max_height": _HEIGHT,
    "early_end_bonus_vp": _AMOUNT,
    "rounds": table({players: integer(1, observed("round")) for players in _PLAYERS}),
    "interim_multiplier": table({players: integer(0, 9) for players in _PLAYERS}),
    "set_vp": list_of(_POINTS, len(BUILDINGS) + 1, len(BUILDINGS) + 1),
    "play_area_vp": table({**dict.fromkeys(PLAY_AREA, _AMOUNT), "sesterces_per_vp": integer(1, 999)}),
}

_HONOUR_CARD: Final = table(
    {"name": name, "copies": integer(1, names.NUM_HONOUR_CARDS), "cost": integer(1, 3)},
    {
        "discard_buildings": integer(0, len(BUILDINGS)),
        "discard_final": integer(1, 999),
        "gains": table({}, _GAINS),
        "substitute": one_of(BUILDINGS),
        "porta_nigra_brick": boolean,
        "final_vp": integer(1, 999),
    },
)
#: Fields of an honour card that equal their absence when 0, empty or false.
_WITH_DEFAULTS: Final = ("discard_buildings", "gains", "porta_nigra_brick")

_FIXED_SPOT: Final = entries(colour=_COLOUR, bricks=integer(1, names.HIGHEST_HEIGHT), vp=_AMOUNT)


def _spot_rows(building: str) -> Check:
    spot = _COLOUR if building == _PORTA_NIGRA else _FIXED_SPOT
    rows = {row: list_of(spot, size, size, level="row") for owner, row, size in ROWS if owner == building}
    return table(rows, level="row")


#: Every table but `majorities`, whose rows depend on the heights allowed.
_FILE: Final[Mapping[str, Check]] = {
    "constants": table(_CONSTANTS),
    "board": table(
        {
            "shop_ring": list_of(one_of(_SHOPS), len(_SHOPS), len(_SHOPS), distinct=True),
            "quarter": table({building: one_of(_SHOPS) for building in BUILDINGS}),
        }
    ),
    "rewards": table({building: table({}, _GAINS) for building in BUILDINGS}, level="row"),
    "building_cards": table(
        {
            "no_card_rows": table(
                {}, {owner: list_of(one_of(rows), 0, len(rows), distinct=True) for owner, rows in _LETTERS.items()}
            ),
            "each_building_and_colour": integer(1, 1),
        }
    ),
    "spots": table({building: _spot_rows(building) for building in BUILDINGS}, level="row"),
    "supply_cards": list_of(
        table({"shops": list_of(_COLOUR, 1, len(COLOURS), distinct=True)}),
        names.NUM_SUPPLY_CARDS, names.NUM_SUPPLY_CARDS, level="row",
    ),
    "action_cards": list_of(
        table(
            {"name": name, "torches": integer(2, 3), "icons": list_of(one_of(ICONS), 3, 5)},
            {"max_players": integer(names.MAX_PLAYERS - 1, names.MAX_PLAYERS - 1)},
        ),
        names.NUM_ACTION_CARDS, names.NUM_ACTION_CARDS, level="row",
    ),
    "honour_cards": list_of(_HONOUR_CARD, 1, names.NUM_HONOUR_CARDS, level="row"),
}  # fmt: skip

_PROVENANCE: Final = table(
    {
        part: one_of(("rulebook", "reconstruction", "printed"))
        for part in ("constants", "board.shop_ring", "board.quarter", "rewards", "majorities", "building_cards",
                      "spots", "supply_cards", "action_cards", "honour_cards")
    },
    level="row",
)  # fmt: skip

_TABLES_OF_A_FILE: Final = ("provenance", *_FILE, "majorities")


def _majorities(lowest: int, highest: int) -> Check:
    pair = entries(first=_POINTS, second=_POINTS)
    heights = {str(height): pair for height in range(lowest, highest + 1)}
    return table(
        {
            building: table(heights if building == _PORTA_NIGRA else dict.fromkeys(letters, pair), level="row")
            for building, letters in _LETTERS.items()
        },
        level="row",
    )


def validated(data: object, source: str) -> dict[str, Any]:
    """Return the data of a file as plain JSON values in a fixed order, without defaults; raises ComponentError."""
    top = Place(source)
    tables = keys(data, top, "table", ("name", "edition", *_TABLES_OF_A_FILE))
    result = {"name": name(tables["name"], top.at("field", "name")),
              "edition": text(tables["edition"], top.at("field", "edition")),
              "provenance": _PROVENANCE(tables["provenance"], top.at("table", "provenance"))}  # fmt: skip
    for part, check in _FILE.items():
        result[part] = check(tables[part], top.at("table", part))
    result["rewards"] = {building: _without_zeros(gains) for building, gains in result["rewards"].items()}
    rows = result["building_cards"]["no_card_rows"]
    result["building_cards"]["no_card_rows"] = {building: listed for building, listed in rows.items() if listed}
    result["honour_cards"] = [_without_defaults(card) for card in result["honour_cards"]]
    for check_file in CHECKS:
        check_file(result, top)
    constants = result["constants"]
    majorities = _majorities(constants["porta_nigra_min_height"], constants["porta_nigra_max_height"])
    result["majorities"] = majorities(tables["majorities"], top.at("table", "majorities"))
    for check_file in CHECKS_WITH_MAJORITIES:
        check_file(result, top)
    return result


def _without_zeros(gains: Mapping[str, int]) -> dict[str, int]:
    return {gain: amount for gain, amount in gains.items() if amount}


def _without_defaults(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the honour card without fields that equal their absence."""
    slim = {**card, "gains": _without_zeros(card.get("gains", {}))}
    return {field: value for field, value in slim.items() if value or field not in _WITH_DEFAULTS}
