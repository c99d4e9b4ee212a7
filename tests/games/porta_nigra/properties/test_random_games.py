"""Random games keep every invariant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.games.porta_nigra.properties.invariants import INVARIANTS, play_checked_game, violated_invariant

ROOT = Path(__file__).parents[4]
OTHER = str(ROOT / "tests" / "games" / "porta_nigra" / "components" / "other.toml")
LIMIT = 20_000
# Interpreted, a game takes a second: the checks are slow there, and the compiled run covers the numbers.
GAMES = 2_000 if COMPILED else 2


def play_checked_games(players: int, games: int, components: str) -> int:
    game = PortaNigra(players, components)
    states = np.zeros(2, dtype=game.dtype)
    words = np.zeros(game.num_words, dtype=np.uint64)
    rng = np.array([20, players, 0], dtype=np.int64)
    decisions = 0
    for seed in range(games):
        invariant, played = play_checked_game(game.constants, states, words, rng, seed, players, LIMIT)
        assert invariant == 0, f"{players} players, seed {seed}, step {played}: {INVARIANTS[invariant]} does not hold"
        decisions += played
    return decisions


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("components", ["standard", OTHER])
def test_random_games_keep_the_invariants(players: int, components: str) -> None:
    assert play_checked_games(players, GAMES, components) > 20 * GAMES


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4])
def test_hundred_thousand_random_games_keep_the_invariants(players: int) -> None:
    assert play_checked_games(players, 100_000, "standard") > 2_000_000


def _swap_honour(states: np.ndarray) -> None:
    rare = int(np.argmin(PortaNigra(2).constants["honour_copies"][0][: PortaNigra(2).components.num_honours]))
    states["honour_cards"][0][:2] = rare


def _duplicate_building(states: np.ndarray) -> None:
    states["building_cards"][0][0] = states["building_cards"][0][1]


BREAKS: dict[str, tuple[Callable[[np.ndarray], object], int]] = {
    "a brick too many": (lambda state: state["reserve"].__iadd__(1), 1),
    "a Roman too many": (lambda state: state["romans"][0].__setitem__(1, 9), 2),
    "a supply card twice": (lambda state: state["supply_cards"][0].__setitem__(0, state["supply_cards"][0][1]), 3),
    "a building card twice": (_duplicate_building, 4),
    "an honour card too often": (_swap_honour, 5),
    "an action card gone": (lambda state: state["action_cards"][0][0].__setitem__(7, -1), 6),
    "debts": (lambda state: state["sesterces"][0].__setitem__(0, -1), 7),
    "an element without an owner": (lambda state: state["occupied"].__iadd__(1), 8),
    "bricks built from nothing": (lambda state: state["built"][0][0].__setitem__(2, 3), 9),
    "a third player in a game of two": (lambda state: state["num_hand"][0].__setitem__(2, 1), 14),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_violation_is_found(name: str) -> None:
    # The checks above would prove nothing if they could not fail.
    change, invariant = BREAKS[name]
    game = PortaNigra(2)
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.constants, states, 0, 3, 2)
    assert violated_invariant(game.constants[0], states[0]) == 0
    change(states)
    assert violated_invariant(game.constants[0], states[0]) == invariant
