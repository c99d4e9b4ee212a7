"""The forward pass of the networks of `players.network`, written for 128-bit vectors.

Many inputs are zero and are skipped; the others are added to all outputs four at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from porta_nigra_env.players.network import EPSILON
from porta_nigra_env.wasm.arrays import FLOAT32, INT32, UINT16, array_at

#: Inputs added in one pass over the outputs.
AT_ONCE: Final = 4


def add_rows(inputs: Any, weights: Any, sums: Any, chosen: Any) -> None:
    """Add ``inputs @ weights`` to `sums`.

    inputs: float32 (n,); weights: float32 (n, m); sums: float32 (m,); chosen: int32 (n,), scratch.
    """
    count = 0
    for i in range(inputs.shape[0]):
        if inputs[i] != np.float32(0.0):
            chosen[count] = i
            count += 1
    size = sums.shape[0]
    done = 0
    while done + AT_ONCE <= count:
        a, b, c, d = chosen[done], chosen[done + 1], chosen[done + 2], chosen[done + 3]
        x, y, z, w = inputs[a], inputs[b], inputs[c], inputs[d]
        first, second, third, fourth = weights[a], weights[b], weights[c], weights[d]
        for j in range(size):
            sums[j] += (x * first[j] + y * second[j]) + (z * third[j] + w * fourth[j])
        done += AT_ONCE
    while done < count:
        x, first = inputs[chosen[done]], weights[chosen[done]]
        for j in range(size):
            sums[j] += x * first[j]
        done += 1


def layer(at: int, inputs: Any, sums: Any, chosen: Any) -> int:
    """Apply one layer, stored at an address, to `inputs` and write `sums`; return the address of the next layer."""
    size, outputs = inputs.shape[0], sums.shape[0]
    bias = array_at(at + 4 * size * outputs, FLOAT32, (outputs,))
    for j in range(outputs):
        sums[j] = bias[j]
    add_rows(inputs, array_at(at, FLOAT32, (size, outputs)), sums, chosen)
    return int(at + 4 * (size + 1) * outputs)


def normed(hidden: Any, entering: Any) -> None:
    """Write `hidden` with mean 0 and variance 1 into `entering`."""
    count = np.float32(hidden.shape[0])
    total, squares = np.float32(0.0), np.float32(0.0)
    for j in range(hidden.shape[0]):
        total += hidden[j]
    mean = total / count
    for j in range(hidden.shape[0]):
        squares += (hidden[j] - mean) * (hidden[j] - mean)
    size = np.float32(1.0) / np.sqrt(squares / count + np.float32(EPSILON))
    for j in range(hidden.shape[0]):
        entering[j] = (hidden[j] - mean) * size


def cut(sums: Any) -> None:
    """Replace negative numbers by zero."""
    for j in range(sums.shape[0]):
        sums[j] = max(sums[j], np.float32(0.0))


def _forward_bytes(inputs: int, width: int) -> int:
    """Return the bytes of `scratch` for `forward`."""
    return 4 * (3 * width + max(inputs, width))


def forward(
    weights: int, sizes: tuple[int, int, int], observations: Any, logits: Any, values: Any, scratch: int
) -> None:
    """Apply `_forward` to arrays: observations float32 (count, inputs), logits (count, actions), values (count, seats).

    sizes: width, number of blocks, and 1 if the inputs of a layer are normalized.
    """
    inputs, (width, blocks, norms) = observations.shape[1], sizes
    hidden, added = array_at(scratch, FLOAT32, (width,)), array_at(scratch + 4 * width, FLOAT32, (width,))
    entering = array_at(scratch + 8 * width, FLOAT32, (width,)) if norms else hidden
    chosen = array_at(scratch + 12 * width, INT32, (max(inputs, width),))
    for row in range(observations.shape[0]):
        at = layer(weights, observations[row], hidden, chosen)
        cut(hidden)
        for _ in range(blocks):
            if norms:
                normed(hidden, entering)
            at = layer(at, entering, added, chosen)
            cut(added)
            for j in range(width):
                hidden[j] += added[j]
        if norms:
            normed(hidden, entering)
        at = layer(at, entering, logits[row], chosen)
        layer(at, entering, values[row], chosen)


def _forward(
    weights: int, inputs: int, width: int, blocks: int, normed: int, actions: int, seats: int,
    observations: int, count: int, logits: int, values: int, scratch: int,
) -> None:  # fmt: skip
    """Write logits float32 (count, actions) and values float32 (count, seats) of observations float32 (count, inputs).

    weights: float32, layer by layer: enter, the blocks, policy, value. Each layer is its weights (inputs, outputs), as
    written by `widen`, then the bias. normed: of the network's shape.
    """
    forward(
        weights,
        (width, blocks, normed),
        array_at(observations, FLOAT32, (count, inputs)),
        array_at(logits, FLOAT32, (count, actions)),
        array_at(values, FLOAT32, (count, seats)),
        scratch,
    )


def _widen(halves: int, outputs: int, inputs: int, out: int) -> None:
    """Convert finite weights float16 (outputs, inputs), as stored in network files, to float32 (inputs, outputs)."""
    given = array_at(halves, UINT16, (outputs, inputs))
    bits = array_at(out, INT32, (inputs, outputs))
    for i in range(inputs):
        for j in range(outputs):
            half = int(given[j, i])
            bits[i, j] = ((half & 0x8000) << 16) | ((half & 0x7FFF) << 13)
    # The exponent bias differs; a product corrects it, which also normalizes subnormal halves.
    found = array_at(out, FLOAT32, (inputs * outputs,))
    for i in range(inputs * outputs):
        found[i] *= np.float32(2.0**112)


#: Exports by name.
FORWARD: Final[dict[str, Callable[..., Any]]] = {"forward_bytes": _forward_bytes, "forward": _forward, "widen": _widen}
