"""The final scoring as pictures of ended games show it; every stadium card lies open then."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.aquileia.state import KEPT_OPEN


def villas(t: Any, s: Any, seat: int, colour: int) -> int:
    """The sum of the values of a seat's villas of a colour."""
    value = 0
    for site in range(t["num_buildings"]):
        if t["building_colour"][site] == colour and s["buildings"][seat] >> site & 1:
            value += t["building_value"][site]
    return value


def laurel_points(t: Any, s: Any, seat: int) -> int:
    """Points of a seat's laurels."""
    points = 0
    for past in range(t["rounds"]):
        face = stadium_card_of(s, past, seat)
        if face >= t["num_colours"]:
            points += t["laurel_vp"][face]
    return points


def villa_points(t: Any, s: Any, seat: int) -> int:
    """Points of a seat's villas: once for each card of their colour; theatre cards for the better of two."""
    points = 0
    for past in range(t["rounds"]):
        face = stadium_card_of(s, past, seat)
        if 0 <= face < t["num_colours"]:
            points += villas(t, s, seat, face)
    for card in range(t["num_theatre_cards"]):
        if s["theatre_owner"][card] == seat:
            one, other = t["theatre_colours"][card][0], t["theatre_colours"][card][1]
            points += max(villas(t, s, seat, one), villas(t, s, seat, other))
    return points


def stadium_card_of(s: Any, past: int, seat: int) -> int:
    """The stadium card that a seat got in a past round; -1 for none and where it is not known."""
    kept = s["past_kept"][past]
    first = s["past_first"][past] == seat
    if kept < 0 or not (first or s["past_second"][past] == seat):
        return -1
    took_open = first if kept == KEPT_OPEN else not first
    return int(s["past_open"][past] if took_open else s["past_drawn"][past])
