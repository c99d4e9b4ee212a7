"""Networks that play: logits of all actions and a value for each seat; and their files.

A file holds the weights and, as text in its header, what they were made for: game and version, the layout of its
observations and actions, its tables, numbers of players.  Loading compares all of that with the game at hand, and both
with their checksum, before anything is used.  The format is safetensors: plain arrays, nothing in it is run; a network
of a class of one's own is told by that class's import path, which is imported.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from porta_nigra_env.core.game import Game
from porta_nigra_env.core.spans import Spans

#: The number behind the name is raised whenever files are written or checked in another way.
FORMAT: Final = "porta_nigra_env network/2"
#: Seats of networks whose files do not say.
_SEATS_UNSAID: Final = 4
#: Added to the logits of illegal actions: their probability is exactly 0 in float32.
NEVER: Final = -1e9


T = TypeVar("T")
Array = np.ndarray[Any, Any]
#: Logits (num_actions,) and values (seats,) of one observation.
SingleRow = Callable[[Array], tuple[Array, Array]]
#: How messages call what JSON reads.
_KINDS: Final[dict[type, str]] = {
    dict: "an object", list: "a list", str: "a text", int: "an integer", float: "a number", bool: "true or false",
}  # fmt: skip


class CheckpointError(ValueError):
    """A file that is no checkpoint, is damaged, or was made for something else."""


@dataclass(frozen=True)
class Shape:
    """Sizes of a network: `blocks` residual blocks of `width` units between input and heads.

    A class of networks of one's own may have a shape of its own: another frozen dataclass of integers, with
    `observation_size`, `num_actions` and `seats`.
    """

    observation_size: int
    num_actions: int
    seats: int
    width: int = 512
    blocks: int = 1

    @classmethod
    def of(cls, game: Game, width: int = 512, blocks: int = 1) -> Shape:
        """The shape that fits a game with all its numbers of players."""
        return cls(game.observations.size, game.actions.size, max(game.seats), width, blocks)


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
        return checksum(self.state_dict(), self.reward)

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
            hidden = hidden + torch.relu(block(hidden))
        return self.policy(hidden), self.value(hidden)

    def single(self) -> SingleRow:
        return SingleRows(self)


class SingleRows:
    """A network as it is now, for one observation at a time: numpy begins at once, where torch prepares for many rows.

    >>> network = Network(Shape(observation_size=3, num_actions=2, seats=4, width=4))
    >>> logits, values = SingleRows(network)(np.ones(3, dtype=np.float32))
    >>> logits.shape, values.shape
    ((2,), (4,))
    """

    def __init__(self, network: Network) -> None:
        def plain(layer: nn.Module) -> tuple[Any, Any]:
            return layer.weight.detach().cpu().float().numpy(), layer.bias.detach().cpu().float().numpy()  # type: ignore[operator]

        self._enter, self._policy, self._value = plain(network.enter), plain(network.policy), plain(network.value)
        self._blocks = [plain(block) for block in network.blocks]

    def __call__(self, observation: Array) -> tuple[Array, Array]:
        """Logits (num_actions,) and values (seats,) of an observation (observation_size,), float32."""

        def through(layer: tuple[Any, Any], given: Any) -> Any:
            return layer[0] @ given + layer[1]

        hidden = np.maximum(through(self._enter, observation), 0)
        for block in self._blocks:
            hidden = hidden + np.maximum(through(block, hidden), 0)
        return through(self._policy, hidden), through(self._value, hidden)


def masked(logits: Tensor, masks: Tensor) -> Tensor:
    """Logits with `NEVER` where the mask is zero; float32."""
    return logits.float().masked_fill(masks == 0, NEVER)


def layout(spans: Spans) -> str:
    """A digest of names, shapes and scales: two tables with the same digest mean the same places."""
    text = json.dumps([(span.name, span.part.shape, span.part.scale) for span in spans])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def made_for(games: Sequence[Game]) -> dict[str, Any]:
    """What a network for these games is made for, as it is written into its file."""
    first = games[0]
    return {
        "game": f"{first.name}_v{first.version}",
        "observations": layout(first.observations),
        "actions": layout(first.actions),
        "tables": {str(game.num_players): hashlib.sha256(game.tables.tobytes()).hexdigest() for game in games},
    }


def checksum(tensors: Mapping[str, Tensor], described: str) -> str:
    """SHA-256 of a description, one line of JSON, and of the tensors' names, kinds, shapes and contents."""
    digest = hashlib.sha256(f"{described}\n".encode())
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def _in_order(data: bytes) -> bytes:
    """The same safetensors file with its header's names in order, which its writer leaves to chance."""
    # https://huggingface.co/docs/safetensors: eight bytes of length, so much JSON, tensors by offsets from there.
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8:end]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + data[end:]


