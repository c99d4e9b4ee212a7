"""Clipped PPO loss and its compiled gradient.

`gradient` touches only the few legal actions, so on a CPU it is much cheaper than operations on whole tensors.  `loss`
is the same in torch, for GPUs and for tests of `gradient`.

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

#: Reported metrics of `gradient` and `loss`, weighted sums over rows.
REPORTED: Final = ("policy_loss", "value_loss", "entropy", "kl", "clipped")


class Coefficients(NamedTuple):
    """Coefficients of the loss.

    clip_coef: clipping range of the probability ratio.
    ent_coef: coefficient of the entropy bonus.
    vf_coef: coefficient of the mover's squared value error; other_vf_coef: of the other seats' value errors.
    teacher_coef: coefficient of the divergence from a teacher (`training.ppo.teacher`).
    """

    clip_coef: float
    ent_coef: float
    vf_coef: float = 0.5
    other_vf_coef: float = 0.25
    teacher_coef: float = 0.0


class Minibatch(NamedTuple):
    """k steps to learn from, arrays or tensors.

    masks: int8 (k, num_actions), nonzero where legal.
    actions: int64 (k,); log_probs: float32 (k,), of the policy that played.
    advantages: float32 (k,); targets float32 and known int8 (k, seats): see `Estimates`.
    weights: float32 (k,), importance weight of a row in all terms (`Learner.filter_steps`).
    """

    masks: Any
    actions: Any
    log_probs: Any
    advantages: Any
    targets: Any
    known: Any
    weights: Any


class Gradients(NamedTuple):
    """Output of `gradient`.

    logits: float32 (k, num_actions); values: float32 (k, seats).
    reported: float64 (5,) in the order of `REPORTED`, incremented.
    legal: int64 (num_actions,), scratch for the legal actions of a row.
    """

    logits: Any
    values: Any
    reported: Any
    legal: Any


@jit
def list_legal(masks: Any, row: int, actions: Any) -> int:
    """Write the legal actions of a row into `actions`, integers (num_actions,); return their number."""
    count = 0
    for action in range(masks.shape[1]):
        # Branchless, because the branch would be mispredicted often: illegal actions are overwritten.
        actions[count] = action
        count += 1 if masks[row, action] != 0 else 0
    return count


@jit
def count_legal(masks: Any, counts: Any) -> None:
    """Write the number of legal actions of each row, int64 (k,)."""
    for row in range(masks.shape[0]):
        count, mask = 0, masks[row]
        for action in range(mask.shape[0]):
            count += 1 if mask[action] != 0 else 0
        counts[row] = count


@jit
def _policy_gradient(
    logits: Any, weight: float, coefficients: Coefficients, batch: Minibatch, out: Gradients, row: int, legal: Any
) -> None:
    """Write a row's gradient with respect to the logits of its legal actions; `weight` includes its importance."""
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
    clip = coefficients.clip_coef
    outside = (advantage > 0.0 and ratio > 1.0 + clip) or (advantage < 0.0 and ratio < 1.0 - clip)
    pull = 0.0 if outside else advantage * ratio
    for action in legal:
        log = float(logits[row, action]) - log_normal
        out.logits[row, action] = weight * np.exp(log) * (pull + coefficients.ent_coef * (log + entropy))
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
    """Write the gradient of `loss` with respect to logits and values; arguments as in `loss`, but arrays."""
    rows, num_actions = logits.shape
    for row in range(rows):
        for action in range(num_actions):
            out.logits[row, action] = 0.0
        share = weight * float(batch.weights[row])
        for seat in range(values.shape[1]):
            error = float(values[row, seat]) - float(batch.targets[row, seat])
            factor = coefficients.vf_coef if seat == 0 else coefficients.other_vf_coef
            known = batch.known[row, seat] != 0
            out.values[row, seat] = share * factor * error if known else 0.0
            if known:
                out.reported[1] += 0.5 * share * factor * error * error
        if batch.known[row, 0] != 0:
            legal = out.legal[: list_legal(batch.masks, row, out.legal)]
            _policy_gradient(logits, share, coefficients, batch, out, row, legal)


def loss(
    logits: Tensor, values: Tensor, weight: float, coefficients: Coefficients, batch: Minibatch
) -> tuple[Tensor, Tensor]:
    """Return the clipped loss, a scalar, and the reported metrics, (5,) in the order of `REPORTED`.

    Args:
        logits: (k, num_actions).
        values: (k, seats).
        weight: weight of a row; one over the number of known rows of the minibatch turns sums into means.
        coefficients: coefficients of the terms.
        batch: tensors.
    """
    known = batch.known.float()
    log_all = torch.log_softmax(masked(logits, batch.masks), dim=1)
    entropy = -(log_all.exp() * log_all).masked_fill(batch.masks == 0, 0.0).sum(dim=1)
    change = log_all.gather(1, batch.actions[:, None])[:, 0] - batch.log_probs
    ratio, clip = change.exp(), coefficients.clip_coef
    gain = torch.minimum(batch.advantages * ratio, batch.advantages * ratio.clamp(1.0 - clip, 1.0 + clip))
    own = known[:, 0] * batch.weights * weight
    squares = value_error(values, weight, coefficients, batch)
    policy_loss, mean_entropy = -(own * gain).sum(), (own * entropy).sum()
    total = policy_loss + squares - coefficients.ent_coef * mean_entropy
    clipped = ((ratio - 1.0).abs() > clip).float()
    reported = [policy_loss, squares, mean_entropy, (own * (ratio - 1.0 - change)).sum(), (own * clipped).sum()]
    return total, torch.stack([one.detach() for one in reported])


def value_error(values: Tensor, weight: float, coefficients: Coefficients, batch: Minibatch) -> Tensor:
    """Return the value term of `loss` for values (k, seats), a scalar."""
    factors = torch.full_like(batch.targets, coefficients.other_vf_coef)
    factors[:, 0] = coefficients.vf_coef
    factors = factors * batch.weights[:, None]
    squares: Tensor = batch.known * factors * (values.float() - batch.targets) ** 2
    return 0.5 * weight * squares.sum()
