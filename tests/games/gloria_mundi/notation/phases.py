"""The example of the format, and a sound position of each phase made from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

Position = dict[str, Any]

EXAMPLE: Final = Path(__file__).with_name("position_example.json")
_TEXT: Final = EXAMPLE.read_text(encoding="utf-8")
RICH: Final = {"food": 5, "gold": 5, "peace": 5, "glory": 2}
NOTHING: Final = {"food": 0, "gold": 0, "peace": 0, "glory": 0}


def example() -> Position:
    """Three players in turn 9: player 0 is active and played peace, player 1 may use foedus."""
    position: Position = json.loads(_TEXT)
    return position


def swap(position: Position, one: str, other: str) -> None:
    """Let two building cards change their places, in place."""
    text = (
        json.dumps(position).replace(f'"{one}"', '"*"').replace(f'"{other}"', f'"{one}"').replace('"*"', f'"{other}"')
    )
    position.update(json.loads(text))


def build(position: Position, seat: int, card: str, base: str) -> None:
    """Lay a card of the deck on a bare base card; the card on place +1, then +2, of the forum goes into the deck."""
    extra = "1" if position["forum"]["1"] else "2"
    swap(position, card, position["forum"][extra])
    position["forum"][extra] = None
    position["players"][seat]["bare"][base] -= 1
    position["players"][seat]["buildings"][card] = base


def _ask(position: Position, seat: int) -> None:
    """Nothing is being carried out; a seat that is rich is asked."""
    position.update(current_player=seat, activation=None)
    position["players"][seat]["stones"] = dict(RICH)


def city_turn(position: Position) -> None:
    """Player 0 has played a city instead of the peace card."""
    active = position["players"][0]
    active["hand"].update(city=4, peace=5)
    active["bare"].update(city=2, peace=0)
    position["played"] = "city"


def _play(position: Position) -> None:
    """Player 0 has still to play."""
    _ask(position, 0)
    position["played"] = None
    position["players"][0]["hand"]["peace"] = 5
    position["players"][0]["bare"]["peace"] = 0


def _exclusive(position: Position) -> None:
    """Player 2 has an exclusive card and another one on peace."""
    swap(position, "faber", "templum_vestae")
    build(position, 2, "legatio", "peace")
    position["current_player"] = 2
    position["activation"]["left"] = ["legatio"]


def _within(card: str, **left: int) -> Callable[[Position], None]:
    """Player 1 carries out a peace card."""

    def change(position: Position) -> None:
        swap(position, "foedus", card)
        position["activation"].update(left=[], card=card, **left)

    return change


def _give(position: Position) -> None:
    """Player 1 carries out circus in a city turn."""
    city_turn(position)
    build(position, 1, "circus", "city")
    position["activation"].update(left=[], card="circus", give_left=2)


def _discard(position: Position) -> None:
    """Player 2 carries out fabrica in a city turn, with two other building cards."""
    city_turn(position)
    swap(position, "argentaria", "fabrica")
    build(position, 2, "legatio", "peace")
    position["current_player"] = 2
    position["activation"].update(left=[], card="fabrica")


def _place(position: Position) -> None:
    """Player 0 buys a builder."""
    _ask(position, 0)
    swap(position, "mensor", position["forum"]["1"])
    position["purchase"] = {"place": 1, "base": None}


def _pay(position: Position) -> None:
    """Player 0 pays vicus."""
    _ask(position, 0)
    position["purchase"] = {"place": 3, "base": "city"}
    position["payment"] = {"food": None, "gold": None, "peace": None}


def _pay_tribute(position: Position) -> None:
    """Tribute lies on 6 to 8; player 0 pays for 9, a farm and a city."""
    _ask(position, 0)
    position["tribute"].append({"food": 0, "gold": 0, "peace": 0, "glory": 1})
    position["payment"] = {"food": None, "gold": None, "peace": None}


def _lose(position: Position) -> None:
    """The Goth has moved from 5 to 7, over a city and to peace."""
    _ask(position, 0)
    position.update(goth=7, tribute=[])
    demanded = {"farm": 0, "city": 1, "peace": 1}
    position["raid"] = {"demanded": demanded, "stones": {"food": 0, "gold": 1, "peace": 0, "glory": 1}}


def _reclaim(position: Position) -> None:
    """The losses are complete; player 1 takes the first stone."""
    _lose(position)
    position["raid"]["demanded"] = {"farm": 0, "city": 0, "peace": 0}
    position["current_player"] = 1


def _over(position: Position) -> None:
    """Player 2 has reached Africa while the others' cards were still to be activated."""
    position.update(current_player=None, played=None, activation=None, end="africa")
    position["players"][2]["steps"] = 39


_CHANGES: Final[dict[str, Callable[[Position], None]]] = {
    "play": _play,
    "exclusive": _exclusive,
    "activate": lambda position: None,
    "repeat": _within("collegium"),
    "give": _give,
    "discard": _discard,
    "take": _within("ara_pacis", take_left=3),
    "buy": lambda position: _ask(position, 0),
    "place": _place,
    "pay": _pay,
    "goth": lambda position: _ask(position, 0),
    "pay_tribute": _pay_tribute,
    "lose": _lose,
    "reclaim": _reclaim,
    "over": _over,
}


def in_phase(phase: str) -> Position:
    """The example, changed into a position of a phase."""
    position = example()
    position["phase"] = phase
    _CHANGES[phase](position)
    return position
