"""What a game's end is worth: places, and the returns that follow from them.

A game ranks its seats with one verb, `rank`: place 1 is the first, seats that share a place have the same number, and
as many numbers are left out behind them (1, 1, 3).  Winners, returns, search and ratings all follow from places; only
margins are a matter of totals.  Most games rank by totals alone and take `rank_by_totals` as their verb.

The functions are compiled and the same everywhere: inside the loops over many games, and for one game from Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES)


@jit
def rank_by_totals(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
    """The verb `rank` of games in which the highest total wins and equal totals share a place.

    totals: int32 (players,), of `score` at the same position; places: int8 (players,), written.
    """
    for seat in range(places.shape[0]):
        place = 1
        for other in range(places.shape[0]):
            if totals[other] > totals[seat]:
                place += 1
        places[seat] = place


@jit
def no_points(constants: Any, states: Any, row: int, points: Any) -> None:
    """The verb `points` of games in which nothing is gained before the end."""
    for seat in range(points.shape[0]):
        points[seat] = 0


@jit
def no_rounds(constants: Any, states: Any, row: int) -> int:
    """The verb `rounds` of games without rounds."""
    return 0


@jit
def withdraw(places: Any, player: int) -> None:
    """Put a seat that gave its game away behind all others, and those that were behind it a place further up."""
    for seat in range(places.shape[0]):
        if places[seat] > places[player]:
            places[seat] -= 1
    places[player] = places.shape[0]


@jit
def win_share(places: Any, seat: int) -> float:
    """1 for a sole winner, 1/k for each of k who share the first place, 0 for the others."""
    if places[seat] != 1:
        return 0.0
    winners = 0
    for other in range(places.shape[0]):
        if places[other] == 1:
            winners += 1
    return 1.0 / winners


@jit
def outcome(places: Any, seat: int) -> float:
    """Zero-sum result of a seat: a sole winner gets 1, the others -1/(n-1); k winners share, (n/k - 1)/(n - 1) each."""
    players: int = places.shape[0]
    share: float = win_share(places, seat)
    return (players * share - 1.0) / (players - 1)


@jit
def margin(totals: Any, seat: int) -> float:
    """Zero-sum result of a seat in points: her total minus the mean total of the others."""
    total = 0
    for other in range(totals.shape[0]):
        total += int(totals[other])
    result: float = int(totals[seat]) - (total - int(totals[seat])) / (totals.shape[0] - 1)
    return result


@jit
def lead(totals: Any, seat: int) -> int:
    """Her total minus the best total of the others."""
    best = -(1 << 62)
    for other in range(totals.shape[0]):
        if other != seat:
            best = max(best, int(totals[other]))
    return int(totals[seat]) - best


def winners(places: npt.ArrayLike) -> list[int]:
    """Seats that share the first place."""
    return [int(seat) for seat in np.flatnonzero(np.asarray(places) == 1)]


def outcome_returns(places: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """`outcome` of every seat, float64 (players,); places: integers (players,)."""
    given = np.asarray(places)
    return np.array([outcome(given, seat) for seat in range(len(given))])


def margin_returns(totals: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """`margin` of every seat, float64 (players,); totals: integers (players,)."""
    given = np.asarray(totals)
    return np.array([margin(given, seat) for seat in range(len(given))])
