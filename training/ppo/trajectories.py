"""What happened in games that are learned from, and what decisions were worth to every seat.

What the compiled loop over rows does in one of them stands alone: a GPU does all at once
(`training.gpu.kernels`).

Schulman and others: *High-Dimensional Continuous Control Using Generalized Advantage Estimation* (arXiv 1506.02438).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

SOURCES: Final = (*CORE_SOURCES, Path(__file__))
jit = compiler(*SOURCES)


class Trajectories(NamedTuple):
    """What happened in n games side by side over a number of steps.

    players: int8 (n,), how many there are in each row's games.
    movers: int8 (steps, n), who decided.
    rewards: float32 (steps, n, most), what each seat has gained by the step.
    ended: bool (steps, n), whether a game ended in the step; the next step belongs to another one.
    values: float32 (steps, n, seats), estimates at the decision: 0 is the mover's, k that of the seat k to the left.
    """

    players: Any
    movers: Any
    rewards: Any
    ended: Any
    values: Any


class Estimates(NamedTuple):
    """What `returns` works out.

    advantages: float32 (steps, n).
    targets: float32 (steps, n, seats), what the values should have been.
    known: int8 (steps, n, seats), 1 where there is a target.
    """

    advantages: Any
    targets: Any
    known: Any


class Horizon(NamedTuple):
    """Scratch of `returns`: what is known of each seat's next decision, coming from the end of the data.

    value, advantage: float64 (most,), of that decision; gained: float64 (most,), since the step at hand.
    known: int8 (most,), 1 where there is such a decision, or the game's end.
    """

    value: Any
    advantage: Any
    gained: Any
    known: Any


@jit
def returns_row(
    data: Trajectories, discount: float, gae_lambda: float, estimates: Estimates, row: int, after: Horizon
) -> None:
    """`returns` of one row."""
    seats = data.values.shape[2]
    # Seats are counted around the row's own table: in a game of two the seat after the last one is the first one.
    players = int(data.players[row])
    for seat in range(players):
        after.value[seat] = after.advantage[seat] = after.gained[seat] = 0.0
        after.known[seat] = 0
    for step in range(data.movers.shape[0] - 1, -1, -1):
        if data.ended[step, row]:
            for seat in range(players):
                after.value[seat] = after.advantage[seat] = after.gained[seat] = 0.0
                after.known[seat] = 1
        for seat in range(players):
            after.gained[seat] += data.rewards[step, row, seat]
        mover = int(data.movers[step, row])
        value = float(data.values[step, row, 0])
        advantage = 0.0
        if after.known[mover] != 0:
            ahead = after.value[mover] + gae_lambda * after.advantage[mover]
            advantage = after.gained[mover] + discount * ahead - value
        for place in range(seats):
            seat = (mover + place) % players
            future = after.value[seat] + after.advantage[seat]
            estimates.targets[step, row, place] = after.gained[seat] + discount * future
            estimates.known[step, row, place] = after.known[seat] if place < players else 0
        estimates.targets[step, row, 0] = value + advantage
        estimates.advantages[step, row] = advantage
        after.value[mover], after.advantage[mover], after.gained[mover], after.known[mover] = value, advantage, 0.0, 1


@compiler(*SOURCES, allocates=True)
def returns(data: Trajectories, discount: float, gae_lambda: float, estimates: Estimates) -> None:
    """Generalized advantages of every seat along its own decisions, across those of the others.

    A seat's next state is its own next decision; what it gains until then, also in others' turns, is the reward of its
    decision.  The last decision of a seat before the data end has no successor: it serves as the value to go on from
    and is not learned from (`known` is 0).  Where a game ends, every seat's future is worth nothing.

    Args:
        data: what happened.
        discount: of a seat's next decision.
        gae_lambda: lambda of the estimator.
        estimates: written.
    """
    most = data.rewards.shape[2]
    after = Horizon(np.zeros(most), np.zeros(most), np.zeros(most), np.zeros(most, dtype=np.int8))
    for row in range(data.movers.shape[1]):
        returns_row(data, discount, gae_lambda, estimates, row, after)
