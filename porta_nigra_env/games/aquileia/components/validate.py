"""Validate a component file: tables and fields, then the checks across fields; return its data in canonical form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from porta_nigra_env.core.positions import checks
from porta_nigra_env.core.positions.checks import Check, Data, Place, amounts, integer, list_of, name, one_of, table
from porta_nigra_env.core.positions.position import shown
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.names import BUILDING_KINDS, EQUI_GROUPS, KINDS, SEATS, SIDES
from porta_nigra_env.games.aquileia.state import LARGEST_AMOUNT

_AMOUNT: Final = integer(0, 99)
_STRENGTH: Final = integer(1, 99)
_DICE: Final = integer(1, names.MAX_DICE)
_PRIZES: Final = list_of(_AMOUNT, 3, 3)


_KIND: Final = one_of(KINDS)
_COIN: Final = dict.fromkeys(KINDS, integer(0, 9))
_SOME_COINS: Final = amounts(_COIN, 1)


def _one_kind(value: object, place: Place) -> dict[str, int]:
    """Check coins of a single kind."""
    coins: dict[str, int] = _SOME_COINS(value, place)
    if len(coins) > 1:
        raise place.error(f"{len(coins)} kinds of coins are not allowed", "give coins of one kind")
    return coins


def _colours(value: object, place: Place) -> dict[str, int]:
    """Check the copies by colour, and keep the file's order."""
    right = f"give a table of 2 to {names.MAX_COLOURS} colours with their copies"
    if not isinstance(value, Mapping) or not 2 <= len(value) <= names.MAX_COLOURS:
        raise place.error(f"{shown(value)} is not allowed", right)
    copies = integer(1, names.MAX_STADIUM_CARDS)
    return {name(key, place): copies(amount, place.at("field", key)) for key, amount in value.items()}


def _rows(item: Check, low: int, high: int) -> Check:
    """Return the check of a list of rows in a field of a table; the field becomes a part of their places."""
    rows = list_of(item, low, high, level="row")

    def check(value: object, place: Place) -> list[Any]:
        checked: list[Any] = rows(value, replace(place, row=place.field, field=""))
        return checked

    return check


_FORUM_SPACE: Final = table({"builds": integer(1, 9), "value": checks.boolean})
_SERVI_SPACE: Final = table({"name": name, "coin": _KIND, "max": integer(1, names.MAX_BUYS)})
_COST: Final = amounts(dict.fromkeys((*KINDS, "slaves"), integer(0, names.MAX_COST)))
#: Fields of a building by its kind, besides those that every building has.
_OWN_FIELDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "villa": {"colour": name},
    "workshop": {"vp": integer(1, 99)},
    "money_house": {"pays": _SOME_COINS},
}
_BUILDINGS: Final = {
    kind: table({"name": name, "kind": one_of(BUILDING_KINDS), **own, "value": _AMOUNT, "cost": _COST})
    for kind, own in _OWN_FIELDS.items()
}


def _building(value: object, place: Place) -> dict[str, Any]:
    """Check a building with the fields of its kind."""
    every = ("name", "kind", "value", "cost")
    fields = checks.keys(value, place, "field", every, [field for own in _OWN_FIELDS.values() for field in own])
    kind = one_of(BUILDING_KINDS)(fields["kind"], place.at("field", "kind"))
    for field in fields:
        if field not in (*every, *_OWN_FIELDS[kind]):
            raise place.at("field", field).error(
                f"a {kind} has none", f"leave it out, or give another kind than {kind}"
            )
    building: dict[str, Any] = _BUILDINGS[kind](fields, place)
    return building


_COPIES: Final = amounts(
    {str(strength): integer(0, names.MAX_EQUI_CARDS) for strength in range(1, names.MAX_EQUI_STRENGTH + 1)}
)


