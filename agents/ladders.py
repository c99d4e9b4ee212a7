"""Published ratings of agents, from the ladders in ``docs/`` of the checkout and of the wheel."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

from porta_nigra_env.core.game.game import Game

#: The folder of the published ladders.
LADDERS: Final = Path(__file__).parents[1] / "docs"


@cache
def ratings_by_players(game: str) -> dict[str, dict[str, float]]:
    """Return the ratings by number of players and agent; the first ladder that names an agent counts.

    Args:
        game: name and version, such as ``<game>_v0``.
    """
    ratings: dict[str, dict[str, float]] = {}
    for path in sorted(LADDERS.glob("ladder*.json")):
        ladder = json.loads(path.read_text(encoding="utf-8"))
        if ladder["game"] == game:
            for players, rows in ladder["players"].items():
                agents = ratings.setdefault(players, {})
                for row in rows:
                    agents.setdefault(row["agent"], row["rating"][0])
    return ratings


def published_ratings(game: Game) -> dict[str, float]:
    """Return the published Elo ratings of agent strings in a game with its number of players; {} if there are none."""
    return ratings_by_players(f"{game.name}_v{game.version}").get(str(game.num_players), {})
