"""Starts of the golden games of cups and coins."""

from __future__ import annotations

from tests.golden.games import Start, random_player
from tests.toys.dice.game import State


def _start(players: int) -> tuple[str, Start]:
    name = f"random_{players}_players_seed_1"
    return name, Start(lambda: State.new(players, seed=1), random_player(name))


#: Start and player of the game, by file name.
STARTS = dict(_start(players) for players in (2, 6))
