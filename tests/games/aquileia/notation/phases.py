"""The example of the format, and a sound position of each phase made from it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

Position = dict[str, Any]

EXAMPLE: Final = Path(__file__).with_name("position_example.json")
_TEXT: Final = EXAMPLE.read_text(encoding="utf-8")


def example() -> Position:
    """Return an example: four players in round 5; player 0 owns the blue dice and fights player 1."""
    position: Position = json.loads(_TEXT)
    return position


def _place(position: Position) -> None:
    position["equi"].update(row=["weapon_2", "gold_horse_2", "silver_horse_1"], draw=[])
    position.update(contest=None, blue_dice=None)


def _shop(phase: str, space: str) -> Callable[[Position], None]:
    """Put a rich player 2 on a space of Mercatus."""

    def change(position: Position) -> None:
        _place(position)
        position["spaces"][space] = position["current_player"] = 2
        if phase == "pecunia":
            position["exchange"] = {"received": {"bronze": 0, "silver": 0, "gold": 0}, "last": None}

    return change


def _arena_prize(position: Position) -> None:
    position["blue_dice"]["left"] = 1
    position["dice"]["arena_blue"] = ["bronze", "silver", "gold"]


def _race(position: Position) -> None:
    """The fight is over; players 1, 2 and 3 race."""
    for space in ("arena_1", "arena_3"):
        del position["spaces"][space]
    position["dice"]["stadium"] = {seat: ["bronze", "silver", "gold"] for seat in "123"}
    position.update(current_player=1, contest={"strength": {"1": 3, "2": 2, "3": 4}, "last": None})


def _stadium_prize(position: Position) -> None:
    _race(position)
    position.update(current_player=3, blue_dice=None)


def _auction(position: Position) -> None:
    """The race is over; player 3 auctions a card and is asked first."""
    _stadium_prize(position)
    for space in ("gold_1", "gold_2", "silver_1", "silver_3"):
        del position["spaces"][space]
    past = {"open": "purple", "drawn": "white", "first": 3, "second": 1, "first_kept": "drawn"}
    position["stadium"]["past"].append(past)
    position["stadium"].update(open=None, draw=["laurel_3", "yellow"])
    position["theatre"]["draw"].remove("blue_purple")
    none = {"bronze": 0, "silver": 0, "gold": 0}
    auction = {"card": "blue_purple", "auctioneer": 3, "bid": none, "bidder": None, "out": []}
    position.update(contest=None, auction=auction)


def _forum(position: Position) -> None:
    """The auction is over; player 2 builds."""
    _auction(position)
    del position["spaces"]["theatrum"]
    position["theatre"]["won"]["blue_purple"] = 3
    position.update(current_player=2, auction=None, builds_left=1)


def _portus(position: Position) -> None:
    """Only a coin space is left, and its coin is stolen."""
    _forum(position)
    position.update(spaces={"portus_bronze": 3}, portus_coins=[], current_player=3, builds_left=None)


def _over(position: Position) -> None:
    _portus(position)
    position.update(phase="over", round=6, spaces={}, current_player=None)
    last = {"open": "laurel_3", "drawn": "yellow", "first": None, "second": None, "first_kept": None}
    position["stadium"]["past"].append(last)
    position["stadium"]["draw"] = []


_CHANGES: Final[dict[str, Callable[[Position], None]]] = {
    "place": _place,
    "pecunia": _shop("pecunia", "pecunia"),
    "equi": _shop("equi", "equi_middle"),
    "servi": _shop("servi", "servi_middle"),
    "arena_cards": lambda position: None,
    "arena_dice": lambda position: None,
    "arena_prize": _arena_prize,
    "stadium_cards": _race,
    "stadium_prize": _stadium_prize,
    "auction": _auction,
    "forum": _forum,
    "portus": _portus,
    "over": _over,
}


def in_phase(phase: str) -> Position:
    """The example, changed into a position of a phase."""
    position = copy.deepcopy(example())
    position["phase"] = phase
    _CHANGES[phase](position)
    return position
