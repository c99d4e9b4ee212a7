"""Rollouts of many games at once in which one player acts for all seats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import States
from porta_nigra_env.envs.batch import BatchEnv, BatchStep

Rows = slice | npt.NDArray[np.int64]
#: Acts for the players to move in some rows of a step: gets the step, the rows as an index, and the number of rollout
#: steps before it.  Returns actions int64 (k,) and values (k, seats), the mover's first, in units of the reward.  The
#: actions of the last step are ignored, and the values of all others.
RolloutPlayer = Callable[[BatchStep, Rows, int], tuple[npt.NDArray[np.int64], npt.NDArray[np.floating]]]


def rollout_results(
    env: BatchEnv,
    states: States,
    actions: npt.NDArray[np.int64],
    plies: int,
    player: RolloutPlayer,
    histories: npt.NDArray[np.int16] | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the results of k actions, each in its state.

    Args:
        env: the batch, at least k rows, with autoreset_mode "DISABLED" and illegal_action "terminate".
        states: (k,) state array.
        actions: int64 (k,).
        plies: number of rollout steps after the action, of all seats.
        player: acts, and evaluates the games that are not over by then.
        histories: int16 (k, players, history, 4), what the seats have seen before; see `BatchEnv.load`.

    Returns:
        Results by seat, float64 (k, players), and whether each is bootstrapped from a value, bool (k,).
    """
    used, players = len(states), env.game.num_players
    # The other rows of the batch repeat the first ones and are ignored.
    repeated = np.arange(env.num_envs) % used
    env.load(states[repeated], seed=0, told=None if histories is None else histories[repeated])
    step = env.step(actions[repeated])
    results, bootstrapped = step.rewards[:used].astype(np.float64), np.zeros(used, dtype=np.bool_)
    for ply in range(plies + 1):
        rows = np.flatnonzero(step.current_player[:used] >= 0)
        if not len(rows):
            break
        # Usually all games continue, and nothing has to be copied.
        chosen, values = player(step, slice(used) if len(rows) == used else rows, ply)
        if ply == plies:
            bootstrapped[rows] = True
            seats = (step.current_player[rows].astype(np.int64)[:, None] + np.arange(players)) % players
            results[rows[:, None], seats] += values[:, :players]
            break
        all_actions = np.zeros(env.num_envs, dtype=np.int64)
        all_actions[rows] = chosen
        all_actions[used:] = step.action_masks[used:].argmax(axis=1)
        step = env.step(all_actions)
        results[rows] += step.rewards[rows]
    return results, bootstrapped
