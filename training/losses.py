"""What a clipped policy gradient is made of: sampling, returns of many seats, and the gradient of the loss.

Three compiled functions that touch legal actions only, a few of hundreds: on a processor they cost a small part of what
the same steps cost as operations on whole tensors.  `loss` is the same as `gradient` in torch, for a graphics processor
and for the tests that hold one against the other.

Schulman and others: *Proximal Policy Optimization Algorithms* (arXiv 1707.06347); *High-Dimensional Continuous Control
Using Generalized Advantage Estimation* (arXiv 1506.02438).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.networks.network import masked
from porta_nigra_env.core.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES, Path(__file__))

#: Columns of what `gradient` and `loss` report, sums over rows with weight.
REPORTED: Final = ("policy_loss", "value_loss", "entropy", "kl", "clipped")


class Clip(NamedTuple):
    """Constants of the loss.

    ratio: how far the new probability over the old one may leave 1 before the gain stops counting.
    entropy: weight of the entropy bonus.
    value: weight of the squared error of the own value; `others` that of the other seats' values.
    """

    ratio: float = 0.2
    entropy: float = 0.01
    value: float = 0.5
    others: float = 0.25


@jit
def sample(logits: Any, masks: Any, uniforms: Any, actions: Any, logs: Any) -> None:
    """Draw a legal action for each row, by the inverse of the distribution function.

    logits: float32 (n, num_actions); masks: int8 alike, at least one legal in each row; uniforms: float64 (n,) in
    [0, 1); actions: int64 (n,) and logs: float32 (n,), its log-probability, are written.
    """
    for row in range(logits.shape[0]):
        best = -np.inf
        for action in range(masks.shape[1]):
            if masks[row, action] != 0:
                best = max(best, float(logits[row, action]))
        total = 0.0
        for action in range(masks.shape[1]):
            if masks[row, action] != 0:
                total += np.exp(float(logits[row, action]) - best)
        left = uniforms[row] * total
        chosen = -1
        for action in range(masks.shape[1]):
            if masks[row, action] != 0:
                weight = np.exp(float(logits[row, action]) - best)
                # The last one with any weight is taken where rounding leaves a rest.
                if weight > 0.0:
                    chosen = action
                    left -= weight
                    if left < 0.0:
                        break
        actions[row] = chosen
        logs[row] = float(logits[row, chosen]) - best - np.log(total)


@jit
def returns(
    counts: Any,
    movers: Any,
    rewards: Any,
    ended: Any,
    values: Any,
    discount: float,
    trace: float,
    advantages: Any,
    targets: Any,
    known: Any,
) -> None:
    """Generalized advantages of every seat along its own decisions, across those of the others.

    A seat's next state is its own next decision; what it gains until then, also in others' turns, is the reward of its
    decision.  The last decision of a seat before the data end has no successor: it serves as the value to go on from
    and is not learned from (`known` is 0).  Where a game ends, every seat's future is worth nothing.

    Args:
        counts: int8 (n,), how many players each row's games have.
        movers: int8 (steps, n), who decided.
        rewards: float32 (steps, n, most), what each seat has gained by the step.
        ended: bool (steps, n), whether a game ended in the step; the next step belongs to another one.
        values: float32 (steps, n, places), estimates at the decision, place 0 is the mover's, k that of the seat k to
            the left.
        discount: of a seat's next decision; trace: lambda of the estimator.
        advantages: float32 (steps, n), written.
        targets: float32 (steps, n, places), written: what the values should have been.
        known: int8 (steps, n, places), written: 1 where there is a target.
    """
    steps, n = movers.shape
    most, places = rewards.shape[2], values.shape[2]
    ahead = np.zeros(most)  # value of the seat's next decision
    trail = np.zeros(most)  # its advantage
    gained = np.zeros(most)  # since this step
    sure = np.zeros(most, dtype=np.int8)
    for row in range(n):
        # Seats are counted around the row's own table: in a game of two the seat after the last one is the first one.
        players = int(counts[row])
        for seat in range(players):
            ahead[seat] = trail[seat] = gained[seat] = 0.0
            sure[seat] = 0
        for step in range(steps - 1, -1, -1):
            if ended[step, row]:
                for seat in range(players):
                    ahead[seat] = trail[seat] = gained[seat] = 0.0
                    sure[seat] = 1
            for seat in range(players):
                gained[seat] += rewards[step, row, seat]
            mover = int(movers[step, row])
            value = float(values[step, row, 0])
            advantage = 0.0
            if sure[mover] != 0:
                advantage = gained[mover] + discount * (ahead[mover] + trace * trail[mover]) - value
            for place in range(places):
                seat = (mover + place) % players
                targets[step, row, place] = gained[seat] + discount * (ahead[seat] + trail[seat])
                known[step, row, place] = sure[seat] if place < players else 0
            targets[step, row, 0] = value + advantage
            advantages[step, row] = advantage
            ahead[mover], trail[mover], gained[mover], sure[mover] = value, advantage, 0.0, 1


@jit
def gradient(
    logits: Any,
    values: Any,
    share: float,
    clip: Clip,
    logit_slopes: Any,
    value_slopes: Any,
    reported: Any,
    masks: Any,
    actions: Any,
    logs: Any,
    advantages: Any,
    targets: Any,
    known: Any,
) -> None:
    """The gradient of `loss` with respect to logits and values, and what it reports.

    Arguments as in `loss`, as arrays; logit_slopes float32 (k, num_actions) and value_slopes float32 (k, places) are
    written, and what there is to report is added to reported, float64 (5,).
    """
    rows, num_actions = logits.shape
    for row in range(rows):
        best = -np.inf
        for action in range(num_actions):
            logit_slopes[row, action] = 0.0
            if masks[row, action] != 0:
                best = max(best, float(logits[row, action]))
        for place in range(values.shape[1]):
            error = float(values[row, place]) - float(targets[row, place])
            weight = clip.value if place == 0 else clip.others
            value_slopes[row, place] = share * weight * error if known[row, place] != 0 else 0.0
            if known[row, place] != 0:
                reported[1] += 0.5 * share * weight * error * error
        if known[row, 0] == 0:
            continue
        normal = 0.0
        for action in range(num_actions):
            if masks[row, action] != 0:
                normal += np.exp(float(logits[row, action]) - best)
        log_normal = best + np.log(normal)
        entropy = 0.0
        for action in range(num_actions):
            if masks[row, action] != 0:
                log = float(logits[row, action]) - log_normal
                entropy -= np.exp(log) * log
        change = float(logits[row, int(actions[row])]) - log_normal - float(logs[row])
        ratio = np.exp(change)
        advantage = float(advantages[row])
        outside = (advantage > 0.0 and ratio > 1.0 + clip.ratio) or (advantage < 0.0 and ratio < 1.0 - clip.ratio)
        pull = 0.0 if outside else advantage * ratio
        for action in range(num_actions):
            if masks[row, action] != 0:
                log = float(logits[row, action]) - log_normal
                probability = np.exp(log)
                logit_slopes[row, action] = share * probability * (pull + clip.entropy * (log + entropy))
        logit_slopes[row, int(actions[row])] -= share * pull
        bounded = min(max(ratio, 1.0 - clip.ratio), 1.0 + clip.ratio)
        reported[0] -= share * min(advantage * ratio, advantage * bounded)
        reported[2] += share * entropy
        reported[3] += share * (ratio - 1.0 - change)
        reported[4] += share * (1.0 if abs(ratio - 1.0) > clip.ratio else 0.0)


def loss(
    logits: Tensor,
    values: Tensor,
    share: float,
    clip: Clip,
    masks: Tensor,
    actions: Tensor,
    logs: Tensor,
    advantages: Tensor,
    targets: Tensor,
    known: Tensor,
) -> tuple[Tensor, Tensor]:
    """The clipped loss, a scalar, and what is reported, (5,) in the order of `REPORTED`.

    Args:
        logits: (k, num_actions); values: (k, places).
        share: what a row counts for; one over the number of known rows of the whole batch makes sums means.
        clip: constants.
        masks: (k, num_actions), nonzero where legal.
        actions: int64 (k,), what was done; logs: (k,), its log-probability then.
        advantages: (k,); targets, known: (k, places), of `returns`.
    """
    weights = known.float()
    log_all = torch.log_softmax(masked(logits, masks), dim=1)
    entropy = -(log_all.exp() * log_all).masked_fill(masks == 0, 0.0).sum(dim=1)
    change = log_all.gather(1, actions[:, None])[:, 0] - logs
    ratio = change.exp()
    gain = torch.minimum(advantages * ratio, advantages * ratio.clamp(1.0 - clip.ratio, 1.0 + clip.ratio))
    own = weights[:, 0] * share
    scales = torch.full_like(weights, clip.others)
    scales[:, 0] = clip.value
    squares = 0.5 * share * (weights * scales * (values.float() - targets) ** 2).sum()
    policy_loss, mean_entropy = -(own * gain).sum(), (own * entropy).sum()
    total = policy_loss + squares - clip.entropy * mean_entropy
    far = ((ratio - 1.0).abs() > clip.ratio).float()
    reported = [policy_loss, squares, mean_entropy, (own * (ratio - 1.0 - change)).sum(), (own * far).sum()]
    return total, torch.stack([one.detach() for one in reported])
