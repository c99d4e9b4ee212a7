"""Checks across the fields of a component file, after every field has passed by itself.

A check takes the data of the whole file and its top `Place`, and raises the error of the invalid place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from porta_nigra_env.core.positions.checks import Place, collectible, distinct_names, joined
from porta_nigra_env.games.porta_nigra.actions import MAX_TENS
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS
from porta_nigra_env.games.porta_nigra.observation import observation_layout
from porta_nigra_env.games.porta_nigra.state import LARGEST_AMOUNT

Data = Mapping[str, Any]

_HONOUR_EFFECTS: Final = ("gains", "substitute", "porta_nigra_brick", "final_vp")


def observed(name: str) -> int:
    """Return the largest number a field of an observation allows."""
    bounds = observation_layout(0)[name].spec
    return round(bounds.scale * bounds.high)


# ------------------------------------------------------------------------------------------------ constants and board


def check_amounts(data: Data, top: Place) -> None:
    """A part is not larger than its whole: Romans, bricks of the market, heights."""
    constants, place = data["constants"], top.at("table", "constants")
    for smaller, larger in (
        ("start_romans", "romans_per_player"),
        ("market_refill_below", "market_refill_to"),
        ("market_refill_to", "bricks_total"),
        ("porta_nigra_min_height", "porta_nigra_max_height"),
    ):
        if constants[smaller] > constants[larger]:
            wrong = f"{constants[smaller]} is more than {larger} = {constants[larger]}"
            raise place.at("field", smaller).error(wrong, f"give {constants[larger]} or less")


def check_prices(data: Data, top: Place) -> None:
    """Every colour is dearer than the one before it in `names.COLOURS`."""
    price = data["constants"]["brick_price"]
    for cheap, dear in pairwise(COLOURS):
        if price[dear] <= price[cheap]:
            here = top.at("table", "constants").at("field", "brick_price").at("field", dear)
            right = "give prices that rise from black to white"
            raise here.error(f"{price[dear]} is not above {cheap}'s {price[cheap]}", right)


def check_sets(data: Data, top: Place) -> None:
    """No building scores nothing, and one more building in a set does not score less."""
    points, place = data["constants"]["set_vp"], top.at("table", "constants").at("field", "set_vp")
    if points[0] != 0:
        raise place.at("field", 1).error(f"{points[0]} for no building at all", "give 0")
    for number in range(1, len(points)):
        if points[number] < points[number - 1]:
            here = place.at("field", number + 1)
            raise here.error(f"{points[number]} is less than the entry before", f"give {points[number - 1]} or more")


def check_splits(data: Data, top: Place) -> None:
    """The largest total of an interim scoring is within the ids for tens and the observation's bound."""
    constants, limit = data["constants"], min(observed("split_total"), 10 * MAX_TENS - 1)
    for players, factor in constants["interim_multiplier"].items():
        if factor * constants["bricks_total"] > limit:
            here = top.at("table", "constants").at("field", "interim_multiplier").at("field", players)
            bricks = constants["bricks_total"]
            wrong = f"{factor} x bricks_total = {bricks} could give more than {limit} points to split"
            raise here.error(wrong, f"give {limit // bricks} or less")


def check_quarters(data: Data, top: Place) -> None:
    """No shop lies in two quarters."""
    owners: dict[str, str] = {}
    for building, shop in data["board"]["quarter"].items():
        if shop in owners:
            here = top.at("table", "board").at("field", "quarter").at("field", building)
            wrong = f"the {shop} shop already lies in the quarter of {owners[shop]}"
            raise here.error(wrong, "give every quarter its own shop")
        owners[shop] = building


# ------------------------------------------------------------------------------------------------ cards


def _rows(data: Data, top: Place, table: str) -> list[tuple[Data, Place]]:
    """Return the cards of a table, each with its place."""
    place = top.at("table", table)
    return [(card, place.at("row", f"{number} ({card['name']})")) for number, card in enumerate(data[table], 1)]


def check_action_card_names(data: Data, top: Place) -> None:
    """No two action cards have the same name."""
    distinct_names(data["action_cards"], top.at("table", "action_cards"), "card")


def check_card_for_fewer_players(data: Data, top: Place) -> None:
    """Exactly one action card stays in the box in a game of the most players."""
    place = top.at("table", "action_cards")
    marked = [number for number, card in enumerate(data["action_cards"], 1) if "max_players" in card]
    if len(marked) != 1:
        here = place.at("row", marked[1]) if marked else place
        right = f"give exactly one card max_players = {names.MAX_PLAYERS - 1}"
        raise here.at("field", "max_players").error(f"{len(marked)} cards have it", right)


