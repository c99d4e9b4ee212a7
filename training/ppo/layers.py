"""The layers of a network in float32 on a CPU, with work only for entries and actions that occur.

In a chunk of steps many entries of the observations are zero in all rows, and a row has few legal actions of hundreds.
So the first layer multiplies the columns in use, and the last one computes logits of the listed legal actions.
Rectifier, residual sum and layer normalization are one pass over the rows.  All have compiled gradients.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.networks.components import ComponentRows
from agents.networks.network import Network
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.players.network import EPSILON
from training.ppo.losses import SOURCES, list_legal

jit = compiler(*SOURCES, Path(__file__), reassociates=True)


# ------------------------------------------------------------------------------------------------ compiled loops


@jit
def gather_quantities(quantities: Any, units: Any, columns: Any, out: Any) -> None:
    """Write columns of raw quantities, uint8 (k, n), in observation units, float32 (k, m)."""
    for row in range(quantities.shape[0]):
        source, target = quantities[row], out[row]
        for i in range(columns.shape[0]):
            target[i] = source[columns[i]] * units[columns[i]]


@jit
def rectify(entered: Any, before: Any, hidden: Any, normed: Any, deviations: Any, epsilon: float) -> None:
    """Write the sums of `before` and the rectified `entered`, and the same normalized by row.

    Args:
        entered: float32 (k, width); before: likewise, or one row for all, float32 (1, width).
        hidden, normed: float32 (k, width), written.
        deviations: float32 (k,), one over the standard deviation of each row, written.
        epsilon: added to the variance.
    """
    width = np.float32(entered.shape[1])
    for row in range(entered.shape[0]):
        inputs, base, sums, out = entered[row], before[min(row, before.shape[0] - 1)], hidden[row], normed[row]
        total = np.float32(0.0)
        for i in range(inputs.shape[0]):
            sums[i] = base[i] + max(inputs[i], np.float32(0.0))
            total += sums[i]
        mean, squares = total / width, np.float32(0.0)
        for i in range(inputs.shape[0]):
            out[i] = sums[i] - mean
            squares += out[i] * out[i]
        inverse = np.float32(1.0) / np.sqrt(squares / width + np.float32(epsilon))
        deviations[row] = inverse
        for i in range(inputs.shape[0]):
            out[i] *= inverse


@jit
def differentiate_rectify(entered: Any, normed: Any, deviations: Any, of_normed: Any, of_hidden: Any, out: Any) -> None:
    """Write gradients of `rectify` for `entered` into `out`, and add those of `before` to `of_hidden`.

    of_normed, of_hidden: float32 (k, width), gradients for its outputs.
    """
    width = np.float32(entered.shape[1])
    for row in range(entered.shape[0]):
        inputs, values, gradient, sums, found = entered[row], normed[row], of_normed[row], of_hidden[row], out[row]
        mean, product = np.float32(0.0), np.float32(0.0)
        for i in range(inputs.shape[0]):
            mean += gradient[i]
            product += gradient[i] * values[i]
        mean, product, inverse = mean / width, product / width, deviations[row]
        for i in range(inputs.shape[0]):
            sums[i] += inverse * (gradient[i] - mean - values[i] * product)
            found[i] = sums[i] if inputs[i] > np.float32(0.0) else np.float32(0.0)


@jit
def list_actions(masks: Any, actions: Any, counts: Any) -> None:
    """Write the legal actions of each row, int16 (k, num_actions), from the left, and their numbers, int64 (k,)."""
    for row in range(masks.shape[0]):
        counts[row] = list_legal(masks, row, actions[row])


@jit
def choose(features: Any, weights: Any, bias: Any, actions: Any, counts: Any, logits: Any) -> None:
    """Write the logits of legal actions, float32 (k, most), in the order of `Legal`.

    features: float32 (k, width); weights: float32 (num_actions, width); bias: float32 (num_actions,).
    """
    for row in range(features.shape[0]):
        seen, out = features[row], logits[row]
        for number in range(counts[row]):
            action, total = actions[row, number], np.float32(0.0)
            line = weights[action]
            for i in range(seen.shape[0]):
                total += seen[i] * line[i]
            out[number] = total + bias[action]


@jit
def differentiate_choose(
    features: Any, weights: Any, actions: Any, counts: Any, of_logits: Any, of_features: Any, of_weights: Any,
    of_bias: Any,
) -> None:  # fmt: skip
    """Write the gradients of `choose` for features, and add those of weights and bias."""
    for row in range(features.shape[0]):
        seen, out = features[row], of_features[row]
        out[:] = np.float32(0.0)
        for number in range(counts[row]):
            action, gradient = actions[row, number], of_logits[row, number]
            line, found = weights[action], of_weights[action]
            of_bias[action] += gradient
            for i in range(seen.shape[0]):
                out[i] += gradient * line[i]
            for i in range(seen.shape[0]):
                found[i] += gradient * seen[i]


class Legal(NamedTuple):
    """The legal actions of k rows, of which a row has at most `most`.

    actions: int16 (k, most), each row filled from the left; counts: int64 (k,), their numbers.
    masks: int8 (k, most), 1 where `actions` is filled.
    """

    actions: Any
    counts: Any
    masks: Any

    @classmethod
    def of(cls, masks: Any) -> Legal:
        """List the actions of masks, int8 (k, num_actions)."""
        listed, counts = np.empty(masks.shape, dtype=np.int16), np.empty(len(masks), dtype=np.int64)
        list_actions(masks, listed, counts)
        actions = np.ascontiguousarray(listed[:, : counts.max()])
        return cls(actions, counts, (np.arange(actions.shape[1]) < counts[:, None]).astype(np.int8))

    def numbers(self, actions: Any) -> Any:
        """Return the places of legal actions, int64 (k,), in their rows, int64 (k,)."""
        return ((self.actions == actions[:, None]) & (self.masks != 0)).argmax(axis=1)


# ------------------------------------------------------------------------------------------------ torch functions


def _array(tensor: Tensor) -> Any:
    return tensor.detach().contiguous().numpy()


class _Enter(torch.autograd.Function):
    """The first layer for raw quantities."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, quantities: Any, units: Any) -> Tensor:
        columns = np.flatnonzero(np.bitwise_or.reduce(quantities, axis=0))
        entries = np.empty((len(quantities), len(columns)), dtype=np.float32)
        gather_quantities(quantities, units, columns, entries)
        used = np.take(_array(weight), columns, axis=1)
        ctx.entries, ctx.columns, ctx.size = torch.from_numpy(entries), columns, weight.shape
        return torch.addmm(bias, ctx.entries, torch.from_numpy(used).t())

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        whole = np.zeros(ctx.size, dtype=np.float32)
        whole[:, ctx.columns] = (gradients[0].t() @ ctx.entries).numpy()
        return torch.from_numpy(whole), gradients[0].sum(0), None, None


