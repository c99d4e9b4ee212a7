"""What a march of the Goth costs: base cards are lost, the tribute is shared (G32-G38)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components.names import LOSE, RECLAIM, ROME
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.forum import begin_turn
from porta_nigra_env.games.gloria_mundi.rules.table import (
    NUM_BASES,
    NUM_KINDS,
    discard_building,
    end_game,
    following,
    gain_stones,
)


@jit
def lose_options(s: Any, seat: int) -> int:
    """Bare base cards, and from bit NUM_BASES on building cards, of a demanded type (G34)."""
    bare = 0
    cards = 0
    for base in range(NUM_BASES):
        if s["demanded"][base] > 0:
            cards |= int(s["covered"][seat, base])
            if s["bare"][seat, base] > 0:
                bare |= 1 << base
    return bare | cards << NUM_BASES


@jit
def open_loss(t: Any, s: Any, seat: int) -> None:
    """From this seat on, the next one who has something of a demanded type; the others are skipped (G33)."""
    for _ in range(int(s["num_players"])):
        options = lose_options(s, seat)
        if options != 0:
            s["phase"] = LOSE
            s["current_player"] = seat
            s["options"] = options
            return
        seat = following(s, seat)
    for base in range(NUM_BASES):
        s["demanded"][base] = 0
    open_reclaim(t, s, int(s["active_player"]))


@jit
def step_loss(t: Any, s: Any, seat: int, action: int) -> None:
    """A bare base card, a building card with the one below, or a wall in its place (G34-G36)."""
    if action < ID.lose:
        base = action - ID.lose_bare
        s["bare"][seat, base] -= 1
    elif action < ID.wall:
        base = discard_building(s, seat, action - ID.lose)
    else:
        base = discard_building(s, seat, action - ID.wall)
        s["bare"][seat, base] += 1
    s["demanded"][base] -= 1
    open_loss(t, s, following(s, seat))


@jit
def reclaim_options(s: Any) -> int:
    """The kinds of stones that are still to be shared."""
    kinds = 0
    for kind in range(NUM_KINDS):
        if s["raid_stones"][kind] > 0:
            kinds |= 1 << kind
    return kinds


@jit
def open_reclaim(t: Any, s: Any, seat: int) -> None:
    """This seat takes a stone, if there is one (G37)."""
    options = reclaim_options(s)
    if options == 0:
        end_turn(t, s)
        return
    s["phase"] = RECLAIM
    s["current_player"] = seat
    s["options"] = options


@jit
def step_reclaim(t: Any, s: Any, seat: int, action: int) -> None:
    """One stone of the tribute."""
    kind = action - ID.take
    s["raid_stones"][kind] -= 1
    gain_stones(s, seat, kind, 1)
    open_reclaim(t, s, following(s, seat))


@jit
def end_turn(t: Any, s: Any) -> None:
    """The next turn, or the end if the Goth is in Rome (G38)."""
    if s["goth"] > t["provinces"]:
        end_game(s, ROME)
        return
    s["turn"] += 1
    begin_turn(s, following(s, int(s["active_player"])))
