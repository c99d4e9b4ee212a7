"""Area VI, Portus: the thief and the activations (A47 to A49)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.games.aquileia.oracle.referee.board import Space, amounts
from tests.games.aquileia.oracle.referee.table import Table


def latro(t: Table, space: Space) -> bool:
    """A47: the coin of each rolled kind that lies under a follower, also the thief's own."""
    holder = t.p["spaces"][space.name]
    faces = t.chance.dice("latro", t.board.constants["latro_red_dice"])
    t.p["dice"]["latro"] = faces
    stolen = [kind for kind in t.p["portus_coins"] if kind in faces]  # two dice alike: one coin
    t.p["portus_coins"] = [kind for kind in t.p["portus_coins"] if kind not in faces]
    for kind in stolen:
        t.receive(holder, {kind: 1})
    return t.go_home("latro")


def portus(t: Table, space: Space) -> bool:
    """A48: a coin that still lies there is paid without asking; a robbed holder may pay again."""
    holder = t.p["spaces"][space.name]
    if space.kind in t.p["portus_coins"]:
        t.p["portus_coins"].remove(space.kind)  # to the bank, with any buildings
        _activate(t, holder)
    elif t.coins(holder)[space.kind] > 0 and _has_something(t, holder):
        return t.ask("portus", holder)
    return t.go_home("portus")


def choices(t: Table) -> Iterator[str]:
    """A48, A19."""
    yield "activate"
    yield "pass"


def answer(t: Table, action: str) -> bool:
    """A48: the payment precedes the payout."""
    space = t.acting_space()
    assert space is not None
    if action == "activate":
        t.pay(t.seat, {space.kind: 1})
        _activate(t, t.seat)
    return t.go_home("portus")


def _has_something(t: Table, seat: int) -> bool:
    return any(
        owner == seat and t.board.buildings[name]["kind"] in ("workshop", "money_house")
        for name, owner in t.p["buildings"].items()
    )


def _activate(t: Table, seat: int) -> None:
    """A49: all workshops give their VP, all money houses their coins."""
    for name, owner in t.p["buildings"].items():
        building = t.board.buildings[name]
        if owner == seat and building["kind"] == "workshop":
            t.p["players"][seat]["vp"] += building["vp"]
        elif owner == seat and building["kind"] == "money_house":
            t.receive(seat, amounts(building["pays"]))
