"""Compiled sampling from a network's logits; it reads legal actions only, a few of hundreds."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

SOURCES: Final = (*CORE_SOURCES, Path(__file__))
jit = compiler(*SOURCES)

#: The logit of illegal actions: their probability is exactly 0 in float32.
NEVER: Final = -1e9


@jit
def sample_row(logits: Any, masks: Any, uniforms: Any, actions: Any, log_probs: Any, row: int) -> None:
    """Apply `sample` to one row."""
    best = -np.inf
    for action in range(masks.shape[1]):
        if masks[row, action] != 0:
            best = max(best, float(logits[row, action]))
    total = 0.0
    for action in range(masks.shape[1]):
        if masks[row, action] != 0:
            total += math.exp(float(logits[row, action]) - best)
    remainder = uniforms[row] * total
    chosen = -1
    for action in range(masks.shape[1]):
        if masks[row, action] != 0:
            weight = math.exp(float(logits[row, action]) - best)
            # Where rounding leaves a remainder, the last action with any weight is chosen.
            if weight > 0.0:
                chosen = action
                remainder -= weight
                if remainder < 0.0:
                    break
    actions[row] = chosen
    log_probs[row] = float(logits[row, chosen]) - best - math.log(total)


@jit
def sample(logits: Any, masks: Any, uniforms: Any, actions: Any, log_probs: Any) -> None:
    """Draw a legal action for each row, by the inverse of the distribution function.

    Args:
        logits: float32 (n, num_actions).
        masks: int8 (n, num_actions), at least one legal action in each row.
        uniforms: float64 (n,) in [0, 1).
        actions: int64 (n,), written.
        log_probs: float32 (n,), log-probabilities of the actions, written.
    """
    for row in range(logits.shape[0]):
        sample_row(logits, masks, uniforms, actions, log_probs, row)
