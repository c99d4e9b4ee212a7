"""Torch networks with logits of all actions and a value for each seat, and their files.

`porta_nigra_env.players.checkpoint` defines and checks the file format; `porta_nigra_env.players.network` plays a
network without torch.  The file of a custom network names its class by import path.  Loading imports no module that a
file names, unless `CLASSES` lists the class.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor, nn

from agents.sampling import NEVER
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import (
    FORMAT,
    WITH_COMPONENTS,
    WITH_HISTORY,
    Array,
    CheckpointError,
    Plain,
    check_finite,
    check_made_for,
    checksum,
    field,
    made_for,
    part_of,
    read_checkpoint,
)
from porta_nigra_env.players.network import EPSILON, NumpyNetwork, Shape, check_arrays, shape_of

#: Environment variable with the classes that loading may import: import paths ``module:Class``, separated by commas.
CLASSES: Final = "PORTA_NIGRA_NETWORK_CLASSES"

#: Classes of this project besides `Network`, which loading imports.
BUILT_IN: Final = (WITH_COMPONENTS, WITH_HISTORY)

#: Logits (num_actions,) and values (seats,) of one observation.
SingleRow = Callable[..., tuple[Array, Array]]


class PlayingNetwork(nn.Module):
    """A network from observations to logits of all actions and a value for each seat.

    A subclass defines `forward`, and `shape_class` if it has a different shape; ``Class(shape)`` must make it.
    Values are in order of play from the observer: 0 is its own, 1 that of the player to its left.  Values beyond the
    number of players mean nothing.  They are in units of `value_scale`, which training sets.

    Attributes:
        reward: the predicted reward: "outcome", results in -1..1, or points ("margin", "points").
        any_components: true for a class whose networks play with every component set (`for_game`).
    """

    any_components: ClassVar[bool] = False
    shape_class: ClassVar[type[Any]] = Shape
    value_scale: Tensor
    reward = "outcome"

    def __init__(self, shape: Any) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("value_scale", torch.ones(()))

    def fingerprint(self) -> str:
        """Return the checksum of weights and reward."""
        return checksum(_plain(self.state_dict()), self.reward)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (k, num_actions) and values (k, seats) of observations (k, observation_size)."""
        raise NotImplementedError(f"{type(self).__name__} defines no forward")

    def for_game(self, game: Game) -> PlayingNetwork:
        """Return the network that plays a game: this one, unless it reads component numbers."""
        return self

    def single(self) -> SingleRow:
        """Return a function of one observation (observation_size,): logits (num_actions,) and values (seats,), float32.

        It has the current weights.
        """

        def evaluate(observation: Array) -> tuple[Array, Array]:
            with torch.no_grad():
                logits, values = self(to_tensor(observation[None], self.value_scale.device))
            return logits[0].float().cpu().numpy(), values[0].float().cpu().numpy()

        return evaluate


class Network(PlayingNetwork):
    """Residual blocks, a policy head over all actions, and a value head with a value for each seat."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        width = shape.width
        self.enter = nn.Linear(shape.observation_size, width)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(shape.blocks))
        self.policy = nn.Linear(width, shape.num_actions)
        self.value = nn.Linear(width, shape.seats)
        for layer in (self.enter, *self.blocks):
            nn.init.orthogonal_(layer.weight, 2**0.5)
        nn.init.orthogonal_(self.policy.weight, 0.01)
        nn.init.orthogonal_(self.value.weight, 0.1)
        for layer in (self.enter, *self.blocks, self.policy, self.value):
            nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (k, num_actions) and values (k, seats) of observations (k, observation_size)."""
        return self.heads(self.enter(observations))

    def heads(self, entered: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and values for the outputs of the first layer, (k, width)."""
        features = self.trunk(entered)
        return self.policy(features), self.value(features)

    def trunk(self, entered: Tensor) -> Tensor:
        """Return the inputs of the heads, (k, width), for the outputs of the first layer."""
        hidden = torch.relu(entered)
        for block in self.blocks:
            hidden = hidden + torch.relu(block(self._normalize(hidden)))
        return self._normalize(hidden)

    def _normalize(self, hidden: Tensor) -> Tensor:
        """Return the input of a block or a head."""
        return nn.functional.layer_norm(hidden, hidden.shape[1:], eps=EPSILON) if self.shape.normed else hidden

    def single(self) -> SingleRow:
        """Return the network in numpy, which has less overhead than torch for one row."""
        weights = {name: tensor.cpu().float().numpy() for name, tensor in self.state_dict().items()}
        return NumpyNetwork(weights, self.shape.normed)


def masked(logits: Tensor, masks: Tensor) -> Tensor:
    """Return float32 logits with `NEVER` where the mask is zero."""
    return logits.float().masked_fill(masks == 0, NEVER)


def plain_tensor(tensor: Tensor) -> Plain:
    """Return the contents of a tensor for a checksum."""
    whole = tensor.detach().cpu().contiguous()
    return Plain(str(whole.dtype), tuple(whole.shape), whole.reshape(-1).view(torch.uint8).numpy().tobytes())


def _plain(tensors: Mapping[str, Tensor]) -> dict[str, Plain]:
    return {name: plain_tensor(tensor) for name, tensor in tensors.items()}


def _sort_header(data: bytes) -> bytes:
    """Return a safetensors file with sorted header names; its writer's order is random."""
    # https://huggingface.co/docs/safetensors: eight bytes with the length of the JSON, tensors by offsets from there.
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8:end]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + data[end:]