def check_honour_card_names(data: Data, top: Place) -> None:
    """No two kinds of honour cards have the same name."""
    distinct_names(data["honour_cards"], top.at("table", "honour_cards"), "card")


def _final_values(data: Data) -> list[int]:
    return sorted({card["final_vp"] for card in data["honour_cards"] if "final_vp" in card})


def check_final_values(data: Data, top: Place) -> None:
    """Final scoring cards have at most `names.MAX_FINAL_VALUES` different values."""
    finals = _final_values(data)
    if len(finals) > names.MAX_FINAL_VALUES:
        here = top.at("table", "honour_cards").at("field", "final_vp")
        raise here.error(f"{len(finals)} different values ({joined(finals)})", f"give at most {names.MAX_FINAL_VALUES}")


def check_honour_cards(data: Data, top: Place) -> None:
    """An honour card has an effect, and its discard exists: one of each building, or a lower final card."""
    finals = _final_values(data)
    for card, place in _rows(data, top, "honour_cards"):
        if not any(effect in card for effect in _HONOUR_EFFECTS):
            raise place.error("the card has no effect", f"give at least one of {joined(_HONOUR_EFFECTS)}")
        if card.get("discard_buildings", len(BUILDINGS)) != len(BUILDINGS):
            wrong = f"{card['discard_buildings']} is not allowed"
            right = f"give {len(BUILDINGS)} for one of each building, or 0"
            raise place.at("field", "discard_buildings").error(wrong, right)
        if "discard_final" in card:
            _check_discarded_final(card, finals, place.at("field", "discard_final"))


def _check_discarded_final(card: Data, finals: Sequence[int], place: Place) -> None:
    given, received = card["discard_final"], card.get("final_vp", 0)
    if given not in finals:
        right = f"give one of {joined(finals)}" if finals else "leave it out, as no card has a final_vp"
        raise place.error(f"no card has final_vp = {given}", right)
    if given >= received:
        raise place.error(f"{given} would be given up for {received}", "give the card a final_vp larger than this")


def check_honour_copies(data: Data, top: Place) -> None:
    """The copies of all kinds of honour cards add up to the deck."""
    copies = sum(card["copies"] for card in data["honour_cards"])
    if copies != names.NUM_HONOUR_CARDS:
        right = f"give copies that add up to {names.NUM_HONOUR_CARDS}"
        raise top.at("table", "honour_cards").at("field", "copies").error(f"{copies} cards altogether", right)


def check_substitutes(data: Data, top: Place) -> None:
    """A player who owns every card and substitute of a building is within the observation's bound."""
    limit = observed("buildings_owned") - len(COLOURS)
    for building in BUILDINGS:
        substitutes = sum(card["copies"] for card in data["honour_cards"] if card.get("substitute") == building)
        if substitutes > limit:
            wrong = f"{substitutes} substitutes for {building} in the file"
            raise top.at("table", "honour_cards").at("field", "copies").error(wrong, f"give {limit} or less")


# ------------------------------------------------------------------------------------------------ the whole file


def check_second_ranks(data: Data, top: Place) -> None:
    """The second rank of a majority is not worth more than the first."""
    for building, rows in data["majorities"].items():
        for row, (first, second) in rows.items():
            if second > first:
                here = top.at("table", "majorities").at("row", building).at("row", row).at("field", "second")
                raise here.error(f"{second} is more than the first place's {first}", f"give {first} or less")


def check_collectible(data: Data, top: Place) -> None:
    """A player with every card, every reward and every point of the game stays within bounds."""
    collectible(_collected(data), LARGEST_AMOUNT, top)


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
        if building == BUILDINGS[names.PORTA_NIGRA] else spot[2]
        for building, rows in data["spots"].items() for row in rows.values() for spot in row
    ]  # fmt: skip


FileCheck = Callable[[Data, Place], None]

CHECKS: Final[tuple[FileCheck, ...]] = (
    check_amounts,
    check_prices,
    check_sets,
    check_splits,
    check_quarters,
    check_action_card_names,
    check_card_for_fewer_players,
    check_honour_card_names,
    check_final_values,
    check_honour_cards,
    check_honour_copies,
    check_substitutes,
)
#: Run after the table of majorities, whose rows follow from the heights.
CHECKS_WITH_MAJORITIES: Final[tuple[FileCheck, ...]] = (check_second_ranks, check_collectible)
