"""The first steps at a table through a door, in ``docs/transcripts/``: a test of each door writes and checks them.

``WRITE_TRANSCRIPTS=1 make test-doors`` writes the files again.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from agents.seats.local import LIVE
from porta_nigra_env.games import GAMES, make_game
from tests.seats.conformance import LINE, Door, ids

FOLDER = Path(__file__).parents[2] / "docs" / "transcripts"
#: Longest line.
WIDTH = 100
#: Lines of legal actions that are shown.
ACTIONS = 2


def transcript(door: Any, name: str) -> str:
    """Return two decisions of a game and a refused answer, at most 15 lines.

    door: a `Door` with `asks`, the call that shows a decision, and `answers`, the call that answers with a text.
    """
    game = make_game(name)
    play = door.begin(game, [LIVE] * game.num_players, 7)
    _, text = play.ask()
    head, _, choices = text.partition("\nYour legal actions")
    listed = [line for line in choices.splitlines()[1:] if LINE.match(line) or "..." in line][:ACTIONS]
    lines = [
        f"> {door.asks}",
        head.splitlines()[0],
        "...",
        f"Your legal actions{choices.splitlines()[0]}",
        *listed,
        "...",
    ]
    first = ids(text)[0]
    lines += [f"> {door.answers.format('fly')}", play.answer("fly"), f"> {door.answers.format(first)}"]
    assert play.answer(first) == ""
    _, text = play.ask()
    news = text.splitlines()[1:4]
    lines += [f"> {door.asks}", text.splitlines()[0], *[line for line in news if line][:2], "..."]
    return (
        "\n".join([f"{name}:", *(line if len(line) <= WIDTH else line[: WIDTH - 4] + " ..." for line in lines)]) + "\n"
    )


def check(door: Door) -> None:
    """Compare the file of a door with its games now, or write it."""
    path, text = FOLDER / f"{door.name}.txt", "\n".join(transcript(door, name) for name in GAMES)
    if os.environ.get("WRITE_TRANSCRIPTS"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "WRITE_TRANSCRIPTS=1 writes this file"
