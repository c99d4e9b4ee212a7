"""The build of a game's module and manifest, named by the digest of their sources."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.wasm import arrays, entries, forward, linking, lowering, trace
from porta_nigra_env.wasm.manifest import manifest, sources_digest

#: Sources of every module.
SOURCES: Final = (
    *(Path(str(module.__file__)) for module in (arrays, entries, forward, linking, lowering, trace)),
    linking.LIBM,
)


@dataclass(frozen=True)
class Product:
    """A module to build.

    Attributes:
        game: a `Game` subclass.
        more: exports besides the game's own, by name (`entries.entries_of`).
        sources: the source files of these exports.
    """

    game: type[Game]
    more: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    sources: tuple[Path, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256 of its sources."""
        return sources_digest(self.game, *SOURCES, *self.sources)

    @property
    def stem(self) -> str:
        """The name of its files, without ``.wasm`` and ``.json``."""
        return f"{self.game.name}.{self.digest[:12]}"

    @property
    def exports(self) -> dict[str, Callable[..., Any]]:
        """All exported functions."""
        return {**entries.entries_of(self.game), **self.more}

    def manifest(self) -> dict[str, Any]:
        """Return `manifest.manifest` of this module; nothing is compiled."""
        return manifest(self.game, self.exports, self.digest)

    def code(self) -> bytes:
        """Return the module; equal sources and tool versions give equal bytes."""
        exports = self.exports
        return linking.link(lowering.Lowering().lower(exports), list(exports))

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Build module and manifest into a folder, created if missing; return their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        module = folder / f"{self.stem}.wasm"
        write_whole(module, self.code())
        return module, self.describe(folder)

    def describe(self, folder: Path) -> Path:
        """Write the manifest alone, which may change while the code does not; return its path."""
        described = folder / f"{self.stem}.json"
        write_whole(described, self.described)
        return described

    @cached_property
    def described(self) -> str:
        """The manifest as JSON text."""
        return json.dumps(self.manifest(), separators=(",", ":")) + "\n"
