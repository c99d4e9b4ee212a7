"""Checkpoint files of networks.

A file holds the weights and, in its header, a description of their game: name and version, the layout of observations
and actions, a digest of the constants, numbers of players.  Loading checks the checksum and compares the description
with the game.  The format is safetensors, which contains no code.
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

#: The number changes whenever files are written or checked in another way.
FORMAT: Final = "porta_nigra_env network/2"

#: Names of this project's classes of networks besides the plain one, as files have them.
WITH_COMPONENTS: Final = "agents.networks.components:ComponentNetwork"
WITH_HISTORY: Final = "agents.networks.history:HistoryNetwork"

#: Stands for the digest of every component set.
ANY: Final = "any"

T = TypeVar("T")
Array = np.ndarray[Any, Any]
#: Names of JSON types in messages.
_KINDS: Final[dict[type, str]] = {
    dict: "an object", list: "a list", str: "a text", int: "an integer", float: "a number", bool: "true or false",
}  # fmt: skip


class CheckpointError(ValueError):
    """A file that is not a checkpoint, is damaged, or was made for another game."""


class Plain(NamedTuple):
    """The parts of an array or tensor in a checksum: its dtype as torch writes it, shape, bytes."""

    kind: str
    shape: tuple[int, ...]
    content: bytes


def plain_array(array: Array) -> Plain:
    """Return the parts of a numpy array."""
    return Plain(f"torch.{array.dtype}", array.shape, array.tobytes())


def checksum(arrays: Mapping[str, Plain], described: str) -> str:
    """Return the SHA-256 of a description, one line of JSON, and of the arrays' names, dtypes, shapes and contents."""
    digest = hashlib.sha256(f"{described}\n".encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.kind} {array.shape}\n".encode())
        digest.update(array.content)
    return digest.hexdigest()


def read_checkpoint(
    path: Path, framework: str = "np", plain: Callable[[Any], Plain] = plain_array
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arrays and the description of a file; `field` reads the latter.

    Args:
        framework: the framework of the arrays, in the words of safetensors.
        plain: returns the parts of an array in the checksum.

    Raises:
        CheckpointError: the file is missing, of another format, or damaged; the message says which.
    """
    if not path.is_file():
        raise CheckpointError(f"checkpoint {path}: there is no such file")
    try:
        with safe_open(path, framework=framework) as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    # TypeError: a dtype that numpy does not have.
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"checkpoint {path}: not a checkpoint, or a damaged one: {error}") from error
    if header.get("format") != FORMAT:
        raise CheckpointError(f"checkpoint {path}: its format is {header.get('format')!r}, expected {FORMAT!r}")
    text = header.get("described", "")
    if header.get("checksum") != checksum({name: plain(array) for name, array in arrays.items()}, text):
        raise CheckpointError(f"checkpoint {path}: damaged, the contents do not agree with the checksum")
    try:
        described = json.loads(text)
    # RecursionError: lists in lists in lists.
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"checkpoint {path}: described is no JSON: {error}") from error
    return arrays, field(path, {"described": described}, "described", dict)


def field(path: Path, described: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """Return an entry of a description; CheckpointError if it is missing or of another JSON type."""
    value = described.get(name)
    if type(value) is not kind:
        state = f"is {value!r}" if name in described else "is missing"
        raise CheckpointError(f"checkpoint {path}: {name} {state}, where {_KINDS[kind]} is needed")
    return value


def part_of(arrays: Mapping[str, T], kind: str) -> dict[str, T]:
    """Return the arrays with names ``kind.NAME``, by NAME."""
    return {name.removeprefix(f"{kind}."): array for name, array in arrays.items() if name.startswith(f"{kind}.")}


def check_finite(path: Path, arrays: Mapping[str, Any]) -> None:
    """Raise CheckpointError for the first array, or CPU tensor that numpy can read, with NaN or infinite numbers."""
    for name in sorted(arrays):
        if not np.isfinite(np.asarray(arrays[name])).all():
            raise CheckpointError(f"checkpoint {path}: {name} has NaN or infinite numbers")


def layout_digest(layout: Layout) -> str:
    """Return a digest of the names, shapes and scales of a layout."""
    text = json.dumps([(entry.name, entry.spec.shape, entry.spec.scale) for entry in layout])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def made_for(games: Sequence[Game], any_components: bool = False) -> dict[str, Any]:
    """Return the description of the games of a network, for its file.

    any_components: true for a network that reads component numbers and plays with every component set.
    """
    first = games[0]
    numbers = first.component_numbers() if any_components else None
    return {
        "game": f"{first.name}_v{first.version}",
        "observations": layout_digest(first.observations),
        "actions": layout_digest(first.actions),
        "tables": {
            str(game.num_players): ANY if any_components else hashlib.sha256(game.constants.tobytes()).hexdigest()
            for game in games
        },
        **({} if numbers is None else {"numbers": layout_digest(numbers.layout)}),
    }


def check_made_for(path: Path, described: Mapping[str, Any], game: Game | None) -> None:
    """Raise CheckpointError if a description does not fit the game."""
    if game is None:
        return
    stored, wanted = field(path, described, "made_for", dict), made_for([game])
    for name in ("game", "observations", "actions"):
        if (value := field(path, stored, name, str)) != wanted[name]:
            sizes = (
                "" if name == "game" else "; its components have other numbers of pieces, or it is of another version"
            )
            raise CheckpointError(f"checkpoint {path}: {name} is {value!r}, here it is {wanted[name]!r}{sizes}")
    constants, players = field(path, stored, "tables", dict), str(game.num_players)
    if players not in constants:
        numbers = ", ".join(constants)
        raise CheckpointError(f"checkpoint {path}: it was trained for {numbers} players, not for {players}")
    digest = field(path, constants, players, str)
    if digest == ANY:
        pieces = game.component_numbers()
        known = None if pieces is None else layout_digest(pieces.layout)
        if (value := field(path, stored, "numbers", str)) != known:
            reason = "the game's components have other numbers of pieces; train a network with them (--components)"
            raise CheckpointError(f"checkpoint {path}: numbers is {value!r}, here it is {known!r}; {reason}")
        if not game.means_as(type(game)(game.num_players)):
            raise CheckpointError(
                f"checkpoint {path}: the components give actions another meaning than the standard ones; train a "
                "network with them (--components)"
            )
    elif digest != wanted["tables"][players]:
        raise CheckpointError(
            f"checkpoint {path}: it was trained with one component set, and the game has another; give that one as "
            "components, or a network trained with --component-sets, which plays with any"
        )
