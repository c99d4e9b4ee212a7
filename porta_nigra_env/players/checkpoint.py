"""Files of networks: arrays, and what they were made for.

A file holds the weights and, as text in its header, what they were made for: game and version, the layout of its
observations and actions, its tables, numbers of players.  Loading compares all of that with the game at hand, and both
with their checksum, before anything is used.  The format is safetensors: plain arrays, nothing in it is run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.game.game import Game

#: The number behind the name is raised whenever files are written or checked in another way.
FORMAT: Final = "porta_nigra_env network/2"

T = TypeVar("T")
Array = np.ndarray[Any, Any]
#: How messages call what JSON reads.
_KINDS: Final[dict[type, str]] = {
    dict: "an object", list: "a list", str: "a text", int: "an integer", float: "a number", bool: "true or false",
}  # fmt: skip


class CheckpointError(ValueError):
    """A file that is no checkpoint, is damaged, or was made for something else."""


class Plain(NamedTuple):
    """What a checksum reads of an array or tensor: kind of its numbers as torch writes it, shape, bytes."""

    kind: str
    shape: tuple[int, ...]
    content: bytes


def plain_array(array: Array) -> Plain:
    """Of an array of numpy."""
    return Plain(f"torch.{array.dtype}", array.shape, array.tobytes())


def checksum(arrays: Mapping[str, Plain], described: str) -> str:
    """SHA-256 of a description, one line of JSON, and of the arrays' names, kinds, shapes and contents."""
    digest = hashlib.sha256(f"{described}\n".encode())
    for name in sorted(arrays):
        one = arrays[name]
        digest.update(f"{name} {one.kind} {one.shape}\n".encode())
        digest.update(one.content)
    return digest.hexdigest()


def read_checkpoint(
    path: Path, framework: str = "np", plain: Callable[[Any], Plain] = plain_array
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays and the description of a file; `field` reads the latter.

    Args:
        framework: whose arrays, as safetensors calls it.
        plain: what the checksum reads of one of them.

    Raises:
        CheckpointError: there is none, or it is foreign or damaged; the message tells which.
    """
    if not path.is_file():
        raise CheckpointError(f"checkpoint {path}: there is no such file")
    try:
        with safe_open(path, framework=framework) as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    # TypeError: numbers of a kind that numpy does not have.
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"checkpoint {path}: not a checkpoint, or a damaged one: {error}") from error
    if header.get("format") != FORMAT:
        raise CheckpointError(f"checkpoint {path}: its format is {header.get('format')!r}, expected {FORMAT!r}")
    text = header.get("described", "")
    if header.get("checksum") != checksum({name: plain(one) for name, one in arrays.items()}, text):
        raise CheckpointError(f"checkpoint {path}: damaged, the contents do not agree with the checksum")
    try:
        described = json.loads(text)
    except ValueError as error:
        raise CheckpointError(f"checkpoint {path}: described is no JSON: {error}") from error
    return arrays, field(path, {"described": described}, "described", dict)


def field(path: Path, described: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """What a description says under a name; CheckpointError if it is missing or not of the kind that JSON reads."""
    found = described.get(name)
    if type(found) is not kind:
        said = f"is {found!r}" if name in described else "is missing"
        raise CheckpointError(f"checkpoint {path}: {name} {said}, where {_KINDS[kind]} is needed")
    return found


def part_of(arrays: Mapping[str, T], kind: str) -> dict[str, T]:
    """The arrays of a checkpoint whose names begin with `kind` and a full stop, by the rest of their names."""
    return {name.removeprefix(f"{kind}."): one for name, one in arrays.items() if name.startswith(f"{kind}.")}


def layout(spans: Layout) -> str:
    """A digest of names, shapes and scales: two tables with the same digest mean the same places."""
    text = json.dumps([(entry.name, entry.spec.shape, entry.spec.scale) for entry in spans])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def made_for(games: Sequence[Game]) -> dict[str, Any]:
    """What a network for these games is made for, as it is written into its file."""
    first = games[0]
    return {
        "game": f"{first.name}_v{first.version}",
        "observations": layout(first.observations),
        "actions": layout(first.actions),
        "tables": {str(game.num_players): hashlib.sha256(game.constants.tobytes()).hexdigest() for game in games},
    }


def check_made_for(path: Path, described: Mapping[str, Any], game: Game | None) -> None:
    """CheckpointError if a description does not fit the game."""
    if game is None:
        return
    found, wanted = field(path, described, "made_for", dict), made_for([game])
    for name in ("game", "observations", "actions"):
        if (one := field(path, found, name, str)) != wanted[name]:
            raise CheckpointError(f"checkpoint {path}: {name} is {one!r}, here it is {wanted[name]!r}")
    constants, players = field(path, found, "tables", dict), str(game.num_players)
    if players not in constants:
        numbers = ", ".join(constants)
        raise CheckpointError(f"checkpoint {path}: it was trained for {numbers} players, not for {players}")
    if (digest := field(path, constants, players, str)) != wanted["tables"][players]:
        raise CheckpointError(
            f"checkpoint {path}: its tables (components) have the digest {digest[:16]}, "
            f"those here {wanted['tables'][players][:16]}"
        )
