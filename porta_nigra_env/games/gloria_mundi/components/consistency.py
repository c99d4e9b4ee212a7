"""Checks across the fields of a component file, made once every field is valid.

A check takes the data of the whole file and the place of its top; it raises the error of the offending place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from porta_nigra_env.core.positions.checks import Place, distinct_names, joined
from porta_nigra_env.games.gloria_mundi.components.names import BASES, KINDS, MAX_DUE, STONES

Data = Mapping[str, Any]

#: The kinds of abilities that cards of a type may have.
KINDS_OF_TYPE: Final = {**dict.fromkeys(BASES, KINDS[:4]), "builder": ("replace",), "wall": ("wall",)}

# ------------------------------------------------------------------------------------------------ forum and hands


def check_extras(data: Data, top: Place) -> None:
    """Require extras that differ and descend in sliding order."""
    for number, (before, extra) in enumerate(pairwise(data["forum"]["extra"]), 2):
        if extra >= before:
            here = top.at("table", "forum").at("field", f"extra.{number}")
            raise here.error(f"{extra} follows {before}", "give six different numbers, the largest first")


def check_hands(data: Data, top: Place) -> None:
    """Require hands that include the start display (G2) and that the box can deal."""
    for players, hand in data["hands"].items():
        for base, dealt in hand.items():
            here = top.at("table", "hands").at("row", players).at("field", base)
            shown, owned = data["constants"]["start_display"][base], data["base_cards"][base]
            if dealt < shown:
                right = f"give at least {shown}, the cards of constants.start_display (G2)"
                raise here.error(f"{dealt} cards are dealt", right)
            if int(players) * dealt > owned:
                wrong = f"{players} times {dealt} cards are dealt of {owned}"
                raise here.error(wrong, f"deal fewer, or give more in base_cards.{base}")


# ------------------------------------------------------------------------------------------------ building cards


def _cards(data: Data, top: Place) -> Iterator[tuple[Data, Place]]:
    """Yield the building cards and their places."""
    for number, card in enumerate(data["building_cards"], 1):
        yield card, top.at("table", "building_cards").at("row", f"{number} ({card['name']})")


def check_names(data: Data, top: Place) -> None:
    """Require card names that differ from each other and from stones and base types."""
    distinct_names(data["building_cards"], top.at("table", "building_cards"), "building card")
    for card, place in _cards(data, top):
        if card["name"] in (*STONES, *BASES):
            right = f"give another name than {joined(dict.fromkeys((*STONES, *BASES)))}"
            raise place.at("field", "name").error(f"{card['name']} is a stone or a base type", right)


def check_prices(data: Data, top: Place) -> None:
    """Require prices of at least 1 stone that, with the largest extra, a payment can hold."""
    largest = data["forum"]["extra"][0]
    for card, place in _cards(data, top):
        stones = sum(card["price"].values())
        if not stones:
            raise place.at("field", "price").error("the card costs nothing", f"give at least 1 of {joined(STONES)}")
        if stones + largest > MAX_DUE:
            right = f"give at most {MAX_DUE} in all"
            raise place.at("field", "price").error(f"{stones} stones and an extra of {largest}", right)


def check_types(data: Data, top: Place) -> None:
    """Require the abilities of the card's type; walls, and only they, name the base type they protect."""
    for card, place in _cards(data, top):
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
    for card, place in _cards(data, top):
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


CHECKS: Final[tuple[Callable[[Data, Place], None], ...]] = (
    check_extras,
    check_hands,
    check_names,
    check_prices,
    check_types,
    check_abilities,
)
