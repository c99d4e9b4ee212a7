"""Write the perft counts anew: ``python -m tests.perft``, or those of one game with ``--game NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tyro

from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import GAMES, game_entry
from tests.perft.counts import file_of, line_of, recount


@dataclass(frozen=True)
class Arguments:
    """Write the perft counts anew."""

    game: str | None = None
    """Only those of this room."""


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite the files."""
    chosen = tyro.cli(Arguments, args=argv, prog="python -m tests.perft").game
    if chosen is not None:
        game_entry(chosen)
    for game in GAMES if chosen is None else [chosen]:
        lines = []
        for one in recount(game):
            lines.append(line_of(one))
            print(f"{one!s:<44} {one.counts}", flush=True)
        write_whole(file_of(game), "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
