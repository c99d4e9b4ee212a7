"""Checks across the fields of a component file, run after the checks of single fields.

A check takes the data of the whole file and its place; it raises the error of the offending place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from porta_nigra_env.core.positions.checks import Place, collectible, distinct_names, suggested
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.names import KINDS
from porta_nigra_env.games.aquileia.state import LARGEST_AMOUNT

Data = Mapping[str, Any]

# ------------------------------------------------------------------------------------------------ dice and coins


def a_die_has_a_face(data: Data, top: Place) -> None:
    """A die has at least one side."""
    if not data["die"]:
        raise top.at("table", "die").error("the dice have no side", f"give at least 1 of {', '.join(KINDS)}")


def exchanges_differ(data: Data, top: Place) -> None:
    """An exchange gives one kind for another, and no two exchanges have the same kinds."""
    place = top.at("table", "mercatus").at("row", "exchanges")
    first: dict[str, int] = {}
    for number, (text, swap) in enumerate(
        zip(names.exchange_names(data), data["mercatus"]["exchanges"], strict=True), 1
    ):
        here = place.at("row", number)
        if [*swap["give"]] == [*swap["get"]]:
            raise here.at("field", "get").error(f"{text.split()[0]} is given for itself", "give another kind of coins")
        if text in first:
            wrong = f"row {first[text]} gives and gets the same kinds ({text})"
            raise here.error(wrong, "give every exchange its own two kinds, or leave one of the two out")
        first[text] = number


# ------------------------------------------------------------------------------------------------ cards


def servi_spaces_have_different_names(data: Data, top: Place) -> None:
    """No two spaces of Servi have the same name."""
    distinct_names(data["mercatus"]["servi"], top.at("table", "mercatus").at("row", "servi"), "space")


def _within(copies: int, low: int, high: int, place: Place) -> None:
    if not low <= copies <= high:
        raise place.error(f"{copies} cards altogether", f"give copies that add up to {low} to {high}")


def decks_can_be_stored(data: Data, top: Place) -> None:
    """Slave and equi cards exist and fit the arrays of a state."""
    _within(sum(data["slave_cards"].values()), 1, names.MAX_SLAVE_CARDS, top.at("table", "slave_cards"))
    place = top.at("table", "equi_cards")
    copies = sum(sum(group.values()) for group in data["equi_cards"].values())
    _within(copies, 1, names.MAX_EQUI_CARDS, place)
    faces = len(names.equi_faces(data))
    if faces > names.MAX_EQUI_FACES:
        raise place.error(f"{faces} different cards", f"give at most {names.MAX_EQUI_FACES}")


def every_round_has_two_stadium_cards(data: Data, top: Place) -> None:
    """Two stadium cards leave the pile in each round, and none remains (A36)."""
    cards, wanted = data["stadium_cards"], 2 * data["constants"]["rounds"]
    copies = sum(cards["colours"].values()) + len(cards["laurels"])
    if copies != wanted:
        raise top.at("table", "stadium_cards").error(
            f"{copies} cards altogether", f"give {wanted}: two for each round of constants.rounds"
        )


def stadium_cards_have_different_names(data: Data, top: Place) -> None:
    """No colour has the name of a laurel."""
    cards = data["stadium_cards"]
    for points in cards["laurels"]:
        if f"laurel_{points}" in cards["colours"]:
            here = top.at("table", "stadium_cards").at("field", "colours").at("field", f"laurel_{points}")
            raise here.error("a laurel has the same name", "give the colour another name")


def theatre_pairs_are_of_colours(data: Data, top: Place) -> None:
    """A theatre card has two different colours of the stadium cards; each pair exists once."""
    colours, place = list(data["stadium_cards"]["colours"]), top.at("table", "theatre_cards").at("row", "pairs")
    first: dict[frozenset[str], int] = {}
    for number, pair in enumerate(data["theatre_cards"]["pairs"], 1):
        here = place.at("row", number)
        for field, colour in zip(("first", "second"), pair, strict=True):
            if colour not in colours:
                raise here.at("field", field).error(
                    f"{colour!r} is no colour of the stadium cards", suggested(colour, colours)
                )
        if pair[0] == pair[1]:
            raise here.at("field", "second").error(f"{pair[1]} stands twice", "give two different colours")
        twin = first.setdefault(frozenset(pair), number)
        if twin != number:
            raise here.error(f"row {twin} has the same two colours", "give every pair only once")
    texts = names.theatre_faces(data)
    for number, text in enumerate(texts, 1):
        if text in texts[: number - 1]:
            wrong = f"row {texts.index(text) + 1} makes the same name {text}"
            raise place.at("row", number).error(wrong, "give the colours other names")


def every_round_has_a_theatre_card(data: Data, top: Place) -> None:
    """Each round has a theatre card for an auction."""
    pairs, rounds = len(data["theatre_cards"]["pairs"]), data["constants"]["rounds"]
    if pairs < rounds:
        here = top.at("table", "theatre_cards").at("field", "pairs")
        raise here.error(f"{pairs} cards for {rounds} rounds", f"give at least {rounds}")


# ------------------------------------------------------------------------------------------------ buildings


def _buildings(data: Data, top: Place) -> list[tuple[Data, Place]]:
    """Return the buildings and the place of each."""
    place = top.at("table", "forum").at("row", "buildings")
    rows = enumerate(data["forum"]["buildings"], 1)
    return [(building, place.at("row", f"{number} ({building['name']})")) for number, building in rows]


def buildings_have_different_names(data: Data, top: Place) -> None:
    """No two buildings have the same name."""
    distinct_names(data["forum"]["buildings"], top.at("table", "forum").at("row", "buildings"), "building")


def villas_have_colours_of_the_stadium(data: Data, top: Place) -> None:
    """The stadium cards have every villa's colour."""
    colours = list(data["stadium_cards"]["colours"])
    for building, place in _buildings(data, top):
        if building["kind"] == "villa" and building["colour"] not in colours:
            wrong = f"{building['colour']!r} is no colour of the stadium cards"
            raise place.at("field", "colour").error(wrong, suggested(building["colour"], colours))


