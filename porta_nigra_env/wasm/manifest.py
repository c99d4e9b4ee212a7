"""What has to be known of a module to use it: sizes, layouts, texts and tables, as JSON."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.compile.source_digest import source_digests
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.wasm.entries import policies_of
from porta_nigra_env.wasm.lowering import functions_of

#: The number behind the name is raised whenever exports or manifests change.
FORMAT: Final = "porta_nigra_env wasm/1"


def _fields(spans: Layout) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "start": one.start, "shape": list(one.spec.shape), "scale": one.spec.scale,
         "doc": one.spec.doc}
        for one in spans
    ]  # fmt: skip


def _record(dtype: Any) -> list[dict[str, Any]]:
    """The fields of a record: name, offset in bytes, kind of its numbers as numpy writes it, and shape."""
    fields = [(name, *dtype.fields[name][:2]) for name in dtype.names]
    return [
        {"name": name, "offset": offset, "type": kind.base.str[1:], "shape": list(kind.shape)}
        for name, kind, offset in fields
    ]


def described(game: Game) -> dict[str, Any]:
    """Of a game with one number of players."""
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


def _exports(entries: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """What the entries take, in order, and give."""
    found = {}
    for name, function in entries.items():
        kinds = {part: str(kind) for part, kind in function.__annotations__.items()}
        result = kinds.pop("return")
        found[name] = {"arguments": kinds, "result": None if result == "None" else result}
    return found


def manifest(kind: type[Game], entries: Mapping[str, Callable[..., Any]], sources: str) -> dict[str, Any]:
    """The manifest of a game's module, JSON-able.

    What differs between numbers of players stands under "players" by that number, the rest under "common".

    Args:
        kind: the game's class.
        entries: what the module exports.
        sources: the digest of what it is made of (`sources_digest`).
    """
    of_players = {str(players): described(kind(players)) for players in kind.seats}
    first = of_players[str(kind.seats[0])]
    common = {key: value for key, value in first.items() if all(one[key] == value for one in of_players.values())}
    return {
        "format": FORMAT,
        "game": kind.name,
        "version": kind.version,
        "sources": sources,
        "about": kind.about,
        "phases": list(kind.phases),
        "point_sources": list(kind.point_sources),
        "secret_choices": list(kind.secret_choices),
        "position_format": kind.position_format,
        "has_rounds": kind.kernel.has_rounds,
        "has_points": kind.kernel.has_points,
        "state": _record(kind.dtype),
        "policies": [
            {"name": one.name, "doc": one.doc, "parameters": one.parameters.tolist()}
            for one in policies_of(kind).values()
        ],
        "exports": _exports(entries),
        "common": common,
        "players": {
            players: {key: value for key, value in one.items() if key not in common}
            for players, one in of_players.items()
        },
    }


def sources_digest(kind: type[Game], *more: Path) -> str:
    """Hex SHA-256 of what all that goes into a game's module does, in `more` files too, wherever they lie."""
    policies = [path for one in policies_of(kind).values() for path in one.sources]
    found = source_digests([*kind.sources, *policies, *drawing_sources(kind), *more])
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()


def drawing_sources(kind: type[Game]) -> list[Path]:
    """The files of a game's drawing: those of all functions that it calls, and its whole package where it is one."""
    drawing = kind().drawing()
    if drawing is None:
        return []
    files = [Path(function.__code__.co_filename) for function in functions_of(drawing.draw)]
    own = Path(drawing.draw.__code__.co_filename).parent
    return [*files, own] if own.name == "drawing" else files
