"""The content of a component file, in the names of positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

KINDS = ("bronze", "silver", "gold")
SIDES = ("gold", "silver")
#: Areas that act before or in area III, which is not over while a follower stands there.
BEFORE_THE_RACE = frozenset({"dolus", "pecunia", "equi", "servi", "potentia", "arena"})


class Space(NamedTuple):
    """A space of the board.

    Attributes:
        name: in positions.
        area: `equi`, `arena`, `forum`, ...
        number: from 0, among those of its area.
        strength: in a contest.
        kind: the side in the Stadium, the coin at Servi and in the Portus, "" elsewhere.
        most: cards at Servi, buildings in the Forum.
    """

    name: str
    area: str
    number: int = 0
    strength: int = 0
    kind: str = ""
    most: int = 0


class Board:
    """Everything that a component file fixes."""

    def __init__(self, components: dict[str, Any]) -> None:
        self.components = components
        self.constants: dict[str, Any] = components["constants"]
        self.spaces: dict[str, Space] = {space.name: space for space in _spaces(components)}
        self.coin_spaces = [space for space in self.spaces.values() if space.area == "portus"]
        self.like = {name: self._alike(space) for name, space in self.spaces.items()}
        self.die: dict[str, int] = components["die"]
        self.slaves = {f"slave_{slaves}": int(slaves) for slaves in sorted(components["slave_cards"])}
        groups = components["equi_cards"]
        self.equi = {
            f"{group}_{strength}": (group, strength)
            for group in ("gold_horse", "silver_horse", "weapon")
            for strength in sorted(map(int, groups.get(group, {})))
        }
        # A29, A33: the cards that count for a fight or on a side, in the order in which they are played.
        weapons = {face: strength for face, (group, strength) in self.equi.items() if group == "weapon"}
        self.fighting = {**self.slaves, **weapons}
        self.racing = {
            side: {face: strength for face, (group, strength) in self.equi.items() if group == f"{side}_horse"}
            for side in SIDES
        }
        self.exchanges = [_exchange(entry) for entry in components["mercatus"]["exchanges"]]
        self.buildings: dict[str, dict[str, Any]] = {b["name"]: b for b in components["forum"]["buildings"]}
        self.costs = {name: amounts(building["cost"]) for name, building in self.buildings.items()}
        self.villas = {name: (b["colour"], b["value"]) for name, b in self.buildings.items() if b["kind"] == "villa"}
        self.colours: list[str] = list(components["stadium_cards"]["colours"])
        self.laurels = {f"laurel_{points}": points for points in components["stadium_cards"]["laurels"]}
        self.theatre = {"_".join(pair): tuple(pair) for pair in components["theatre_cards"]["pairs"]}

    def _alike(self, space: Space) -> list[str]:
        """A13: the spaces that act as this one does, itself included, in acting order."""
        if space.area not in ("arena", "stadium"):
            return [space.name]
        what = (space.area, space.kind, space.strength)
        return [other.name for other in self.spaces.values() if (other.area, other.kind, other.strength) == what]

    def slave_deck(self) -> Counter[str]:
        """Return the number of slave cards by type."""
        return Counter({f"slave_{slaves}": n for slaves, n in self.components["slave_cards"].items()})

    def equi_deck(self) -> Counter[str]:
        """Return the number of equi cards by type."""
        groups = self.components["equi_cards"]
        return Counter({f"{group}_{strength}": n for group in groups for strength, n in groups[group].items()})

    def stadium_deck(self) -> Counter[str]:
        """Return the number of stadium cards by type."""
        return Counter(self.components["stadium_cards"]["colours"]) + Counter(list(self.laurels))


def amounts(coins: dict[str, Any]) -> dict[str, int]:
    """Return the amounts of all kinds; a missing kind has 0."""
    return {kind: coins.get(kind, 0) for kind in KINDS}


def _exchange(entry: dict[str, Any]) -> tuple[str, int, str, int]:
    """(kind given, amount, kind got, amount) of an exchange."""
    give, get = (next((kind, n) for kind, n in entry[side].items() if n) for side in ("give", "get"))
    return (*give, *get)


def _spaces(components: dict[str, Any]) -> Iterator[Space]:
    """All spaces in acting order (A18)."""
    mercatus, stadium, forum = components["mercatus"], components["stadium"], components["forum"]
    yield Space("dolus", "dolus")
    yield Space("pecunia", "pecunia")
    for i, name in enumerate(mercatus["equi"]):
        yield Space(f"equi_{name}", "equi", i)
    for i, entry in enumerate(mercatus["servi"]):
        yield Space(f"servi_{entry['name']}", "servi", i, kind=entry["coin"], most=entry["max"])
    yield Space("potentia", "potentia")
    for i, strength in enumerate(components["arena"]["spaces"]):
        yield Space(f"arena_{i + 1}", "arena", i, strength)
    for side in SIDES:
        for i, strength in enumerate(stadium[side]):
            yield Space(f"{side}_{i + 1}", "stadium", i, strength, side)
    yield Space("theatrum", "theatrum")
    for i, entry in enumerate(forum["spaces"]):
        yield Space(f"forum_{i + 1}", "forum", i, most=entry["builds"])
    yield Space("latro", "latro")
    for i, kind in enumerate(components["portus"]["spaces"]):
        yield Space(f"portus_{kind}", "portus", i, kind=kind)
