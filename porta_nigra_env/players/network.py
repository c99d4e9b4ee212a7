"""The forward pass of `agents.networks.network.Network` in numpy, and the sizes of networks.

Training, search and GPUs need torch (`agents.networks` of the checkout).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import Array, CheckpointError, field

#: Defaults for older files without these sizes.
_OLD_SIZES: Final = {"seats": 4, "normed": 0}
#: Added to the variance in layer normalization.
EPSILON: Final = 1e-5


@dataclass(frozen=True)
class Shape:
    """Sizes of a network: `blocks` residual blocks of `width` units between input and heads.

    `normed` is 1 if the inputs of blocks and heads are layer-normalized (arXiv 1607.06450, without weights, which the
    next layer has), else 0.

    A custom class of networks may have a custom shape: another frozen dataclass of integers, with `observation_size`,
    `num_actions` and `seats`.
    """

    observation_size: int
    num_actions: int
    seats: int
    width: int = 512
    blocks: int = 1
    normed: int = 0

    @classmethod
    def of(cls, game: Game, width: int = 512, blocks: int = 1, normed: bool = False) -> Shape:
        """Return the shape for a game with all its numbers of players."""
        return cls(game.observations.size, game.actions.size, max(game.seats), width, blocks, int(normed))


def shape_of(path: Path, described: Mapping[str, Any], kind: type[Any] = Shape) -> Any:
    """Return the shape, a dataclass `kind`, of a file's network; CheckpointError if a size is missing or negative."""
    sizes = field(path, described, "shape", dict)
    if kind is Shape:
        sizes = _OLD_SIZES | sizes
    values = {size.name: field(path, sizes, size.name, int) for size in fields(kind)}
    for name, value in values.items():
        if value < 0:
            raise CheckpointError(f"checkpoint {path}: {name} of its shape must be at least 0, got {value}")
    try:
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"checkpoint {path}: its shape is no {kind.__name__}: {error}") from error


def check_arrays(
    path: Path, shape: Shape, sizes: Mapping[str, tuple[int, ...]], more: Mapping[str, tuple[int, ...]] | None = None
) -> None:
    """Raise CheckpointError unless the sizes of arrays, by name, are those of `agents.networks.network.Network`.

    more: sizes of the further arrays of a class of networks.
    """
    message = f"checkpoint {path}: it does not hold the network it describes"
    # Before anything is made for each block: a file may claim any number.
    if shape.blocks > len(sizes):
        raise CheckpointError(f"{message}: {shape.blocks} blocks in {len(sizes)} arrays")
    width = shape.width
    layers = {"enter": (width, shape.observation_size), "policy": (shape.num_actions, width)}
    layers |= {"value": (shape.seats, width)} | {f"blocks.{number}": (width, width) for number in range(shape.blocks)}
    expected: dict[str, tuple[int, ...]] = {"value_scale": (), **(more or {})}
    for name, (outputs, inputs) in layers.items():
        expected |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    for name in sorted(expected.keys() | sizes.keys()):
        if sizes.get(name) != expected.get(name):
            raise CheckpointError(f"{message}: {name} is {sizes.get(name)}, expected {expected.get(name)}")


class NumpyNetwork:
    """A body of residual blocks, a policy head over all actions and a value head for all seats.

    Args:
        weights: float32 arrays by the names of the layers of `agents.networks.network.Network`.
        normed: see `Shape`.

    >>> weights = {"enter": (4, 3), "blocks.0": (4, 4), "policy": (2, 4), "value": (5, 4)}
    >>> arrays = {f"{name}.weight": np.ones(shape, dtype=np.float32) for name, shape in weights.items()}
    >>> arrays |= {f"{name}.bias": np.ones(shape[0], dtype=np.float32) for name, shape in weights.items()}
    >>> logits, values = NumpyNetwork(arrays)(np.ones((7, 3), dtype=np.float32))
    >>> logits.shape, values.shape
    ((7, 2), (7, 5))
    """

    def __init__(self, weights: Mapping[str, Array], normed: int = 0) -> None:
        def layer(name: str) -> tuple[Array, Array]:
            # Products of many rows are faster with contiguous columns (benchmarks.inference).
            return np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"]

        self._enter, self._policy, self._value = layer("enter"), layer("policy"), layer("value")
        self._normed = normed
        blocks = sum(name.startswith("blocks.") and name.endswith(".weight") for name in weights)
        self._blocks = [layer(f"blocks.{number}") for number in range(blocks)]

    def __call__(self, observations: Array) -> tuple[Array, Array]:
        """Return logits (..., num_actions) and values (..., seats), float32, for observations (..., size)."""

        def linear(layer: tuple[Array, Array], inputs: Array) -> Array:
            out: Array = inputs @ layer[0]
            out += layer[1]
            return out

        hidden = np.maximum(linear(self._enter, observations), 0)
        for block in self._blocks:
            hidden += np.maximum(linear(block, self._normalize(hidden)), 0)
        features = self._normalize(hidden)
        return linear(self._policy, features), linear(self._value, features)

    def _normalize(self, hidden: Array) -> Array:
        """Return the inputs of a block or a head."""
        if not self._normed:
            return hidden
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        normed: Array = centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
        return normed
