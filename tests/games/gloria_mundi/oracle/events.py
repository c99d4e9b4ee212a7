"""Rare events of a game.  The referee notes most of them as it goes, since much happens between two decisions (G5).

A comparison of games in which nothing rare happens proves little; the lock-step runs count these and fail if one of
them was never met.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

Position = dict[str, Any]

#: Every event, with the ruling it exercises.
EVENTS: Final = {
    "stones lost at the limit": "G4",
    "forced: play": "G5",
    "forced: activate": "G5",
    "forced: give": "G5",
    "forced: discard": "G5",
    "forced: buy": "G5",
    "forced: place": "G5",
    "forced: pay": "G5",
    "forced: goth": "G5",
    "forced: pay_tribute": "G5",
    "forced: lose": "G5",
    "forced: reclaim": "G5",
    "a whole turn without a question": "G5",
    "six cards pushed": "G6",
    "gap in the forum closed": "G6",
    "end: deck": "G7",
    "end: hand": "G8",
    "base card under a red card produces": "G10",
    "base card under a Goth card produces": "G11",
    "base card instead of its card": "G11",
    "all base cards instead of their cards": "G11",
    "nothing to count": "G12",
    "used: gain": "G12",
    "used: choose": "G16",
    "used: pay -> gain": "G13",
    "used: pay -> gain, X": "G14",
    "used: pay -> choose": "G16",
    "used: pay -> choose, X": "G16",
    "used: pay_choose -> gain": "G16",
    "used: pay_choose -> gain, X": "G16",
    "used: pay_choose -> choose": "G16",
    "used: pay_choose -> choose, X": "G16",
    "used: pay_card -> gain": "G17",
    "used: pay_card -> gain, X": "G17",
    "used: pay_card -> choose": "G17",
    "used: pay_card -> choose, X": "G17",
    "used: pay_card -> steps": "G17",
    "used: pay_card -> steps, X": "G17",
    "used: pay_card -> price": "G17",
    "used: pay_card -> price, X": "G17",
    "used: per base type -> gain": "G18",
    "used: per building -> gain": "G18",
    "used: per_stone -> gain": "G18",
    "used: goth -> gain": "G20",
    "repeated": "G14",
    "repeated with another card": "G17",
    "repetition ended by itself": "G14",
    "glory is no joker in abilities": "G15",
    "no other building card to give": "G17",
    "card left discarded": "G17",
    "card used, exclusive or of another type discarded": "G17",
    "red card discarded": "G17",
    "stones counted before they are gained": "G18",
    "exclusive card used": "G19",
    "one of several exclusive cards used": "G19",
    "exclusive card declined": "G19",
    "exclusive card alone of its type": "G19",
    "Goth card on a province with other symbols beside": "G20",
    "steps lost beyond Africa": "G21",
    "Africa reached in phase 3": "G21",
    "Africa reached by buying": "G23",
    "end: africa": "G39",
    "no base card to lay it on": "G22",
    "coloured card bought": "G23",
    "builder bought": "G23",
    "wall bought": "G23",
    "base card to choose for a builder": "G23",
    "as many stones as due, but no payment fits": "G24",
    "card with printed glory bought": "G24",
    "glory paid as a joker or for the extra": "G24",
    "paid with builders with X": "G25",
    "paid with builders without X": "G25",
    "paid with several builders": "G25",
    "printed glory covered by way of a builder": "G25",
    "builder does not help with its own price": "G25",
    "no chain of builders": "G25",
    "tribute cannot be paid": "G29",
    "Rome is the next empty space": "G29",
    "tribute with glory": "G30",
    "the Goth goes over one province with tribute": "G31",
    "the Goth goes over several": "G31",
    "the Goth enters Rome from the last province": "G31",
    "the Goth goes to Rome over provinces": "G31",
    "as many symbols as players": "G33",
    "more symbols than players": "G33",
    "player skipped": "G33",
    "nobody has what is demanded": "G33",
    "covered card lost while a bare one stays": "G34",
    "wall instead of its base card": "G35",
    "wall instead of another type": "G35",
    "wall lost with its base card": "G35",
    "tribute shared": "G37",
    "player skipped shares the tribute": "G37",
    "end: rome": "G38",
    "stones decide a tie on steps": "G41",
    "several winners": "G41",
}


def count_events(before: Position, after: Position, notes: list[str], events: Counter[str]) -> None:
    """Add what happened in a step.

    Args:
        before, after: the positions around it.
        notes: of the referee.
    """
    events.update(notes)
    # The turn in which somebody was asked ends; one more passes; somebody is asked in the next, or it cannot be played.
    events["a whole turn without a question"] += after["turn"] > before["turn"] + 1


def count_result(scores: list[dict[str, Any]], events: Counter[str]) -> None:
    """Add the events of a game's end."""
    best = [score for score in scores if score["rank"] == 1]
    steps = [score["steps"] for score in scores]
    events["several winners"] += len(best) > 1
    events["stones decide a tie on steps"] += len(best) < steps.count(max(steps))
