"""Networks in torch that play: logits of all actions and a value for each seat; and their files.

What a file says and how it is checked stands in `porta_nigra_env.players.checkpoint`, and how the package plays one
without torch in `porta_nigra_env.players.network`.  A network of a class of one's own is told by that class's import
path, which is imported.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor, nn

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import (
    FORMAT,
    Array,
    CheckpointError,
    Plain,
    check_made_for,
    checksum,
    field,
    made_for,
    part_of,
    read_checkpoint,
)
from porta_nigra_env.players.network import EPSILON, NumpyNetwork, Shape, shape_of

#: Added to the logits of illegal actions: their probability is exactly 0 in float32.
NEVER: Final = -1e9

#: Logits (num_actions,) and values (seats,) of one observation.
SingleRow = Callable[[Array], tuple[Array, Array]]


class PlayingNetwork(nn.Module):
    """Observation in, logits of all actions and a value for each seat out: what agents, search and files know.

    A subclass defines `forward`, and `shape_class` if its shape is another one; ``Class(shape)`` has to make it.
    Values stand in the order of play from the observer on: 0 is her own, 1 that of the player to her left; places
    beyond the number of players mean nothing.  They are in units of `value_scale`, which training sets.

    Attributes:
        reward: what they are values of: "outcome", results in -1..1, or points ("margin", "points").
    """

    shape_class: ClassVar[type[Any]] = Shape
    value_scale: Tensor
    reward = "outcome"

    def __init__(self, shape: Any) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("value_scale", torch.ones(()))

    def fingerprint(self) -> str:
        """The checksum of the weights and of what the values are."""
        return checksum(_plain(self.state_dict()), self.reward)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (k, num_actions) and values (k, seats) of observations (k, observation_size)."""
        raise NotImplementedError(f"{type(self).__name__} defines no forward")

    def single(self) -> SingleRow:
        """The network as it is now, for one observation (observation_size,) at a time: logits (num_actions,) and
        values (seats,), float32."""

        def evaluate(observation: Array) -> tuple[Array, Array]:
            with torch.no_grad():
                logits, values = self(seen(observation[None], self.value_scale.device))
            return logits[0].float().cpu().numpy(), values[0].float().cpu().numpy()

        return evaluate


class Network(PlayingNetwork):
    """One body of residual blocks, a head over all actions, a head with a value for each seat."""

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
        """Logits (k, num_actions) and values (k, seats) of observations (k, observation_size)."""
        hidden = torch.relu(self.enter(observations))
        for block in self.blocks:
            hidden = hidden + torch.relu(block(self._entering(hidden)))
        entering = self._entering(hidden)
        return self.policy(entering), self.value(entering)

    def _entering(self, hidden: Tensor) -> Tensor:
        """What a block or a head is given."""
        return nn.functional.layer_norm(hidden, hidden.shape[1:], eps=EPSILON) if self.shape.normed else hidden

    def single(self) -> SingleRow:
        """In numpy, which begins at once where torch prepares for many rows."""
        weights = {name: one.cpu().float().numpy() for name, one in self.state_dict().items()}
        return NumpyNetwork(weights, self.shape.normed)


def masked(logits: Tensor, masks: Tensor) -> Tensor:
    """Logits with `NEVER` where the mask is zero; float32."""
    return logits.float().masked_fill(masks == 0, NEVER)


def plain_tensor(tensor: Tensor) -> Plain:
    """What a checksum reads of a tensor."""
    whole = tensor.detach().cpu().contiguous()
    return Plain(str(whole.dtype), tuple(whole.shape), whole.reshape(-1).view(torch.uint8).numpy().tobytes())


def _plain(tensors: Mapping[str, Tensor]) -> dict[str, Plain]:
    return {name: plain_tensor(one) for name, one in tensors.items()}


def _in_order(data: bytes) -> bytes:
    """The same safetensors file with its header's names in order, which its writer leaves to chance."""
    # https://huggingface.co/docs/safetensors: eight bytes of length, so much JSON, tensors by offsets from there.
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8:end]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + data[end:]


def write_tensors(path: Path | str, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
    """A file of tensors with a description; it replaces another one only when it is whole.

    The same tensors and description are the same bytes.
    """
    path = Path(path)
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(described)
    header = {"format": FORMAT, "checksum": checksum(_plain(plain), text), "described": text}
    partial = path.with_name(f"{path.name}.partial")
    with open(partial, "wb") as file:
        file.write(_in_order(save(plain, header)))
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the description of a file; see `read_checkpoint`."""
    return read_checkpoint(path, "pt", plain_tensor)


def save_network(path: Path | str, network: PlayingNetwork, games: Sequence[Game], **more: Any) -> None:
    """Write a network that plays `games`; `more` goes into the description."""
    write_tensors(path, network.state_dict(), describe(network, games) | more)


def describe(network: PlayingNetwork, games: Sequence[Game]) -> dict[str, Any]:
    """The description of a network's file; `kind` is the import path of a class of one's own."""
    described = {"made_for": made_for(games), "shape": asdict(network.shape), "reward": network.reward}
    kind = type(network)
    return described if kind is Network else described | {"kind": f"{kind.__module__}:{kind.__qualname__}"}


def _kind_of(path: Path, described: Mapping[str, Any]) -> type[PlayingNetwork]:
    """The class of a file's network; CheckpointError if it cannot be imported."""
    if "kind" not in described:
        return Network
    kind = field(path, described, "kind", str)
    module, _, name = kind.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise CheckpointError(f"checkpoint {path}: kind: {kind!r} cannot be imported: {error}") from error
    if not (isinstance(found, type) and issubclass(found, PlayingNetwork)):
        raise CheckpointError(f"checkpoint {path}: kind: {kind!r} is no agents.networks.network.PlayingNetwork")
    return found


def load_network(path: Path | str, game: Game | None = None, device: str = "cpu") -> PlayingNetwork:
    """The network of a file, in evaluation mode.

    Args:
        path: a file of `save_network`, or a training checkpoint that holds one.
        game: the game it is to play; None to take it for whatever it was made for.
        device: where its weights go.

    Raises:
        CheckpointError: no such file, damaged, made for another game, version, layout, tables or number of players,
            or of a class that cannot be imported; the message names both.
    """
    path = Path(path)
    tensors, described = read_tensors(path)
    check_made_for(path, described, game)
    kind = _kind_of(path, described)
    shape = shape_of(path, described, kind.shape_class)
    try:
        # What a file holds replaces the weights that are drawn here: whoever draws after it shall not notice.
        with torch.random.fork_rng(devices=[]):
            network = kind(shape)
        weights = part_of(tensors, "network") or tensors
        network.load_state_dict({name: one.float() for name, one in weights.items()})
    except RuntimeError as error:
        raise CheckpointError(f"checkpoint {path}: it does not hold the network it describes: {error}") from error
    network.reward = field(path, described, "reward", str)
    return network.to(device).eval()


def seen(observations: Array, device: torch.device | str = "cpu") -> Tensor:
    """A copy of observations (k, size), which may be read-only, as a float32 tensor."""
    return torch.from_numpy(np.array(observations, dtype=np.float32)).to(device)
