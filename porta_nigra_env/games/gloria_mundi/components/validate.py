"""Validate a component file: tables and fields, then the checks across fields; return its data in canonical form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from porta_nigra_env.core.positions import checks
from porta_nigra_env.core.positions.checks import Check, Data, Place, integer, joined, list_of, one_of, table
from porta_nigra_env.core.positions.position import shown
from porta_nigra_env.games.gloria_mundi.components import names
from porta_nigra_env.games.gloria_mundi.components.abilities import ability
from porta_nigra_env.games.gloria_mundi.components.names import BASES, KINDS, LETTERS, MAX_DUE, SEATS, STONES, TYPES

#: Number of cards or stones in the box.
_CONTENTS: Final = integer(0, 9_999)


def _province(value: object, place: Place) -> str:
    """Return the symbols of a province as letters."""
    letters = "".join(LETTERS)
    if not isinstance(value, str) or not re.fullmatch(f"[{letters}]{{1,{names.MAX_SYMBOLS}}}", value):
        right = f"give 1 to {names.MAX_SYMBOLS} letters of {', '.join(LETTERS)}"
        raise place.error(f"{shown(value)} is no province", right)
    return value


_PRICE: Final = checks.amounts(dict.fromkeys(STONES, integer(0, names.MAX_PRICE)), 1)
_CARD: Final = table(
    {
        "name": checks.name,
        "type": one_of(TYPES),
        "price": _PRICE,
        "steps": integer(0, names.MAX_LAUREL),
        "ability": ability,
    },
    {"protects": one_of(BASES), "source": checks.text},
)

_FILE: Final[Mapping[str, Check]] = {
    "constants": table(
        {
            "players": checks.exactly([SEATS[0], SEATS[-1]]),
            "start_stones": table(dict.fromkeys(STONES, integer(0, names.MAX_START))),
            "start_display": table(dict.fromkeys(BASES, integer(0, names.MAX_START))),
            "forum_start_cards": integer(0, names.NUM_PLACES),
        }
    ),
    "forum": table({"extra": list_of(integer(0, names.MAX_EXTRA), names.NUM_PLACES, names.NUM_PLACES)}),
    "supply": table(dict.fromkeys(STONES, _CONTENTS)),
    "base_cards": table(dict.fromkeys(BASES, _CONTENTS)),
    "hands": table(
        {str(players): table(dict.fromkeys(BASES, integer(0, names.MAX_DEALT))) for players in SEATS}, level="row"
    ),
    "tracks": table({"escape_steps": integer(1, names.MAX_STEPS), "goth": list_of(_province, 1, names.MAX_PROVINCES)}),
    "building_cards": list_of(_CARD, names.NUM_CARDS, names.NUM_CARDS, level="row"),
}

#: The kinds of abilities that cards of a type may have.
KINDS_OF_TYPE: Final = {**dict.fromkeys(BASES, KINDS[:4]), "builder": ("replace",), "wall": ("wall",)}

# ------------------------------------------------------------------------------------------------ across fields


def check_extras(data: Data, top: Place) -> None:
    """Require extras that differ and descend in sliding order."""
    for number, (before, extra) in enumerate(pairwise(data["forum"]["extra"]), 2):
        if extra >= before:
            right = "give six different numbers, the largest first"
            raise top.of("forum", field=f"extra.{number}").error(f"{extra} follows {before}", right)


def check_hands(data: Data, top: Place) -> None:
    """Require hands that include the start display (G2) and that the box can deal."""
    for players, hand in data["hands"].items():
        for base, dealt in hand.items():
            here = top.of("hands", players, base)
            shown, owned = data["constants"]["start_display"][base], data["base_cards"][base]
            if dealt < shown:
                right = f"give at least {shown}, the cards of constants.start_display (G2)"
                raise here.error(f"{dealt} cards are dealt", right)
            if int(players) * dealt > owned:
                wrong = f"{players} times {dealt} cards are dealt of {owned}"
                raise here.error(wrong, f"deal fewer, or give more in base_cards.{base}")


def check_names(data: Data, top: Place) -> None:
    """Require card names that differ from those of stones and base types."""
    for card, place in checks.rows_of(data["building_cards"], top.of("building_cards")):
        if card["name"] in (*STONES, *BASES):
            right = f"give another name than {joined(dict.fromkeys((*STONES, *BASES)))}"
            raise place.at("field", "name").error(f"{card['name']} is a stone or a base type", right)


def check_prices(data: Data, top: Place) -> None:
    """Require prices that, with the largest extra, a payment can hold."""
    largest = data["forum"]["extra"][0]
    for card, place in checks.rows_of(data["building_cards"], top.of("building_cards")):
        stones = sum(card["price"].values())
        if stones + largest > MAX_DUE:
            right = f"give at most {MAX_DUE} in all"
            raise place.at("field", "price").error(f"{stones} stones and an extra of {largest}", right)


def check_types(data: Data, top: Place) -> None:
    """Require the abilities of the card's type; walls, and only they, name the base type they protect."""
    for card, place in checks.rows_of(data["building_cards"], top.of("building_cards")):
        called, kinds, kind = card["type"], KINDS_OF_TYPE[card["type"]], card["ability"]["kind"]
        if kind not in kinds:
            here = place.at("field", "ability").at("field", "kind")
            raise here.error(f"a card of type {called} cannot {kind}", f"give one of {joined(kinds)}")
        if (called == "wall") != ("protects" in card):
            here = place.at("field", "protects")
            if called == "wall":
                raise here.error("is missing", f"add it: one of {joined(BASES)}")
            raise here.error(f"a card of type {called} has none", "leave it out, or give the type wall")


def check_abilities(data: Data, top: Place) -> None:
    """Check exclusive cards (G19), gains for a card given up (G17), and that repetitions end (G14)."""
    for card, place in checks.rows_of(data["building_cards"], top.of("building_cards")):
        ability, here = card["ability"], place.at("field", "ability")
        counted = ability.get("each_other", card["type"])
        if counted != card["type"]:
            right = f"give {card['type']}, its own type (G19)"
            raise here.at("field", "each_other").error(f"{counted} on a card of type {card['type']}", right)
        if "gain_card" in ability and "pay_card" not in ability:
            right = "give it with pay_card, or another right side (G17)"
            raise here.at("field", "gain_card").error("no card is given up", right)
        if ability["kind"] == "give" and "repeat" in ability:
            given = {*ability.get("pay", ()), *ability.get("pay_choose", ())}
            for side in ("gain", "choose"):
                both = [stone for stone in STONES if stone in given and stone in ability.get(side, ())]
                if both:
                    wrong = f"{joined(both)} is both given and received in every repetition"
                    raise here.at("field", side).error(wrong, "give other kinds, or leave out repeat (G14)")


_INVARIANTS: Final[tuple[checks.FileCheck, ...]] = (
    check_extras,
    check_hands,
    check_names,
    check_prices,
    check_types,
    check_abilities,
)


def validated(data: object, source: str) -> dict[str, Any]:
    """Return the data of a file as JSON values in a fixed order, without defaults; raises ComponentError."""
    return checks.check_file(data, source, _FILE, checks.provenance(_FILE), _INVARIANTS)
