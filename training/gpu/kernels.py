"""GPU kernels that sample actions and compute advantages, one thread per row."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents import sampling
from agents.sampling import sample_row
from porta_nigra_env.cuda.compile import cache_folder, cuda, kernel, launch, lent, zeros
from training.run import trajectories
from training.run.trajectories import Estimates, Horizon, Trajectories, returns_row


def _sample(logits: Any, masks: Any, uniforms: Any, actions: Any, log_probs: Any) -> None:
    """Run `agents.sampling.sample` for one row."""
    row = cuda.grid(1)
    if row < actions.shape[0]:
        sample_row(logits, masks, uniforms, actions, log_probs, row)


def _returns(data: Trajectories, gamma: float, gae_lambda: float, estimates: Estimates, scratch: Horizon) -> None:
    """Run `trajectories.returns` for one row; `scratch` has a row per thread, (n, most)."""
    row = cuda.grid(1)
    if row < data.movers.shape[1]:
        after = Horizon(scratch.value[row], scratch.advantage[row], scratch.gained[row], scratch.known[row])
        returns_row(data, gamma, gae_lambda, estimates, row, after)


class Kernels(NamedTuple):
    """Compiled kernels."""

    sample: Any
    returns: Any


@lru_cache
def kernels() -> Kernels:
    """Return the kernels; each compiles at its first launch."""
    folder = cache_folder(*sampling.SOURCES, *trajectories.SOURCES, Path(__file__))
    return Kernels(kernel(_sample, folder), kernel(_returns, folder))


def sample(logits: Any, masks: Any, uniforms: Any, actions: Any, log_probs: Any) -> None:
    """Run `agents.sampling.sample` on torch tensors of the GPU."""
    launch(kernels().sample, len(actions), *map(lent, (logits, masks, uniforms, actions, log_probs)))


def returns(data: Trajectories, gamma: float, gae_lambda: float, estimates: Estimates) -> None:
    """Run `trajectories.returns` on torch tensors of the GPU."""
    shape = rows, _ = data.movers.shape[1], data.rewards.shape[2]
    real = [zeros(shape, np.float64) for _ in range(3)]
    scratch = Horizon(real[0], real[1], real[2], zeros(shape, np.int8))
    arguments = Trajectories(*map(lent, data)), gamma, gae_lambda, Estimates(*map(lent, estimates)), scratch
    launch(kernels().returns, rows, *arguments)
