"""Automatic consequences: the spaces act one after the other, then the clean-up (A18, A36, A50, A53)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.games.aquileia.oracle.referee import contests, forum, mercatus, portus, theatrum
from tests.games.aquileia.oracle.referee.board import BEFORE_THE_RACE, Space
from tests.games.aquileia.oracle.referee.table import Table

#: The effect of an area's acting space; True when a player is asked.
ACTS: Final[dict[str, Callable[[Table, Space], bool]]] = {
    "dolus": mercatus.dolus,
    "pecunia": mercatus.pecunia,
    "equi": mercatus.equi,
    "servi": mercatus.servi,
    "potentia": mercatus.potentia,
    "arena": contests.contest,
    "stadium": contests.contest,
    "theatrum": theatrum.theatrum,
    "forum": forum.forum,
    "latro": portus.latro,
    "portus": portus.portus,
}


def advance(t: Table) -> None:
    """Continue until a player is asked or the game is over."""
    while True:
        space = t.acting_space()
        race_to_come = space is not None and (space.area in BEFORE_THE_RACE or space.area == "stadium")
        if t.p["stadium"]["open"] is not None and not race_to_come:
            # A36: without a racer area III is over as soon as Mercatus and Arena are empty.
            contests.leave(t, None, None, None)
            t.p["blue_dice"] = None  # A27
        if space is None:
            _end_round(t)
            return
        if ACTS[space.area](t, space):
            return


def _end_round(t: Table) -> None:
    """A53: after the last round nothing of the clean-up happens any more."""
    if t.p["round"] == t.board.constants["rounds"]:
        t.p["phase"], t.p["current_player"] = "over", None
        return
    # A50, in this order.
    if t.p["advantage"]:
        t.p["starting_player"] = t.p["advantage"][0]  # none placed: unchanged
    t.p["advantage"] = []
    row = t.p["equi"]["row"]
    for place, card in enumerate(row):
        if card is None:
            row[place] = t.draw_equi(to_hand=False)  # A51: a gap stays a gap without a card
    t.p["stadium"]["open"] = t.p["stadium"]["draw"].pop(0)
    t.p["round"] += 1
    t.ask("place", t.p["starting_player"])  # A17
