"""Drawn component sets of every game: a seed gives one set, its games are like those of the standard set."""

from __future__ import annotations

import numpy as np
import pytest

from porta_nigra_env.components import play_mixed
from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import GAMES, game_class, make_game
from porta_nigra_env.players.checkpoint import layout_digest

SEEDS = range(1, 9)
TABLES = [(name, players) for name, entry in GAMES.items() for players in entry.seats]
every_game = pytest.mark.parametrize("name", GAMES)


@every_game
def test_a_seed_gives_one_set(name: str) -> None:
    sets = game_class(name).component_sets
    assert sets is not None
    drawn = [sets.varied(seed) for seed in SEEDS]
    assert sets.load("varied:1") is drawn[0]
    assert len({one.digest for one in (sets.packaged, *drawn)}) == len({one.constants.tobytes() for one in drawn}) + 1
    assert [one.name for one in drawn] == [f"varied_{seed}" for seed in SEEDS]


@every_game
def test_all_sets_have_the_layouts_of_the_standard_set(name: str) -> None:
    standard = make_game(name)
    for seed in SEEDS:
        drawn = make_game(name, components=f"varied:{seed}")
        for one, other in zip(layouts(standard), layouts(drawn), strict=True):
            assert layout_digest(one) == layout_digest(other)


def layouts(game: Game) -> tuple[Layout, ...]:
    """Return the layouts that a network of all sets shares; the numbers are within theirs."""
    numbers = game.component_numbers()
    assert numbers is not None
    assert np.array_equal(numbers.vector, numbers.raw / numbers.layout.scales())
    assert (numbers.vector <= numbers.layout.high()).all()
    return game.actions, game.observations, numbers.layout


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_games_end_and_are_fair(name: str, players: int) -> None:
    games, won = 60, np.zeros(players)
    usual = play_mixed(make_game(name, players), games, 1).played
    for seed in SEEDS:
        game = make_game(name, players, f"varied:{seed}")
        mixed = play_mixed(game, games, seed)
        assert 0.75 < mixed.played.lengths.mean() / usual.lengths.mean() < 1.33
        assert 0.75 < mixed.played.totals.mean() / usual.totals.mean() < 1.33
        won += mixed.wins.sum(axis=0)
    # Four standard errors of a share.
    share = 1 / players
    assert np.abs(won / won.sum() - share).max() < 4 * np.sqrt(share * (1 - share) / won.sum())


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_policy_comes_to_an_end(name: str, players: int) -> None:
    for seed in SEEDS[:3]:
        game = make_game(name, players, f"varied:{seed}")
        policies = list(game.policies().values())
        ends = np.zeros(len(policies), dtype=game.dtype)
        lineups = np.repeat(np.arange(len(policies))[:, None], players, axis=1)
        play_games(game, policies, range(len(policies)), lineups, ends=ends)
        assert (ends["current_player"] == -1).all()
