"""Area V, Forum: buildings (A41 to A46)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from tests.games.aquileia.oracle.referee.board import Space
from tests.games.aquileia.oracle.referee.table import Table


def forum(t: Table, space: Space) -> bool:
    """A43: the holder is always asked."""
    t.p["builds_left"] = space.most
    return t.ask("forum", t.p["spaces"][space.name])


def payment(slaves: dict[str, int], due: int) -> dict[str, int] | None:
    """A44: return the cards that pay for slaves: least surplus, then most doubles; None if the hand is too small."""
    faces = {face: int(face.removeprefix("slave_")) for face, held in slaves.items() if held}
    best: tuple[tuple[int, int], dict[str, int]] | None = None
    for numbers in product(*(range(min(slaves[face], due) + 1) for face in faces)):
        shown = sum(number * worth for number, worth in zip(numbers, faces.values(), strict=True))
        chosen = dict(zip(faces, numbers, strict=True))
        merit = (shown - due, -chosen.get("slave_2", 0))
        if shown >= due and (best is None or merit < best[0]):
            best = merit, chosen
    return None if best is None else best[1]


def _shown(slaves: dict[str, int]) -> int:
    return sum(held * int(face.removeprefix("slave_")) for face, held in slaves.items())


def _can_build(t: Table, building: dict[str, Any]) -> bool:
    """A43: a free site, the coins, the slaves; the houses are looked at before."""
    if building["name"] in t.p["buildings"]:
        return False  # A41: one house on each site
    due = building["cost"].get("slaves", 0)
    return t.can_pay(t.seat, t.board.costs[building["name"]]) and _shown(t.me["slaves"]) >= due


def choices(t: Table) -> Iterator[str]:
    """Yield the possible buildings."""
    houses = sum(owner == t.seat for owner in t.p["buildings"].values())
    if houses < t.board.constants["houses_per_player"]:  # A41
        for name, building in t.board.buildings.items():
            if _can_build(t, building):
                yield f"build {name}"
    yield "pass"  # A43: optional


def answer(t: Table, action: str) -> bool:
    """A46: coins, slave cards, house, value; then the next building, if the space puts up another."""
    if action == "pass":
        t.p["builds_left"] = None  # A43: gives up the rest
        return t.go_home("forum")
    building = t.board.buildings[action.removeprefix("build ")]
    t.pay(t.seat, t.board.costs[building["name"]])
    cards = payment(t.me["slaves"], building["cost"].get("slaves", 0))
    assert cards is not None, "a building that cannot be paid"
    for face, number in cards.items():
        t.discard_slaves(t.seat, [face] * number)  # A45: for this building only, the surplus is lost
    t.p["buildings"][building["name"]] = t.seat
    space = t.acting_space()
    assert space is not None
    if t.board.components["forum"]["spaces"][space.number].get("value", False):
        t.me["vp"] += building["value"]  # A42: the file's value, for all three kinds
    t.p["builds_left"] -= 1
    if t.p["builds_left"] > 0:
        return True  # a new question with the remaining means
    t.p["builds_left"] = None
    return t.go_home("forum")