class _Rectify(torch.autograd.Function):
    """`rectify`: hidden units and their normalized values."""

    @staticmethod
    def forward(ctx: Any, entered: Tensor, before: Tensor) -> tuple[Tensor, Tensor]:
        inputs = _array(entered)
        hidden, normed = np.empty_like(inputs), np.empty_like(inputs)
        deviations = np.empty(len(inputs), dtype=np.float32)
        rectify(inputs, _array(before), hidden, normed, deviations, EPSILON)
        ctx.arrays = inputs, normed, deviations
        return torch.from_numpy(hidden), torch.from_numpy(normed)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        of_hidden, of_normed = gradients
        inputs, normed, deviations = ctx.arrays
        sums, out = of_hidden.clone().numpy(), np.empty_like(inputs)
        differentiate_rectify(inputs, normed, deviations, _array(of_normed), sums, out)
        return torch.from_numpy(out), torch.from_numpy(sums) if ctx.needs_input_grad[1] else None


class _Choose(torch.autograd.Function):
    """`choose` for torch."""

    @staticmethod
    def forward(ctx: Any, features: Tensor, weight: Tensor, bias: Tensor, legal: Legal) -> Tensor:
        ctx.features, ctx.weight, ctx.legal = _array(features), _array(weight), legal
        logits = np.empty(legal.actions.shape, dtype=np.float32)
        choose(ctx.features, ctx.weight, _array(bias), legal.actions, legal.counts, logits)
        return torch.from_numpy(logits)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        features, weight, legal = ctx.features, ctx.weight, ctx.legal
        of_features, of_weight = np.empty_like(features), np.zeros_like(weight)
        of_bias = np.zeros(len(weight), dtype=np.float32)
        listed = legal.actions, legal.counts, _array(gradients[0])
        differentiate_choose(features, weight, *listed, of_features, of_weight, of_bias)
        return torch.from_numpy(of_features), torch.from_numpy(of_weight), torch.from_numpy(of_bias), None


def evaluate(
    network: Network, quantities: Any, units: Any, legal: Legal, components: ComponentRows | None = None
) -> tuple[Tensor, Tensor]:
    """Return logits of legal actions, (k, most) as in `Legal`, and values of a network.

    Args:
        network: a plain network, or one of several component sets, on the CPU, in float32.
        quantities: uint8 (k, seen), raw; units: float32 (seen,), see `Learner.raw_units`.
        legal: legal actions of the same rows.
        components: what a network of several component sets reads next to them.
    """
    weight, bias = network.enter.weight[:, : len(units)], network.enter.bias
    entered = _Enter.apply(weight, bias, quantities, units)  # type: ignore[no-untyped-call]
    if components is not None:
        entered = entered + components.enter()
    if network.shape.normed:
        hidden, features = _Rectify.apply(entered, torch.zeros_like(entered[:1]))  # type: ignore[no-untyped-call]
        for block in network.blocks:
            hidden, features = _Rectify.apply(block(features), hidden)  # type: ignore[no-untyped-call]
    else:
        features = network.trunk(entered)
    logits: Tensor = _Choose.apply(features, network.policy.weight, network.policy.bias, legal)  # type: ignore[no-untyped-call]
    if components is not None:
        logits = components.add_products(logits, features, legal.actions, legal.masks)
    return logits, network.value(features)
