"""Invariants of results at a position: totals, ranks, points and rounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from porta_nigra_env.core.conformance.moments import Moment, determinized, redacted
from porta_nigra_env.core.conformance.readings import Finding, places_of, points_of, rounds_of, totals_of
from porta_nigra_env.core.game.game import States


def totals_are_overwritten(moment: Moment) -> Finding:
    """Every total is written and does not depend on the old contents of the buffer."""
    values = [totals_of(moment.game, moment.states, before=before).tolist() for before in (0, -(2**31), 77)]
    return None if values[0] == values[1] == values[2] else f"{values[0]}, over other values {values[1]}"


def ranks_are_consistent(moment: Moment) -> Finding:
    """Every rank is written: one more than the number of better seats, for any old contents of the buffer."""
    values = [places_of(moment.game, moment.states, before=before).tolist() for before in (0, -1, 77)]
    if not values[0] == values[1] == values[2]:
        return f"{values[0]}, over other values {values[1]}"
    wanted = [1 + sum(other < place for other in values[0]) for place in values[0]]
    return None if values[0] == wanted else f"places {values[0]}, counted {wanted}"


def rank_does_not_write_totals(moment: Moment) -> Finding:
    """Ranking does not change the totals."""
    game, states = moment.game, moment.states
    totals, places = totals_of(game, states), np.zeros(game.num_players, dtype=np.int8)
    game.kernel.rank(game.constants, states, 0, totals, places)
    return None if totals.tolist() == totals_of(game, states).tolist() else f"totals are {totals.tolist()} after it"


def sources_add_up(moment: Moment) -> Finding:
    """Points by source have a column for every source and add up to the totals if the game has sources."""
    game, states = moment.game, moment.states
    values, wanted = game.points_by_source(states), (1, game.num_players, len(game.point_sources))
    if values.shape != wanted:
        return f"shape {values.shape}, expected {wanted}"
    sums, totals = values[0].sum(axis=1).tolist(), totals_of(game, states).tolist()
    return None if not game.point_sources or sums == totals else f"{sums} by source, totals {totals}"


def _indistinguishable(moment: Moment) -> Iterator[tuple[str, States]]:
    """Yield the redacted state of each player and some determinizations."""
    for seat in moment.seats:
        yield f"seat {seat}, redacted", redacted(moment, seat)
        for seed in moment.seeds(3):
            yield f"seat {seat}, seed {seed}", determinized(moment, seat, seed)


def points_are_public(moment: Moment) -> Finding:
    """All players know the points gained so far, which do not depend on the old contents of the buffer."""
    game, states = moment.game, moment.states
    true = points_of(game, states).tolist()
    if points_of(game, states, before=77).tolist() != true:
        return f"{true}, over other values {points_of(game, states, before=77).tolist()}"
    for name, twin in _indistinguishable(moment):
        if points_of(game, twin).tolist() != true:
            return f"{name}: {points_of(game, twin).tolist()}, truly {true}"
    return None


def rounds_are_public(moment: Moment) -> Finding:
    """All players know the number of rounds that have begun."""
    true = rounds_of(moment.game, moment.states)
    for name, twin in _indistinguishable(moment):
        if rounds_of(moment.game, twin) != true:
            return f"{name}: {rounds_of(moment.game, twin)}, truly {true}"
    return None


def result_is_public(moment: Moment) -> Finding:
    """When the game is over, all players know totals and ranks: indistinguishable states have the same.

    Before the end they may depend on hidden information: they are the result if the game ended now.
    """
    if moment.player >= 0:
        return None
    game, states = moment.game, moment.states
    true = totals_of(game, states).tolist(), places_of(game, states).tolist()
    for name, twin in _indistinguishable(moment):
        values = totals_of(game, twin).tolist(), places_of(game, twin).tolist()
        if values != true:
            return f"{name}: totals {values[0]}, places {values[1]}, truly {true[0]}, {true[1]}"
    return None
