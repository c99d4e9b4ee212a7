"""What actions come to when somebody plays all seats on from there, many games at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.envs.batch import BatchEnv, BatchStep

#: Decides for whoever is to move in some rows of a step: the step, the rows as an index, and how many decisions have
#: been played on; gives actions int64 (k,) and values (k, seats), the mover's first, in units of the reward.  After the
#: last ply its actions are not looked at, before that its values are not.
Player = Callable[[BatchStep, Any, int], tuple[Any, Any]]


def played_on(
    env: BatchEnv, states: Any, actions: Any, plies: int, player: Player
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Results of k actions, each in its state.

    Args:
        env: whose rows are used, at least k, with autoreset_mode "DISABLED" and illegal_action "terminate".
        states: (k,) state array.
        actions: int64 (k,).
        plies: decisions that are played on after that, of all seats.
        player: decides, and tells the values that stand for the rest where a game is not over by then.

    Returns:
        Results by seat, float64 (k, players), and where a game was left before its end, bool (k,).
    """
    used, players = len(states), env.game.num_players
    # What is left of the rows plays along and is not looked at.
    env.load(np.resize(states, env.num_envs), seed=0)
    step = env.step(np.resize(actions, env.num_envs))
    results, judged = step.rewards[:used].astype(np.float64), np.zeros(used, dtype=np.bool_)
    for ply in range(plies + 1):
        rows = np.flatnonzero(step.current_player[:used] >= 0)
        if not len(rows):
            break
        # Most of the time all go on, and nothing has to be copied.
        chosen, values = player(step, slice(used) if len(rows) == used else rows, ply)
        if ply == plies:
            judged[rows] = True
            places = (step.current_player[rows].astype(np.int64)[:, None] + np.arange(players)) % players
            results[rows[:, None], places] += values[:, :players]
            break
        drawn = np.zeros(env.num_envs, dtype=np.int64)
        drawn[rows] = chosen
        # Rows that are not looked at: whatever they do, the game there goes on or ends.
        drawn[used:] = step.action_masks[used:].argmax(axis=1)
        step = env.step(drawn)
        results[rows] += step.rewards[rows]
    return results, judged
