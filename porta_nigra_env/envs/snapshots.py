"""A batch as bytes: what cannot be computed from the states, and what batch it belongs to."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch_arrays import check_buffer

FORMAT: Final = "porta_nigra_env batch/3"


def described(game: Game) -> dict[str, Any]:
    """What a snapshot says of its game."""
    return {
        "format": FORMAT,
        "game": f"{game.name}_v{game.version}",
        "tables": hashlib.sha256(game.constants.tobytes()).hexdigest(),
        "num_players": game.num_players,
    }


def written(arrays: Mapping[str, Any], chosen: Any, description: Mapping[str, Any]) -> bytes:
    """The bytes of a snapshot of the `chosen` rows (a mask) of arrays by name."""
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(description).encode(), dtype=np.uint8)
    np.savez(file, description=text, **{name: array[chosen] for name, array in arrays.items()})
    return file.getvalue()


def read_into(arrays: Mapping[str, Any], data: bytes, expected: Mapping[str, Any]) -> None:
    """Fill the arrays of a batch, by name, from a snapshot.

    Raises:
        ValueError: damaged bytes, or a snapshot that says something else than `expected`; nothing has changed.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            description = json.loads(file["description"].tobytes())
            found = {name: file[name] for name in arrays if name in file}
    except (ValueError, KeyError, OSError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(f"not the bytes of a snapshot, or damaged ones: {error}") from error
    for name, value in expected.items():
        told = description.get(name) if isinstance(description, dict) else None
        if told != value:
            raise ValueError(f"snapshot: {name} is {told!r}, here it is {value!r}")
    for name, array in arrays.items():
        if name not in found:
            raise ValueError(f"not the bytes of a snapshot, or damaged ones: there is no {name}")
        check_buffer(f"snapshot {name}", found[name], array.shape, array.dtype)
    for name, array in arrays.items():
        array[...] = found[name]
