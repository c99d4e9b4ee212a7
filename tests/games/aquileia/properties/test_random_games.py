"""Random games keep every invariant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.aquileia.game import Aquileia
from tests.games.aquileia.properties.invariants import (
    INVARIANTS,
    broken_invariant,
    broken_step_invariant,
    play_checked_game,
)
from tests.games.aquileia.rules.tables import OTHER

ROOT = Path(__file__).parents[4]
LIMIT = 5_000
# An interpreted game takes seconds, mostly for the checks; the compiled run plays the full number.
GAMES = 1_000 if COMPILED else 1


def play_lawful_games(players: int, games: int, components: str) -> int:
    game = Aquileia(players, components)
    states = np.zeros(2, dtype=game.dtype)
    words = np.zeros(game.num_words, dtype=np.uint64)
    policy_rng = np.array([20, players, 0], dtype=np.int64)
    steps = 0
    for seed in range(games):
        invariant, played = play_checked_game(game.constants, states, words, policy_rng, seed, players, LIMIT)
        assert invariant == 0, f"{players} players, seed {seed}, step {played}: {INVARIANTS[invariant]} does not hold"
        steps += played
    return steps


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("components", ["standard", OTHER])
def test_random_games_keep_the_invariants(players: int, components: str) -> None:
    assert play_lawful_games(players, GAMES, components) > 50 * GAMES


@pytest.mark.long
@pytest.mark.parametrize("players", [3, 4, 5])
def test_hundred_thousand_random_games_keep_the_invariants(players: int) -> None:
    assert play_lawful_games(players, 100_000, "standard") > 10_000_000


Change = Callable[[np.ndarray], object]
BREAKS: dict[str, tuple[Change, int]] = {
    "a follower too many": (lambda state: state["followers_left"][0].__setitem__(1, 6), 1),
    "two followers on a space": (lambda state: state["standing"][0].__setitem__(slice(0, 2), 1), 1),
    "a house too few": (lambda state: state["houses_left"][0].__setitem__(1, 8), 2),
    "a slave card twice": (lambda state: state["slaves"][0, 1].__setitem__(0, 1), 3),
    "an equi card gone": (lambda state: state["equi_row"][0].__setitem__(0, -1), 4),
    "a stadium card twice": (lambda state: state["past_open"][0].__setitem__(0, 2), 5),
    "a theatre card twice": (lambda state: state["theatre_owner"][0].__setitem__(0, 1), 6),
    "debts": (lambda state: state["coins"][0, 2].__setitem__(1, -1), 7),
    "a gap on the track": (lambda state: state["crest"][0].__setitem__(1, 1), 8),
    "a coin under nobody": (lambda state: state["portus_coins"].__setitem__(0, 2), 10),
    "a strength in a placement": (lambda state: state["strength"][0].__setitem__(0, 2), 11),
    "a fourth player in a game of three": (lambda state: state["vp"][0].__setitem__(3, 1), 12),
}


def first_position() -> tuple[Aquileia, np.ndarray]:
    game = Aquileia(3)
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.constants, states, 0, 3, 3)
    return game, states


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_law_is_found(name: str) -> None:
    # The checks above would prove nothing if they could not fail.
    change, invariant = BREAKS[name]
    game, states = first_position()
    assert broken_invariant(game.constants[0], states[0]) == 0
    change(states)
    assert broken_invariant(game.constants[0], states[0]) == invariant


def test_two_sides_and_two_coin_spaces_are_found() -> None:
    for spaces in (("gold_1", "silver_1"), ("portus_bronze", "portus_gold")):
        game, states = first_position()
        states["standing"][0][0] = sum(1 << game.components.spaces.index(space) for space in spaces)
        states["followers_left"][0][0] -= 2
        assert broken_invariant(game.constants[0], states[0]) == 9


@pytest.mark.parametrize(("field", "invariant"), [("vp", 14), ("buildings", 15), ("coins", 16)])
def test_a_broken_course_is_found(field: str, invariant: int) -> None:
    game, states = first_position()
    before = states.copy()
    before[field][0][1] += 1
    assert broken_step_invariant(game.constants[0], states[0], states[0], game.action_id("pass")) == 0
    assert broken_step_invariant(game.constants[0], before[0], states[0], game.action_id("pass")) == invariant
