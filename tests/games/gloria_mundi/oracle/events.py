"""Rare events of a game; the referee notes most of them, since much happens between two decisions (G5).

The lock-step runs count the events and fail if one of them never occurs.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

Position = dict[str, Any]

_BY_RULING: Final = {
    "G4": ("stones lost at the limit",),
    "G5": ("forced: play", "forced: activate", "forced: give", "forced: discard", "forced: buy", "forced: place",
        "forced: pay", "forced: goth", "forced: pay_tribute", "forced: lose", "forced: reclaim",
        "a whole turn without a question"),
    "G6": ("six cards pushed", "gap in the forum closed"),
    "G7": ("end: deck",),
    "G8": ("end: hand",),
    "G10": ("base card under a red card produces",),
    "G11": ("base card under a Goth card produces", "base card instead of its card",
        "all base cards instead of their cards"),
    "G12": ("nothing to count", "used: gain"),
    "G16": ("used: choose", "used: pay -> choose", "used: pay -> choose, X", "used: pay_choose -> gain",
        "used: pay_choose -> gain, X", "used: pay_choose -> choose", "used: pay_choose -> choose, X"),
    "G13": ("used: pay -> gain",),
    "G14": ("used: pay -> gain, X", "repeated", "repetition ended by itself"),
    "G17": ("used: pay_card -> gain", "used: pay_card -> gain, X", "used: pay_card -> choose",
        "used: pay_card -> choose, X", "used: pay_card -> steps", "used: pay_card -> steps, X",
        "used: pay_card -> price", "used: pay_card -> price, X", "repeated with another card",
        "no other building card to give", "card left discarded", "card used, exclusive or of another type discarded",
        "red card discarded"),
    "G18": ("used: per base type -> gain", "used: per building -> gain", "used: per_stone -> gain",
        "stones counted before they are gained"),
    "G20": ("used: goth -> gain", "Goth card on a province with other symbols beside"),
    "G15": ("glory is no joker in abilities",),
    "G19": ("exclusive card used", "one of several exclusive cards used", "exclusive card declined",
        "exclusive card alone of its type"),
    "G21": ("steps lost beyond Africa", "Africa reached in phase 3"),
    "G23": ("Africa reached by buying", "coloured card bought", "builder bought", "wall bought",
        "base card to choose for a builder"),
    "G39": ("end: africa",),
    "G22": ("no base card to lay it on",),
    "G24": ("as many stones as due, but no payment fits", "card with printed glory bought",
        "glory paid as a joker or for the extra"),
    "G25": ("paid with builders with X", "paid with builders without X", "paid with several builders",
        "printed glory covered by way of a builder", "builder does not help with its own price",
        "no chain of builders"),
    "G29": ("tribute cannot be paid", "Rome is the next empty space"),
    "G30": ("tribute with glory",),
    "G31": ("the Goth goes over one province with tribute", "the Goth goes over several",
        "the Goth enters Rome from the last province", "the Goth goes to Rome over provinces"),
    "G33": ("as many symbols as players", "more symbols than players", "player skipped", "nobody has what is demanded"),
    "G34": ("covered card lost while a bare one stays",),
    "G35": ("wall instead of its base card", "wall instead of another type", "wall lost with its base card"),
    "G37": ("tribute shared", "player skipped shares the tribute"),
    "G38": ("end: rome",),
    "G41": ("stones decide a tie on steps", "several winners"),
}  # fmt: skip
#: Every event, with the ruling it exercises.
EVENTS: Final = {event: ruling for ruling, events in _BY_RULING.items() for event in events}


def count_events(before: Position, after: Position, notes: list[str], events: Counter[str]) -> None:
    """Count the events of a step.

    Args:
        before, after: the positions around it.
        notes: of the referee.
    """
    events.update(notes)
    # The turn of the decision ends, and another turn passes without a decision.
    events["a whole turn without a question"] += after["turn"] > before["turn"] + 1


def count_result(scores: list[dict[str, Any]], events: Counter[str]) -> None:
    """Count the events of a game's end."""
    best = [score for score in scores if score["rank"] == 1]
    steps = [score["steps"] for score in scores]
    events["several winners"] += len(best) > 1
    events["stones decide a tie on steps"] += len(best) < steps.count(max(steps))