# ------------------------------------------------------------------------------------------------ the whole file


def collected_amounts_fit_a_state(data: Data, top: Place) -> None:
    """A player with all coins and points (far too many) stays within bounds."""
    collectible({"coins": _coins(data), "victory points": _points(data)}, LARGEST_AMOUNT, top)


def _activated(data: Data, kind: str) -> Sequence[Data]:
    return [building for building in data["forum"]["buildings"] if building["kind"] == kind]


def _coins(data: Data) -> dict[str, int]:
    """Return an upper bound of all players' coins, by the table they come from.

    In each round Dolus pays, all coins are exchanged at the best rate, the contests pay their prizes, and every money
    house pays once for each space of the Portus.
    """
    constants, portus = data["constants"], len(data["portus"]["spaces"])
    income = {
        "constants": constants["dolus_red_dice"],
        "arena": sum(data["arena"]["prizes"]),
        "stadium": sum(data["stadium"]["prizes"]),
        "forum": portus * sum(sum(house["pays"].values()) for house in _activated(data, "money_house")),
    }
    # A rate below 1 counts as 1: nothing has to be exchanged.
    swaps = data["mercatus"]["exchanges"]
    rate = max(1, *(-(-sum(swap["get"].values()) // sum(swap["give"].values())) for swap in swaps))
    held = {"start": names.MAX_PLAYERS * sum(data["start"].values()), "mercatus": 0, **dict.fromkeys(income, 0)}
    for _ in range(constants["rounds"]):
        held["mercatus"] += (rate - 1) * (sum(held.values()) + income["constants"])
        for source, coins in income.items():
            held[source] += coins
    return held


def _points(data: Data) -> dict[str, int]:
    """Return an upper bound of one player's victory points, final scoring included, by table."""
    constants, arena, forum = data["constants"], data["arena"], data["forum"]
    rounds = constants["rounds"]
    cards = sum(int(slaves) * copies for slaves, copies in data["slave_cards"].items())
    cards += sum(int(strength) * copies for strength, copies in data["equi_cards"]["weapon"].items())
    strength = sum(arena["spaces"]) + constants["contest_red_dice"] + constants["blue_dice"] + cards
    activations = rounds * len(data["portus"]["spaces"])
    values = sum(building["value"] for building in forum["buildings"])
    villas = sum(villa["value"] for villa in _activated(data, "villa"))
    of_a_colour = max(data["stadium_cards"]["colours"].values()) + len(data["theatre_cards"]["pairs"])
    return {
        "mercatus": rounds * data["mercatus"]["pecunia_vp"],
        "arena": rounds * arena["vp_per_strength"] * strength,
        "forum": values + activations * sum(shop["vp"] for shop in _activated(data, "workshop")),
        "stadium_cards": sum(data["stadium_cards"]["laurels"]) + villas * of_a_colour,
    }


FileCheck = Callable[[Data, Place], None]

CHECKS: Final[tuple[FileCheck, ...]] = (
    a_die_has_a_face,
    exchanges_differ,
    servi_spaces_have_different_names,
    decks_can_be_stored,
    every_round_has_two_stadium_cards,
    stadium_cards_have_different_names,
    theatre_pairs_are_of_colours,
    every_round_has_a_theatre_card,
    buildings_have_different_names,
    villas_have_colours_of_the_stadium,
    collected_amounts_fit_a_state,
)
