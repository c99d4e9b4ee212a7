"""The compiled layers of float32 on a CPU: outputs and gradients are those of torch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from agents.networks.network import Network
from porta_nigra_env.players.network import Shape
from training.ppo import layers

ROWS, SHAPE = 7, Shape(observation_size=11, num_actions=9, seats=3, width=8, blocks=2, normed=1)


def made(normed: int) -> Network:
    torch.manual_seed(1)
    network = Network(Shape(**{**vars(SHAPE), "normed": normed}))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return network


def drawn(share: float) -> tuple[Any, Any, Any]:
    """Return quantities, of which a share is not zero, units and masks with one to three legal actions."""
    rng = np.random.default_rng(3)
    quantities = (rng.integers(1, 200, (ROWS, 11)) * (rng.random((ROWS, 11)) < share)).astype(np.uint8)
    masks = np.zeros((ROWS, 9), dtype=np.int8)
    for row in range(ROWS):
        masks[row, rng.choice(9, 1 + row % 3, replace=False)] = 1
    return quantities, rng.random(11).astype(np.float32) / 100, masks


@pytest.mark.parametrize("normed", [0, 1])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_outputs_and_gradients_are_those_of_torch(normed: int, share: float) -> None:
    quantities, units, masks = drawn(share)
    listed, legal = layers.Legal.of(masks), torch.from_numpy(masks) != 0
    filled = torch.from_numpy(listed.masks) != 0
    on_logits, on_values = torch.randn(ROWS, 9) * legal, torch.randn(ROWS, 3)
    found: list[list[Any]] = []
    for compiled in (True, False):
        network = made(normed)
        if compiled:
            logits, values = layers.evaluate(network, quantities, units, listed)
            on_listed = torch.zeros(logits.shape).masked_scatter(filled, on_logits[legal])
            torch.autograd.backward([logits, values], [on_listed, on_values])
        else:
            logits, values = network(torch.from_numpy(quantities * units))
            torch.autograd.backward([logits, values], [on_logits, on_values])
        # Both lists are of the legal actions, row by row.
        chosen = logits[filled if compiled else legal]
        found.append([chosen, values, *(parameter.grad for parameter in network.parameters())])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    # Each weight matters where its entry occurs, so that the comparison is of numbers and not of zeros.
    assert all(torch.count_nonzero(gradient) for gradient in found[0][3 if share == 0 else 2 :])


def test_legal_actions_are_listed_from_the_left() -> None:
    legal = layers.Legal.of(np.array([[0, 1, 0, 0], [1, 1, 0, 1], [1, 0, 0, 0]], dtype=np.int8))
    assert legal.counts.tolist() == [1, 3, 1]
    assert legal.masks.tolist() == [[1, 0, 0], [1, 1, 1], [1, 0, 0]]
    assert legal.actions[legal.masks != 0].tolist() == [1, 0, 1, 3, 0]
    assert legal.numbers(np.array([1, 3, 0])).tolist() == [0, 2, 0]
