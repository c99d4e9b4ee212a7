"""The files that a game adds to the page: module, manifest, card, style sheet, networks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import GAMES, game_class
from porta_nigra_env.players.checkpoint import Array, read_checkpoint
from porta_nigra_env.players.network import shape_of

if TYPE_CHECKING:
    from porta_nigra_env.wasm.build import Product

#: The folder of the built WebAssembly modules; their names hold the digest of their sources.
FOLDER: Final = Path(__file__).with_name("modules")
#: The endings of a game's files there: module, manifest, and card of the first screen (`card.py`).
ENDINGS: Final = (".wasm", ".json", ".card.json")
#: Size in bytes from which a network is stored with 8 bits a weight instead of 16, so that a game stays below 1 MB.
LARGE: Final = 600_000


@dataclass(frozen=True)
class Module:
    """A built module: the name of its files without their endings, and their contents."""

    stem: str
    module: bytes
    manifest: bytes
    card: bytes


def product(kind: type[Game]) -> Product:
    """Return the build product of a game: rules, policies, drawing, network and searches."""
    from agents.search.entries import SOURCES, search_entries
    from porta_nigra_env.wasm.build import Product

    return Product(kind, search_entries(kind), SOURCES)


def paths_of(game: str, folder: Path = FOLDER) -> list[Path]:
    """Return the files of a game's module, manifest and card."""
    stem = product(game_class(game)).stem
    return [folder / f"{stem}{ending}" for ending in ENDINGS]


def build_module(game: str, folder: Path = FOLDER, always: bool = False) -> None:
    """Build a game's module and manifest where they are outdated, or always."""
    built, (module, described, _) = product(game_class(game)), paths_of(game, folder)
    if always or not module.exists() or not described.exists():
        built.write(folder)
    elif described.read_text(encoding="utf-8") != built.described:
        built.describe(folder)


def released() -> tuple[str, ...]:
    """Return the names of the games that have a module, in the order of `GAMES`."""
    return tuple(name for name in GAMES if any(FOLDER.glob(f"{name}.*.wasm")))


def module_of(kind: type[Game]) -> Module:
    """Return the module of a game. Raises ValueError where it has not been built."""
    paths = sorted(FOLDER.glob(f"{kind.name}.*.wasm"))
    if not paths or not all(paths[-1].with_suffix(ending).exists() for ending in ENDINGS):
        command = f"python -m agents.web.page --build-modules --games {kind.name}"
        raise ValueError(f"{FOLDER}: there is no module of {kind.name}; {command} builds it")
    return Module(paths[-1].stem, *(paths[-1].with_suffix(ending).read_bytes() for ending in ENDINGS))


@dataclass(frozen=True)
class Weights:
    """A published network in the page's format.

    Attributes:
        file: the file's name, with a digest of the content.
        data: the layers enter, blocks, policy, value.  Each has its matrix (outputs, inputs) row by row as integers,
            then a float32 factor for each row, then the bias.
        described: shape, bits, reward and scale of the values.
    """

    file: str
    data: bytes
    described: Mapping[str, Any]


def weights_of(kind: type[Game]) -> dict[int, Weights]:
    """Return the published networks of a game by number of players; a file may serve several numbers."""
    weights = {path: _weights(kind.name, path) for path in dict.fromkeys(kind.networks().values())}
    return {players: weights[path] for players, path in kind.networks().items()}


def _weights(name: str, path: Path) -> Weights:
    arrays, described = read_checkpoint(path)
    shape = shape_of(path, described)
    layers = ["enter", *(f"blocks.{number}" for number in range(shape.blocks)), "policy", "value"]
    numbers = sum(arrays[f"{layer}.weight"].size for layer in layers)
    bits = 16 if 2 * numbers < LARGE else 8
    data = b"".join(_layer(arrays[f"{layer}.weight"], arrays[f"{layer}.bias"], bits) for layer in layers)
    entry = {"bits": bits, "shape": asdict(shape), "reward": described["reward"], "scale": float(arrays["value_scale"])}
    return Weights(f"{name}.{hashlib.sha256(data).hexdigest()[:12]}.weights", data, entry)


def _layer(matrix: Array, bias: Array, bits: int) -> bytes:
    """Return a layer with its matrix quantized to `bits` bits a weight."""
    largest = 2 ** (bits - 1) - 1
    units = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), 1e-12).astype(np.float32) / np.float32(largest)
    whole = np.clip(np.rint(matrix / units), -largest, largest).astype(f"<i{bits // 8}")
    return b"".join((whole.tobytes(), units.astype("<f4").tobytes(), bias.astype("<f4").tobytes()))


def stylesheet(drawing: Mapping[str, Any]) -> str:
    """Return the colours of a drawing as a style sheet: one class a style, for light and dark themes.

    Args:
        drawing: the manifest of a `porta_nigra_env.core.drawing.draw_list.Drawing`.

    Returns:
        Rules for elements of the classes ``d-<style>`` inside one of the class ``board-<name>``.
    """
    board, palette = f".board-{drawing['name']}", drawing["palette"]
    light, dark = ("".join(f"--d-{name}:{pair[i]};" for name, pair in palette.items()) for i in range(2))
    lines = [
        f"{board}{{{light}font-family:{drawing['font']['family']}}}",
        f':root[data-theme="dark"] {board}{{{dark}}}',
        *(f"{board} .d-{style['name']}{{{_rules(style)}}}" for style in drawing["styles"]),
    ]
    return "\n".join(lines) + "\n"


def _rules(style: Mapping[str, Any]) -> str:
    rules = [f"fill:{_colour(style['fill'])}"]
    if style["stroke"] is not None:
        rules.append(f"stroke:{_colour(style['stroke'])};stroke-width:{style['width']:g}")
        rules += ["stroke-dasharray:6 5"] if style["dash"] else []
    rules += ["font-weight:bold"] if style["bold"] else []
    rules += [f"opacity:{style['opacity']:g}"] if style["opacity"] != 1 else []
    return ";".join(rules)


def _colour(name: str | None) -> str:
    return "none" if name is None else f"var(--d-{name})"
