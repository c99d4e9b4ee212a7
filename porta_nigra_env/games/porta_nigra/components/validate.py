"""Validate a component file: tables and fields, then the checks across fields; return its data in canonical form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from porta_nigra_env.core.positions import checks
from porta_nigra_env.core.positions.checks import (
    Check,
    Data,
    Place,
    amounts,
    entries,
    integer,
    list_of,
    one_of,
    table,
    without_empty,
)
from porta_nigra_env.games.porta_nigra.actions import MAX_TENS
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, GAINS, ICONS, ROWS
from porta_nigra_env.games.porta_nigra.observation import observation_layout
from porta_nigra_env.games.porta_nigra.state import LARGEST_AMOUNT


def observed(name: str) -> int:
    """Return the largest number a field of an observation allows."""
    bounds = observation_layout(0)[name].spec
    return round(bounds.scale * bounds.high)


# ------------------------------------------------------------------------------------------------ tables and fields

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
_GAINS: Final = amounts(
    {gain: integer(0, 9) if place >= names.GAIN_BRICKS else _AMOUNT for place, gain in enumerate(GAINS)}
)

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

_HONOUR_CARD: Final = without_empty(
    table(
        {"name": checks.name, "copies": integer(1, names.NUM_HONOUR_CARDS), "cost": integer(1, 3)},
        {
            "discard_buildings": integer(0, len(BUILDINGS)),
            "discard_final": integer(1, 999),
            "gains": _GAINS,
            "substitute": one_of(BUILDINGS),
            "porta_nigra_brick": checks.boolean,
            "final_vp": integer(1, 999),
        },
    ),
    ("discard_buildings", "gains", "porta_nigra_brick"),
)

_FIXED_SPOT: Final = entries(colour=_COLOUR, bricks=integer(1, names.HIGHEST_HEIGHT), vp=_AMOUNT)


def _spot_rows(building: str) -> Check:
    spot = _COLOUR if building == _PORTA_NIGRA else _FIXED_SPOT
    rows = {row: list_of(spot, size, size, level="row") for owner, row, size in ROWS if owner == building}
    return table(rows, level="row")


_NO_CARD_ROWS: Final = {owner: list_of(one_of(rows), 0, len(rows), distinct=True) for owner, rows in _LETTERS.items()}
#: Points of the first and the second rank.
_RANKS: Final = entries(first=_POINTS, second=_POINTS)


def _ranked_rows(building: str) -> Check:
    if building != _PORTA_NIGRA:
        return table(dict.fromkeys(_LETTERS[building], _RANKS), level="row")
    heights = range(names.LOWEST_HEIGHT, names.HIGHEST_HEIGHT + 1)
    return table({}, {str(height): _RANKS for height in heights}, level="row")


_FILE: Final[Mapping[str, Check]] = {
    "constants": table(_CONSTANTS),
    "board": table(
        {
            "shop_ring": list_of(one_of(_SHOPS), len(_SHOPS), len(_SHOPS), distinct=True),
            "quarter": table({building: one_of(_SHOPS) for building in BUILDINGS}),
        }
    ),
    "rewards": table(dict.fromkeys(BUILDINGS, _GAINS), level="row"),
    "building_cards": table(
        {
            "no_card_rows": without_empty(table({}, _NO_CARD_ROWS)),
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
            {"name": checks.name, "torches": integer(2, 3), "icons": list_of(one_of(ICONS), 3, 5)},
            {"max_players": integer(names.MAX_PLAYERS - 1, names.MAX_PLAYERS - 1)},
        ),
        names.NUM_ACTION_CARDS, names.NUM_ACTION_CARDS, level="row",
    ),
    "honour_cards": list_of(_HONOUR_CARD, 1, names.NUM_HONOUR_CARDS, level="row"),
    "majorities": table({building: _ranked_rows(building) for building in BUILDINGS}, level="row"),
}  # fmt: skip

_PROVENANCE: Final = checks.provenance(
    ("constants", "board.shop_ring", "board.quarter", "rewards", "majorities", "building_cards", "spots",
     "supply_cards", "action_cards", "honour_cards")
)  # fmt: skip

_HONOUR_EFFECTS: Final = ("gains", "substitute", "porta_nigra_brick", "final_vp")

# ------------------------------------------------------------------------------------------------ across fields


def check_amounts(data: Data, top: Place) -> None:
    """A part is not larger than its whole: Romans, bricks of the market, heights."""
    constants = data["constants"]
    for smaller, larger in (
        ("start_romans", "romans_per_player"),
        ("market_refill_below", "market_refill_to"),
        ("market_refill_to", "bricks_total"),
        ("porta_nigra_min_height", "porta_nigra_max_height"),
    ):
        if constants[smaller] > constants[larger]:
            wrong = f"{constants[smaller]} is more than {larger} = {constants[larger]}"
            raise top.of("constants", field=smaller).error(wrong, f"give {constants[larger]} or less")


def check_prices(data: Data, top: Place) -> None:
    """Every colour is dearer than the one before it in `names.COLOURS`."""
    price = data["constants"]["brick_price"]
    for cheap, dear in pairwise(COLOURS):
        if price[dear] <= price[cheap]:
            wrong, right = (
                f"{price[dear]} is not above {cheap}'s {price[cheap]}",
                "give prices that rise from black to white",
            )
            raise top.of("constants", field=f"brick_price.{dear}").error(wrong, right)


def check_sets(data: Data, top: Place) -> None:
    """No building scores nothing, and one more building in a set does not score less."""
    points = data["constants"]["set_vp"]
    if points[0] != 0:
        raise top.of("constants", field="set_vp.1").error(f"{points[0]} for no building at all", "give 0")
    for number, (before, after) in enumerate(pairwise(points), 2):
        if after < before:
            wrong = f"{after} is less than the entry before"
            raise top.of("constants", field=f"set_vp.{number}").error(wrong, f"give {before} or more")


def check_splits(data: Data, top: Place) -> None:
    """The largest total of an interim scoring is within the ids for tens and the observation's bound."""
    constants, limit = data["constants"], min(observed("split_total"), 10 * MAX_TENS - 1)
    for players, factor in constants["interim_multiplier"].items():
        if factor * constants["bricks_total"] > limit:
            bricks = constants["bricks_total"]
            wrong = f"{factor} x bricks_total = {bricks} could give more than {limit} points to split"
            raise top.of("constants", field=f"interim_multiplier.{players}").error(
                wrong, f"give {limit // bricks} or less"
            )


