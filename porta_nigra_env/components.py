"""Check a component file of a game: ``python -m porta_nigra_env.components my.toml --game GAME``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import tyro

from porta_nigra_env.core.positions.checks import joined
from porta_nigra_env.core.positions.components import ComponentError, Components
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class


@dataclass(frozen=True)
class Arguments:
    """Check a component file and print a summary.

    For an invalid file, print the key, the value and the allowed values, and exit with 1.
    """

    file: tyro.conf.Positional[str] = "standard"
    """a TOML file, or "standard" for the packaged components"""
    game: Literal[tuple(GAMES)] = DEFAULT_GAME  # type: ignore[valid-type]  # names at run time
    """the game of the file"""


def report(components: Components) -> str:
    """Return a set's name, edition, digest, summary and the origins of its tables, a line each."""
    origins: dict[str, list[str]] = {}
    for table, origin in components.data.get("provenance", {}).items():
        origins.setdefault(origin, []).append(table)
    lines = {
        "name": components.name + (" (the packaged material)" if components.packaged else ""),
        "edition": components.edition,
        "digest": components.digest,
        **components.summary(),
        **{f"from {origin}": joined(tables) for origin, tables in origins.items()},
    }
    return "\n".join(f"{title + ':':<21}{text}" for title, text in lines.items())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 for an invalid file."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m porta_nigra_env.components")
    sets = game_class(arguments.game).component_sets
    if sets is None:
        print(f"error: {arguments.game} has no component files", file=sys.stderr)
        return 1
    try:
        components = sets.load(arguments.file)
    except ComponentError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(report(components))
    return 0


if __name__ == "__main__":
    sys.exit(main())
