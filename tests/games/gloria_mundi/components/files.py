"""The component files of the tests, and bad files with their errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from porta_nigra_env.games.gloria_mundi.components import load as module
from porta_nigra_env.games.gloria_mundi.components.names import STONES
from tests.games.component_files import DROP, Key

FOLDER: Final = Path(module.__file__).parent
STANDARD: Final = FOLDER / "standard.toml"
OTHER: Final = Path(__file__).with_name("other.toml")
FILES: Final = pytest.mark.parametrize("path", [STANDARD, OTHER], ids=["standard", "other"])

CARDS: Final[Key] = ("building_cards",)
#: Places of a few cards in the standard file, and how the row of each is called.
VILLA, EMPORIUM, AGER, GRANARIUM, CIRCUS, ARCHITECTUS, VALLUM = 0, 5, 10, 13, 27, 45, 51
_NAMES: Final = {
    VILLA: "villa_rustica", EMPORIUM: "emporium_rusticum", AGER: "ager_publicus", GRANARIUM: "granarium",
    CIRCUS: "circus", ARCHITECTUS: "architectus", VALLUM: "vallum",
}  # fmt: skip

#: Changes of the standard data, the place in the error, and the fix in the error.
Bad = tuple[dict[Key, Any], str, str]


def card(number: int, field: str = "") -> str:
    """The place of a card, or of a field of it."""
    row = f"table [building_cards], row {number + 1} ({_NAMES[number]})"
    return f"{row}, field {field}" if field else row


def ability(number: int, written: Any, field: str, right: str) -> Bad:
    """Return a card with another ability, the wrong field, and the fix."""
    return ({(*CARDS, number, "ability"): written}, card(number, f"ability.{field}" if field else "ability"), right)


def missing(*key: str | int, place: str) -> Bad:
    """A value that has to stand there and does not."""
    return ({key: DROP}, place, "add it")


def give(**sides: Any) -> dict[str, Any]:
    """An ability that gives."""
    return {"kind": "give", **sides}


ONE = {"food": 1}
TWO = ["food", "gold"]

BAD_TABLES: Final[list[Bad]] = [
    # top level
    ({("name",): "My Box"}, "field name", "a-z, 0-9 and _"),
    ({("name",): DROP}, "table [name]", "add it"),
    ({("edition",): " "}, "field edition", "a text"),
    ({("edition",): DROP}, "table [edition]", "add it"),
    *[missing(part, place=f"table [{part}]")
      for part in ("constants", "forum", "supply", "base_cards", "hands", "tracks", "building_cards", "provenance")],
    ({("building_card",): []}, "table [building_card]", "did you mean building_cards?"),
    ({("forum",): [5, 4]}, "table [forum]", "give a table with extra"),
    # provenance
    ({("provenance", "hands"): DROP}, "table [provenance], row hands", "add it"),
    ({("provenance", "hands"): "guess"}, "table [provenance], row hands", "rulebook, reconstruction, printed"),
    ({("provenance", "hand"): "printed"}, "table [provenance], row hand", "did you mean hands?"),
    # constants
    ({("constants", "players"): DROP}, "table [constants], field players", "add it"),
    ({("constants", "players"): [2, 5]}, "table [constants], field players", "give [2, 6]"),
    ({("constants", "players"): [2, 3, 4, 5, 6]}, "table [constants], field players", "give [2, 6]"),
    ({("constants", "players"): [2, 6.0]}, "table [constants], field players", "give [2, 6]"),
    ({("constants", "start_stone"): {}}, "table [constants], field start_stone", "did you mean start_stones?"),
    *[missing("constants", "start_stones", stone, place=f"table [constants], field start_stones.{stone}")
      for stone in STONES],
    ({("constants", "start_stones", "food"): 100}, "table [constants], field start_stones.food", "0 to 99"),
    ({("constants", "start_stones", "food"): -1}, "table [constants], field start_stones.food", "0 to 99"),
    ({("constants", "start_stones", "food"): True}, "table [constants], field start_stones.food", "0 to 99"),
    ({("constants", "start_stones", "wood"): 1}, "table [constants], field start_stones.wood", "did you mean food?"),
    ({("constants", "start_display", "city"): DROP}, "table [constants], field start_display.city", "add it"),
    ({("constants", "start_display", "city"): 100}, "table [constants], field start_display.city", "0 to 99"),
    ({("constants", "forum_start_cards"): 7}, "table [constants], field forum_start_cards", "0 to 6"),
    ({("constants", "forum_start_cards"): -1}, "table [constants], field forum_start_cards", "0 to 6"),
    # forum
    ({("forum", "extra"): [5, 4, 3, 2, 1]}, "table [forum], field extra", "a list of 6"),
    ({("forum", "extra"): [10, 4, 3, 2, 1, 0]}, "table [forum], field extra.1", "0 to 9"),
    ({("forum", "extra", 5): -1}, "table [forum], field extra.6", "0 to 9"),
    ({("forum", "extra"): [5, 4, 3, 3, 1, 0]}, "table [forum], field extra.4", "six different numbers"),
    ({("forum", "extra"): [0, 1, 2, 3, 4, 5]}, "table [forum], field extra.2", "the largest first"),
    # supply and base cards
    ({("supply", "glory"): DROP}, "table [supply], field glory", "add it"),
    ({("supply", "glory"): -1}, "table [supply], field glory", "0 to 9999"),
    ({("base_cards", "farm"): DROP}, "table [base_cards], field farm", "add it"),
    ({("base_cards", "farm"): "30"}, "table [base_cards], field farm", "0 to 9999"),
    ({("base_cards", "farm"): 29}, "table [hands], row 5, field farm", "give more in base_cards.farm"),
    # hands
    ({("hands", "4"): DROP}, "table [hands], row 4", "add it"),
    ({("hands", "7"): {}}, "table [hands], row 7", "give one of 2, 3, 4, 5, 6"),
    ({("hands", "4", "peace"): DROP}, "table [hands], row 4, field peace", "add it"),
    ({("hands", "4", "peace"): 100}, "table [hands], row 4, field peace", "0 to 99"),
    ({("hands", "4", "peace"): 0}, "table [hands], row 4, field peace", "give at least 1"),
    ({("constants", "start_display", "city"): 4}, "table [hands], row 6, field city", "give at least 4"),
    ({("hands", "2", "city"): 11}, "table [hands], row 2, field city", "base_cards.city"),
    # tracks
    ({("tracks", "escape_steps"): 0}, "table [tracks], field escape_steps", "1 to 99"),
    ({("tracks", "escape_steps"): 100}, "table [tracks], field escape_steps", "1 to 99"),
    ({("tracks", "goth"): []}, "table [tracks], field goth", "a list of 1 to 60"),
    ({("tracks", "goth"): ["F"] * 61}, "table [tracks], field goth", "a list of 1 to 60"),
    ({("tracks", "goth", 3): ""}, "table [tracks], field goth.4", "1 to 3 letters of F, C, P"),
    ({("tracks", "goth", 3): "FCPF"}, "table [tracks], field goth.4", "1 to 3 letters of F, C, P"),
    ({("tracks", "goth", 3): "f"}, "table [tracks], field goth.4", "1 to 3 letters of F, C, P"),
    ({("tracks", "goth", 3): 1}, "table [tracks], field goth.4", "1 to 3 letters of F, C, P"),
]  # fmt: skip

BAD_CARDS: Final[list[Bad]] = [
    ({(*CARDS, 56): DROP}, "table [building_cards]", "a list of 57"),
    ({(*CARDS, 57): {"name": "one_more"}}, "table [building_cards]", "a list of 57"),
    *[missing(*CARDS, VILLA, field, place=card(VILLA, field))
      for field in ("type", "price", "steps", "ability")],
    ({(*CARDS, VILLA, "cost"): {}}, card(VILLA, "cost"), "name, type, price, steps, ability"),
    ({(*CARDS, VILLA, "name"): "Villa"}, "table [building_cards], row 1 (Villa), field name", "a-z, 0-9 and _"),
    ({(*CARDS, 1, "name"): "villa_rustica"}, "table [building_cards], row 2 (villa_rustica), field name", "its own"),
    *[({(*CARDS, VILLA, "name"): name}, f"table [building_cards], row 1 ({name}), field name", "another name")
      for name in ("food", "gold", "peace", "glory", "farm", "city")],
    ({(*CARDS, VILLA, "type"): "red"}, card(VILLA, "type"), "farm, city, peace, builder, wall"),
    ({(*CARDS, VILLA, "steps"): 10}, card(VILLA, "steps"), "0 to 9"),
    ({(*CARDS, VILLA, "price", "food"): 10}, card(VILLA, "price.food"), "0 to 9"),
    ({(*CARDS, VILLA, "price", "steps"): 1}, card(VILLA, "price.steps"), "food, gold, peace, glory"),
    ({(*CARDS, VILLA, "price"): {}}, card(VILLA, "price"), "at least 1"),
    ({(*CARDS, VILLA, "price"): {"food": 0}}, card(VILLA, "price"), "at least 1"),
    ({(*CARDS, VILLA, "price"): {"food": 9, "gold": 2}}, card(VILLA, "price"), "at most 15"),
    ({("forum", "extra"): [9, 4, 3, 2, 1, 0]}, "table [building_cards], row 3 (vinea), field price", "at most 15"),
    ({(*CARDS, VILLA, "source"): ""}, card(VILLA, "source"), "a text"),
    # walls
    ({(*CARDS, VALLUM, "protects"): DROP}, card(VALLUM, "protects"), "farm, city, peace"),
    ({(*CARDS, VALLUM, "protects"): "food"}, card(VALLUM, "protects"), "farm, city, peace"),
    ({(*CARDS, VILLA, "protects"): "farm"}, card(VILLA, "protects"), "leave it out"),
    # the kind of an ability
    ability(VILLA, {"gain": ONE}, "kind", "add it"),
    ability(VILLA, "produce", "", "give a table with kind"),
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
    ability(VILLA, {"kind": "produce", "gain": {"step": 1}}, "gain.step", "did you mean steps?"),
    ability(VILLA, {"kind": "produce", "choose": ["food"], "count": 1}, "choose", "a list of 2 to 4"),
    ability(VILLA, {"kind": "produce", "choose": ["food", "food"], "count": 1}, "choose.2", "only once"),
    ability(VILLA, {"kind": "produce", "choose": ["food", "steps"], "count": 1}, "choose.2", "food, gold"),
    ability(VILLA, {"kind": "produce", "choose": TWO, "count": 0}, "count", "1 to 9"),
    ability(VILLA, {"kind": "produce", "choose": TWO, "count": 10}, "count", "1 to 9"),
    ability(VILLA, give(pay={}, gain=ONE), "pay", "at least 1 of food, gold, peace, glory"),
    ability(VILLA, give(pay={"steps": 1}, gain=ONE), "pay.steps", "food, gold, peace, glory"),
    ability(VILLA, give(pay={"food": 10}, gain={"gold": 1}), "pay.food", "1 to 9"),
    ability(VILLA, give(pay_choose=["food"], pay_count=1, gain=ONE), "pay_choose", "a list of 2 to 4"),
    ability(VILLA, give(pay_choose=["food", "food"], pay_count=1, gain=ONE), "pay_choose.2", "only once"),
    ability(VILLA, give(pay_choose=TWO, pay_count=10, gain=ONE), "pay_count", "1 to 9"),
    ability(ARCHITECTUS, {"kind": "replace", "use": [], "for": ["food"]}, "use", "a list of 1 to 4"),
    ability(ARCHITECTUS, {"kind": "replace", "use": ["food"], "for": TWO * 2}, "for.3", "only once"),
    ability(ARCHITECTUS, {"kind": "replace", "use": ["food"], "for": ["farm"]}, "for.1", "food, gold, peace, glory"),
    # checks across fields
    ability(AGER, {"kind": "fulfil", "each_other": "city", "gain": ONE}, "each_other", "give farm, its own type (G19)"),
    ability(VILLA, give(pay=ONE, gain_card="steps"), "gain_card", "give it with pay_card"),
    ability(VILLA, give(pay_choose=TWO, pay_count=1, gain_card="price"), "gain_card", "give it with pay_card"),
    ability(VILLA, {"kind": "produce", "gain": ONE, "repeat": True}, "repeat", "leave it out"),
    ability(VILLA, {"kind": "have", "per": "farm", "gain": ONE, "repeat": False}, "repeat", "leave it out"),
    ability(AGER, {"kind": "fulfil", "goth": "farm", "gain": ONE, "repeat": True}, "repeat", "leave it out"),
    ability(VALLUM, {"kind": "wall", "repeat": True}, "repeat", "leave it out"),
    ability(EMPORIUM, give(pay=ONE, gain={"gold": 1}, repeat=1), "repeat", "true or false"),
    ability(EMPORIUM, give(pay=ONE, gain={"gold": 1, "food": 1}, repeat=True), "gain", "leave out repeat (G14)"),
    ability(EMPORIUM, give(pay=ONE, choose=TWO, count=1, repeat=True), "choose", "leave out repeat (G14)"),
    ability(EMPORIUM, give(pay_choose=TWO, pay_count=1, gain=ONE, repeat=True), "gain", "leave out repeat (G14)"),
    ability(EMPORIUM, give(pay_choose=TWO, pay_count=9, choose=["gold", "glory"], count=1, repeat=True), "choose",
            "leave out repeat (G14)"),
]  # fmt: skip

#: Changes that pass all checks.
GOOD: Final[list[dict[Key, Any]]] = [
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
