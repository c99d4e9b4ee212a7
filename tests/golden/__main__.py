"""Write golden playthroughs, digests and perft counts: ``python -m tests.golden``, of one game with ``--game NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tyro

from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import GAMES
from tests.golden import digests
from tests.golden.games import folders, golden_games
from tests.perft import counts


@dataclass(frozen=True)
class Arguments:
    """Write the golden playthroughs, the digests of whole games and the perft counts."""

    game: str | None = None
    """Only the files of this game or toy game."""


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite the files; each appears whole or not at all."""
    chosen = tyro.cli(Arguments, args=argv, prog="python -m tests.golden").game
    if chosen is not None and chosen not in folders():
        raise SystemExit(f"there are no golden games of {chosen!r}; there are those of {', '.join(folders())}")
    for golden in golden_games():
        if chosen in (None, golden.game):
            text = golden.recorded()
            write_whole(golden.file, text)
            print(f"{golden}: {len(text.splitlines())} lines")
    for game in GAMES:
        if chosen in (None, game):
            write_whole(digests.file_of(game), digests.recorded(game))
            print(f"{game}: digests of whole games")
            lines = []
            for position in counts.recount(game):
                lines.append(counts.line_of(position))
                print(f"{position!s:<44} {position.counts}", flush=True)
            write_whole(counts.file_of(game), "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
