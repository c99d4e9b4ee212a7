"""Drawing actions from a network's logits, compiled: legal actions only, a few of hundreds, are touched."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

SOURCES: Final = (*CORE_SOURCES, Path(__file__))
jit = compiler(*SOURCES)


@jit
def sample_row(logits: Any, masks: Any, uniforms: Any, actions: Any, log_probs: Any, row: int) -> None:
    """`sample` in one row."""
    best = -np.inf
    for action in range(masks.shape[1]):
        if masks[row, action] != 0:
            best = max(best, float(logits[row, action]))
    total = 0.0
    for action in range(masks.shape[1]):
        if masks[row, action] != 0:
            total += math.exp(float(logits[row, action]) - best)
    left = uniforms[row] * total
    chosen = -1
    for action in range(masks.shape[1]):
        if masks[row, action] != 0:
            weight = math.exp(float(logits[row, action]) - best)
            # The last one with any weight is taken where rounding leaves a rest.
            if weight > 0.0:
                chosen = action
                left -= weight
                if left < 0.0:
                    break
    actions[row] = chosen
    log_probs[row] = float(logits[row, chosen]) - best - math.log(total)


@jit
def sample(logits: Any, masks: Any, uniforms: Any, actions: Any, log_probs: Any) -> None:
    """Draw a legal action for each row, by the inverse of the distribution function.

    logits: float32 (n, num_actions); masks: int8 alike, at least one legal in each row; uniforms: float64 (n,) in
    [0, 1); actions: int64 (n,) and log_probs: float32 (n,), its log-probability, are written.
    """
    for row in range(logits.shape[0]):
        sample_row(logits, masks, uniforms, actions, log_probs, row)
