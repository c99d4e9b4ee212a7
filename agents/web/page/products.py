"""What a game brings to the page: its module, its manifest, its networks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import GAMES
from porta_nigra_env.players.checkpoint import Array, read_checkpoint
from porta_nigra_env.players.network import shape_of

#: Where the built modules lie (`agents.web.page.modules`).
FOLDER: Final = Path(__file__).with_name("modules")
#: Bytes from which on a network is kept in 8 bits a number instead of 16: a game is to weigh less than a megabyte.
LARGE: Final = 600_000


@dataclass(frozen=True)
class Module:
    """A built module: the name of its files without their endings, and their contents."""

    stem: str
    module: bytes
    manifest: bytes


def released() -> tuple[str, ...]:
    """Names of the games that have a module, in the order of their list."""
    return tuple(name for name in GAMES if any(FOLDER.glob(f"{name}.*.wasm")))


def module_of(kind: type[Game]) -> Module:
    """The module of a game; ValueError says how one is made."""
    found = sorted(FOLDER.glob(f"{kind.name}.*.wasm"))
    if not found:
        raise ValueError(f"{FOLDER}: there is no module of {kind.name}; python -m agents.web.page.modules builds it")
    return Module(found[-1].stem, found[-1].read_bytes(), found[-1].with_suffix(".json").read_bytes())


@dataclass(frozen=True)
class Weights:
    """A published network as the page has it.

    Attributes:
        file: its name, with a digest of the content.
        data: layer by layer, enter, blocks, policy, value: the matrix (outputs, inputs) row by row as integers, and for
            each output, as float32, the number that its row is multiplied by, then the bias.
        described: shape, bits, reward and scale of its values.
    """

    file: str
    data: bytes
    described: Mapping[str, Any]


def weights_of(kind: type[Game]) -> dict[int, Weights]:
    """The published networks of a game by number of players; a file that serves several is the same object."""
    found: dict[Path, Weights] = {}
    for path in kind.networks().values():
        if path not in found:
            found[path] = _weights(kind.name, path)
    return {players: found[path] for players, path in kind.networks().items()}


def _weights(name: str, path: Path) -> Weights:
    arrays, described = read_checkpoint(path)
    shape = shape_of(path, described)
    layers = ["enter", *(f"blocks.{number}" for number in range(shape.blocks)), "policy", "value"]
    numbers = sum(arrays[f"{layer}.weight"].size for layer in layers)
    bits = 16 if 2 * numbers < LARGE else 8
    data = b"".join(_layer(arrays[f"{layer}.weight"], arrays[f"{layer}.bias"], bits) for layer in layers)
    said = {"bits": bits, "shape": asdict(shape), "reward": described["reward"], "scale": float(arrays["value_scale"])}
    return Weights(f"{name}.{hashlib.sha256(data).hexdigest()[:12]}.weights", data, said)


def _layer(matrix: Array, bias: Array, bits: int) -> bytes:
    """A layer with its matrix in so many bits a number."""
    largest = 2 ** (bits - 1) - 1
    units = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), 1e-12).astype(np.float32) / np.float32(largest)
    whole = np.clip(np.rint(matrix / units), -largest, largest).astype(f"<i{bits // 8}")
    return b"".join((whole.tobytes(), units.astype("<f4").tobytes(), bias.astype("<f4").tobytes()))
