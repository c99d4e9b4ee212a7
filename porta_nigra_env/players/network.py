"""Networks as players with numpy alone, for those who only want to play against one.

Training, searches and GPUs need torch (`agents.networks` of the checkout); what is here is the forward
pass of its `Network`, for one observation or many, and the player that chooses what it thinks best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.players.checkpoint import (
    Array,
    CheckpointError,
    check_made_for,
    field,
    part_of,
    read_checkpoint,
)

#: What files of networks do not say that are older than it.
_UNSAID: Final = {"seats": 4, "normed": 0}
#: Added to the variance that a layer's inputs are normed by.
EPSILON: Final = 1e-5


@dataclass(frozen=True)
class Shape:
    """Sizes of a network: `blocks` residual blocks of `width` units between input and heads.

    `normed` is 1 where what enters a block, or the heads, is brought to mean 0 and variance 1 (layer normalization,
    arXiv 1607.06450, without weights, which the layer behind it has), and 0 where it is not.

    A class of networks of one's own may have a shape of its own: another frozen dataclass of integers, with
    `observation_size`, `num_actions` and `seats`.
    """

    observation_size: int
    num_actions: int
    seats: int
    width: int = 512
    blocks: int = 1
    normed: int = 0

    @classmethod
    def of(cls, game: Game, width: int = 512, blocks: int = 1, normed: bool = False) -> Shape:
        """The shape that fits a game with all its numbers of players."""
        return cls(game.observations.size, game.actions.size, max(game.seats), width, blocks, int(normed))


def shape_of(path: Path, described: Mapping[str, Any], kind: type[Any] = Shape) -> Any:
    """The shape, a dataclass `kind`, of a file's network; CheckpointError if a size is missing."""
    sizes = field(path, described, "shape", dict)
    if kind is Shape:
        sizes = _UNSAID | sizes
    return kind(**{one.name: field(path, sizes, one.name, int) for one in fields(kind)})


class NumpyNetwork:
    """One body of residual blocks, a head over all actions, a head with a value for each seat.

    Args:
        weights: float32 arrays by the names that the layers of `agents.networks.network.Network` have.
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
        """Logits (..., num_actions) and values (..., seats), float32, of observations (..., observation_size)."""

        def through(layer: tuple[Array, Array], given: Array) -> Array:
            out: Array = given @ layer[0]
            out += layer[1]
            return out

        hidden = np.maximum(through(self._enter, observations), 0)
        for block in self._blocks:
            hidden += np.maximum(through(block, self._entering(hidden)), 0)
        entering = self._entering(hidden)
        return through(self._policy, entering), through(self._value, entering)

    def _entering(self, hidden: Array) -> Array:
        """What a block or a head is given."""
        if not self._normed:
            return hidden
        apart = hidden - hidden.mean(axis=-1, keepdims=True)
        entering: Array = apart / np.sqrt(np.square(apart).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
        return entering


def load_numpy(path: Path, game: Game) -> NumpyNetwork:
    """The network of a file.

    Raises:
        CheckpointError: as of `read_checkpoint` and `check_made_for`, or a network of a class of its own.
    """
    arrays, described = read_checkpoint(path)
    check_made_for(path, described, game)
    if "kind" in described:
        raise CheckpointError(f"checkpoint {path}: a network of the class {described['kind']} needs torch")
    shape = shape_of(path, described)
    width = shape.width
    sizes = {"enter": (width, shape.observation_size), "policy": (shape.num_actions, width)}
    sizes |= {"value": (shape.seats, width)} | {f"blocks.{number}": (width, width) for number in range(shape.blocks)}
    expected: dict[str, tuple[int, ...]] = {"value_scale": ()}
    for name, (outputs, inputs) in sizes.items():
        expected |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    weights = part_of(arrays, "network") or arrays
    if {name: one.shape for name, one in weights.items()} != expected:
        raise CheckpointError(f"checkpoint {path}: it does not hold the network it describes")
    return NumpyNetwork({name: one.astype(np.float32) for name, one in weights.items()}, shape.normed)


class NetworkPlayer:
    """Plays what a network thinks best: an agent with act_batch.

    Args:
        name: what reports call it.
        network: its logits decide.
    """

    def __init__(self, name: str, network: NumpyNetwork) -> None:
        self.name, self.network = name, network

    def act(self, view: View) -> int:
        """The id of a legal action."""
        logits, _ = self.network(view.observation)
        return int(np.where(view.action_mask != 0, logits, -np.inf).argmax())

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """Ids of legal actions, int64 (k,), one for each view."""
        logits, _ = self.network(np.asarray(views.observations))
        best: npt.NDArray[np.int64] = np.where(np.asarray(views.action_masks) != 0, logits, -np.inf).argmax(axis=1)
        return best


@lru_cache(maxsize=32)
def published_player(game: Game) -> NetworkPlayer:
    """The published network of a game and its number of players; made once.

    Raises:
        KeyError: there is none.
        CheckpointError: it was made for other tables (components).
    """
    return NetworkPlayer("network", load_numpy(game.networks()[game.num_players], game))
