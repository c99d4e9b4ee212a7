"""Placement: followers on spaces, crests on the advantage track (A11-A17)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, following, gain_coins, occupied
from porta_nigra_env.games.aquileia.state import NUM_ROLLS


@jit
def begin_placement(state: State) -> None:
    """Ask the starting player first (A17)."""
    state["phase"] = names.PLACE
    state["current_player"] = state["starting_player"]


@jit
def spaces_open_to(constants: Constants, state: State, seat: int) -> int:
    """Return the spaces open to a seat as bits (A13-A16)."""
    if state["followers_left"][seat] == 0:
        return 0
    own = int(state["standing"][seat])
    gold, silver = (
        int(constants["area_spaces"][names.STADIUM_GOLD]),
        int(constants["area_spaces"][names.STADIUM_SILVER]),
    )
    portus = int(constants["area_spaces"][names.PORTUS])
    free = ((1 << int(constants["num_spaces"])) - 1) & ~occupied(state)
    if own & gold:
        free &= ~silver
    if own & silver:
        free &= ~gold
    if own & portus:
        free &= ~portus
    for kind in range(NUM_KINDS):
        if state["coins"][seat, kind] == 0:
            free &= ~int(constants["coin_space"][kind])
    for group in range(int(constants["num_alike"])):
        alike = free & int(constants["alike"][group])
        free ^= alike ^ (alike & -alike)
    return free


@jit
def legal_placement(constants: Constants, state: State, seat: int, words: Words) -> None:
    """Allow the open spaces, the crest if it is left, and always a pass (A11-A17)."""
    bits.put(words, 0, spaces_open_to(constants, state, seat), names.MAX_SPACES)
    if state["crest"][seat] < 0:
        bits.add(words, int(constants["crest_id"]))
    bits.add(words, int(constants["pass_id"]))


@jit
def place_follower(constants: Constants, state: State, seat: int, space: int) -> None:
    """Place a follower; a coin space takes a coin from the stock (A15)."""
    state["standing"][seat] |= 1 << space
    state["followers_left"][seat] -= 1
    if constants["space_area"][space] == names.PORTUS:
        kind = int(constants["space_coin"][space])
        gain_coins(state, seat, kind, -1)
        state["portus_coins"] |= 1 << kind


@jit
def place_crest(state: State, seat: int) -> None:
    """Place the crest on the lowest free rank of the advantage track."""
    place = 0
    for other in range(names.MAX_PLAYERS):
        if state["crest"][other] >= 0:
            place += 1
    state["crest"][seat] = place


@jit
def has_pieces(state: State, seat: int) -> bool:
    """Return True if a seat has not passed and has a follower or the crest left (A17)."""
    return bool(
        (int(state["passed"]) >> seat) & 1 == 0 and (state["followers_left"][seat] > 0 or state["crest"][seat] < 0)
    )


@jit
def next_placement(state: State, seat: int) -> bool:
    """Ask the next seat with pieces clockwise, possibly the same one; False if no seat has any (A17)."""
    for _ in range(int(state["num_players"])):
        seat = following(state, seat)
        if has_pieces(state, seat):
            state["current_player"] = seat
            return True
    end_placement(state)
    return False


@jit
def end_placement(state: State) -> None:
    """Clear the passes and the dice of the last round."""
    state["passed"] = 0
    for throw in range(NUM_ROLLS):
        for kind in range(NUM_KINDS):
            state["dice"][throw, kind] = 0


@jit
def step_placement(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Place one piece, or pass for the rest of the round (A11, A12)."""
    if action < int(constants["num_spaces"]):
        place_follower(constants, state, seat, action)
    elif action == int(constants["crest_id"]):
        place_crest(state, seat)
    else:
        state["passed"] |= 1 << seat
    return next_placement(state, seat)
