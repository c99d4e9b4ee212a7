"""The English sentences of Aquileia, as the reader of `tests.narration.reader` understands them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tests.narration.reader import (
    COMMON,
    TURN,
    YOU,
    YOU_ARE,
    Claim,
    Clause,
    Grammar,
    Number,
    Position,
    at,
    became,
    change,
    count,
    fact,
    inside,
    name,
    of_player,
    seat_of,
    value,
)  # fmt: skip

KIND: Final = "(?P<kind>bronze|silver|gold)"
SLAVES: Final = {"single": "slave_1", "double": "slave_2"}
#: A slave or equi card; "equi" and "slaves" are the parts of a position that hold them.
_THING: Final = r"(?P<thing>gold horse|silver horse|weapon)s? of strength (?P<of>\d)"
CARD: Final = f"(?P<card>(?P<slave>single|double) slave cards?|{_THING})"
AREAS: Final = {"Arena": "arena", "Stadium": "stadium"}


def card_of(found: re.Match[str]) -> tuple[str, str]:
    """Return the part and the name of a slave or equi card."""
    if found["slave"]:
        return "slaves", SLAVES[found["slave"]]
    return "equi", f"{name(found['thing'])}_{found['of']}"


def held(found: re.Match[str]) -> Number:
    """Return the number of a card that a seat holds; of other seats those that all know."""
    part, card = card_of(found)

    def number(position: Position, seat: int) -> int | None:
        player = position["players"][seat]
        cards = player[part] if card in player[part] else player.get(f"{part}_known", {})
        return int(cards[card]) if card in cards else None

    return number


def _discard(position: Position, _: int, found: re.Match[str]) -> int:
    part, card = card_of(found)
    return int(position[part]["discard"][card])


def _place(text: str) -> str:
    return name(text.removeprefix("Stadium "))


def _stands(position: Position, seat: int, found: re.Match[str]) -> int:
    return int(position["spaces"].get(_place(found["space"])) == seat)


def _dice(position: Position, found: re.Match[str]) -> list[str]:
    """Return the sides of the dice that a match names."""
    dice, roll = position["dice"], found["roll"]
    if roll in ("Dolus", "Latro"):
        return list(dice[roll.lower()])
    area = AREAS[roll.split()[-1]]
    if roll.startswith("blue"):
        return list(dice[f"{area}_blue"])
    return list(dice[area].get(str(seat_of(roll, -1)), ()))


def _past(key: str) -> Any:
    return lambda position, found: position["stadium"]["past"][int(found["n"]) - 1][key]


def _strength(position: Position, seat: int) -> int | None:
    contest = position["contest"] or {"strength": {}}
    found = contest["strength"].get(str(seat))
    return None if found is None else int(found)


def _blue(position: Position) -> int:
    return len(position["dice"]["arena_blue"])


def _bid(text: str, sign: int) -> Iterator[Claim]:
    for amount, kind in re.findall(r"(\d+) (bronze|silver|gold) coins?", text):
        yield Claim(at("auction", "bid", kind), -1, sign * int(amount), differs=True)


def _bought(position: Position, seat: int) -> int:
    # The left space of Equi gives a second card for the price of one (A25).
    second = int(position["equi"]["row"][0] is None)
    return count(position["players"][seat]["slaves"]) + count(position["players"][seat]["equi"]) - second


_FOLLOWER: Final = r"(?P<who>your|a) follower(?: of player \d+)?"

GRAMMAR: Final = Grammar(
    things={
        f"{KIND} coins?": lambda found: of_player("coins", found["kind"]),
        "victory points?": lambda _: of_player("vp"),
        "slave cards?": lambda _: lambda p, s: count(p["players"][s]["slaves"]),
        "equi cards?": lambda _: lambda p, s: count(p["players"][s]["equi"]),
        CARD: held,
    },
    clauses=(
        *COMMON,
        TURN,
        Clause(
            rf"{_FOLLOWER} goes to (?P<space>.+)", lambda found, seat: became(_stands)(found, seat_of(found[0], seat))
        ),
        Clause(
            rf"{_FOLLOWER} comes home from (?P<space>.+)",
            lambda found, seat: became(_stands, -1)(found, seat_of(found[0], seat)),
        ),
        Clause(
            r"(?P<who>your crest|the crest of player \d+) takes rank (?P<n>\d+)",
            fact(lambda p, s, f: p["advantage"].index(s) == int(f["n"]) - 1),
        ),
        Clause(
            r"(?P<who>your crest|the crest of player \d+) comes back", fact(lambda p, s, _: s not in p["advantage"])
        ),
        Clause(rf"{YOU} builds? (?P<site>[A-Z].+)", fact(lambda p, s, f: p["buildings"][name(f["site"])] == s)),
        Clause(
            r"(?P<roll>.+): now (?P<n>\d+) x (?P<side>bronze|silver|gold)",
            fact(lambda p, _, f: _dice(p, f).count(f["side"]) == int(f["n"])),
        ),
        Clause(r"(?P<who>your strength|the strength of player \d+) is now (?P<n>\d+)", value(_strength)),
        Clause(rf"{YOU} gets? the blue dice", fact(lambda p, s, _: p["blue_dice"]["owner"] == s)),
        Clause("the blue dice go back", fact(lambda p, _, f: p["blue_dice"] is None)),
        Clause(r"blue dice left: (?P<n>\d+)", value(at("blue_dice", "left"))),
        Clause(r"the bid rises by (?P<list>\d.+)", lambda f, _: _bid(f["list"], 1)),
        Clause(r"the bid is cleared of (?P<list>\d.+)", lambda f, _: _bid(f["list"], -1)),
        Clause(
            r"the theatre card (?P<card>.+) is on sale",
            fact(lambda p, _, f: p["auction"]["card"] == f["card"].replace(" and ", "_")),
        ),
        Clause(rf"{YOU} holds? the highest bid", fact(lambda p, s, _: p["auction"]["bidder"] == s)),
        Clause(
            rf"{YOU} wins? the theatre card (?P<card>.+)",
            fact(lambda p, s, f: p["theatre"]["won"][f["card"].replace(" and ", "_")] == s),
        ),
        Clause(f"a {KIND} coin lies in the Portus", became(lambda p, _, f: p["portus_coins"].count(f["kind"]))),
        Clause(f"the {KIND} coin leaves the Portus", became(lambda p, _, f: p["portus_coins"].count(f["kind"]), -1)),
        Clause(
            rf"a {CARD} lies open at Equi (?P<side>Left|Middle|Right)",
            fact(lambda p, _, f: p["equi"]["row"][("Left", "Middle", "Right").index(f["side"])] == card_of(f)[1]),
        ),
        Clause(rf"discarded: (?P<n>\d+) {CARD}", became(_discard)),
        Clause(rf"shuffled into the pile: (?P<n>\d+) {CARD}", became(_discard, -1)),
        Clause(r"slave cards in the pile: (?P<n>\d+)", value(lambda p, _: count(p["slaves"]["draw"]))),
        Clause(r"equi cards in the pile: (?P<n>\d+)", value(lambda p, _: count(p["equi"]["draw"]))),
        Clause(
            r"the open stadium card is (?!gone)(?P<card>.+)",
            fact(lambda p, _, f: p["stadium"]["open"] == name(f["card"])),
        ),
        Clause(rf"{YOU_ARE} first in the race of round (?P<n>\d+)", fact(lambda p, s, f: _past("first")(p, f) == s)),
        Clause(rf"{YOU_ARE} second in the race of round (?P<n>\d+)", fact(lambda p, s, f: _past("second")(p, f) == s)),
        Clause(
            r"the (?P<which>open|drawn) stadium card of round (?P<n>\d+) was (?P<card>.+)",
            fact(lambda p, _, f: _past(f["which"])(p, f) == name(f["card"])),
        ),
        Clause(
            r"the first of round (?P<n>\d+) has the (?P<which>open|drawn) stadium card",
            fact(lambda p, _, f: _past("first_kept")(p, f) == f["which"]),
        ),
        Clause(r"buildings that can still be built here: (?P<n>\d+)", value(at("builds_left"))),
    ),
    actions=(
        Clause(r"Send a follower to (?P<space>.+)", inside("phase", became(_stands))),
        Clause(r"Pay for (?P<n>\d+) cards?", inside("round", change(_bought))),
        Clause(f"Play a {CARD}", lambda found, seat: [Claim(held(found), seat, -1, differs=True)]),
        Clause(r"Roll (?P<n>\d+) blue dic?e", fact(lambda p, _, f: _blue(p) == int(f["n"]))),
        Clause(r"Build (?P<site>.+)", fact(lambda p, s, f: p["buildings"][name(f["site"])] == s)),
    ),
    # What all know of a hand changes with the hand.
    follows="equi_known .+",
    untold=("strength", "buildings that can still be built here", "blue dice left", "Send a follower", "Pay for"),
)
