"""Names in component files, positions and actions, and the limits of component files.

State arrays and constants hold indices into these tuples. The functions return the names that a file chooses (spaces,
card types, buildings, colours) in the order of action ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

#: Kinds of coins, which are also the results of dice; all counts have this order.
KINDS: Final = ("bronze", "silver", "gold")
BRONZE, SILVER, GOLD = range(3)

#: Kinds of spaces in acting order; two of them are the sides of the Stadium, which acts as one area.
AREAS: Final = (
    "dolus", "pecunia", "equi", "servi", "potentia", "arena", "gold", "silver", "theatrum", "forum", "latro", "portus",
)  # fmt: skip
(
    DOLUS, PECUNIA, EQUI, SERVI, POTENTIA, ARENA, STADIUM_GOLD, STADIUM_SILVER, THEATRUM, FORUM, LATRO, PORTUS,
) = range(12)  # fmt: skip

#: Sides of the Stadium; a side has the coins and counts the results of its kind.
SIDES: Final = ("gold", "silver")

#: Groups of equi cards; a horse counts on its side: group 0 with side 0, group 1 with side 1.
EQUI_GROUPS: Final = ("gold_horse", "silver_horse", "weapon")
GOLD_HORSE, SILVER_HORSE, WEAPON = range(3)

BUILDING_KINDS: Final = ("villa", "workshop", "money_house")
VILLA, WORKSHOP, MONEY_HOUSE = range(3)

PHASES: Final = (
    "place", "pecunia", "equi", "servi", "arena_cards", "arena_dice", "arena_prize", "stadium_cards", "stadium_prize",
    "auction", "forum", "portus", "over",
)  # fmt: skip
(
    PLACE, PECUNIA_PHASE, EQUI_PHASE, SERVI_PHASE, ARENA_CARDS, ARENA_DICE, ARENA_PRIZE, STADIUM_CARDS, STADIUM_PRIZE,
    AUCTION, FORUM_PHASE, PORTUS_PHASE, OVER,
) = range(13)  # fmt: skip

#: Possible numbers of players (A1).
SEATS: Final = (3, 4, 5)
MAX_PLAYERS: Final = 5

# Limits of a component file: the sizes of arrays in states and constants. They make a state of 512 bytes, the limit.
MAX_ROUNDS: Final = 8
MAX_FOLLOWERS: Final = 9
MAX_DICE: Final = 12
MAX_EQUI_SPACES: Final = 4
MAX_SERVI_SPACES: Final = 5
MAX_ARENA_SPACES: Final = 6
MAX_SIDE_SPACES: Final = 5
MAX_FORUM_SPACES: Final = 8
MAX_BUYS: Final = 9
#: dolus, pecunia, potentia, theatrum, latro, and the areas of several spaces.
MAX_SPACES: Final = (
    5 + MAX_EQUI_SPACES + MAX_SERVI_SPACES + MAX_ARENA_SPACES + 2 * MAX_SIDE_SPACES + MAX_FORUM_SPACES + len(KINDS)
)
MAX_EXCHANGES: Final = len(KINDS) * (len(KINDS) - 1)
MAX_SLAVES: Final = 2
MAX_SLAVE_CARDS: Final = 30
MAX_EQUI_FACES: Final = 8
MAX_EQUI_CARDS: Final = 24
MAX_EQUI_STRENGTH: Final = 9
#: Most coins of a kind, or slaves, that a building may cost.
MAX_COST: Final = 99
MAX_COLOURS: Final = 8
MAX_STADIUM_CARDS: Final = 2 * MAX_ROUNDS
MAX_THEATRE_CARDS: Final = 12
MAX_BUILDINGS: Final = 36


def space_names(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the spaces of a file by area, areas and spaces in acting order."""
    mercatus, stadium = data["mercatus"], data["stadium"]
    numbered = {"arena": data["arena"]["spaces"], "gold": stadium["gold"], "silver": stadium["silver"],
                "forum": data["forum"]["spaces"]}  # fmt: skip
    named = {"equi": mercatus["equi"], "servi": [space["name"] for space in mercatus["servi"]],
             "portus": data["portus"]["spaces"]}  # fmt: skip
    several = {area: range(1, len(spaces) + 1) for area, spaces in numbered.items()} | named
    return {area: tuple(f"{area}_{end}" for end in several[area]) if area in several else (area,) for area in AREAS}


def slave_faces(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types of a file's slave cards, ascending."""
    return tuple(f"slave_{slaves}" for slaves in sorted(data["slave_cards"]))


def equi_faces(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types of a file's equi cards: by group, then by strength."""
    return tuple(f"{group}_{strength}" for group in EQUI_GROUPS for strength in sorted(data["equi_cards"][group]))


def stadium_faces(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types of a file's stadium cards: its colours, then its laurels."""
    cards = data["stadium_cards"]
    return (*cards["colours"], *(f"laurel_{points}" for points in cards["laurels"]))


def theatre_faces(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a file's theatre cards."""
    return tuple("_".join(pair) for pair in data["theatre_cards"]["pairs"])


def exchange_names(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a file's exchanges as ``give get``."""
    return tuple(f"{next(iter(swap['give']))} {next(iter(swap['get']))}" for swap in data["mercatus"]["exchanges"])


def most_cards(data: Mapping[str, Any]) -> int:
    """Return the most cards of one purchase."""
    return max(1, *(int(space["max"]) for space in data["mercatus"]["servi"]))
