"""Results of a finished game: ranks, and the returns computed from them.

A game ranks its seats with one kernel function, `rank`. Rank 1 is the best; tied seats share a rank, and the following
ranks are skipped (1, 1, 3). Winners, returns, search and ratings use ranks only; margins use totals. Most games rank by
totals and use `rank_by_totals`.

The functions are compiled and shared by the batch loops and the Python API.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES)


@jit
def rank_by_totals(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
    """Rank seats by their totals, highest first; equal totals share a rank (a kernel function `rank`).

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
    """Write zeros: the kernel function `points` of games in which players gain nothing before the end."""
    for seat in range(points.shape[0]):
        points[seat] = 0


@jit
def no_rounds(constants: Any, states: Any, row: int) -> int:
    """Return 0: the kernel function `rounds` of games without rounds."""
    return 0


@jit
def withdraw(places: Any, player: int) -> None:
    """Rank a seat that forfeited its game last; seats that were ranked below it move up by one."""
    for seat in range(places.shape[0]):
        if places[seat] > places[player]:
            places[seat] -= 1
    places[player] = places.shape[0]


@jit
def win_share(places: Any, seat: int) -> float:
    """Return 1 for a sole winner, 1/k for each of k tied winners, 0 for the others."""
    if places[seat] != 1:
        return 0.0
    winners = 0
    for other in range(places.shape[0]):
        if places[other] == 1:
            winners += 1
    return 1.0 / winners


@jit
def outcome(places: Any, seat: int) -> float:
    """Return the zero-sum result of a seat.

    A sole winner gets 1, the others -1/(n-1); each of k tied winners gets (n/k - 1)/(n - 1).
    """
    players: int = places.shape[0]
    share: float = win_share(places, seat)
    return (players * share - 1.0) / (players - 1)


@jit
def margin(totals: Any, seat: int) -> float:
    """Return the zero-sum margin of a seat in points: its total minus the mean total of the others."""
    total = 0
    for other in range(totals.shape[0]):
        total += int(totals[other])
    result: float = int(totals[seat]) - (total - int(totals[seat])) / (totals.shape[0] - 1)
    return result


@jit
def lead(totals: Any, seat: int) -> int:
    """Return a seat's total minus the best total of the others."""
    best = -(1 << 62)
    for other in range(totals.shape[0]):
        if other != seat:
            best = max(best, int(totals[other]))
    return int(totals[seat]) - best


def winners(places: npt.ArrayLike) -> list[int]:
    """Return the seats that share rank 1."""
    return [int(seat) for seat in np.flatnonzero(np.asarray(places) == 1)]


def outcome_returns(places: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the `outcome` of every seat, float64 (players,); places: integers (players,)."""
    ranks = np.asarray(places)
    return np.array([outcome(ranks, seat) for seat in range(len(ranks))])


def margin_returns(totals: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the `margin` of every seat, float64 (players,); totals: integers (players,)."""
    points = np.asarray(totals)
    return np.array([margin(points, seat) for seat in range(len(points))])
