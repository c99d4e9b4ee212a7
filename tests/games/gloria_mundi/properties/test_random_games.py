"""Random games keep every law."""

from __future__ import annotations

import numpy as np
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi
from tests.games.gloria_mundi.policies import OTHER
from tests.games.gloria_mundi.properties.laws import LAWS, lawful_game

LIMIT = 5_000
# Interpreted, a game takes seconds: the law checks themselves are slow there, and the compiled run covers the numbers.
GAMES = 1_000 if COMPILED else 1


def play_lawful_games(players: int, games: int, components: str) -> tuple[int, int]:
    """Decisions and moves, forced ones among them."""
    game = GloriaMundi(players, components)
    states = np.zeros(2, dtype=game.dtype)
    words = np.zeros(game.num_words, dtype=np.uint64)
    policy_rng = np.array([20, players, 0], dtype=np.int64)
    decisions = moves = 0
    for seed in range(games):
        law, decided, moved = lawful_game(game.constants, states, words, policy_rng, seed, players, LIMIT)
        assert law == 0, f"{players} players, seed {seed}, decision {decided}: {LAWS[law]} does not hold"
        decisions += decided
        moves += moved
    return decisions, moves


@pytest.mark.parametrize("players", GloriaMundi.seats)
@pytest.mark.parametrize("components", ["standard", OTHER], ids=["standard", "other"])
def test_random_games_keep_the_laws(players: int, components: str) -> None:
    decisions, moves = play_lawful_games(players, GAMES, components)
    assert 50 * GAMES < decisions < moves


@pytest.mark.long
@pytest.mark.parametrize("players", GloriaMundi.seats)
def test_hundred_thousand_random_games_keep_the_laws(players: int) -> None:
    decisions, moves = play_lawful_games(players, 100_000, "standard")
    assert 10_000_000 < decisions < moves
