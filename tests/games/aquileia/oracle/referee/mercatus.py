"""Area I, Mercatus: Dolus, Pecunia, Equi, Servi, Potentia (A18 to A27)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.games.aquileia.oracle.referee.board import KINDS, Space
from tests.games.aquileia.oracle.referee.table import Table

# ------------------------------------------------------------------------------------------------ Dolus, Potentia


def dolus(t: Table, space: Space) -> bool:
    """A21: one coin of the kind on each die."""
    holder = t.p["spaces"][space.name]
    faces = t.chance.dice("dolus", t.board.constants["dolus_red_dice"])
    t.p["dice"]["dolus"] = faces
    for face in faces:
        t.receive(holder, {face: 1})
    return t.go_home("dolus")


def potentia(t: Table, space: Space) -> bool:
    """A27: the holder has the blue dice."""
    t.p["blue_dice"] = {"owner": t.p["spaces"][space.name], "left": t.board.constants["blue_dice"]}
    return t.go_home("potentia")


# ------------------------------------------------------------------------------------------------ Pecunia


def _possible(t: Table, seat: int) -> Iterator[tuple[str, int, str, int]]:
    """A24: exchanges not before the last one made, of coins that were not received here."""
    received, last = t.p["exchange"]["received"], t.p["exchange"]["last"]
    named = [f"{give} {get}" for give, _, get, _ in t.board.exchanges]
    first = 0 if last is None else named.index(last)
    for exchange in t.board.exchanges[first:]:
        give, given, _, _ = exchange
        if t.coins(seat)[give] - received[give] >= given:
            yield exchange


def _ask_at_pecunia(t: Table, holder: int) -> bool:
    if next(_possible(t, holder), None) is not None:
        return t.ask("pecunia", holder)
    t.p["exchange"] = None  # A20, A24: nothing to exchange, or nothing any more
    return t.go_home("pecunia")


def pecunia(t: Table, space: Space) -> bool:
    """A22: the holder may exchange."""
    t.p["exchange"] = {"received": dict.fromkeys(KINDS, 0), "last": None}
    return _ask_at_pecunia(t, t.p["spaces"][space.name])


def exchanges(t: Table) -> Iterator[str]:
    """Yield the possible exchanges."""
    for give, _, get, _ in _possible(t, t.seat):
        yield f"exchange {give} {get}"
    yield "done"  # A19


def answer_exchange(t: Table, action: str) -> bool:
    """One exchange, or the end of it."""
    if action == "done":
        t.p["exchange"] = None
        return t.go_home("pecunia")
    _, give, get = action.split(" ")
    _, given, _, got = next(e for e in t.board.exchanges if (e[0], e[2]) == (give, get))
    state = t.p["exchange"]
    if state["last"] is None:  # A23: once, with the first exchange
        t.me["vp"] += t.board.components["mercatus"]["pecunia_vp"]
    t.pay(t.seat, {give: given})
    t.receive(t.seat, {get: got})
    state["received"][get] += got
    state["last"] = f"{give} {get}"
    return _ask_at_pecunia(t, t.seat)


# ------------------------------------------------------------------------------------------------ Equi


def equi(t: Table, space: Space) -> bool:
    """A25: asked is who has the price, if a card lies there."""
    holder = t.p["spaces"][space.name]
    if t.p["equi"]["row"][space.number] is not None and t.can_pay(holder, t.board.components["mercatus"]["equi_price"]):
        return t.ask("equi", holder)
    return t.go_home("equi")


def equi_choices(t: Table) -> Iterator[str]:
    """A25, A19."""
    yield "buy 1"
    yield "pass"


def answer_equi(t: Table, action: str) -> bool:
    """The open card, and on the first space the pile's top card (A25)."""
    space = t.acting_space()
    assert space is not None
    if action == "buy 1":
        t.pay(t.seat, t.board.components["mercatus"]["equi_price"])
        row = t.p["equi"]["row"]
        card, row[space.number] = row[space.number], None  # the gap stays until the clean-up
        t.me["equi"][card] += 1
        t.me["equi_known"][card] += 1  # A6: bought in the open
        second = t.draw_equi(to_hand=True) if space.number == 0 else None
        if second is not None:
            t.me["equi"][second] += 1  # A6: unseen by others
    return t.go_home("equi")


# ------------------------------------------------------------------------------------------------ Servi


def _most(t: Table, seat: int, space: Space) -> int:
    """A26: no more than the space sells, than coins of its kind, than cards there are."""
    piles = t.p["slaves"]
    cards: int = len(piles["draw"]) + sum(piles["discard"].values())
    return min(space.most, t.coins(seat)[space.kind], cards)


def servi(t: Table, space: Space) -> bool:
    """A26: asked is who can buy at least one card."""
    holder = t.p["spaces"][space.name]
    return t.ask("servi", holder) if _most(t, holder, space) > 0 else t.go_home("servi")


def servi_choices(t: Table) -> Iterator[str]:
    """A26, A19."""
    space = t.acting_space()
    assert space is not None
    for cards in range(1, _most(t, t.seat, space) + 1):
        yield f"buy {cards}"
    yield "pass"


def answer_servi(t: Table, action: str) -> bool:
    """Buy cards from the pile, one coin each."""
    space = t.acting_space()
    assert space is not None
    if action != "pass":
        cards = int(action.removeprefix("buy "))
        t.pay(t.seat, {space.kind: cards})
        for _ in range(cards):
            t.draw_slave(t.seat)
    return t.go_home("servi")
