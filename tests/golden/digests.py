"""Digests of whole games: every byte of states, masks, observations, points and determinizations.

The game's ``golden/digests.json`` holds one for each number of players.  Compiled, interpreted and bounds-checked runs
give the same digests on any machine.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import game_entry, make_game
from tests.golden.games import TESTS

#: Games of a digest; interpreted, each takes seconds.
NUMBER = 2
#: Random steps between two samples of a game: a prime, so that samples fall everywhere.
APART = 11


def add_bytes(digest: hashlib._Hash, game: Game, seed: int) -> None:
    """Add the states, masks, observations, points and determinizations of a random game."""
    states = np.zeros(1, dtype=game.dtype)
    words = np.zeros(game.num_words, dtype=np.uint64)
    seen = np.zeros(game.observations.size, dtype=np.float32)
    hidden = np.zeros(game.privileged.size, dtype=np.float32)
    policy_rng = np.array([5, game.num_players, seed], dtype=np.int64)
    game.kernel.reset(game.constants, states, 0, seed, game.num_players)
    while states["current_player"][0] >= 0:
        game.loops.playout(game.constants, states, 0, words, policy_rng, APART)
        game.kernel.legal(game.constants, states, 0, words)
        game.kernel.privileged(game.constants, states, 0, hidden)
        points = game.points_by_source(states)
        digest.update(states.tobytes() + words.tobytes() + hidden.tobytes() + points.tobytes())
        for player in range(game.num_players):
            game.kernel.observe(game.constants, states, 0, player, seen)
            other = states.copy()
            game.kernel.determinize(game.constants, other, 0, player, seed)
            digest.update(seen.tobytes() + other.tobytes())


def digest_of(name: str, players: int) -> str:
    """Return the digest of `NUMBER` games."""
    digest = hashlib.sha256()
    for seed in range(NUMBER):
        add_bytes(digest, make_game(name, players), seed)
    return digest.hexdigest()


def file_of(name: str) -> Path:
    """Return the file of a game's digests, by the number of players."""
    return TESTS / "games" / name / "golden" / "digests.json"


def recorded(name: str) -> str:
    """Return the text of a game's file."""
    digests = {str(players): digest_of(name, players) for players in game_entry(name).seats}
    return json.dumps(digests, indent=1) + "\n"
