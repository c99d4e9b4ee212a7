"""Placement: followers on spaces, crests on the advantage track (A11-A17)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.aquileia.components.names import MAX_PLAYERS, PLACE, PORTUS
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, following, gain_coins
from porta_nigra_env.games.aquileia.state import NUM_ROLLS


@jit
def begin_placement(s: Any) -> None:
    """The starting player is asked first (A17)."""
    s["phase"] = PLACE
    s["current_player"] = s["starting_player"]


@jit
def place_follower(t: Any, s: Any, seat: int, space: int) -> None:
    """A follower on a space; a coin space takes a coin under him at once (A15)."""
    s["standing"][seat] |= 1 << space
    s["followers_left"][seat] -= 1
    if t["space_area"][space] == PORTUS:
        kind = int(t["space_coin"][space])
        gain_coins(s, seat, kind, -1)
        s["portus_coins"] |= 1 << kind


@jit
def place_crest(s: Any, seat: int) -> None:
    """The crest on the lowest free place of the advantage track."""
    place = 0
    for other in range(MAX_PLAYERS):
        if s["crest"][other] >= 0:
            place += 1
    s["crest"][seat] = place


@jit
def has_pieces(s: Any, seat: int) -> bool:
    """Whether a seat has not passed and has a follower or the crest left (A17)."""
    return bool((int(s["passed"]) >> seat) & 1 == 0 and (s["followers_left"][seat] > 0 or s["crest"][seat] < 0))


@jit
def next_placement(s: Any, seat: int) -> bool:
    """Ask the next seat clockwise that can be asked, the same again if she is the only one; False if none is (A17)."""
    for _ in range(int(s["num_players"])):
        seat = following(s, seat)
        if has_pieces(s, seat):
            s["current_player"] = seat
            return True
    end_placement(s)
    return False


@jit
def end_placement(s: Any) -> None:
    """Passes are forgotten, last round's dice taken up."""
    s["passed"] = 0
    for throw in range(NUM_ROLLS):
        for kind in range(NUM_KINDS):
            s["dice"][throw, kind] = 0


@jit
def step_placement(t: Any, s: Any, seat: int, action: int) -> bool:
    """One piece of one player, or her pass, which is final for the round (A11, A12)."""
    if action < int(t["num_spaces"]):
        place_follower(t, s, seat, action)
    elif action == int(t["crest_id"]):
        place_crest(s, seat)
    else:
        s["passed"] |= 1 << seat
    return next_placement(s, seat)
