"""The loss of a clipped policy gradient, and its gradient.

`gradient` is compiled and touches legal actions only, a few of hundreds: on a processor it costs a small part of what
operations on whole tensors cost.  `loss` is the same in torch, for a GPU and for the tests that hold one
against the other.

Schulman and others: *Proximal Policy Optimization Algorithms* (arXiv 1707.06347).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.networks.network import masked
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

SOURCES: Final = (*CORE_SOURCES, Path(__file__))
jit = compiler(*SOURCES)

#: Columns of what `gradient` and `loss` report, sums over rows with weight.
REPORTED: Final = ("policy_loss", "value_loss", "entropy", "kl", "clipped")


class Coefficients(NamedTuple):
    """Constants of the loss.

    clip: how far the new probability over the old one may leave 1 before the gain stops counting.
    entropy: weight of the entropy bonus.
    value: weight of the squared error of the own value; `other_values` that of the other seats' values.
    """

    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5
    other_values: float = 0.25


class Minibatch(NamedTuple):
    """k decisions that are learned from, arrays or tensors.

    masks: int8 (k, num_actions), nonzero where legal.
    actions: int64 (k,), what was done; log_probs: float32 (k,), its log-probability then.
    advantages: float32 (k,); targets float32 and known int8 (k, seats): of `Estimates`.
    weights: float32 (k,), how often the errors of a row's values count (`Learner.telling`).
    """

    masks: Any
    actions: Any
    log_probs: Any
    advantages: Any
    targets: Any
    known: Any
    weights: Any


class Gradients(NamedTuple):
    """What `gradient` writes.

    logits: float32 (k, num_actions); values: float32 (k, seats).
    reported: float64 (5,) in the order of `REPORTED`; the sums are added to what it holds.
    legal: int64 (num_actions,), for the legal actions of a row.
    """

    logits: Any
    values: Any
    reported: Any
    legal: Any


@jit
def _legal(masks: Any, row: int, actions: Any) -> int:
    """Write the legal actions of a row into `actions`, int64 (num_actions,); returns how many there are."""
    count = 0
    for action in range(masks.shape[1]):
        # Without a branch, which is guessed wrong too often: what is not legal is overwritten.
        actions[count] = action
        count += 1 if masks[row, action] != 0 else 0
    return count


@jit
def _policy_gradient(
    logits: Any, weight: float, coefficients: Coefficients, batch: Minibatch, out: Gradients, row: int, legal: Any
) -> None:
    """A row's gradient with respect to the logits of its legal actions."""
    best = -np.inf
    for action in legal:
        best = max(best, float(logits[row, action]))
    normal = 0.0
    for action in legal:
        normal += np.exp(float(logits[row, action]) - best)
    log_normal = best + np.log(normal)
    entropy = 0.0
    for action in legal:
        log = float(logits[row, action]) - log_normal
        entropy -= np.exp(log) * log
    chosen = int(batch.actions[row])
    change = float(logits[row, chosen]) - log_normal - float(batch.log_probs[row])
    ratio = np.exp(change)
    advantage = float(batch.advantages[row])
    clip = coefficients.clip
    outside = (advantage > 0.0 and ratio > 1.0 + clip) or (advantage < 0.0 and ratio < 1.0 - clip)
    pull = 0.0 if outside else advantage * ratio
    for action in legal:
        log = float(logits[row, action]) - log_normal
        out.logits[row, action] = weight * np.exp(log) * (pull + coefficients.entropy * (log + entropy))
    out.logits[row, chosen] -= weight * pull
    bounded = min(max(ratio, 1.0 - clip), 1.0 + clip)
    out.reported[0] -= weight * min(advantage * ratio, advantage * bounded)
    out.reported[2] += weight * entropy
    out.reported[3] += weight * (ratio - 1.0 - change)
    out.reported[4] += weight * (1.0 if abs(ratio - 1.0) > clip else 0.0)


@jit
def gradient(
    logits: Any, values: Any, weight: float, coefficients: Coefficients, batch: Minibatch, out: Gradients
) -> None:
    """The gradient of `loss` with respect to logits and values, and what it reports; arguments as in `loss`, arrays."""
    rows, num_actions = logits.shape
    for row in range(rows):
        for action in range(num_actions):
            out.logits[row, action] = 0.0
        share = weight * float(batch.weights[row])
        for place in range(values.shape[1]):
            error = float(values[row, place]) - float(batch.targets[row, place])
            factor = coefficients.value if place == 0 else coefficients.other_values
            known = batch.known[row, place] != 0
            out.values[row, place] = share * factor * error if known else 0.0
            if known:
                out.reported[1] += 0.5 * share * factor * error * error
        if batch.known[row, 0] != 0:
            legal = out.legal[: _legal(batch.masks, row, out.legal)]
            _policy_gradient(logits, weight, coefficients, batch, out, row, legal)


def loss(
    logits: Tensor, values: Tensor, weight: float, coefficients: Coefficients, batch: Minibatch
) -> tuple[Tensor, Tensor]:
    """The clipped loss, a scalar, and what is reported, (5,) in the order of `REPORTED`.

    Args:
        logits: (k, num_actions); values: (k, seats).
        weight: what a row counts for; one over the number of known rows of the whole batch makes sums means.
        coefficients: constants.
        batch: tensors.
    """
    known = batch.known.float()
    log_all = torch.log_softmax(masked(logits, batch.masks), dim=1)
    entropy = -(log_all.exp() * log_all).masked_fill(batch.masks == 0, 0.0).sum(dim=1)
    change = log_all.gather(1, batch.actions[:, None])[:, 0] - batch.log_probs
    ratio, clip = change.exp(), coefficients.clip
    gain = torch.minimum(batch.advantages * ratio, batch.advantages * ratio.clamp(1.0 - clip, 1.0 + clip))
    own = known[:, 0] * weight
    squares = value_error(values, weight, coefficients, batch)
    policy_loss, mean_entropy = -(own * gain).sum(), (own * entropy).sum()
    total = policy_loss + squares - coefficients.entropy * mean_entropy
    clipped = ((ratio - 1.0).abs() > clip).float()
    reported = [policy_loss, squares, mean_entropy, (own * (ratio - 1.0 - change)).sum(), (own * clipped).sum()]
    return total, torch.stack([one.detach() for one in reported])


def value_error(values: Tensor, weight: float, coefficients: Coefficients, batch: Minibatch) -> Tensor:
    """The part of `loss` that values (k, seats) are learned from, a scalar."""
    factors = torch.full_like(batch.targets, coefficients.other_values)
    factors[:, 0] = coefficients.value
    factors = factors * batch.weights[:, None]
    squares: Tensor = batch.known * factors * (values.float() - batch.targets) ** 2
    return 0.5 * weight * squares.sum()