def write_tensors(path: Path, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
    """A file of tensors with a description; it replaces another one only when it is whole.

    The same tensors and description are the same bytes.
    """
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(described)
    header = {"format": FORMAT, "checksum": checksum(plain, text), "described": text}
    partial = path.with_name(f"{path.name}.partial")
    with open(partial, "wb") as file:
        file.write(_in_order(save(plain, header)))
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the description of a file; `field` reads the latter.

    Raises:
        CheckpointError: there is none, or it is foreign or damaged; the message tells which.
    """
    if not path.is_file():
        raise CheckpointError(f"checkpoint {path}: there is no such file")
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise CheckpointError(f"checkpoint {path}: not a checkpoint, or a damaged one: {error}") from error
    if header.get("format") != FORMAT:
        raise CheckpointError(f"checkpoint {path}: its format is {header.get('format')!r}, expected {FORMAT!r}")
    text = header.get("described", "")
    if header.get("checksum") != checksum(tensors, text):
        raise CheckpointError(f"checkpoint {path}: damaged, the contents do not agree with the checksum")
    try:
        described = json.loads(text)
    except ValueError as error:
        raise CheckpointError(f"checkpoint {path}: described is no JSON: {error}") from error
    return tensors, field(path, {"described": described}, "described", dict)


def field(path: Path, described: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """What a description says under a name; CheckpointError if it is missing or not of the kind that JSON reads."""
    found = described.get(name)
    if type(found) is not kind:
        said = f"is {found!r}" if name in described else "is missing"
        raise CheckpointError(f"checkpoint {path}: {name} {said}, where {_KINDS[kind]} is needed")
    return found


def part_of(tensors: Mapping[str, Tensor], kind: str) -> dict[str, Tensor]:
    """The tensors of a checkpoint whose names begin with `kind` and a full stop, by the rest of their names."""
    return {name.removeprefix(f"{kind}."): one for name, one in tensors.items() if name.startswith(f"{kind}.")}


def save_network(path: Path, network: PlayingNetwork, games: Sequence[Game], **more: Any) -> None:
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


def _shape_of(path: Path, described: Mapping[str, Any], kind: type[PlayingNetwork]) -> Any:
    """The shape of a file's network."""
    sizes = field(path, described, "shape", dict)
    if kind is Network:
        sizes = {"seats": _SEATS_UNSAID} | sizes
    names = [one.name for one in fields(kind.shape_class)]
    return kind.shape_class(**{name: field(path, sizes, name, int) for name in names})


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
    shape = _shape_of(path, described, kind)
    try:
        network = kind(shape)
        weights = part_of(tensors, "network") or tensors
        network.load_state_dict({name: one.float() for name, one in weights.items()})
    except RuntimeError as error:
        raise CheckpointError(f"checkpoint {path}: it does not hold the network it describes: {error}") from error
    network.reward = field(path, described, "reward", str)
    return network.to(device).eval()


def check_made_for(path: Path, described: Mapping[str, Any], game: Game | None) -> None:
    """CheckpointError if a description does not fit the game."""
    if game is None:
        return
    found, wanted = field(path, described, "made_for", dict), made_for([game])
    for name in ("game", "observations", "actions"):
        if (one := field(path, found, name, str)) != wanted[name]:
            raise CheckpointError(f"checkpoint {path}: {name} is {one!r}, here it is {wanted[name]!r}")
    tables, players = field(path, found, "tables", dict), str(game.num_players)
    if players not in tables:
        numbers = ", ".join(tables)
        raise CheckpointError(f"checkpoint {path}: it was trained for {numbers} players, not for {players}")
    if (digest := field(path, tables, players, str)) != wanted["tables"][players]:
        raise CheckpointError(
            f"checkpoint {path}: its tables (components) have the digest {digest[:16]}, "
            f"those here {wanted['tables'][players][:16]}"
        )


def seen(observations: Array, device: torch.device | str = "cpu") -> Tensor:
    """A copy of observations (k, size), which may be read-only, as a float32 tensor."""
    return torch.from_numpy(np.array(observations, dtype=np.float32)).to(device)
