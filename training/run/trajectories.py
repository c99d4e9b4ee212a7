"""Trajectories of parallel games, and generalized advantages for every seat.

`returns_row` handles one row, so that a GPU can run all rows in parallel (`training.gpu.kernels`).

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
    """Steps of n parallel games.

    players: int8 (n,), number of players of each row.
    movers: int8 (steps, n), seat of the mover.
    rewards: float32 (steps, n, most), reward of each seat.
    ended: bool (steps, n), True if the game ended; the next step belongs to a new game.
    values: float32 (steps, n, seats), value estimates: index 0 is the mover's, k that of the seat k to the left.
    """

    players: Any
    movers: Any
    rewards: Any
    ended: Any
    values: Any


class Estimates(NamedTuple):
    """Output of `returns`.

    advantages: float32 (steps, n).
    targets: float32 (steps, n, seats), value targets.
    known: int8 (steps, n, seats), 1 where the target is known.
    """

    advantages: Any
    targets: Any
    known: Any


class Horizon(NamedTuple):
    """Scratch of `returns`: the next own step of each seat, filled backwards.

    value, advantage: float64 (most,), of that step; gained: float64 (most,), rewards until it.
    known: int8 (most,), 1 if that step or the end of the game is in the data.
    """

    value: Any
    advantage: Any
    gained: Any
    known: Any


@jit
def returns_row(
    data: Trajectories, gamma: float, gae_lambda: float, estimates: Estimates, row: int, after: Horizon
) -> None:
    """Run `returns` for one row."""
    seats = data.values.shape[2]
    # Seats wrap at the row's own number of players.
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
            advantage = after.gained[mover] + gamma * ahead - value
        for offset in range(seats):
            seat = (mover + offset) % players
            future = after.value[seat] + after.advantage[seat]
            estimates.targets[step, row, offset] = after.gained[seat] + gamma * future
            estimates.known[step, row, offset] = after.known[seat] if offset < players else 0
        estimates.targets[step, row, 0] = value + advantage
        estimates.advantages[step, row] = advantage
        after.value[mover], after.advantage[mover], after.gained[mover], after.known[mover] = value, advantage, 0.0, 1


@compiler(*SOURCES, allocates=True)
def returns(data: Trajectories, gamma: float, gae_lambda: float, estimates: Estimates) -> None:
    """Write generalized advantages of every seat along its own steps.

    The successor of a seat's step is its own next step.  All rewards until then, also in other turns, belong to the
    step.  A seat's last step in the data has no successor: it only bootstraps the step before (`known` is 0).  After
    the end of a game every future value is 0.

    Args:
        data: trajectories.
        gamma: discount factor of a seat's next step.
        gae_lambda: lambda of the estimator.
        estimates: output.
    """
    most = data.rewards.shape[2]
    after = Horizon(np.zeros(most), np.zeros(most), np.zeros(most), np.zeros(most, dtype=np.int8))
    for row in range(data.movers.shape[1]):
        returns_row(data, gamma, gae_lambda, estimates, row, after)
