"""The order of play: which space acts next, the clean-up, the end (A18, A20, A36, A50, A53)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import draw_card
from porta_nigra_env.games.aquileia.components.names import (
    ARENA,
    DOLUS,
    EQUI,
    FORUM,
    MAX_PLAYERS,
    OVER,
    PECUNIA,
    PORTUS,
    POTENTIA,
    SERVI,
    STADIUM_GOLD,
    STADIUM_SILVER,
    THEATRUM,
)
from porta_nigra_env.games.aquileia.rules.arena import begin_fight
from porta_nigra_env.games.aquileia.rules.cards import draw_equi
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.forum import act_forum
from porta_nigra_env.games.aquileia.rules.mercatus import act_dolus, act_equi, act_pecunia, act_potentia, act_servi
from porta_nigra_env.games.aquileia.rules.placement import begin_placement
from porta_nigra_env.games.aquileia.rules.portus import act_latro, act_portus
from porta_nigra_env.games.aquileia.rules.stadium import begin_race, close_stadium
from porta_nigra_env.games.aquileia.rules.table import acting_space, holder_of, occupied, send_home
from porta_nigra_env.games.aquileia.rules.theatrum import act_theatrum


@jit
def act(t: Any, s: Any, space: int) -> bool:
    """A space acts as far as nobody has to be asked."""
    area, seat = int(t["space_area"][space]), holder_of(s, space)
    if area == FORUM:
        return act_forum(t, s, seat, space)
    if area == PORTUS:
        return act_portus(t, s, seat, space)
    if area == EQUI:
        return act_equi(t, s, seat, space)
    if area == SERVI:
        return act_servi(t, s, seat, space)
    if area == ARENA:
        return begin_fight(t, s)
    if area in (STADIUM_GOLD, STADIUM_SILVER):
        return begin_race(t, s)
    if area == THEATRUM:
        return act_theatrum(s, seat)
    if area == PECUNIA:
        return act_pecunia(t, s, seat)
    if area == DOLUS:
        return act_dolus(t, s, seat)
    if area == POTENTIA:
        return act_potentia(t, s, seat)
    return act_latro(t, s, seat)


@jit
def stadium_is_due(t: Any, s: Any) -> bool:
    """Whether area III is over without a racer: nobody stands in Mercatus, Arena or Stadium any more (A36)."""
    behind = int(t["area_start"][STADIUM_SILVER + 1])
    return bool(s["stadium_open"] >= 0 and occupied(s) & ((1 << behind) - 1) == 0)


@jit
def proceed(t: Any, s: Any) -> None:
    """Spaces act until somebody is asked, or the game is over."""
    while True:
        if stadium_is_due(t, s):
            close_stadium(s)
        if occupied(s) == 0:
            if int(s["round"]) == int(t["rounds"]):
                s["phase"] = OVER
                s["current_player"] = -1
            else:
                clean_up(t, s)
            return
        space = acting_space(s)
        if act(t, s, space):
            return
        send_home(s, 1 << space)


@jit
def clean_up(t: Any, s: Any) -> None:
    """The next starting player, crests back, cards laid out; then the next round (A50)."""
    for seat in range(MAX_PLAYERS):
        if s["crest"][seat] == 0:
            s["starting_player"] = seat
        s["crest"][seat] = -1
    lay_out_cards(t, s)
    s["round"] += 1
    begin_placement(s)


@jit
def lay_out_cards(t: Any, s: Any) -> None:
    """Gaps in the row are filled from left to right, the next stadium card is opened (A4, A50, A51)."""
    for place in range(int(t["area_start"][EQUI + 1]) - int(t["area_start"][EQUI])):
        if s["equi_row"][place] < 0:
            s["equi_row"][place] = draw_equi(s)
    left = int(s["num_stadium_draw"])
    s["stadium_open"] = draw_card(s["stadium_cards"], left)
    s["num_stadium_draw"] = left - 1
