"""What ties the fields of a component file together: laws, tried once every field is right by itself.

A law is a function whose docstring states it; it takes the data of the whole file and the place of its top, and raises
the error of the place that breaks it.
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


def observed(part: str) -> int:
    """The largest number that an observation provides for."""
    bounds = observation_layout(0)[part].spec
    return round(bounds.scale * bounds.high)


# ------------------------------------------------------------------------------------------------ constants and board


def amounts_fit_into_one_another(data: Data, top: Place) -> None:
    """What is part of something is not more than that: Romans, bricks of the market, heights."""
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


def prices_rise_from_black_to_white(data: Data, top: Place) -> None:
    """Every colour is dearer than the one before it in `names.COLOURS`."""
    price = data["constants"]["brick_price"]
    for cheap, dear in pairwise(COLOURS):
        if price[dear] <= price[cheap]:
            here = top.at("table", "constants").at("field", "brick_price").at("field", dear)
            right = "give prices that rise from black to white"
            raise here.error(f"{price[dear]} is not above {cheap}'s {price[cheap]}", right)


def larger_sets_score_no_less(data: Data, top: Place) -> None:
    """No building scores nothing, and one more building in a set does not score less."""
    points, place = data["constants"]["set_vp"], top.at("table", "constants").at("field", "set_vp")
    if points[0] != 0:
        raise place.at("field", 1).error(f"{points[0]} for no building at all", "give 0")
    for number in range(1, len(points)):
        if points[number] < points[number - 1]:
            here = place.at("field", number + 1)
            raise here.error(f"{points[number]} is less than the entry before", f"give {points[number - 1]} or more")


def splits_have_ids_and_are_observed(data: Data, top: Place) -> None:
    """The largest total of an interim scoring is within the ids for tens and the observation's bound."""
    constants, limit = data["constants"], min(observed("split_total"), 10 * MAX_TENS - 1)
    for players, factor in constants["interim_multiplier"].items():
        if factor * constants["bricks_total"] > limit:
            here = top.at("table", "constants").at("field", "interim_multiplier").at("field", players)
            bricks = constants["bricks_total"]
            wrong = f"{factor} x bricks_total = {bricks} could give more than {limit} points to split"
            raise here.error(wrong, f"give {limit // bricks} or less")


def every_quarter_has_its_own_shop(data: Data, top: Place) -> None:
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
    """The cards of a table, and the place of each."""
    place = top.at("table", table)
    return [(card, place.at("row", f"{number} ({card['name']})")) for number, card in enumerate(data[table], 1)]


def action_cards_have_different_names(data: Data, top: Place) -> None:
    """No two action cards have the same name."""
    distinct_names(data["action_cards"], top.at("table", "action_cards"), "card")


def one_action_card_is_for_fewer_players(data: Data, top: Place) -> None:
    """Exactly one action card stays in the box in a game of the most players."""
    place = top.at("table", "action_cards")
    marked = [number for number, card in enumerate(data["action_cards"], 1) if "max_players" in card]
    if len(marked) != 1:
        here = place.at("row", marked[1]) if marked else place
        right = f"give exactly one card max_players = {names.MAX_PLAYERS - 1}"
        raise here.at("field", "max_players").error(f"{len(marked)} cards have it", right)


def honour_cards_have_different_names(data: Data, top: Place) -> None:
    """No two kinds of honour cards have the same name."""
    distinct_names(data["honour_cards"], top.at("table", "honour_cards"), "card")


def _final_values(data: Data) -> list[int]:
    return sorted({card["final_vp"] for card in data["honour_cards"] if "final_vp" in card})


def final_cards_have_few_values(data: Data, top: Place) -> None:
    """Final scoring cards have no more different values than a state can tell apart."""
    finals = _final_values(data)
    if len(finals) > names.MAX_FINAL_VALUES:
        here = top.at("table", "honour_cards").at("field", "final_vp")
        raise here.error(f"{len(finals)} different values ({joined(finals)})", f"give at most {names.MAX_FINAL_VALUES}")


def every_honour_card_can_be_carried_out(data: Data, top: Place) -> None:
    """An honour card does something, and takes away what there is: one of each building, a lower final card."""
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


def honour_cards_are_as_many_as_there_are(data: Data, top: Place) -> None:
    """The copies of all kinds of honour cards add up to the deck."""
    copies = sum(card["copies"] for card in data["honour_cards"])
    if copies != names.NUM_HONOUR_CARDS:
        right = f"give copies that add up to {names.NUM_HONOUR_CARDS}"
        raise top.at("table", "honour_cards").at("field", "copies").error(f"{copies} cards altogether", right)


def substitutes_are_observed(data: Data, top: Place) -> None:
    """A player who owns every card and substitute of a building is within the observation's bound."""
    limit = observed("buildings_owned") - len(COLOURS)
    for building in BUILDINGS:
        substitutes = sum(card["copies"] for card in data["honour_cards"] if card.get("substitute") == building)
        if substitutes > limit:
            wrong = f"{substitutes} substitutes for {building} in the file"
            raise top.at("table", "honour_cards").at("field", "copies").error(wrong, f"give {limit} or less")


# ------------------------------------------------------------------------------------------------ the whole file


def second_places_score_no_more_than_first(data: Data, top: Place) -> None:
    """The second place of a majority is not worth more than the first."""
    for building, rows in data["majorities"].items():
        for row, (first, second) in rows.items():
            if second > first:
                here = top.at("table", "majorities").at("row", building).at("row", row).at("field", "second")
                raise here.error(f"{second} is more than the first place's {first}", f"give {first} or less")


def nobody_collects_more_than_a_state_can_hold(data: Data, top: Place) -> None:
    """One player who got every card, every reward and every point there is (far too much) would still be in bounds."""
    collectible(_collected(data), LARGEST_AMOUNT, top)


def _collected(data: Data) -> dict[str, dict[str, int]]:
    """What one player could collect at most, by the table it comes from."""
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
    """By rewards and honour cards."""
    triggers = data["constants"]["bricks_total"] // data["constants"]["reward_every_bricks"]
    return {
        "rewards": triggers * max(gains.get(gain, 0) for gains in data["rewards"].values()),
        "honour_cards": sum(card["copies"] * card.get("gains", {}).get(gain, 0) for card in data["honour_cards"]),
    }


def _spot_points(data: Data) -> list[int]:
    """The most that every spot can score."""
    constants = data["constants"]
    return [
        constants["porta_nigra_max_height"] * constants["brick_price"][spot]
        if building == BUILDINGS[names.PORTA_NIGRA] else spot[2]
        for building, rows in data["spots"].items() for row in rows.values() for spot in row
    ]  # fmt: skip


Law = Callable[[Data, Place], None]

LAWS: Final[tuple[Law, ...]] = (
    amounts_fit_into_one_another,
    prices_rise_from_black_to_white,
    larger_sets_score_no_less,
    splits_have_ids_and_are_observed,
    every_quarter_has_its_own_shop,
    action_cards_have_different_names,
    one_action_card_is_for_fewer_players,
    honour_cards_have_different_names,
    final_cards_have_few_values,
    every_honour_card_can_be_carried_out,
    honour_cards_are_as_many_as_there_are,
    substitutes_are_observed,
)
#: Tried after the table of majorities has been read, whose rows follow from the heights.
LAWS_WITH_MAJORITIES: Final[tuple[Law, ...]] = (
    second_places_score_no_more_than_first,
    nobody_collects_more_than_a_state_can_hold,
)