def write_tensors(path: Path | str, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
    """Write tensors with a description; an existing file is replaced atomically.

    The same tensors and description give the same bytes.
    """
    path = Path(path)
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(described)
    header = {"format": FORMAT, "checksum": checksum(_plain(plain), text), "described": text}
    write_whole(path, _sort_header(save(plain, header)))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors and the description of a file; see `read_checkpoint`."""
    return read_checkpoint(path, "pt", plain_tensor)


def save_network(path: Path | str, network: PlayingNetwork, games: Sequence[Game], **more: Any) -> None:
    """Write a network for `games`; `more` goes into the description."""
    write_tensors(path, network.state_dict(), describe(network, games) | more)


def describe(network: PlayingNetwork, games: Sequence[Game]) -> dict[str, Any]:
    """Return the description of a network's file; `kind` is the import path of a custom class."""
    described = {
        "made_for": made_for(games, network.any_components),
        "shape": asdict(network.shape),
        "reward": network.reward,
    }
    kind = type(network)
    # In an installed package, `agents` belongs to `porta_nigra_env`.
    name = f"{kind.__module__}:{kind.__qualname__}".removeprefix("porta_nigra_env.")
    return described if kind is Network else described | {"kind": name}


def _kind_of(path: Path, described: Mapping[str, Any]) -> type[PlayingNetwork]:
    """Return the class of a file's network.

    A file may come from anywhere, and an import runs code.  So the class must be in a module that this process has
    imported, or in `CLASSES`; CheckpointError otherwise.
    """
    if "kind" not in described:
        return Network
    kind = field(path, described, "kind", str)
    module, _, name = kind.partition(":")
    if kind in BUILT_IN:
        module = f"{__package__}.{module.rpartition('.')[2]}"
        import_module(module)
    elif module not in sys.modules:
        if kind not in os.environ.get(CLASSES, "").split(","):
            raise CheckpointError(
                f"checkpoint {path}: kind: {kind!r} is not imported; "
                f"import {module or 'its module'} first, or allow it with {CLASSES}={kind}"
            )
        try:
            import_module(module)
        except (ImportError, TypeError, ValueError) as error:
            raise CheckpointError(f"checkpoint {path}: kind: {kind!r} cannot be imported: {error}") from error
    # Not getattr, which may import more.
    network_class = vars(sys.modules[module]).get(name)
    if not (isinstance(network_class, type) and issubclass(network_class, PlayingNetwork)):
        raise CheckpointError(f"checkpoint {path}: kind: {kind!r} is no agents.networks.network.PlayingNetwork")
    return network_class


def _check_sizes(path: Path, kind: type[PlayingNetwork], shape: Any, weights: Mapping[str, Tensor]) -> None:
    """Raise CheckpointError for sizes that the arrays of a file contradict, before a network of these sizes is made."""
    if kind is Network:
        check_arrays(path, shape, {name: tuple(tensor.shape) for name, tensor in weights.items()})
        return
    arrays, largest = len(weights), max((tensor.numel() for tensor in weights.values()), default=0)
    for name, size in asdict(shape).items():
        limit = arrays if name == "blocks" else largest
        if size > limit:
            raise CheckpointError(
                f"checkpoint {path}: it does not hold the network it describes: {name} is {size}, "
                f"in {arrays} arrays of at most {largest} numbers"
            )


def load_network(path: Path | str, game: Game | None = None, device: str = "cpu") -> PlayingNetwork:
    """Return the network of a file, in evaluation mode.

    Args:
        path: a file of `save_network`, or a training checkpoint with a network.
        game: the game it must play; None to skip that check.
        device: device of its weights.

    Raises:
        CheckpointError: the file is missing or damaged, made for another game, version, layout, constants or number
            of players, of a class that may not be imported (`CLASSES`), or its weights are not finite or not of its
            shape; the message names both values.
    """
    path = Path(path)
    tensors, described = read_tensors(path)
    check_made_for(path, described, game)
    kind = _kind_of(path, described)
    shape = shape_of(path, described, kind.shape_class)
    tensors = part_of(tensors, "network") or tensors
    _check_sizes(path, kind, shape, tensors)
    weights = {name: tensor.float() for name, tensor in tensors.items()}
    check_finite(path, weights)
    try:
        # The file replaces the weights drawn here; the caller's random state must not change.
        with torch.random.fork_rng(devices=[]):
            network = kind(shape)
        network.load_state_dict(weights)
    except (RuntimeError, TypeError, ValueError) as error:
        raise CheckpointError(f"checkpoint {path}: it does not hold the network it describes: {error}") from error
    network.reward = field(path, described, "reward", str)
    return network.to(device).eval()


def to_tensor(observations: Array, device: torch.device | str = "cpu") -> Tensor:
    """Copy observations (k, size), which may be read-only, into a float32 tensor."""
    return torch.from_numpy(np.array(observations, dtype=np.float32)).to(device)
