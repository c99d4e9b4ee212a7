"""The English sentences of Porta Nigra, as the reader of `tests.narration.reader` understands them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tests.narration.reader import (
    COMMON,
    TURN,
    YOU,
    Claim,
    Clause,
    Grammar,
    Position,
    at,
    became,
    change,
    count,
    fact,
    name,
    of_player,
    seat_of,
    value,
)  # fmt: skip

COLOUR: Final = "(?P<c>black|blue|red|yellow|white)"
SPOT: Final = r"(?P<b>Basilica|Amphitheatre|City Wall|Porta Nigra) (?P<r>[A-C])(?P<i>\d+)"
ICON: Final = "“(?P<icon>.+)”"


def spot(position: Position, found: re.Match[str]) -> Any:
    """Return the spot that a match names: an object with owner and height, or None."""
    return position["spots"][name(found["b"])][found["r"]][int(found["i"]) - 1]


def icons(position: Position, _: int, found: re.Match[str]) -> int:
    """Return the number of free icons of the kind that a match names."""
    coins = re.fullmatch(r"(\d) coins", found["icon"])
    kind = f"coins_{coins[1]}" if coins else name(found["icon"].removesuffix(" colour"))
    return 0 if position["turn"] is None else int(position["turn"]["icons_left"].count(kind))


def _icon_coins(found: re.Match[str], seat: int) -> Iterator[Claim]:
    yield from became(icons, -1)(found, seat)
    coins = re.fullmatch(r"(\d) coins", found["icon"])
    if coins:
        yield Claim(of_player("sesterces"), seat, int(coins[1]), differs=True)


def _single_points(found: re.Match[str], seat: int) -> Iterator[Claim]:
    # The tens that were chosen before count too.
    coins = of_player("sesterces")
    yield Claim(
        lambda p, s: (coins(p, s) or 0) + 10 * ((p["split"] or {}).get("tens") or 0),
        seat,
        int(found["n"]),
        differs=True,
    )


def _honours(position: Position, _: int, found: re.Match[str]) -> int:
    return int(position["honour_cards"]["display"].count(name(found["card"])))


def _buildings(position: Position, _: int, found: re.Match[str]) -> int:
    return int(position["building_cards"]["display"].count([name(found["b"]), found["c"]]))


_ONE_HONOUR: Final = r"the honour card (?P<card>.+)"
_SEVERAL_HONOURS: Final = r"(?P<n>\d+) honour cards (?P<card>.+)"
_BUILDING: Final = rf"the {COLOUR} (?P<b>.+) card"

GRAMMAR: Final = Grammar(
    things={
        "sesterces?": lambda _: of_player("sesterces"),
        "influence tokens?": lambda _: of_player("influence"),
        "torch tokens?": lambda _: of_player("torches"),
        "Romans?": lambda _: of_player("romans"),
        "victory points?": lambda _: of_player("vp"),
        rf"{COLOUR} bricks?": lambda found: of_player("bricks", found["c"]),
        r"final scoring cards? of (\d+)": lambda found: (
            lambda p, s: p["players"][s]["final_cards"].count(int(found[1]))
        ),
        "(basilica|amphitheatre|city wall|porta nigra) cards?": lambda found: of_player(
            "building_cards", name(found[1])
        ),
    },
    clauses=(
        *COMMON,
        TURN,
        Clause(r"action markers (?:ready|left): (?P<n>\d+)", value(at("turn", "markers_left"))),
        Clause(
            r"(?P<who>your|the) master builder(?: of player \d+)? goes to the (?P<b>.+)",
            lambda found, seat: fact(lambda p, s, _: p["players"][s]["quarter"] == name(found["b"]))(
                found, seat_of(found[0], seat)
            ),
        ),
        Clause(rf"{YOU} builds? on {SPOT}", fact(lambda p, s, found: spot(p, found)["owner"] == s)),
        Clause(
            rf"the element on {SPOT} now has height (?P<n>\d+)",
            fact(lambda p, _, found: spot(p, found)["height"] == int(found["n"])),
        ),
        Clause(
            rf"{YOU} draws? the card (?P<card>.+)",
            became(lambda p, s, f: p["players"][s]["hand"].count(name(f["card"]))),
        ),
        Clause(
            rf"{YOU} plays? the card (?P<card>.+)",
            became(lambda p, s, f: p["players"][s]["hand"].count(name(f["card"])), -1),
        ),
        Clause(r"the card (?P<card>.+) is in play", fact(lambda p, _, f: p["turn"]["card"] == name(f["card"]))),
        Clause(rf"the icon {ICON} is free", lambda f, s: [Claim(lambda p, q: int(icons(p, q, f) > 0), s, 1)]),
        Clause(
            rf"the icon {ICON} is no longer free",
            lambda f, s: (
                [Claim(lambda p, q: min(icons(p, q, f), 1), s, -1, differs=True)]
                if f["icon"] != "buy any colour"
                else []
            ),
        ),
        Clause(rf"{YOU} triggers? the early end", fact(lambda p, s, _: p["early_end"]["player"] == s)),
        Clause(
            r"final turns to come: (?P<n>\d+)",
            fact(lambda p, _, f: len((p["early_end"] or {"final_turns_left": ()})["final_turns_left"]) == int(f["n"])),
        ),
        Clause(rf"the market gets (?P<n>\d+) {COLOUR} bricks?", became(lambda p, _, f: p["market"][f["c"]])),
        Clause(rf"the market gives (?P<n>\d+) {COLOUR} bricks?", became(lambda p, _, f: p["market"][f["c"]], -1)),
        Clause(r"the reserve gets (?P<n>\d+) bricks?", change(at("reserve"))),
        Clause(r"the reserve gives (?P<n>\d+) bricks?", change(at("reserve"), -1)),
        Clause(
            r"supply card (?P<card>\d+) is drawn",
            became(lambda p, _, f: p["supply_cards"]["discard"].count(int(f["card"]) - 1)),
        ),
        Clause(
            r"supply card (?P<card>\d+) goes back into the pile",
            became(lambda p, _, f: p["supply_cards"]["discard"].count(int(f["card"]) - 1), -1),
        ),
        Clause(f"laid out: {_BUILDING}", became(_buildings)),
        Clause(f"gone from the display: {_BUILDING}", became(_buildings, -1)),
        Clause(f"laid out: {_ONE_HONOUR}", became(_honours)),
        Clause(f"laid out: {_SEVERAL_HONOURS}", became(_honours)),
        Clause(f"gone from the display: {_ONE_HONOUR}", became(_honours, -1)),
        Clause(f"gone from the display: {_SEVERAL_HONOURS}", became(_honours, -1)),
        Clause(rf"{YOU} takes? (?P<n>\d+) cards? in hand", change(lambda p, s: count(p["players"][s]["hand"]))),
        Clause(
            rf"{YOU} plays? (?P<n>\d+) cards? from (?:your|the) hand",
            change(lambda p, s: count(p["players"][s]["hand"]), -1),
        ),
        Clause(
            r"(?P<who>your draw pile|the draw pile of player \d+) gets (?P<n>\d+) cards?",
            change(lambda p, s: count(p["players"][s]["draw"])),
        ),
        Clause(
            r"cards left in (?P<who>your draw pile|the draw pile of player \d+): (?P<n>\d+)",
            value(lambda p, s: count(p["players"][s]["draw"])),
        ),
        Clause(r"(?P<n>\d+) tens are chosen", value(at("split", "tens"))),
    ),
    actions=(
        Clause(
            rf"Buy (?P<n>\d+) {COLOUR} bricks? with the icon .+",
            lambda found, seat: change(of_player("bricks", found["c"]))(found, seat),
        ),
        Clause(rf"Use the icon {ICON}", _icon_coins),
        Clause(r"Give up an action marker or torch token for (?P<n>\d+) sesterce", change(of_player("sesterces"))),
        Clause(rf"Build on {SPOT}(?: by influence)?", fact(lambda p, s, found: spot(p, found)["owner"] == s)),
        Clause(
            rf"Build (?P<n>\d+) bricks on {SPOT}(?: by influence)?",
            fact(lambda p, s, f: spot(p, f) == {"owner": s, "height": int(f["n"])}),
        ),
        Clause(rf"Crown your element on {SPOT}", fact(lambda p, s, found: spot(p, found)["owner"] == s)),
        Clause(r"Appoint (?P<who>player \d+) as the next .+", fact(lambda p, s, _: p["starting_player"] == s)),
        Clause(r"Take (?P<n>\d+) tens of points as sesterces", value(at("split", "tens"))),
        Clause(r"Take (?P<n>\d+) single points as sesterces", _single_points),
    ),
    follows="romans_reserve",
)