def _equi_cards(value: object, place: Place) -> dict[str, dict[str, int]]:
    """Check the copies by group and strength; a missing group is empty."""
    copies = table({}, dict.fromkeys(EQUI_GROUPS, _COPIES))(value, place)
    return {group: copies.get(group, {}) for group in EQUI_GROUPS}


_FIELDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "constants": {
        "players": checks.exactly(list(SEATS)),
        "rounds": integer(1, names.MAX_ROUNDS),
        "followers_per_player": integer(1, names.MAX_FOLLOWERS),
        "houses_per_player": integer(1, names.MAX_BUILDINGS),
        "dolus_red_dice": _DICE,
        "contest_red_dice": _DICE,
        "latro_red_dice": _DICE,
        "blue_dice": _DICE,
    },
    "start": dict.fromkeys(KINDS, _AMOUNT),
    "die": dict.fromkeys(KINDS, integer(0, 99)),
    "mercatus": {
        "equi": list_of(name, 1, names.MAX_EQUI_SPACES, distinct=True),
        "equi_price": amounts(_COIN),
        "pecunia_vp": _AMOUNT,
        "servi": _rows(_SERVI_SPACE, 1, names.MAX_SERVI_SPACES),
        "exchanges": _rows(table({"give": _one_kind, "get": _one_kind}), 1, names.MAX_EXCHANGES),
    },
    "arena": {
        "spaces": list_of(_STRENGTH, 1, names.MAX_ARENA_SPACES),
        "prizes": _PRIZES,
        "coin": _KIND,
        "vp_per_strength": _AMOUNT,
    },
    "stadium": {**dict.fromkeys(SIDES, list_of(_STRENGTH, 1, names.MAX_SIDE_SPACES)), "prizes": _PRIZES},
    "portus": {"spaces": list_of(_KIND, 1, len(KINDS), distinct=True)},
    "slave_cards": {str(slaves): integer(0, names.MAX_SLAVE_CARDS) for slaves in range(1, names.MAX_SLAVES + 1)},
    "equi_cards": dict.fromkeys(EQUI_GROUPS, _COPIES),
    "stadium_cards": {
        "colours": _colours,
        "laurels": list_of(integer(1, 99), 0, names.MAX_STADIUM_CARDS, distinct=True),
    },
    "theatre_cards": {"pairs": _rows(checks.entries(first=name, second=name), 1, names.MAX_THEATRE_CARDS)},
    "forum": {
        "spaces": _rows(_FORUM_SPACE, 1, names.MAX_FORUM_SPACES),
        "buildings": _rows(_building, 1, names.MAX_BUILDINGS),
    },
}
#: Tables with amounts that may be left out if they are 0.
_AMOUNTS: Final = {part: amounts(_FIELDS[part]) for part in ("start", "die", "slave_cards")}
_FILE: Final = {part: table(fields) for part, fields in _FIELDS.items()} | _AMOUNTS | {"equi_cards": _equi_cards}


def _provenance(value: object, place: Place) -> dict[str, str]:
    """Check the origin of every table: one entry, with exceptions by field, or an entry for each field."""
    parts = [part for table, fields in _FIELDS.items() for part in (table, *(f"{table}.{field}" for field in fields))]
    origins = checks.keys(value, place, "row", (), parts)
    for part, fields in _FIELDS.items():
        missing = [field for field in fields if f"{part}.{field}" not in origins]
        if part not in origins and missing:
            lacking = part if len(missing) == len(fields) else f"{part}.{missing[0]}"
            raise place.at("row", lacking).error("is missing", "add it")
    return {part: checks.ORIGIN(origins[part], place.at("row", part)) for part in parts if part in origins}


# ------------------------------------------------------------------------------------------------ across fields


def a_die_has_a_face(data: Data, top: Place) -> None:
    """A die has at least one side."""
    if not data["die"]:
        raise top.of("die").error("the dice have no side", f"give at least 1 of {', '.join(KINDS)}")


