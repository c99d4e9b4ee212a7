"""Write golden playthroughs and digests of games anew: ``python -m tests.golden``, of one game with ``--game NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tyro

from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import GAMES
from tests.golden import digests
from tests.golden.games import folders, golden_games


@dataclass(frozen=True)
class Arguments:
    """Write the golden playthroughs and the digests of whole games anew."""

    game: str | None = None
    """Only those of this room or tenant."""


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite the files; each appears whole or not at all."""
    game = tyro.cli(Arguments, args=argv, prog="python -m tests.golden").game
    if game is not None and game not in folders():
        raise SystemExit(f"there are no golden games of {game!r}; there are those of {', '.join(folders())}")
    for golden in golden_games():
        if game in (None, golden.game):
            text = golden.recorded()
            write_whole(golden.file, text)
            print(f"{golden}: {len(text.splitlines())} lines")
    for room in GAMES:
        if game in (None, room):
            write_whole(digests.file_of(room), digests.recorded(room))
            print(f"{room}: digests of whole games")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
