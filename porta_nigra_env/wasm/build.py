"""The build of a game's module, named by the digest of its sources, and its manifest as JSON.

The manifest holds sizes, layouts, action strings and constants.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.compile import rebuild
from porta_nigra_env.core.compile.source_digest import source_digests
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.component_game import ComponentGame
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration import reading
from porta_nigra_env.wasm import arrays, entries, forward, linking, lowering
from porta_nigra_env.wasm.entries import policies_of
from porta_nigra_env.wasm.lowering import functions_of

#: Sources of every module.
SOURCES: Final = (
    *(Path(str(module.__file__)) for module in (arrays, entries, forward, linking, lowering, rebuild)),
    linking.LIBM,
)


#: Raise the number after the name whenever exports or manifests change.
FORMAT: Final = "porta_nigra_env wasm/3"


def _fields(layout: Layout) -> list[dict[str, Any]]:
    return [
        {"name": field.name, "start": field.start, "shape": list(field.spec.shape), "scale": field.spec.scale,
         "doc": field.spec.doc}
        for field in layout
    ]  # fmt: skip


def _record(dtype: Any) -> list[dict[str, Any]]:
    """Return the fields of a record: name, offset in bytes, numpy type code, and shape."""
    fields = [(name, *dtype.fields[name][:2]) for name in dtype.names]
    return [
        {"name": name, "offset": offset, "type": kind.base.str[1:], "shape": list(kind.shape)}
        for name, kind, offset in fields
    ]


def described(game: Game) -> dict[str, Any]:
    """Return the manifest entries of a game with one number of players."""
    drawing = game.drawing()
    return {
        "components": game.digest,
        "sizes": {
            "state": game.dtype.itemsize,
            "tables": game.constants.nbytes,
            "words": game.num_words,
            "actions": game.actions.size,
            "observation": game.observations.size,
            "privileged": game.privileged.size,
        },
        "tables": base64.b64encode(game.constants.tobytes()).decode(),
        "actions": list(game.action_texts),
        "action_layout": _fields(game.actions),
        "observation_layout": _fields(game.observations),
        "privileged_layout": _fields(game.privileged),
        "drawing": None if drawing is None else drawing.manifest(),
    }


def _sheet(kind: type[Game]) -> dict[str, Any] | None:
    """Return the columns of a game's score sheet, and the first one of each source of points; None without a sheet."""
    if not issubclass(kind, ComponentGame):
        return None
    return {"columns": kind.num_columns, "sources": list(kind.source_columns)}


def _exports(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """Return the arguments, in order, and the results of the entries."""
    exports = {}
    for name, function in functions.items():
        kinds = {part: str(kind) for part, kind in function.__annotations__.items()}
        result = kinds.pop("return")
        exports[name] = {"arguments": kinds, "result": None if result == "None" else result}
    return exports


def manifest(kind: type[Game], functions: Mapping[str, Callable[..., Any]], sources: str) -> dict[str, Any]:
    """Return the manifest of a game's module, JSON-able.

    Entries that depend on the number of players are under "players" by that number, all others under "common".

    Args:
        kind: the game's class.
        functions: the exports of the module.
        sources: the digest of its sources (`sources_digest`).
    """
    of_players = {str(players): described(kind(players)) for players in kind.seats}
    first = of_players[str(kind.seats[0])]
    common = {key: value for key, value in first.items() if all(entry[key] == value for entry in of_players.values())}
    return {
        "format": FORMAT,
        "game": kind.name,
        "version": kind.version,
        "sources": sources,
        "about": kind.about,
        "phases": list(kind.phases),
        "point_sources": list(kind.point_sources),
        "sheet": _sheet(kind),
        "secret_choices": list(kind.secret_choices),
        "position_format": kind.position_format,
        "has_rounds": kind.kernel.has_rounds,
        "has_points": kind.kernel.has_points,
        "state": _record(kind.dtype),
        "policies": [
            {"name": policy.name, "doc": policy.doc, "parameters": policy.parameters.tolist()}
            for policy in policies_of(kind).values()
        ],
        "exports": _exports(functions),
        "common": common,
        "players": {
            players: {key: value for key, value in entry.items() if key not in common}
            for players, entry in of_players.items()
        },
    }


def sources_digest(kind: type[Game], *more: Path) -> str:
    """Return the hex SHA-256 of all sources of a game's module and of `more` files, independent of their paths."""
    policies = [path for policy in policies_of(kind).values() for path in policy.sources]
    digests = source_digests([*kind.sources, *policies, *drawing_sources(kind), *narration_sources(kind), *more])
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def drawing_sources(kind: type[Game]) -> list[Path]:
    """Return the files of a game's drawing: those of all its callees, and its whole package if it has one."""
    drawing = kind().drawing()
    if drawing is None:
        return []
    files = [Path(function.__code__.co_filename) for function in functions_of(drawing.draw)]
    own = Path(drawing.draw.__code__.co_filename).parent
    return [*files, own] if own.name == "drawing" else files


def narration_sources(kind: type[Game]) -> list[Path]:
    """Return the files of the remedies of a game's narration, and of the reading of its facts."""
    narration = kind().narration()
    if narration is None:
        return []
    changes = [remedy.change for remedy in narration.remedies]
    refreshes = [narration.refresh] if narration.refresh else []
    return [*reading.SOURCES, *(Path(function.__code__.co_filename) for function in (*changes, *refreshes))]


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
        """Return the manifest of this module; nothing is compiled."""
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