def check_quarters(data: Data, top: Place) -> None:
    """No shop lies in two quarters."""
    owners: dict[str, str] = {}
    for building, shop in data["board"]["quarter"].items():
        if shop in owners:
            wrong = f"the {shop} shop already lies in the quarter of {owners[shop]}"
            raise top.of("board", field=f"quarter.{building}").error(wrong, "give every quarter its own shop")
        owners[shop] = building


def check_card_for_fewer_players(data: Data, top: Place) -> None:
    """Exactly one action card stays in the box in a game of the most players."""
    marked = [number for number, card in enumerate(data["action_cards"], 1) if "max_players" in card]
    if len(marked) != 1:
        right = f"give exactly one card max_players = {names.MAX_PLAYERS - 1}"
        here = top.of("action_cards", marked[1] if marked else "", "max_players")
        raise here.error(f"{len(marked)} cards have it", right)


def final_values(data: Data) -> tuple[int, ...]:
    """Return the different values of final scoring cards, ascending."""
    return tuple(sorted({card["final_vp"] for card in data["honour_cards"] if "final_vp" in card}))


def check_final_values(data: Data, top: Place) -> None:
    """Final scoring cards have at most `names.MAX_FINAL_VALUES` different values."""
    finals = final_values(data)
    if len(finals) > names.MAX_FINAL_VALUES:
        wrong = f"{len(finals)} different values ({checks.joined(finals)})"
        raise top.of("honour_cards", field="final_vp").error(wrong, f"give at most {names.MAX_FINAL_VALUES}")


def check_honour_cards(data: Data, top: Place) -> None:
    """An honour card has an effect, and its discard exists: one of each building, or a lower final card."""
    finals = final_values(data)
    for card, place in checks.rows_of(data["honour_cards"], top.of("honour_cards")):
        if not any(effect in card for effect in _HONOUR_EFFECTS):
            raise place.error("the card has no effect", f"give at least one of {checks.joined(_HONOUR_EFFECTS)}")
        if card.get("discard_buildings", len(BUILDINGS)) != len(BUILDINGS):
            wrong = f"{card['discard_buildings']} is not allowed"
            right = f"give {len(BUILDINGS)} for one of each building, or 0"
            raise place.at("field", "discard_buildings").error(wrong, right)
        if "discard_final" in card:
            _check_discarded_final(card, finals, place.at("field", "discard_final"))


def _check_discarded_final(card: Data, finals: Sequence[int], place: Place) -> None:
    given, received = card["discard_final"], card.get("final_vp", 0)
    if given not in finals:
        right = f"give one of {checks.joined(finals)}" if finals else "leave it out, as no card has a final_vp"
        raise place.error(f"no card has final_vp = {given}", right)
    if given >= received:
        raise place.error(f"{given} would be given up for {received}", "give the card a final_vp larger than this")


