"""What ties the fields of a component file together: laws, tried once every field is right by itself.

A law is a function whose docstring states it; it takes the data of the whole file and the place of its top, and raises
the error of the place that breaks it.
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


def extras_descend(data: Data, top: Place) -> None:
    """The extras of the forum's places are different, and descend in sliding order."""
    for number, (before, extra) in enumerate(pairwise(data["forum"]["extra"]), 2):
        if extra >= before:
            here = top.at("table", "forum").at("field", f"extra.{number}")
            raise here.error(f"{extra} stands behind {before}", "give six different numbers, the largest first")


def hands_hold_the_start_display(data: Data, top: Place) -> None:
    """What is laid out at the start comes out of the cards dealt (G2)."""
    for players, hand in data["hands"].items():
        for base, shown in data["constants"]["start_display"].items():
            if hand[base] < shown:
                here = top.at("table", "hands").at("row", players).at("field", base)
                right = f"give at least {shown}, as many as constants.start_display lays out (G2)"
                raise here.error(f"{hand[base]} cards are dealt", right)


def there_are_cards_for_every_deal(data: Data, top: Place) -> None:
    """The box holds the base cards of every number of players."""
    for players, hand in data["hands"].items():
        for base, dealt in hand.items():
            if int(players) * dealt > data["base_cards"][base]:
                here = top.at("table", "hands").at("row", players).at("field", base)
                wrong = f"{players} times {dealt} cards are dealt of {data['base_cards'][base]}"
                raise here.error(wrong, f"deal fewer, or give more in base_cards.{base}")


# ------------------------------------------------------------------------------------------------ building cards


def _cards(data: Data, top: Place) -> Iterator[tuple[Data, Place]]:
    """The building cards, and the place of each."""
    for number, card in enumerate(data["building_cards"], 1):
        yield card, top.at("table", "building_cards").at("row", f"{number} ({card['name']})")


def cards_have_different_names(data: Data, top: Place) -> None:
    """No two building cards have the same name."""
    distinct_names(data["building_cards"], top.at("table", "building_cards"), "building card")


def cards_are_not_called_like_stones_or_bases(data: Data, top: Place) -> None:
    """No building card has the name of a stone or of a base type."""
    for card, place in _cards(data, top):
        if card["name"] in (*STONES, *BASES):
            right = f"give another name than {joined(dict.fromkeys((*STONES, *BASES)))}"
            raise place.at("field", "name").error(f"{card['name']} is a stone or a base type", right)


def prices_can_be_paid(data: Data, top: Place) -> None:
    """A price is 1 stone at least, and with the largest extra no more than a payment can have."""
    largest = data["forum"]["extra"][0]
    for card, place in _cards(data, top):
        stones = sum(card["price"].values())
        if not stones:
            raise place.at("field", "price").error("the card costs nothing", f"give at least 1 of {joined(STONES)}")
        if stones + largest > MAX_DUE:
            right = f"give at most {MAX_DUE} in all"
            raise place.at("field", "price").error(f"{stones} stones and an extra of {largest}", right)


def abilities_are_those_of_the_type(data: Data, top: Place) -> None:
    """Coloured cards produce, give, have or fulfil; builders replace; walls are walls."""
    for card, place in _cards(data, top):
        kinds, kind = KINDS_OF_TYPE[card["type"]], card["ability"]["kind"]
        if kind not in kinds:
            here = place.at("field", "ability").at("field", "kind")
            raise here.error(f"a card of type {card['type']} cannot {kind}", f"give one of {joined(kinds)}")


def walls_protect_a_type(data: Data, top: Place) -> None:
    """A wall names the base type that it protects, and no other card does."""
    for card, place in _cards(data, top):
        here = place.at("field", "protects")
        if card["type"] == "wall" and "protects" not in card:
            raise here.error("is missing", f"add it: one of {joined(BASES)}")
        if card["type"] != "wall" and "protects" in card:
            raise here.error(f"a card of type {card['type']} has none", "leave it out, or give the type wall")


def exclusive_cards_stand_on_the_type_they_name(data: Data, top: Place) -> None:
    """A card that counts each other base card of a type is of this type itself (G19)."""
    for card, place in _cards(data, top):
        named = card["ability"].get("each_other", card["type"])
        if named != card["type"]:
            here = place.at("field", "ability").at("field", "each_other")
            raise here.error(f"{named} on a card of type {card['type']}", f"give {card['type']}, its own type (G19)")


def what_a_card_brings_is_that_of_a_card_given(data: Data, top: Place) -> None:
    """Steps or price of a card are gained only where a card is given up (G17)."""
    for card, place in _cards(data, top):
        if "gain_card" in card["ability"] and "pay_card" not in card["ability"]:
            here = place.at("field", "ability").at("field", "gain_card")
            raise here.error("no card is given up", "give it with pay_card, or another right side (G17)")


def repetitions_come_to_an_end(data: Data, top: Place) -> None:
    """With the printed X no kind of stone is both given and received: it would never end (G14)."""
    for card, place in _cards(data, top):
        ability = card["ability"]
        if ability["kind"] == "give" and "repeat" in ability:
            given = {*ability.get("pay", ()), *ability.get("pay_choose", ())}
            for side in ("gain", "choose"):
                both = [stone for stone in STONES if stone in given and stone in ability.get(side, ())]
                if both:
                    here = place.at("field", "ability").at("field", side)
                    right = "give other kinds, or leave out repeat (G14)"
                    raise here.error(f"{joined(both)} is both given and received again and again", right)


Law = Callable[[Data, Place], None]

LAWS: Final[tuple[Law, ...]] = (
    extras_descend,
    hands_hold_the_start_display,
    there_are_cards_for_every_deal,
    cards_have_different_names,
    cards_are_not_called_like_stones_or_bases,
    prices_can_be_paid,
    abilities_are_those_of_the_type,
    walls_protect_a_type,
    exclusive_cards_stand_on_the_type_they_name,
    what_a_card_brings_is_that_of_a_card_given,
    repetitions_come_to_an_end,
)