def exchanges_differ(data: Data, top: Place) -> None:
    """An exchange gives one kind for another, and no two exchanges have the same kinds."""
    first: dict[str, int] = {}
    swaps = zip(names.exchange_names(data), data["mercatus"]["exchanges"], strict=True)
    for number, (text, swap) in enumerate(swaps, 1):
        here = top.of("mercatus", f"exchanges.{number}")
        if [*swap["give"]] == [*swap["get"]]:
            raise here.at("field", "get").error(f"{text.split()[0]} is given for itself", "give another kind of coins")
        if text in first:
            wrong = f"row {first[text]} gives and gets the same kinds ({text})"
            raise here.error(wrong, "give every exchange its own two kinds, or leave one of the two out")
        first[text] = number


def _within(copies: int, low: int, high: int, place: Place) -> None:
    if not low <= copies <= high:
        raise place.error(f"{copies} cards altogether", f"give copies that add up to {low} to {high}")


def decks_can_be_stored(data: Data, top: Place) -> None:
    """Slave and equi cards exist and fit the arrays of a state."""
    _within(sum(data["slave_cards"].values()), 1, names.MAX_SLAVE_CARDS, top.of("slave_cards"))
    place = top.of("equi_cards")
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
        right = f"give {wanted}: two for each round of constants.rounds"
        raise top.of("stadium_cards").error(f"{copies} cards altogether", right)


def stadium_cards_have_different_names(data: Data, top: Place) -> None:
    """No colour has the name of a laurel."""
    cards = data["stadium_cards"]
    for points in cards["laurels"]:
        if f"laurel_{points}" in cards["colours"]:
            here = top.of("stadium_cards", field=f"colours.laurel_{points}")
            raise here.error("a laurel has the same name", "give the colour another name")


def theatre_pairs_are_of_colours(data: Data, top: Place) -> None:
    """A theatre card has two different colours of the stadium cards; each pair exists once."""
    colours, place = list(data["stadium_cards"]["colours"]), top.of("theatre_cards", "pairs")
    first: dict[frozenset[str], int] = {}
    for number, pair in enumerate(data["theatre_cards"]["pairs"], 1):
        here = place.at("row", number)
        for field, colour in zip(("first", "second"), pair, strict=True):
            if colour not in colours:
                wrong = f"{colour!r} is no colour of the stadium cards"
                raise here.at("field", field).error(wrong, checks.suggested(colour, colours))
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
        wrong, right = f"{pairs} cards for {rounds} rounds", f"give at least {rounds}"
        raise top.of("theatre_cards", field="pairs").error(wrong, right)


def villas_have_colours_of_the_stadium(data: Data, top: Place) -> None:
    """The stadium cards have every villa's colour."""
    colours = list(data["stadium_cards"]["colours"])
    for building, place in checks.rows_of(data["forum"]["buildings"], top.of("forum", "buildings")):
        if building["kind"] == "villa" and building["colour"] not in colours:
            wrong = f"{building['colour']!r} is no colour of the stadium cards"
            raise place.at("field", "colour").error(wrong, checks.suggested(building["colour"], colours))


def collected_amounts_fit_a_state(data: Data, top: Place) -> None:
    """A player with all coins and points (far too many) stays within bounds."""
    checks.collectible({"coins": _coins(data), "victory points": _points(data)}, LARGEST_AMOUNT, top)


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


_INVARIANTS: Final[tuple[checks.FileCheck, ...]] = (
    a_die_has_a_face,
    exchanges_differ,
    decks_can_be_stored,
    every_round_has_two_stadium_cards,
    stadium_cards_have_different_names,
    theatre_pairs_are_of_colours,
    every_round_has_a_theatre_card,
    villas_have_colours_of_the_stadium,
    collected_amounts_fit_a_state,
)


def validated(data: object, source: str) -> dict[str, Any]:
    """Return a file's data as JSON values in a fixed order, without defaults; raises ComponentError."""
    return checks.check_file(data, source, _FILE, _provenance, _INVARIANTS)