def check_honour_copies(data: Data, top: Place) -> None:
    """The copies of all kinds of honour cards add up to the deck."""
    copies = sum(card["copies"] for card in data["honour_cards"])
    if copies != names.NUM_HONOUR_CARDS:
        right = f"give copies that add up to {names.NUM_HONOUR_CARDS}"
        raise top.of("honour_cards", field="copies").error(f"{copies} cards altogether", right)


def check_substitutes(data: Data, top: Place) -> None:
    """A player who owns every card and substitute of a building is within the observation's bound."""
    limit = observed("buildings_owned") - len(COLOURS)
    for building in BUILDINGS:
        substitutes = sum(card["copies"] for card in data["honour_cards"] if card.get("substitute") == building)
        if substitutes > limit:
            wrong = f"{substitutes} substitutes for {building} in the file"
            raise top.of("honour_cards", field="copies").error(wrong, f"give {limit} or less")


def check_heights(data: Data, top: Place) -> None:
    """The majorities of the Porta Nigra have a row for each allowed height."""
    constants, rows = data["constants"], data["majorities"][_PORTA_NIGRA]
    heights = range(constants["porta_nigra_min_height"], constants["porta_nigra_max_height"] + 1)
    checks.keys(rows, top.of("majorities", _PORTA_NIGRA), "row", [str(height) for height in heights])


def check_second_ranks(data: Data, top: Place) -> None:
    """The second rank of a majority is not worth more than the first."""
    for building, rows in data["majorities"].items():
        for row, (first, second) in rows.items():
            if second > first:
                wrong = f"{second} is more than the first place's {first}"
                raise top.of("majorities", f"{building}.{row}", "second").error(wrong, f"give {first} or less")


def check_collectible(data: Data, top: Place) -> None:
    """A player with every card, every reward and every point of the game stays within bounds."""
    checks.collectible(_collected(data), LARGEST_AMOUNT, top)


def _collected(data: Data) -> dict[str, dict[str, int]]:
    """Return the most that one player could collect, by source table."""
    constants = data["constants"]
    rounds = max(constants["rounds"].values())
    splits = max((constants["rounds"][n] - 1) * factor for n, factor in constants["interim_multiplier"].items())
    split = splits * constants["bricks_total"]
    icons = [icon for card in data["action_cards"] for icon in card["icons"]]
    coins = sum(int(icon.removeprefix("coins_")) for icon in icons if icon.startswith("coins_"))
    torches = {
        **_gained(data, "torches"),
        "constants": constants["start_torches"],
        "action_cards": rounds * icons.count("torch"),
    }
    influence = {**_gained(data, "influence"), "action_cards": rounds * icons.count("influence")}
    points = {
        **_gained(data, "vp"),
        "constants": split + constants["early_end_bonus_vp"],
        "spots": sum(sorted(_spot_points(data), reverse=True)[: constants["romans_per_player"]]),
    }
    markers = rounds * sum(card["torches"] for card in data["action_cards"])
    traded = constants["torch_to_sesterces"] * (markers + sum(torches.values()))
    sesterces = {
        **_gained(data, "sesterces"),
        "constants": constants["start_sesterces"] + split + traded,
        "action_cards": rounds * coins,
    }
    return {"torches": torches, "influence": influence, "vp": points, "sesterces": sesterces}


def _gained(data: Data, gain: str) -> dict[str, int]:
    """Return the gains of rewards and honour cards."""
    triggers = data["constants"]["bricks_total"] // data["constants"]["reward_every_bricks"]
    return {
        "rewards": triggers * max(gains.get(gain, 0) for gains in data["rewards"].values()),
        "honour_cards": sum(card["copies"] * card.get("gains", {}).get(gain, 0) for card in data["honour_cards"]),
    }


def _spot_points(data: Data) -> list[int]:
    """Return the largest score of every spot."""
    constants = data["constants"]
    return [
        constants["porta_nigra_max_height"] * constants["brick_price"][spot]
        if building == _PORTA_NIGRA else spot[2]
        for building, rows in data["spots"].items() for row in rows.values() for spot in row
    ]  # fmt: skip


_INVARIANTS: Final[tuple[checks.FileCheck, ...]] = (
    check_amounts,
    check_prices,
    check_sets,
    check_splits,
    check_quarters,
    check_card_for_fewer_players,
    check_final_values,
    check_honour_cards,
    check_honour_copies,
    check_substitutes,
    check_heights,
    check_second_ranks,
    check_collectible,
)


def validated(data: object, source: str) -> dict[str, Any]:
    """Return the data of a file as plain JSON values in a fixed order, without defaults; raises ComponentError."""
    return checks.check_file(data, source, _FILE, _PROVENANCE, _INVARIANTS)
