"""What a game brings to the page: its module, its manifest, its networks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.game import Game
from porta_nigra_env.games import GAMES
from porta_nigra_env.players.checkpoint import read_checkpoint
from porta_nigra_env.players.network import shape_of

#: Where the built modules lie (`agents.page.modules`).
FOLDER: Final = Path(__file__).with_name("modules")


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
        raise ValueError(f"{FOLDER}: there is no module of {kind.name}; python -m agents.page.modules builds it")
    return Module(found[-1].stem, found[-1].read_bytes(), found[-1].with_suffix(".json").read_bytes())


@dataclass(frozen=True)
class Weights:
    """A published network as the page has it.

    Attributes:
        file: its name, with a digest of the content.
        data: all weights as 16-bit floating point numbers, layer by layer: enter, blocks, policy, value; of each the
            matrix (outputs, inputs) row by row, then the bias.
        described: shape, reward and scale of its values.
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
    parts = [arrays[f"{layer}.{part}"] for layer in layers for part in ("weight", "bias")]
    data = b"".join(np.ascontiguousarray(part).astype("<f2").tobytes() for part in parts)
    said = {"shape": asdict(shape), "reward": described["reward"], "scale": float(arrays["value_scale"])}
    return Weights(f"{name}.{hashlib.sha256(data).hexdigest()[:12]}.weights", data, said)
