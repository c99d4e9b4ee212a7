"""The final scoring in pictures of ended games, when every stadium card is open."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.state import KEPT_OPEN


def villas(constants: Constants, state: State, seat: int, colour: int) -> int:
    """Return the sum of the values of a seat's villas of a colour."""
    value = 0
    for site in range(constants["num_buildings"]):
        if constants["building_colour"][site] == colour and state["buildings"][seat] >> site & 1:
            value += constants["building_value"][site]
    return value


def laurel_points(constants: Constants, state: State, seat: int) -> int:
    """Return the points of a seat's laurels."""
    points = 0
    for past in range(constants["rounds"]):
        face = stadium_card_of(state, past, seat)
        if face >= constants["num_colours"]:
            points += constants["laurel_vp"][face]
    return points


def villa_points(constants: Constants, state: State, seat: int) -> int:
    """Return the points of a seat's villas: once for each card of their colour, the better one of a theatre card."""
    points = 0
    for past in range(constants["rounds"]):
        face = stadium_card_of(state, past, seat)
        if 0 <= face < constants["num_colours"]:
            points += villas(constants, state, seat, face)
    for card in range(constants["num_theatre_cards"]):
        if state["theatre_owner"][card] == seat:
            colour, other = constants["theatre_colours"][card][0], constants["theatre_colours"][card][1]
            points += max(villas(constants, state, seat, colour), villas(constants, state, seat, other))
    return points


def stadium_card_of(state: State, past: int, seat: int) -> int:
    """Return the stadium card of a seat in a past round; -1 for none or an unknown one."""
    kept = state["past_kept"][past]
    first = state["past_first"][past] == seat
    if kept < 0 or not (first or state["past_second"][past] == seat):
        return -1
    took_open = first if kept == KEPT_OPEN else not first
    return int(state["past_open"][past] if took_open else state["past_drawn"][past])
