"""Laws of results at a position: totals, places, points and rounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from porta_nigra_env.core.conformance.moments import Moment, determinized, redacted
from porta_nigra_env.core.conformance.readings import Finding, places_of, points_of, rounds_of, totals_of
from porta_nigra_env.core.game.game import States


def totals_are_overwritten(moment: Moment) -> Finding:
    """Every seat's total is written, whatever stood there before."""
    found = [totals_of(moment.game, moment.states, before=before).tolist() for before in (0, -(2**31), 77)]
    return None if found[0] == found[1] == found[2] else f"{found[0]}, over other values {found[1]}"


def places_are_counted(moment: Moment) -> Finding:
    """Every seat's place is written, whatever stood there before: one more than the seats that are better."""
    found = [places_of(moment.game, moment.states, before=before).tolist() for before in (0, -1, 77)]
    if not found[0] == found[1] == found[2]:
        return f"{found[0]}, over other values {found[1]}"
    wanted = [1 + sum(other < place for other in found[0]) for place in found[0]]
    return None if found[0] == wanted else f"places {found[0]}, counted {wanted}"


def rank_only_reads_the_totals(moment: Moment) -> Finding:
    """Ranking leaves the totals as they are."""
    game, states = moment.game, moment.states
    totals, places = totals_of(game, states), np.zeros(game.num_players, dtype=np.int8)
    game.kernel.rank(game.constants, states, 0, totals, places)
    return None if totals.tolist() == totals_of(game, states).tolist() else f"totals are {totals.tolist()} after it"


def sources_add_up(moment: Moment) -> Finding:
    """Points by source have a column for every source, and add up to the totals where there are sources."""
    game, states = moment.game, moment.states
    found, wanted = game.points_by_source(states), (1, game.num_players, len(game.point_sources))
    if found.shape != wanted:
        return f"shape {found.shape}, expected {wanted}"
    sums, totals = found[0].sum(axis=1).tolist(), totals_of(game, states).tolist()
    return None if not game.point_sources or sums == totals else f"{sums} by source, totals {totals}"


def _known(moment: Moment) -> Iterator[tuple[str, States]]:
    """The position as each player knows it, and as it may be for all that she knows."""
    for seat in moment.seats:
        yield f"seat {seat}, redacted", redacted(moment, seat)
        for seed in moment.seeds(3):
            yield f"seat {seat}, seed {seed}", determinized(moment, seat, seed)


def points_are_public(moment: Moment) -> Finding:
    """Everybody knows the points gained so far, which are written over whatever stood there before."""
    game, states = moment.game, moment.states
    true = points_of(game, states).tolist()
    if points_of(game, states, before=77).tolist() != true:
        return f"{true}, over other values {points_of(game, states, before=77).tolist()}"
    for how, twin in _known(moment):
        if points_of(game, twin).tolist() != true:
            return f"{how}: {points_of(game, twin).tolist()}, truly {true}"
    return None


def rounds_are_public(moment: Moment) -> Finding:
    """Everybody knows how many rounds have begun."""
    true = rounds_of(moment.game, moment.states)
    for how, twin in _known(moment):
        if rounds_of(moment.game, twin) != true:
            return f"{how}: {rounds_of(moment.game, twin)}, truly {true}"
    return None


def result_is_public(moment: Moment) -> Finding:
    """When the game is over, everybody knows totals and places: states that a player cannot tell apart have the same.

    Before the end they may depend on what is hidden: they say what would be if the game ended now.
    """
    if moment.player >= 0:
        return None
    game, states = moment.game, moment.states
    true = totals_of(game, states).tolist(), places_of(game, states).tolist()
    for how, twin in _known(moment):
        found = totals_of(game, twin).tolist(), places_of(game, twin).tolist()
        if found != true:
            return f"{how}: totals {found[0]}, places {found[1]}, truly {true[0]}, {true[1]}"
    return None
