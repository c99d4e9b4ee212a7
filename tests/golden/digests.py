"""Digests of whole games: every byte of states, masks, observations, points and determinizations.

They are written down in the room's ``golden/digests.json``, a line for each number of players: compiled, interpreted
and bounds-checked runs, on any machine, have to come to the same.
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
#: Random decisions between two looks at a game: a prime, so that the looks fall everywhere.
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
    """The digest of some games of a room."""
    digest = hashlib.sha256()
    for seed in range(NUMBER):
        add_bytes(digest, make_game(name, players), seed)
    return digest.hexdigest()


def file_of(name: str) -> Path:
    """Where a room's digests stand, by the number of players."""
    return TESTS / "games" / name / "golden" / "digests.json"


def recorded(name: str) -> str:
    """The text that a room's file should have."""
    digests = {str(players): digest_of(name, players) for players in game_entry(name).seats}
    return json.dumps(digests, indent=1) + "\n"
