"""Placement: followers on spaces, crests on the advantage track (A11-A17)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import MAX_PLAYERS, PLACE, PORTUS
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, following, gain_coins
from porta_nigra_env.games.aquileia.state import NUM_ROLLS


@jit
def begin_placement(state: State) -> None:
    """The starting player is asked first (A17)."""
    state["phase"] = PLACE
    state["current_player"] = state["starting_player"]


@jit
def place_follower(constants: Constants, state: State, seat: int, space: int) -> None:
    """A follower on a space; a coin space takes a coin under him at once (A15)."""
    state["standing"][seat] |= 1 << space
    state["followers_left"][seat] -= 1
    if constants["space_area"][space] == PORTUS:
        kind = int(constants["space_coin"][space])
        gain_coins(state, seat, kind, -1)
        state["portus_coins"] |= 1 << kind


@jit
def place_crest(state: State, seat: int) -> None:
    """The crest on the lowest free place of the advantage track."""
    place = 0
    for other in range(MAX_PLAYERS):
        if state["crest"][other] >= 0:
            place += 1
    state["crest"][seat] = place


@jit
def has_pieces(state: State, seat: int) -> bool:
    """Whether a seat has not passed and has a follower or the crest left (A17)."""
    return bool(
        (int(state["passed"]) >> seat) & 1 == 0 and (state["followers_left"][seat] > 0 or state["crest"][seat] < 0)
    )


@jit
def next_placement(state: State, seat: int) -> bool:
    """Ask the next seat clockwise that can be asked, the same again if she is the only one; False if none is (A17)."""
    for _ in range(int(state["num_players"])):
        seat = following(state, seat)
        if has_pieces(state, seat):
            state["current_player"] = seat
            return True
    end_placement(state)
    return False


@jit
def end_placement(state: State) -> None:
    """Passes are forgotten, last round's dice taken up."""
    state["passed"] = 0
    for throw in range(NUM_ROLLS):
        for kind in range(NUM_KINDS):
            state["dice"][throw, kind] = 0


@jit
def step_placement(constants: Constants, state: State, seat: int, action: int) -> bool:
    """One piece of one player, or her pass, which is final for the round (A11, A12)."""
    if action < int(constants["num_spaces"]):
        place_follower(constants, state, seat, action)
    elif action == int(constants["crest_id"]):
        place_crest(state, seat)
    else:
        state["passed"] |= 1 << seat
    return next_placement(state, seat)
