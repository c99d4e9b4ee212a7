"""Compiled, interpreted and bounds-checked runs of every game are the same to the last bit."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from porta_nigra_env.core.game import Game
from porta_nigra_env.games import GAMES, make_game, room_of

ROOT = Path(__file__).parents[2]
#: Games of a run; interpreted, each takes seconds.
NUMBER = 2
#: Random decisions between two looks at a game: a prime, so that the looks fall everywhere.
APART = 11
PROGRAM = """
import sys
from tests.games.test_modes import bytes_of_games
print(bytes_of_games(sys.argv[1]))
"""


def add_bytes(digest: hashlib._Hash, game: Game, seed: int) -> None:
    """Add the states, masks, observations, points and determinizations of a random game."""
    states = np.zeros(1, dtype=game.dtype)
    words = np.zeros(game.num_words, dtype=np.uint64)
    seen = np.zeros(game.observations.size, dtype=np.float32)
    hidden = np.zeros(game.privileged.size, dtype=np.float32)
    chance = np.array([5, game.num_players, seed], dtype=np.int64)
    game.kernel.reset(game.tables, states, 0, seed, game.num_players)
    while states["current_player"][0] >= 0:
        game.loops.playout(game.tables, states, 0, words, chance, APART)
        game.kernel.legal(game.tables, states, 0, words)
        game.kernel.privileged(game.tables, states, 0, hidden)
        points = game.points_by_source(states)
        digest.update(states.tobytes() + words.tobytes() + hidden.tobytes() + points.tobytes())
        for player in range(game.num_players):
            game.kernel.observe(game.tables, states, 0, player, seen)
            other = states.copy()
            game.kernel.determinize(game.tables, other, 0, player, seed)
            digest.update(seen.tobytes() + other.tobytes())


def bytes_of_games(name: str) -> str:
    """A digest over some games at every number of players."""
    digest = hashlib.sha256()
    for players in room_of(name).seats:
        for seed in range(NUMBER):
            add_bytes(digest, make_game(name, players), seed)
    return digest.hexdigest()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "mode", [{"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_BOUNDSCHECK": "1"}], ids=["interpreted", "checked"]
)
def test_every_mode_gives_the_same_bytes(mode: dict[str, str], game: str) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    run = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM, game],
        capture_output=True, text=True, cwd=ROOT, env={**clean, **mode}, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == bytes_of_games(game)
