"""Component files of Gloria Mundi in tests: refused and accepted ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from porta_nigra_env.games.gloria_mundi.components import load as module
from porta_nigra_env.games.gloria_mundi.components.names import BASES, KINDS, STONES, TYPES
from tests.games.component_files import DROP, Bad, Changes, ComponentCases, Data, Key, Where, at, bad

STANDARD: Final = Path(module.__file__).with_name("standard.toml")
OTHER: Final = Path(__file__).with_name("other.toml")
FILES: Final = pytest.mark.parametrize("path", [STANDARD, OTHER], ids=["standard", "other"])

CARDS: Final[Key] = ("building_cards",)
#: Indices of a few cards in the standard file.
VILLA, EMPORIUM, AGER, GRANARIUM, CIRCUS, ARCHITECTUS, VALLUM = 0, 5, 10, 13, 27, 45, 51


def ability(number: int, written: Any, field: str, right: str) -> Bad:
    """Return a card with another ability, the wrong field, and the fix."""
    path = f"building_cards.{number}.ability"
    return {path: written}, f"{path}.{field}".rstrip("."), right


def give(**sides: Any) -> dict[str, Any]:
    """An ability that gives."""
    return {"kind": "give", **sides}


ONE = {"food": 1}
TWO = ["food", "gold"]

_RANGES: Final[dict[Where, tuple[int, int]]] = {
    "constants.start_stones.food": (0, 99),
    "constants.start_display.city": (0, 99),
    "constants.forum_start_cards": (0, 6),
    "forum.extra.5": (0, 9),
    "supply.glory": (0, 9999),
    "base_cards.farm": (0, 9999),
    "hands.4.peace": (0, 99),
    "tracks.escape_steps": (1, 99),
    "building_cards.0.steps": (0, 9),
    "building_cards.0.price.food": (0, 9),
}

_REQUIRED: Final = (
    "provenance.hands", "constants.players", "constants.start_display.city", "supply.glory", "base_cards.farm",
    "hands.4", "hands.4.peace", *("forum", "supply", "base_cards", "hands", "tracks", "building_cards"),
    *(f"constants.start_stones.{stone}" for stone in STONES),
    *(f"building_cards.0.{field}" for field in ("type", "price", "steps", "ability")),
)  # fmt: skip

_BAD: Final[list[Bad]] = [
    # provenance
    bad("provenance.hands", "guess", "rulebook, reconstruction, printed"),
    # constants
    bad("constants.players", [2, 5], "give [2, 6]"),
    bad("constants.players", [2, 3, 4, 5, 6], "give [2, 6]"),
    bad("constants.players", [2, 6.0], "give [2, 6]"),
    # forum
    bad("forum.extra", [5, 4, 3, 2, 1], "a list of 6"),
    ({"forum.extra": [5, 4, 3, 3, 1, 0]}, "forum.extra.3", "six different numbers"),
    ({"forum.extra": [0, 1, 2, 3, 4, 5]}, "forum.extra.1", "the largest first"),
    # supply and base cards
    ({"base_cards.farm": 29}, "hands.5.farm", "give more in base_cards.farm"),
    # hands
    bad("hands.4.peace", 0, "give at least 1"),
    ({"constants.start_display.city": 4}, "hands.6.city", "give at least 4"),
    bad("hands.2.city", 11, "base_cards.city"),
    # tracks
    bad("tracks.goth", [], "a list of 1 to 60"),
    bad("tracks.goth", ["F"] * 61, "a list of 1 to 60"),
    bad("tracks.goth.3", "", "1 to 3 letters of F, C, P"),
    bad("tracks.goth.3", "FCPF", "1 to 3 letters of F, C, P"),
    bad("tracks.goth.3", "f", "1 to 3 letters of F, C, P"),
    ({"building_cards.56": DROP}, "building_cards", "a list of 57"),
    bad("building_cards.1.name", "villa_rustica", "its own"),
    *(
        bad("building_cards.0.name", name, "another name")
        for name in ("food", "gold", "peace", "glory", "farm", "city")
    ),
    bad("building_cards.0.type", "red", "farm, city, peace, builder, wall"),
    bad("building_cards.0.price", {}, "at least 1"),
    bad("building_cards.0.price", {"food": 0}, "at least 1"),
    bad("building_cards.0.price", {"food": 9, "gold": 2}, "at most 15"),
    ({"forum.extra": [9, 4, 3, 2, 1, 0]}, "building_cards.2.price", "at most 15"),
    bad("building_cards.0.source", "", "a text"),
    # walls
    bad("building_cards.51.protects", DROP, "farm, city, peace"),
    bad("building_cards.51.protects", "food", "farm, city, peace"),
    bad("building_cards.0.protects", "farm", "leave it out"),
    # the kind of an ability
    ability(VILLA, {"gain": ONE}, "kind", "add it"),
    ability(VILLA, {"kind": "make", "gain": ONE}, "kind", "produce, give, have, fulfil, replace, wall"),
    ability(VILLA, {"kind": "replace", "use": ["food"], "for": ["gold"]}, "kind", "produce, give, have, fulfil"),
    ability(VILLA, {"kind": "wall"}, "kind", "produce, give, have, fulfil"),
    ability(ARCHITECTUS, {"kind": "produce", "gain": ONE}, "kind", "give one of replace"),
    ability(ARCHITECTUS, {"kind": "wall"}, "kind", "give one of replace"),
    ability(VALLUM, {"kind": "produce", "gain": ONE}, "kind", "give one of wall"),
    # one left side where there is any, and one right side
    ability(VILLA, {"kind": "produce"}, "gain", "the right side: gain or choose with count"),
    ability(VILLA, {"kind": "produce", "gain": ONE, "choose": TWO, "count": 1}, "choose", "one right side"),
    ability(VILLA, {"kind": "produce", "pay": ONE, "gain": ONE}, "pay", "leave it out"),
    ability(VILLA, {"kind": "produce", "gain_card": "steps"}, "gain_card", "leave it out"),
    ability(VILLA, {"kind": "produce", "choose": TWO}, "count", "add it"),
    ability(VILLA, {"kind": "produce", "count": 2}, "choose", "add it"),
    ability(VILLA, give(pay=ONE), "gain", "gain or choose with count or gain_card"),
    ability(VILLA, give(gain=ONE), "pay", "pay or pay_choose with pay_count or pay_card"),
    ability(VILLA, give(pay=ONE, pay_card="building", gain=ONE), "pay_card", "one left side"),
    ability(VILLA, give(pay=ONE, pay_choose=TWO, pay_count=1, gain=ONE), "pay_choose", "one left side"),
    ability(VILLA, give(pay_choose=TWO, gain=ONE), "pay_count", "add it"),
    ability(VILLA, give(pay_card="building", gain=ONE, gain_card="price"), "gain_card", "one right side"),
    ability(VILLA, give(pay_card="farm", gain=ONE), "pay_card", "building"),
    ability(VILLA, give(pay_card="building", gain_card="stones"), "gain_card", "did you mean steps?"),
    ability(VILLA, {"kind": "have", "gain": ONE}, "per", "per or per_stone"),
    ability(VILLA, {"kind": "have", "per": "farm", "per_stone": "food", "gain": ONE}, "per_stone", "one left side"),
    ability(VILLA, {"kind": "have", "per": "wall", "gain": ONE}, "per", "farm, city, peace, building"),
    ability(VILLA, {"kind": "have", "per_stone": "steps", "gain": ONE}, "per_stone", "food, gold, peace, glory"),
    ability(VILLA, {"kind": "have", "per": "farm"}, "gain", "the right side: gain"),
    ability(VILLA, {"kind": "have", "per": "farm", "choose": TWO, "count": 1}, "choose", "leave it out"),
    ability(AGER, {"kind": "fulfil", "gain": ONE}, "each_other", "each_other or goth"),
    ability(AGER, {"kind": "fulfil", "each_other": "farm", "goth": "farm", "gain": ONE}, "goth", "one left side"),
    ability(AGER, {"kind": "fulfil", "goth": "rome", "gain": ONE}, "goth", "farm, city, peace"),
    ability(ARCHITECTUS, {"kind": "replace", "use": ["food"]}, "for", "the right side: for"),
    ability(ARCHITECTUS, {"kind": "replace", "for": ["food"]}, "use", "the left side: use"),
    ability(VALLUM, {"kind": "wall", "gain": ONE}, "gain", "leave it out"),
    # counts and lists
    ability(VILLA, {"kind": "produce", "gain": {}}, "gain", "at least 1 of food, gold, peace, glory, steps"),
    ability(VILLA, {"kind": "produce", "gain": {"food": 0}}, "gain.food", "1 to 9"),
    ability(VILLA, {"kind": "produce", "gain": {"food": 10}}, "gain.food", "1 to 9"),
    ability(VILLA, {"kind": "produce", "choose": ["food"], "count": 1}, "choose", "a list of 2 to 4"),
    ability(VILLA, {"kind": "produce", "choose": ["food", "food"], "count": 1}, "choose.1", "only once"),
    ability(VILLA, {"kind": "produce", "choose": ["food", "steps"], "count": 1}, "choose.1", "food, gold"),
    ability(VILLA, {"kind": "produce", "choose": TWO, "count": 0}, "count", "1 to 9"),
    ability(VILLA, {"kind": "produce", "choose": TWO, "count": 10}, "count", "1 to 9"),
    ability(VILLA, give(pay={}, gain=ONE), "pay", "at least 1 of food, gold, peace, glory"),
    ability(VILLA, give(pay={"food": 10}, gain={"gold": 1}), "pay.food", "1 to 9"),
    ability(VILLA, give(pay_choose=["food"], pay_count=1, gain=ONE), "pay_choose", "a list of 2 to 4"),
    ability(VILLA, give(pay_choose=["food", "food"], pay_count=1, gain=ONE), "pay_choose.1", "only once"),
    ability(VILLA, give(pay_choose=TWO, pay_count=10, gain=ONE), "pay_count", "1 to 9"),
    ability(ARCHITECTUS, {"kind": "replace", "use": [], "for": ["food"]}, "use", "a list of 1 to 4"),
    ability(ARCHITECTUS, {"kind": "replace", "use": ["food"], "for": TWO * 2}, "for.2", "only once"),
    ability(ARCHITECTUS, {"kind": "replace", "use": ["food"], "for": ["farm"]}, "for.0", "food, gold, peace, glory"),
    # checks across fields
    ability(AGER, {"kind": "fulfil", "each_other": "city", "gain": ONE}, "each_other", "give farm, its own type (G19)"),
    ability(VILLA, give(pay=ONE, gain_card="steps"), "gain_card", "give it with pay_card"),
    ability(VILLA, give(pay_choose=TWO, pay_count=1, gain_card="price"), "gain_card", "give it with pay_card"),
    ability(VILLA, {"kind": "produce", "gain": ONE, "repeat": True}, "repeat", "leave it out"),
    ability(VILLA, {"kind": "have", "per": "farm", "gain": ONE, "repeat": False}, "repeat", "leave it out"),
    ability(AGER, {"kind": "fulfil", "goth": "farm", "gain": ONE, "repeat": True}, "repeat", "leave it out"),
    ability(VALLUM, {"kind": "wall", "repeat": True}, "repeat", "leave it out"),
    ability(EMPORIUM, give(pay=ONE, gain={"gold": 1, "food": 1}, repeat=True), "gain", "leave out repeat (G14)"),
    ability(EMPORIUM, give(pay=ONE, choose=TWO, count=1, repeat=True), "choose", "leave out repeat (G14)"),
    ability(EMPORIUM, give(pay_choose=TWO, pay_count=1, gain=ONE, repeat=True), "gain", "leave out repeat (G14)"),
    ability(
        EMPORIUM,
        give(pay_choose=TWO, pay_count=9, choose=["gold", "glory"], count=1, repeat=True),
        "choose",
        "leave out repeat (G14)",
    ),
]

_GOOD: Final[list[Changes]] = [
    {("constants", "forum_start_cards"): 6},
    {("constants", "start_stones"): dict.fromkeys(STONES, 99)},
    {("constants", "start_display"): dict.fromkeys(("farm", "city", "peace"), 0)},
    {("constants", "start_display"): {"farm": 5, "city": 3, "peace": 3}},
    {("hands", "2"): {"farm": 1, "city": 1, "peace": 1}},
    {("hands", str(players)): dict.fromkeys(("farm", "city", "peace"), 99) for players in range(2, 7)}
    | {("base_cards",): dict.fromkeys(("farm", "city", "peace"), 594)},
    {("forum", "extra"): [7, 6, 4, 3, 1, 0], (*CARDS, 29, "price"): {"food": 8}},
    {("forum", "extra"): [5, 4, 3, 2, 1, 0], (*CARDS, VILLA, "price"): {"food": 1, "glory": 9}},
    {("tracks", "goth"): ["PPP"]},
    {("tracks", "goth"): ["CFC"] * 60, ("tracks", "escape_steps"): 99},
    {("tracks", "escape_steps"): 1},
    {(*CARDS, VILLA, "name"): "steps", (*CARDS, 1, "name"): "goth", (*CARDS, 2, "name"): "7"},
    {(*CARDS, VILLA, "steps"): 0, (*CARDS, 1, "steps"): 9},
    {(*CARDS, VILLA, "price"): {"glory": 1}},
    {(*CARDS, VILLA, "ability"): {"kind": "produce", "choose": list(STONES), "count": 9}},
    {(*CARDS, VILLA, "ability"): give(pay=ONE, gain={"food": 9})},
    {(*CARDS, VILLA, "ability"): give(pay_card="building", choose=list(STONES), count=9, repeat=True)},
    {(*CARDS, VILLA, "ability"): {"kind": "fulfil", "goth": "city", "gain": {"steps": 9}}},
    {(*CARDS, ARCHITECTUS, "ability"): {"kind": "replace", "use": list(STONES), "for": list(STONES)}},
]


def orders(data: Data) -> list[Changes]:
    """Reverse cards and provinces."""
    return [{path: at(data, path)[::-1]} for path in ("building_cards", "tracks.goth")]


def write_out(data: Data) -> None:
    """Write defaults."""
    for card in data["building_cards"]:
        card["price"] = dict.fromkeys(STONES, 0) | card["price"]
        if card["ability"]["kind"] in ("give", "replace"):
            card["ability"].setdefault("repeat", False)


def unused(key: Key) -> bool:
    """Return True for values without effect, and for two thirds of the cards: the others have every field."""
    return key[0] == "supply" or key[-1] == "source" or (key[0] == "building_cards" and int(key[1]) % 3 > 0)


CASES: Final = ComponentCases(
    game="gloria_mundi",
    rows={("provenance",): 1, ("hands",): 1, CARDS: 1},
    entries={},
    ranges=_RANGES,
    required=_REQUIRED,
    bad=_BAD,
    good=_GOOD,
    families=(STONES, (*BASES, "building"), ("steps", "price")),
    words=(
        *STONES,
        *TYPES,
        *KINDS,
        "building",
        "steps",
        "gain",
        "choose",
        "count",
        "pay",
        "repeat",
        "price",
        "2",
        "FC",
    ),
    least={"name": 1, "constants": 8, "base_cards": 3, "hands": 15, "tracks": 20, "building_cards": 90},
    unused=unused,
    unread=lambda key: key[0] == "base_cards",
    labels={"provenance.hands": "printed", "supply.glory": 7, "building_cards.3.source": "hearsay"},
    orders=orders,
    written_out=write_out,
)
