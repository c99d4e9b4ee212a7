"""Random games keep every law; compiled, interpreted and bounds-checked runs are the same to the last bit."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from porta_nigra_env.core.cache import COMPILED
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.games.porta_nigra.kernel.scoring import NUM_COLUMNS
from porta_nigra_env.games.porta_nigra.kernel.verbs import score_sheet
from tests.games.porta_nigra.properties.laws import LAWS, broken_law, lawful_game

ROOT = Path(__file__).parents[4]
OTHER = str(ROOT / "tests" / "games" / "porta_nigra" / "components" / "other.toml")
LIMIT = 20_000
# Interpreted, a game takes a second: the law checks themselves are slow there, and the compiled run covers the numbers.
GAMES = 2_000 if COMPILED else 2


def play_lawful_games(players: int, games: int, components: str) -> int:
    game = PortaNigra(players, components)
    states = np.zeros(2, dtype=game.dtype)
    words = np.zeros(game.num_words, dtype=np.uint64)
    rng = np.array([20, players, 0], dtype=np.int64)
    decisions = 0
    for seed in range(games):
        law, played = lawful_game(game.tables, states, words, rng, seed, players, LIMIT)
        assert law == 0, f"{players} players, seed {seed}, decision {played}: {LAWS[law]} does not hold"
        decisions += played
    return decisions


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("components", ["standard", OTHER])
def test_random_games_keep_the_laws(players: int, components: str) -> None:
    assert play_lawful_games(players, GAMES, components) > 20 * GAMES


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4])
def test_hundred_thousand_random_games_keep_the_laws(players: int) -> None:
    assert play_lawful_games(players, 100_000, "standard") > 2_000_000


def _swap_honour(states: np.ndarray) -> None:
    rare = int(np.argmin(PortaNigra(2).tables["honour_copies"][0][: PortaNigra(2).components.num_honours]))
    states["honour_cards"][0][:2] = rare


def _duplicate_building(states: np.ndarray) -> None:
    states["building_cards"][0][0] = states["building_cards"][0][1]


BREAKS: dict[str, tuple[Callable[[np.ndarray], object], int]] = {
    "a brick too many": (lambda s: s["reserve"].__iadd__(1), 1),
    "a Roman too many": (lambda s: s["romans"][0].__setitem__(1, 9), 2),
    "a supply card twice": (lambda s: s["supply_cards"][0].__setitem__(0, s["supply_cards"][0][1]), 3),
    "a building card twice": (_duplicate_building, 4),
    "an honour card too often": (_swap_honour, 5),
    "an action card gone": (lambda s: s["action_cards"][0][0].__setitem__(7, -1), 6),
    "debts": (lambda s: s["sesterces"][0].__setitem__(0, -1), 7),
    "an element without an owner": (lambda s: s["occupied"].__iadd__(1), 8),
    "bricks built from nothing": (lambda s: s["built"][0][0].__setitem__(2, 3), 9),
    "a third player in a game of two": (lambda s: s["num_hand"][0].__setitem__(2, 1), 14),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_law_is_found(name: str) -> None:
    # The checks above would prove nothing if they could not fail.
    change, law = BREAKS[name]
    game = PortaNigra(2)
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.tables, states, 0, 3, 2)
    assert broken_law(game.tables[0], states[0]) == 0
    change(states)
    assert broken_law(game.tables[0], states[0]) == law


DIGEST_PROGRAM = """
from tests.games.porta_nigra.properties.test_random_games import bytes_of_games
print(bytes_of_games())
"""


def bytes_of_games(games: int = 6) -> str:
    """A digest over the states, observations, masks, scores and determinizations of some games."""
    digest = hashlib.sha256()
    for players in (2, 3, 4):
        game = PortaNigra(players)
        states = np.zeros(1, dtype=game.dtype)
        words = np.zeros(game.num_words, dtype=np.uint64)
        observation = np.zeros(game.observations.size, dtype=np.float32)
        hidden = np.zeros(game.privileged.size, dtype=np.float32)
        sheet = np.zeros((players, NUM_COLUMNS), dtype=np.int32)
        rng = np.array([5, players, 0], dtype=np.int64)
        for seed in range(games):
            game.kernel.reset(game.tables, states, 0, seed, players)
            while states["current_player"][0] >= 0:
                game.loops.playout(game.tables, states, 0, words, rng, 5)
                game.kernel.legal(game.tables, states, 0, words)
                game.kernel.privileged(game.tables, states, 0, hidden)
                score_sheet(game.tables, states, 0, sheet)
                digest.update(states.tobytes() + words.tobytes() + hidden.tobytes() + sheet.tobytes())
                for player in range(players):
                    game.kernel.observe(game.tables, states, 0, player, observation)
                    other = states.copy()
                    game.kernel.determinize(game.tables, other, 0, player, seed)
                    digest.update(observation.tobytes() + other.tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize(
    "mode", [{}, {"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_BOUNDSCHECK": "1"}], ids=["compiled", "interpreted", "checked"]
)
def test_every_mode_gives_the_same_bytes(mode: dict[str, str]) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    run = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", DIGEST_PROGRAM],
        capture_output=True, text=True, cwd=ROOT, env={**clean, **mode}, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == bytes_of_games()
