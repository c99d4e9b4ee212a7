"""Every kernel of a game with its launch arguments, recorded from batches without a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.cuda import batch as gpu
from porta_nigra_env.cuda import compile as cuda
from porta_nigra_env.cuda import play as gpu_play

#: A kernel's name, the kernel and its arguments, with numpy arrays.
Launches = dict[str, tuple[Any, tuple[Any, ...]]]


def policies_of(game: Game) -> list[Policy]:
    """Return the compiled policies of a game, one for each compiled function, and the random one."""
    return list({policy.choose: policy for policy in (RANDOM, *game.policies().values())}.values())


def launches(game: Game, patch: pytest.MonkeyPatch) -> Launches:
    """Return all kernels of a game that plays with its policies."""
    recorded: Launches = {}

    def record(kernel: Any, count: int, *arguments: Any) -> None:
        recorded.setdefault(kernel.py_func.__name__, (kernel, arguments))

    for module in (cuda, gpu):
        patch.setattr(module, "launch", record)
        patch.setattr(module, "uploaded", np.array)
        patch.setattr(module, "downloaded", np.array)
        patch.setattr(module, "overwrite", lambda target, array: target.__setitem__(..., array))
    patch.setattr(cuda, "zeros", np.zeros)
    patch.setattr(cuda, "empty", np.zeros)
    patch.setattr(cuda, "on_gpu", lambda array: array)
    patch.setattr(cuda, "check_gpu", lambda: None)
    policies = policies_of(game)
    for narrow in ("uint8", "float16"):
        env = gpu.GpuBatchEnv(game, 4, seat="rotate", opponents=RANDOM, observations=narrow)
        for policy in policies:
            env.set_opponents(policy)
        env.reset(seed=1)
        env.states[...] = game.new_states(1)  # launched kernels are recorded, not run
        env.refresh()
        env.current_player[:] = 0
        env.restore(env.snapshot())
        env._started = True
        env._first_faults(np.zeros(4, dtype=np.int64))
        patch.setattr(env, "_first_faults", lambda actions: [4, 4])
        env.step(np.zeros(4, dtype=np.int64))
        env.random_actions()
        env.privileged()
        states, players = env.redacted([0, 1])
        env.determinize(states, players, [1, 2])
    line = [policies[seat % len(policies)] for seat in range(game.num_players)]
    gpu_play.play_games(game, line, [1, 2], lineups=None)
    return recorded
