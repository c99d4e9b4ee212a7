"""Component files of Aquileia in tests: refused and accepted ones."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from porta_nigra_env.games.aquileia.actions import NUM_WORDS
from porta_nigra_env.games.aquileia.components import load as module
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.load import Components, load
from porta_nigra_env.games.aquileia.components.names import BUILDING_KINDS, EQUI_GROUPS, KINDS, SIDES
from tests.games.component_files import DROP, Bad, Changes, ComponentCases, Data, Key, Where, at, bad

STANDARD: Final = Path(module.__file__).with_name("standard.toml")
OTHER: Final = Path(__file__).with_name("other.toml")
FILES: Final = pytest.mark.parametrize("path", [STANDARD, OTHER], ids=["standard", "other"])
SERVI: Key = ("mercatus", "servi")
SWAPS: Key = ("mercatus", "exchanges")
SITES: Key = ("forum", "buildings")
COLOURS: Key = ("stadium_cards", "colours")
PAIRS: Key = ("theatre_cards", "pairs")
MANY_SITES = [{"name": f"mill_{i}", "kind": "workshop", "vp": 1, "value": 1, "cost": {}} for i in range(41)]

_RANGES: Final[dict[Where, tuple[int, int]]] = {
    "constants.rounds": (1, 8),
    "constants.followers_per_player": (1, 9),
    "constants.houses_per_player": (1, 36),
    "constants.dolus_red_dice": (1, 12),
    "constants.contest_red_dice": (1, 12),
    "constants.latro_red_dice": (1, 12),
    "constants.blue_dice": (1, 12),
    "start.gold": (0, 99),
    "die.bronze": (0, 99),
    "mercatus.equi_price.bronze": (0, 9),
    "mercatus.pecunia_vp": (0, 99),
    "mercatus.servi.0.max": (1, 9),
    "arena.spaces.2": (1, 99),
    "arena.prizes.0": (0, 99),
    "arena.vp_per_strength": (0, 99),
    "stadium.silver.0": (1, 99),
    "equi_cards.weapon.3": (0, 24),
    "stadium_cards.colours.white": (1, 16),
    "stadium_cards.laurels.1": (1, 99),
    "forum.spaces.0.builds": (1, 9),
    "forum.buildings.0.value": (0, 99),
    "forum.buildings.0.cost.slaves": (0, 99),
    "forum.buildings.16.vp": (1, 99),
}

_REQUIRED: Final = (
    "forum", "provenance.arena", ("provenance", "forum.spaces"), "constants.rounds", "forum.spaces.0.value",
    "forum.buildings.0.kind", "forum.buildings.0.colour",
)  # fmt: skip

_BAD: Final[list[Bad]] = [
    # provenance
    bad("provenance.arena", "guess", "rulebook, reconstruction, printed"),
    # constants
    bad("constants.players", [3, 4], "give [3, 4, 5]"),
    bad("constants.players", [3, 4, 5.0], "give [3, 4, 5]"),
    # start and dice
    bad("die", {}, "give at least 1 of bronze, silver, gold"),
    bad("die", dict.fromkeys(KINDS, 0), "give at least 1 of bronze, silver, gold"),
    # mercatus
    bad("mercatus.equi", [], "a list of 1 to 4"),
    bad("mercatus.equi.1", "left", "only once"),
    bad("mercatus.servi", [], "a list of 1 to 5"),
    bad("mercatus.servi.0.coin", "goldd", "did you mean gold?"),
    ({"mercatus.servi.0.name": "middle"}, "mercatus.servi.1.name", "its own"),
    bad("mercatus.exchanges", [], "a list of 1 to 6"),
    ({"mercatus.exchanges.6": {"give": {"gold": 1}, "get": {"silver": 1}}}, "mercatus.exchanges", "1 to 6"),
    bad("mercatus.exchanges.2.get", {"silver": 1}, "another kind"),
    bad("mercatus.exchanges.2.get", {"bronze": 1, "gold": 1}, "one kind"),
    bad("mercatus.exchanges.2.get", {}, "at least 1"),
    ({"mercatus.exchanges.2.give.silver": 0}, "mercatus.exchanges.2.give", "at least 1"),
    ({"mercatus.exchanges.1.get": {"silver": 2}}, "mercatus.exchanges.1", "leave one of the two out"),
    # arena and stadium
    bad("arena.spaces", [], "a list of 1 to 6"),
    bad("arena.prizes", [3, 2], "a list of 3"),
    bad("stadium.gold", [1] * 6, "a list of 1 to 5"),
    # portus
    bad("portus.spaces", [], "a list of 1 to 3"),
    bad("portus.spaces.1", "bronze", "only once"),
    # cards
    bad("slave_cards", {"1": 0}, "add up to 1 to 30"),
    ({"slave_cards.1": 30}, "slave_cards", "add up to 1 to 30"),
    ({"equi_cards.weapon.3": 9}, "equi_cards", "add up to 1 to 24"),
    bad("equi_cards", {}, "add up to 1 to 24"),
    bad("equi_cards", {group: {str(strength): 1 for strength in range(1, 4)} for group in EQUI_GROUPS}, "at most 8"),
    ({"stadium_cards.colours.white": 3}, "stadium_cards", "give 12: two for each round"),
    ({"constants.rounds": 5}, "stadium_cards", "give 10: two for each round"),
    bad("stadium_cards.colours", {"white": 8}, "2 to 8 colours"),
    bad("stadium_cards.colours", {f"c{i}": 1 for i in range(9)}, "2 to 8 colours"),
    ({"stadium_cards.colours.Off White": 1}, "stadium_cards.colours", "a-z, 0-9 and _"),
    bad("stadium_cards.laurels.1", 10, "only once"),
    ({"stadium_cards.colours": {"laurel_10": 2, "white": 2, "blue": 2, "yellow": 1, "purple": 1}},
     "stadium_cards.colours.laurel_10", "another name"),
    ({"theatre_cards.pairs.1": ["blue", "blue"]}, "theatre_cards.pairs.1.1", "two different colours"),
    bad("theatre_cards.pairs.1", ["blue", "white"], "every pair only once"),
    ({"theatre_cards.pairs.1": ["blue", "whit"]}, "theatre_cards.pairs.1.1", "did you mean white?"),
    bad("theatre_cards.pairs.1", ["blue"], "give a list [first, second]"),
    ({"theatre_cards.pairs.5": DROP}, "theatre_cards.pairs", "give at least 6"),
    bad("theatre_cards.pairs", [], "a list of 1 to 12"),
    ({"stadium_cards.colours": {"a": 2, "a_b": 2, "b_c": 2, "c": 2}, "forum.buildings": MANY_SITES[:1],
     "theatre_cards.pairs": [["a", "b_c"], ["a_b", "c"], ["a", "c"], ["a", "a_b"], ["c", "b_c"], ["a_b", "b_c"]]},
     "theatre_cards.pairs.1", "other names"),
    # forum
    bad("forum.spaces", [], "a list of 1 to 8"),
    bad("forum.buildings", [], "a list of 1 to 36"),
    bad("forum.buildings", MANY_SITES, "a list of 1 to 36"),
    bad("forum.buildings.0.kind", "temple", "villa"),
    bad("forum.buildings.0.colour", "bleu", "did you mean blue?"),
    bad("forum.buildings.0.vp", 2, "leave it out"),
    ({"forum.buildings.0.name": "villa_white_8"}, "forum.buildings.1.name", "its own"),
    bad("forum.buildings.24.pays", {}, "at least 1"),
    # amounts that a state cannot hold
    ({"arena.vp_per_strength": 99}, "arena", "lower the numbers"),
    ({"forum.buildings": [site | {"vp": 99} for site in MANY_SITES[:36]]}, "forum", "lower the numbers"),
    ({"mercatus.exchanges.0.get.silver": 5}, "mercatus", "lower the numbers"),
]  # fmt: skip

_GOOD: Final[list[Changes]] = [
    {("constants", "followers_per_player"): 9, ("constants", "houses_per_player"): 36},
    {("constants", name): 12 for name in ("dolus_red_dice", "contest_red_dice", "latro_red_dice", "blue_dice")},
    {("die",): {"gold": 1}},
    {("start",): {}},
    {("mercatus", "equi"): ["only"], ("mercatus", "equi_price"): {}},
    {("mercatus", "equi"): [*"abcd"], SERVI: [{"name": "x", "coin": "gold", "max": 9}]},
    {SWAPS: [{"give": {"gold": 1}, "get": {"silver": 2}}]},
    {(*SWAPS, 2, "get", "bronze"): 0, (*SWAPS, 2, "get", "gold"): 1, (*SWAPS, 3): DROP},
    {("arena", "spaces"): [3], ("stadium", "gold"): [2], ("stadium", "silver"): [9] * 5},
    {("arena", "prizes"): [0, 0, 0], ("arena", "vp_per_strength"): 0},
    {("portus", "spaces"): ["silver"]},
    {("slave_cards",): {"1": 3}},
    {("slave_cards", "1"): DROP},
    {("equi_cards",): {"weapon": {"2": 1}}},
    {("equi_cards", "weapon", "9"): 7},
    {("stadium_cards", "laurels"): [], (*COLOURS, "white"): 6},
    {("constants", "rounds"): 8, (*COLOURS, "white"): 6, ("theatre_cards", "pairs"): [["white", "blue"], ["white",
     "yellow"], ["white", "purple"], ["white", "red"], ["blue", "yellow"], ["blue", "purple"], ["blue", "red"],
     ["yellow", "purple"]], (*COLOURS, "red"): 1, ("stadium_cards", "laurels"): [1, 2, 3]},
    {("constants", "rounds"): 1, COLOURS: {"white": 1, "blue": 1}, ("stadium_cards", "laurels"): [],
     PAIRS: [["white", "blue"]], SITES: MANY_SITES[:36]},
    {("forum", "spaces"): [{"builds": 9, "value": True}] * 8},
    {(*SITES, 0, "cost"): {}, (*SITES, 0, "value"): 0},
    {("provenance", "forum"): "printed", ("provenance", "forum.spaces"): DROP},
]  # fmt: skip


def within_bounds(components: Components) -> None:
    """A set fits into action ids and states."""
    assert components.actions.size <= 64 * NUM_WORDS
    assert len(components.spaces) <= names.MAX_SPACES
    assert components.constants["num_slave_cards"][0] <= names.MAX_SLAVE_CARDS
    assert components.constants["num_equi_cards"][0] <= names.MAX_EQUI_CARDS
    assert (
        components.constants["stadium_copies"].sum() == 2 * components.constants["rounds"][0] <= names.MAX_STADIUM_CARDS
    )


def orders(data: Data) -> list[Changes]:
    """Reverse lists; names and action ids follow their orders."""
    lists = ("mercatus.servi", "mercatus.exchanges", "portus.spaces", "stadium_cards.laurels", "theatre_cards.pairs",
             "forum.buildings")  # fmt: skip
    colours = dict(reversed(data["stadium_cards"]["colours"].items()))
    return [*({path: at(data, path)[::-1]} for path in lists), {"stadium_cards.colours": colours}]


def write_out(data: Data) -> None:
    """Write defaults."""
    data["slave_cards"].setdefault("1", 0)
    data["equi_cards"]["weapon"].setdefault("9", 0)
    for building in data["forum"]["buildings"]:
        building["cost"] = dict.fromkeys((*KINDS, "slaves"), 0) | building["cost"]


CASES: Final = ComponentCases(
    game="aquileia",
    rows={("provenance",): 1, SERVI: 2, SWAPS: 2, PAIRS: 2, SITES: 2, ("forum", "spaces"): 2},
    entries={("theatre_cards", 3): ("first", "second")},
    ranges=_RANGES,
    required=_REQUIRED,
    bad=_BAD,
    good=_GOOD,
    families=(KINDS, load(STANDARD).colours, load(OTHER).colours),
    words=(*KINDS, *SIDES, *EQUI_GROUPS, *BUILDING_KINDS, "white", "laurels", "name", "kind", "cost", "value", "1"),
    least={"name": 1, "constants": 6, "start": 3, "die": 3, "mercatus": 9, "arena": 6, "stadium": 7,
           "slave_cards": 1, "equi_cards": 5, "stadium_cards": 2, "forum": 60},
    unread=lambda key: key[:2] == ("mercatus", "equi"),
    labels={"provenance.portus": "printed"},
    ordered=("colours",),
    orders=orders,
    written_out=write_out,
    check_bounds=within_bounds,
)  # fmt: skip
