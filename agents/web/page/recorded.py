"""Sample games and puzzles as data for the page: ``samples.toml`` and ``puzzles.toml`` of ``agents/<game>``.

`agents.web.page.samples` and `agents.web.page.puzzles` write the files from recorded tournaments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.web.page.rules import data_of, folder_of
from porta_nigra_env.core.files import write_whole


def samples_of(name: str) -> list[dict[str, Any]]:
    """Return the sample games of a game: `agents` and `scores` by seat, and the `link`."""
    samples: list[dict[str, Any]] = data_of(name, "samples").get("samples", [])
    return samples


def puzzles_of(name: str) -> list[dict[str, Any]]:
    """Return the puzzles of a game.

    A puzzle has the `link` of the position in the view of the player to move, `best`, the id of its best action, and
    `lead`: how much of a win the best action is worth more than the second one, with the standard `error`.
    """
    puzzles: list[dict[str, Any]] = data_of(name, "puzzles").get("puzzles", [])
    return puzzles


def write(name: str, kind: str, commands: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write a file of `samples_of` or `puzzles_of`, headed by the commands that made it; return its path."""
    path = folder_of(name) / f"{kind}.toml"
    lines = [f"# {command}" for command in commands]
    for row in rows:
        lines += ["", f"[[{kind}]]", *(f"{key} = {_toml(value)}" for key, value in row.items())]
    write_whole(path, "\n".join(lines) + "\n")
    return path


def _toml(value: object) -> str:
    """Return a value in TOML; texts here need no escapes."""
    if isinstance(value, str):
        return f'"{value}"'
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, list | tuple) else str(value)
