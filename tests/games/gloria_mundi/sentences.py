"""The English sentences of Gloria Mundi, as the reader of `tests.narration.reader` understands them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tests.narration.reader import (
    YOU,
    Claim,
    Clause,
    Grammar,
    Position,
    at,
    became,
    change,
    fact,
    inside,
    name,
    of_player,
    seat_of,
    value,
)  # fmt: skip

STONE: Final = "(?P<stone>food|gold|peace|glory)"
BASES: Final = {"farm": "farm", "farms": "farm", "city": "city", "cities": "city"}
BASE: Final = "(?P<base>farms?|city|cities|peace cards?)"


def base(found: re.Match[str]) -> str:
    """Return the base card that a match names."""
    return BASES.get(found["base"], "peace")


def _building(position: Position, card: str) -> tuple[int, str] | None:
    """Return the seat that has laid a card, and the base card below it."""
    for seat, player in enumerate(position["players"]):
        if card in player["buildings"]:
            return seat, player["buildings"][card]
    return None


def _tribute(position: Position, _: int, found: re.Match[str]) -> int:
    return int(0 < int(found["space"]) - position["goth"] <= len(position["tribute"]))


def _paid(found: re.Match[str], seat: int) -> Iterator[Claim]:
    """Return the claim that an amount is in the payment, or paid with it."""
    stone, amount = found["stone"], int(found["n"])

    def number(position: Position, player: int) -> int:
        # A payment that is complete is gone, and the stones with it.
        inside = (position["payment"] or {}).get(stone)
        return int(position["players"][player]["stones"][stone]) - int(inside or 0)

    yield Claim(number, seat, -amount, differs=True)


def _listed(text: str, part: str, sign: int) -> Iterator[Claim]:
    """Return the claims about a part of the raid: ``1 farm and 2 cities``."""
    for item in re.split(", | and ", text):
        amount, what = item.split(" ", 1)
        key = what if part == "stones" else BASES.get(what, "peace")
        yield Claim(at("raid", part, key), -1, sign * int(amount), differs=True)


GRAMMAR: Final = Grammar(
    things={
        STONE: lambda found: of_player("stones", found["stone"]),
        BASE: lambda found: of_player("hand", base(found)),
        f"bare {BASE}": lambda found: of_player("bare", base(found)),
    },
    clauses=(
        Clause(r"turn (?P<n>\d+) begins", value(at("turn"))),
        Clause(
            r"(?P<who>your|the) Roman(?: of player \d+)? flees (?P<n>\d+) steps?(?: \(now (?P<now>\d+)\))?",
            lambda found, seat: [
                *change(of_player("steps"))(found, seat_of(found[0], seat)),
                *(value(of_player("steps"), "now")(found, seat_of(found[0], seat)) if found["now"] else ()),
            ],
        ),
        Clause(
            rf"{YOU} now (?:have|has) (?P<n>\d+) bare {BASE} more",
            lambda found, seat: change(of_player("bare", base(found)))(found, seat),
        ),
        Clause(
            rf"{YOU} now (?:have|has) (?P<n>\d+) bare {BASE} less",
            lambda found, seat: change(of_player("bare", base(found)), -1)(found, seat),
        ),
        Clause(
            rf"{YOU} lays? (?P<card>.+) on a {BASE}",
            fact(lambda p, s, f: _building(p, name(f["card"])) == (s, base(f))),
        ),
        Clause(rf"{YOU} gives? up (?P<card>.+)", fact(lambda p, _, f: _building(p, name(f["card"])) is None)),
        Clause(r"(?P<card>.+) lies on place \+(?P<n>\d+)", fact(lambda p, _, f: p["forum"][f["n"]] == name(f["card"]))),
        Clause(r"place \+(?P<n>\d+) is empty", fact(lambda p, _, f: p["forum"][f["n"]] is None)),
        Clause(r"(?P<card>.+) goes to the fire", became(lambda p, _, f: p["fire"].count(name(f["card"])))),
        Clause(r"cards left in the deck: (?P<n>\d+)", value(at("deck", "count"))),
        Clause(f"the base cards of the turn: {BASE}", fact(lambda p, _, f: p["played"] == base(f))),
        Clause(
            r"the card on place \+(?P<n>\d+) is chosen", fact(lambda p, _, f: p["purchase"]["place"] == int(f["n"]))
        ),
        # Nothing is left to buy on this place.
        Clause(r"the card on place \+(?P<n>\d+) is bought", fact(lambda p, _, f: p["purchase"] is None)),
        Clause(f"it will lie on a {BASE}", fact(lambda p, _, f: p["purchase"]["base"] == base(f))),
        Clause(rf"the payment has (?P<n>\d+) {STONE}", lambda f, s: value(at("payment", f["stone"]))(f, s)),
        Clause(r"the Goth moves to space (?P<n>\d+) of his track", value(at("goth"))),
        Clause(r"provinces with tribute ahead of the Goth: (?P<n>\d+)", value(lambda p, _: len(p["tribute"]))),
        Clause(r"tribute lies on space (?P<space>\d+)", became(_tribute)),
        Clause(r"the tribute on space (?P<space>\d+) is taken up", became(_tribute, -1)),
        Clause(r"the Goth demands (?P<list>\d.+)", lambda f, _: _listed(f["list"], "demanded", 1)),
        Clause(r"given to the Goth: (?P<list>\d.+)", lambda f, _: _listed(f["list"], "demanded", -1)),
        Clause(r"to take back from the tribute: (?P<list>\d.+)", lambda f, _: _listed(f["list"], "stones", 1)),
        Clause(r"taken back from the tribute: (?P<list>\d.+)", lambda f, _: _listed(f["list"], "stones", -1)),
        Clause(r"it is (?P<who>your turn|the turn of player \d+)", fact(lambda p, s, _: p["active_player"] == s)),
        Clause(rf"{YOU} decides?", fact(lambda p, s, _: p["current_player"] == s)),
        Clause(r"stones still to be given: (?P<n>\d+)", value(at("activation", "give_left"))),
        Clause(r"stones still to be taken: (?P<n>\d+)", value(at("activation", "take_left"))),
    ),
    actions=(
        Clause(rf"Pay with (?P<n>\d+) {STONE}", inside("turn", _paid)),
        # Other cards can produce the stone once the giving is done.
        Clause(
            rf"Give (?P<n>\d+) {STONE}", inside("phase", lambda f, s: change(of_player("stones", f["stone"]), -1)(f, s))
        ),
        Clause(rf"Take (?P<n>\d+) {STONE}", inside("turn", lambda f, s: change(of_player("stones", f["stone"]))(f, s))),
        # Either the payment or the base card is asked next, or the card is bought and its place empty.
        Clause(
            r"Buy the card on place \+(?P<n>\d+)",
            inside(
                "turn",
                fact(
                    lambda p, _, f: (p["purchase"] or {"place": None})["place"] == int(f["n"]) or not p["forum"][f["n"]]
                ),
            ),
        ),
    ),
    untold=("Pay with", "Take 1", "Give 1", "Buy the card on place"),
)
