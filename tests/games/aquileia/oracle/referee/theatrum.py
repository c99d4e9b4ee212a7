"""Area IV, Theatrum: the auction (A37 to A40)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.games.aquileia.oracle.referee.board import KINDS, Space
from tests.games.aquileia.oracle.referee.table import Table


def theatrum(t: Table, space: Space) -> bool:
    """The holder turns over the top theatre card and is asked first (A37)."""
    auctioneer = t.p["spaces"][space.name]
    t.p["auction"] = {
        "card": t.p["theatre"]["draw"].pop(0),
        "auctioneer": auctioneer,
        "bid": dict.fromkeys(KINDS, 0),
        "bidder": None,
        "out": [],
    }
    return _ask_to_open(t, t.clockwise(auctioneer))


def _possible_bids(t: Table, seat: int) -> list[str]:
    """A38, A39: the standing bid and one coin more, kind by kind within the stock."""
    stock, bid = t.coins(seat), t.p["auction"]["bid"]
    if any(stock[kind] < bid[kind] for kind in KINDS):
        return []
    return [kind for kind in KINDS if stock[kind] > bid[kind]]


def bids(t: Table) -> Iterator[str]:
    """Yield the possible bids of the asked seat."""
    for kind in _possible_bids(t, t.seat):
        yield f"bid {kind}"
    yield "pass"  # A19


def answer(t: Table, action: str) -> bool:
    """A bid, or out for good."""
    auction = t.p["auction"]
    if action == "pass":
        _drop_out(t, t.seat)
        if auction["bidder"] is None:
            order = t.clockwise(auction["auctioneer"])
            return _ask_to_open(t, order[order.index(t.seat) + 1 :])
    else:
        auction["bid"][action.removeprefix("bid ")] += 1
        auction["bidder"] = t.seat
    return _ask_to_raise(t)


def _drop_out(t: Table, seat: int) -> None:
    auction = t.p["auction"]
    auction["out"] = sorted([*auction["out"], seat])


def _ask_to_open(t: Table, waiting: list[int]) -> bool:
    """A37: each once; a player who cannot bid is out in turn, unasked (A20)."""
    for seat in waiting:
        if _possible_bids(t, seat):
            return t.ask("auction", seat)
        _drop_out(t, seat)
    return _sold(t, t.p["auction"]["auctioneer"])  # no opening: free


def _ask_to_raise(t: Table) -> bool:
    """A38: ask clockwise until the standing bidder is reached: then all others are out."""
    auction = t.p["auction"]
    following = t.clockwise(t.seat)
    for seat in [*following[1:], following[0]]:
        if seat == auction["bidder"]:
            return _sold(t, seat)
        if seat in auction["out"]:
            continue
        if _possible_bids(t, seat):
            return t.ask("auction", seat)
        _drop_out(t, seat)
    raise AssertionError("an auction without its bidder")


def _sold(t: Table, winner: int) -> bool:
    """A40: exactly the bid, to the auctioneer, or to the bank if the auctioneer wins."""
    auction = t.p["auction"]
    t.pay(winner, auction["bid"])
    if winner != auction["auctioneer"]:
        t.receive(auction["auctioneer"], auction["bid"])
    t.p["theatre"]["won"][auction["card"]] = winner
    t.p["auction"] = None
    return t.go_home("theatrum")
